//! Where the store is: a folder, or ClickHouse.

use std::path::PathBuf;
use std::sync::Arc;

use ::store::{ClickhouseAddress, ClickhouseStore, Options, SqliteStore, Store};
use anyhow::{Context, Result, anyhow, bail};

use crate::args::StoreFolder;
use crate::secret::secret;

/// The environment variable with the password of ClickHouse.
const PASSWORD: &str = "XHPROF_CLICKHOUSE_PASSWORD";

/// Where the store is.
#[derive(Debug)]
pub(crate) enum StorePlace {
    Folder(PathBuf),
    Clickhouse(ClickhouseAddress),
}

impl StorePlace {
    /// What the command line or the environment names; else the user's folder.
    pub(crate) fn of(arguments: &StoreFolder) -> Result<Self> {
        if let Some(place) = &arguments.store {
            return Self::named(place.clone());
        }
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(place) = set("XHPROF_STORE") {
            return Self::named(PathBuf::from(place));
        }
        let data = set("XDG_DATA_HOME").map(PathBuf::from);
        let data = data.or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/share")));
        let data = data.ok_or_else(|| anyhow!("there is no home directory; use --store DIR"))?;
        Ok(Self::Folder(data.join("xhprof")))
    }

    /// A folder, or an address that begins with `clickhouse://`.
    pub(crate) fn named(place: PathBuf) -> Result<Self> {
        let Some(text) = place
            .to_str()
            .filter(|text| ClickhouseAddress::is_one(text))
        else {
            return Ok(Self::Folder(place));
        };
        let address = ClickhouseAddress::parse(text)?;
        let password = match address.password_file() {
            Some(file) => Some(secret(file)?),
            None => std::env::var(PASSWORD).ok().filter(|text| !text.is_empty()),
        };
        Ok(Self::Clickhouse(match password {
            Some(password) => address.with_password(password),
            None => address,
        }))
    }

    /// Opens it for writing.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>> {
        Ok(match self {
            Self::Folder(folder) => Arc::new(SqliteStore::open(folder)?),
            Self::Clickhouse(address) => Arc::new(clickhouse(address)?),
        })
    }

    /// Opens it for questions.
    pub(crate) fn open_for_reading(&self) -> Result<Arc<dyn Store>> {
        let options = Options {
            read_only: true,
            ..Options::default()
        };
        Ok(match self {
            Self::Folder(folder) => Arc::new(SqliteStore::open_with(folder, options)?),
            Self::Clickhouse(address) => Arc::new(clickhouse(address)?),
        })
    }

    /// The folder, for what only a store in a folder can do.
    pub(crate) fn folder(&self, command: &str) -> Result<&PathBuf> {
        match self {
            Self::Folder(folder) => Ok(folder),
            Self::Clickhouse(_) => bail!(
                "`xhprof store {command}` is for a store in a folder; ClickHouse has its own means, \
                 which docs/store-clickhouse.md names"
            ),
        }
    }
}

pub(crate) fn clickhouse(address: &ClickhouseAddress) -> Result<ClickhouseStore> {
    ClickhouseStore::open(address.clone())
        .with_context(|| format!("cannot open the store {address:?}"))
}
