//! Where the store is: a folder, or ClickHouse, with or without a bucket.

use std::path::PathBuf;
use std::sync::Arc;

use ::store::bucket;
use ::store::{ClickhouseAddress, ClickhouseStore, Options, SqliteStore, Store};
use anyhow::{Context, Result, anyhow, bail};

use crate::args::StoreFolder;
use crate::secret::secret;

/// The environment variable with the password of ClickHouse.
const PASSWORD: &str = "XHPROF_CLICKHOUSE_PASSWORD";

/// The one with the address of the bucket.
const BUCKET: &str = "XHPROF_BUCKET";

/// Where the store is.
#[derive(Debug)]
pub(crate) enum StorePlace {
    Folder(PathBuf),
    Clickhouse(Box<ClickhouseAddress>),
}

impl StorePlace {
    /// What the command line or the environment names; else the user's folder.
    pub(crate) fn of(arguments: &StoreFolder) -> Result<Self> {
        let bucket = arguments.bucket.as_deref();
        if let Some(place) = &arguments.store {
            return Self::with_bucket(place.clone(), bucket);
        }
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(place) = set("XHPROF_STORE") {
            return Self::with_bucket(PathBuf::from(place), bucket);
        }
        if bucket.is_some() {
            return Err(no_bucket());
        }
        let data = set("XDG_DATA_HOME").map(PathBuf::from);
        let data = data.or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/share")));
        let data = data.ok_or_else(|| anyhow!("there is no home directory; use --store DIR"))?;
        Ok(Self::Folder(data.join("xhprof")))
    }

    /// A folder, or an address that begins with `clickhouse://`.
    pub(crate) fn named(place: PathBuf) -> Result<Self> {
        Self::with_bucket(place, None)
    }

    /// The same with a bucket, which the environment may name, too.
    fn with_bucket(place: PathBuf, bucket: Option<&str>) -> Result<Self> {
        let Some(text) = place
            .to_str()
            .filter(|text| ClickhouseAddress::is_one(text))
        else {
            // The variable may be there for another store.
            return match bucket {
                Some(_) => Err(no_bucket()),
                None => Ok(Self::Folder(place)),
            };
        };
        let address = ClickhouseAddress::parse(text)?;
        let password = match address.password_file() {
            Some(file) => Some(secret(file)?),
            None => std::env::var(PASSWORD).ok().filter(|text| !text.is_empty()),
        };
        let address = match password {
            Some(password) => address.with_password(password),
            None => address,
        };
        let of_environment = std::env::var(BUCKET).ok().filter(|text| !text.is_empty());
        let address = match bucket.or(of_environment.as_deref()) {
            Some(bucket) => address.with_bucket(bucket::Address::parse(bucket)?),
            None => address,
        };
        Ok(Self::Clickhouse(Box::new(address)))
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

fn no_bucket() -> anyhow::Error {
    anyhow!(
        "--bucket: a store in a folder has the files of its runs in its database; a bucket is for a \
         store in ClickHouse, --store clickhouse://HOST/DATABASE"
    )
}

pub(crate) fn clickhouse(address: &ClickhouseAddress) -> Result<ClickhouseStore> {
    ClickhouseStore::open(address.clone())
        .with_context(|| format!("cannot open the store {address:?}"))
}
