//! Where simulated runs go: a server, a spool folder, or a store.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ::store::{NewRun, Store};
use anyhow::{Context, Result};

use super::sender::Sender;
use super::{Made, Taken, ended};
use crate::args::SimulateArguments;
use crate::store_place::StorePlace;

/// The most files of a spool: an agent that is slower is waited for.
const MAX_FILES: usize = 5000;

/// How often that is looked at, in runs.
const LOOK_EVERY: u64 = 500;

/// Where the runs go.
pub(super) enum Target {
    Server(Sender),
    Spool(Spool),
    Store(Arc<dyn Store>),
}

/// A folder into which the extension would write.
pub(super) struct Spool {
    folder: PathBuf,
    written: AtomicU64,
}

impl Target {
    pub(super) fn open(arguments: &SimulateArguments) -> Result<Self> {
        let target = &arguments.target;
        if let Some(url) = &target.to {
            return Ok(Self::Server(Sender::new(
                url,
                arguments.token_file.as_deref(),
            )?));
        }
        if let Some(folder) = &target.spool {
            return Ok(Self::Spool(Spool::open(folder)?));
        }
        let place = StorePlace::named(target.store.clone().unwrap_or_default())?;
        Ok(Self::Store(place.open().context("cannot open the store")?))
    }

    /// Hands over runs. When this returns they are stored, or files of the spool.
    pub(super) fn take(&self, runs: Vec<Made>, is_over: &AtomicBool) -> Result<Taken> {
        let mut taken = Taken::default();
        match self {
            Self::Server(sender) => return sender.send(&runs, is_over),
            Self::Spool(spool) => {
                for run in &runs {
                    spool.write(run, is_over)?;
                    taken.stored += 1;
                }
            }
            Self::Store(store) => {
                let runs = runs.into_iter().map(|run| NewRun {
                    received: run.profile.meta.started_unix_us.unwrap_or(0),
                    profile: run.profile,
                });
                for stored in store.put_all(runs.collect()) {
                    let stored = stored.context("cannot store a run")?;
                    taken.stored += u64::from(stored.is_new);
                    taken.known += u64::from(!stored.is_new);
                }
            }
        }
        Ok(taken)
    }
}

impl Spool {
    fn open(folder: &Path) -> Result<Self> {
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(folder);
        made.with_context(|| format!("cannot create the folder {}", folder.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
            written: AtomicU64::new(0),
        })
    }

    /// Writes a file, which has its name when it is whole.
    fn write(&self, run: &Made, is_over: &AtomicBool) -> Result<()> {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        if written.is_multiple_of(LOOK_EVERY) {
            self.wait(is_over)?;
        }
        let name = self.folder.join(format!("simulated-{}.xhp", run.number));
        let partial = name.with_extension("xhp.partial");
        let write = || -> io::Result<()> {
            let mut file = create(&partial)?;
            file.write_all(&run.file)?;
            fs::rename(&partial, &name)
        };
        write().with_context(|| format!("cannot write {}", name.display()))
    }

    /// Waits until an agent has taken files.
    fn wait(&self, is_over: &AtomicBool) -> Result<()> {
        loop {
            let files = fs::read_dir(&self.folder);
            let files = files.with_context(|| format!("cannot read {}", self.folder.display()))?;
            if files.count() < MAX_FILES {
                return Ok(());
            }
            if is_over.load(Ordering::Relaxed) {
                return Err(ended());
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// A new file, in place of one that a killed simulation left.
fn create(path: &Path) -> io::Result<File> {
    let new = || {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
    };
    match new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            new()
        }
        file => file,
    }
}
