//! The name of a profile's file, made from `xhprof.output_name` and what PHP knows
//! of the request. [`file_name`] has the rules.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use policy::file_name::{self, RunId};

use super::{place, request_meta};
use crate::clock;
use crate::settings;
use crate::zend;

/// A file's name, decided once.
#[derive(Debug)]
pub(super) struct Name {
    facts: Facts,
    name: String,
    /// Whether it was made from the pattern.
    is_by_pattern: bool,
}

thread_local! {
    /// The run id of the running automatic profile, until its file is named.
    static AUTOMATIC: RefCell<Option<RunId>> = const { RefCell::new(None) };
}

/// Chooses the run id of the automatic profile that begins.
pub(crate) fn choose_run_id() -> Result<String> {
    let run = new_run_id(clock::unix_time_us())?;
    let id = run.id().to_owned();
    AUTOMATIC.set(Some(run));
    Ok(id)
}

/// The automatic profile has ended, with or without a file.
pub(crate) fn forget_run_id() {
    AUTOMATIC.set(None);
}

/// A new run id of this process.
fn new_run_id(time_us: u64) -> Result<RunId> {
    let random = zend::random().context("the system has no random numbers")?;
    Ok(RunId::new(time_us, std::process::id(), random))
}

impl Name {
    /// The name of the automatic profile, with the run id that was chosen when it
    /// began. A forked child gets another run id.
    pub(super) fn automatic() -> Result<Self> {
        let chosen = AUTOMATIC.take();
        let facts = match chosen.filter(|run| run.process() == std::process::id()) {
            Some(run) => Facts {
                run,
                time_us: clock::unix_time_us(),
            },
            None => Facts::now()?,
        };
        let name = match place::named() {
            _ if place::collected().is_some() => {
                file_name::by_pattern(&settings::OUTPUT_NAME.default, &facts)
            }
            Some(named) if named.process == facts.run.process() => named.stem,
            Some(named) => format!("{}.{}", named.stem, facts.run.process()),
            None => return Ok(Self::by_pattern(facts)),
        };
        Ok(Self {
            facts,
            name,
            is_by_pattern: false,
        })
    }

    /// The name of a profile that the program began. There may be several, so if
    /// `XHPROF_OUTPUT` names a file, the run id is added.
    pub(super) fn of_program() -> Result<Self> {
        let facts = Facts::now()?;
        let Some(named) = place::named() else {
            return Ok(Self::by_pattern(facts));
        };
        Ok(Self {
            name: format!("{}.{}", named.stem, facts.run.id()),
            facts,
            is_by_pattern: false,
        })
    }

    fn by_pattern(facts: Facts) -> Self {
        Self {
            name: file_name::by_pattern(&settings::value(&settings::OUTPUT_NAME), &facts),
            facts,
            is_by_pattern: true,
        }
    }

    /// The same name with the program's current route and title.
    pub(super) fn renewed(&self) -> Self {
        if self.is_by_pattern {
            return Self::by_pattern(self.facts.clone());
        }
        Self {
            facts: self.facts.clone(),
            name: self.name.clone(),
            is_by_pattern: false,
        }
    }

    /// The name with the format's extension.
    pub(super) fn with_ending(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// The same with the run id, which makes it unique.
    pub(super) fn with_run_id(&self, ending: &str) -> String {
        format!("{}.{}.{ending}", self.name, self.facts.run.id())
    }

    /// A temporary path in that directory.
    pub(super) fn temporary_in(directory: &Path) -> Result<PathBuf> {
        let run = new_run_id(clock::unix_time_us())?;
        Ok(directory.join(format!(".{}.tmp", run.id())))
    }

    /// The temporary path of an incomplete file: hidden and unique.
    pub(super) fn temporary(&self, directory: &Path) -> PathBuf {
        directory.join(format!(".{}.tmp", self.facts.run.id()))
    }
}

/// The values of the placeholders.
#[derive(Debug, Clone)]
struct Facts {
    run: RunId,
    time_us: u64,
}

impl Facts {
    fn now() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let run = new_run_id(time_us)?;
        Ok(Self { run, time_us })
    }
}

impl file_name::Facts for Facts {
    fn sapi(&self) -> Vec<u8> {
        zend::sapi_name().into()
    }

    fn host(&self) -> Vec<u8> {
        zend::http_host().unwrap_or_default()
    }

    fn route(&self) -> Vec<u8> {
        request_meta::route().unwrap_or_default().into()
    }

    fn script(&self) -> Vec<u8> {
        zend::script_path().unwrap_or_default()
    }

    fn run(&self) -> &RunId {
        &self.run
    }

    fn time_us(&self) -> u64 {
        self.time_us
    }
}
