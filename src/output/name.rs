//! The name of a profile's file, by [`settings::file_name`], decided once.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use settings::file_name::{self, RunId};

use super::place::{self, Named};
use super::request_meta;
use crate::clock;
use crate::settings;
use crate::zend;

/// A file's name, decided once.
#[derive(Debug, Clone)]
pub(super) struct Name {
    run: RunId,
    time_us: u64,
    template: Template,
    name: String,
}

/// What a name is made from.
#[derive(Debug, Clone)]
enum Template {
    /// A pattern, and the values for its letters.
    Pattern(String, RequestValues),
    /// The file that `XHPROF_OUTPUT` names. Another process adds its number.
    Named(Named),
    /// The same, for the several profiles of a program: the run id is added.
    NamedWithRunId(Named),
}

/// What PHP says of the request; empty where the pattern does not have the letter.
#[derive(Debug, Clone)]
struct RequestValues {
    sapi: Vec<u8>,
    host: Vec<u8>,
    route: Vec<u8>,
    script: Vec<u8>,
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

fn is_of_this_process(run: &RunId) -> bool {
    run.process() == std::process::id()
}

impl Name {
    /// The name of the automatic profile, with the run id that was chosen when it
    /// began. A forked child gets another run id. Asks PHP.
    pub(super) fn automatic() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let run = match AUTOMATIC.take().filter(is_of_this_process) {
            Some(run) => run,
            None => new_run_id(time_us)?,
        };
        let template = match place::named() {
            _ if place::collected().is_some() => {
                Template::ask(settings::OUTPUT_NAME.default.to_string())
            }
            Some(named) => Template::Named(named),
            None => Template::ask(settings::value(&settings::OUTPUT_NAME).to_string()),
        };
        Ok(Self::new(run, time_us, template))
    }

    /// The name of a profile that the program began. There may be several, so if
    /// `XHPROF_OUTPUT` names a file, the run id is added. Asks PHP.
    pub(super) fn of_program() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let template = match place::named() {
            Some(named) => Template::NamedWithRunId(named),
            None => Template::ask(settings::value(&settings::OUTPUT_NAME).to_string()),
        };
        Ok(Self::new(new_run_id(time_us)?, time_us, template))
    }

    fn new(run: RunId, time_us: u64, template: Template) -> Self {
        let mut name = Self {
            run,
            time_us,
            template,
            name: String::new(),
        };
        name.name = name.expanded();
        name
    }

    fn expanded(&self) -> String {
        let Self { run, time_us, .. } = self;
        match &self.template {
            Template::Pattern(pattern, values) => {
                let facts = Facts {
                    run,
                    time_us: *time_us,
                    values,
                };
                file_name::by_pattern(pattern, &facts)
            }
            Template::Named(named) if named.process == run.process() => named.stem.clone(),
            Template::Named(named) => format!("{}.{}", named.stem, run.process()),
            Template::NamedWithRunId(named) => format!("{}.{}", named.stem, run.id()),
        }
    }

    /// Makes the name again, with the program's current route and title. Asks PHP.
    pub(super) fn renew(&mut self) {
        if let Template::Pattern(pattern, _) = &mut self.template {
            self.template = Template::ask(std::mem::take(pattern));
            self.name = self.expanded();
        }
    }

    /// In a forked child: the name of a file of its own.
    pub(super) fn leave_parent(&mut self) -> Result<()> {
        if !is_of_this_process(&self.run) {
            self.time_us = clock::unix_time_us();
            self.run = new_run_id(self.time_us)?;
            self.name = self.expanded();
        }
        Ok(())
    }

    /// The name with the format's extension.
    pub(super) fn with_ending(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// The same with the run id, which makes it unique.
    pub(super) fn with_run_id(&self, ending: &str) -> String {
        format!("{}.{}.{ending}", self.name, self.run.id())
    }

    /// A temporary path in that directory.
    pub(super) fn temporary_in(directory: &Path) -> Result<PathBuf> {
        let run = new_run_id(clock::unix_time_us())?;
        Ok(directory.join(format!(".{}.tmp", run.id())))
    }

    /// The temporary path of an incomplete file: hidden and unique.
    pub(super) fn temporary(&self, directory: &Path) -> PathBuf {
        directory.join(format!(".{}.tmp", self.run.id()))
    }
}

impl Template {
    /// A pattern with the values that PHP has for its letters now.
    fn ask(pattern: String) -> Self {
        let wants = |letter| pattern.contains(letter);
        let values = RequestValues {
            sapi: zend::sapi_name().into(),
            host: value_if(wants("%H"), || zend::http_host().unwrap_or_default()),
            route: value_if(wants("%R"), || {
                request_meta::route().unwrap_or_default().into()
            }),
            script: value_if(wants("%s"), || zend::script_path().unwrap_or_default()),
        };
        Self::Pattern(pattern, values)
    }
}

fn value_if(is_wanted: bool, ask: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    if is_wanted { ask() } else { Vec::new() }
}

/// The values of the placeholders.
struct Facts<'a> {
    run: &'a RunId,
    time_us: u64,
    values: &'a RequestValues,
}

impl file_name::Facts for Facts<'_> {
    fn sapi(&self) -> Vec<u8> {
        self.values.sapi.clone()
    }

    fn host(&self) -> Vec<u8> {
        self.values.host.clone()
    }

    fn route(&self) -> Vec<u8> {
        self.values.route.clone()
    }

    fn script(&self) -> Vec<u8> {
        self.values.script.clone()
    }

    fn run(&self) -> &RunId {
        self.run
    }

    fn time_us(&self) -> u64 {
        self.time_us
    }
}
