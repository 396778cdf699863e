//! A file of call events, written as they happen.
//!
//! It is called `….xhp.partial` until the profile ends. If the process is killed,
//! the file can be read up to its last whole block. No file is created before the
//! first block is full.
//!
//! **Invariants:** nothing here raises a warning while a profile runs: problems
//! are reported when it ends. A process never writes into its parent's file.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Error, Result};
use profile::native::events::{EventsOptions, EventsWriter, RawEvent, RawInstant, What};
use profile::{Meta, Symbol};
use recorder::{EventSink, Recorder};

use super::file::{copy_privately, create_private, is_in};
use super::ledger::Ledger;
use super::name;
use super::place::{self, automatic_directory, directory};
use super::request_meta::{self, RequestPhase};
use crate::spans::SharedSpans;
use crate::{clock, settings};

/// The functions' names, which grow while the profile runs.
pub(crate) type SharedNames = Rc<RefCell<Vec<Symbol>>>;
/// The requests for a file of call events, and its outcome. Shared by the file and
/// the code that began the profile.
#[derive(Debug, Default)]
pub(crate) struct FileOutcome {
    /// The first error.
    pub(crate) failure: RefCell<Option<Error>>,
    /// The file is removed when the profile ends.
    pub(crate) is_discarded: Cell<bool>,
    /// The program began the profile, so there may be several files.
    pub(crate) is_of_program: Cell<bool>,
    /// The file keeps its name `….xhp.partial`: it is read at once.
    pub(crate) stays_partial: Cell<bool>,
    /// The file's final path, if it is not in the output directory.
    pub(crate) destination: RefCell<Option<PathBuf>>,
    /// The file's path, once the profile has ended.
    pub(crate) written_to: RefCell<Option<PathBuf>>,
}

/// The least free space, in bytes, for a file to be created.
const SMALLEST: u64 = 64 << 10;

/// Call events on their way into a file.
#[derive(Debug)]
pub(crate) struct EventFile {
    names: SharedNames,
    spans: Option<SharedSpans>,
    options: EventsOptions,
    start: RawInstant,
    meta: Meta,
    limit: u64,
    open: Option<Open>,
    bytes: Vec<u8>,
    file_outcome: Rc<FileOutcome>,
}

/// A file that was created.
#[derive(Debug)]
struct Open {
    writer: EventsWriter,
    file: File,
    size: u64,
    partial: PathBuf,
    name: name::Name,
}

impl EventFile {
    /// A file for a profile that begins, of at most `limit` bytes plus a block.
    /// Errors are stored in `file_outcome`.
    pub(crate) fn new(
        names: SharedNames,
        spans: Option<SharedSpans>,
        options: EventsOptions,
        start: RawInstant,
        limit: u64,
        file_outcome: Rc<FileOutcome>,
    ) -> Self {
        let mut file = Self {
            names,
            spans,
            options,
            start,
            meta: Meta::default(),
            limit,
            open: None,
            bytes: Vec::new(),
            file_outcome,
        };
        file.describe();
        file
    }

    fn describe(&mut self) {
        request_meta::describe(&mut self.meta, RequestPhase::Running);
        self.meta.mode = profile::Mode::Traced;
        self.meta.started_unix_us = Some(clock::unix_time_us());
    }

    /// Writes events; false if the file is full.
    fn try_write(&mut self, events: &[RawEvent]) -> Result<bool> {
        self.bytes.clear();
        let mut open = match self.open.take() {
            Some(open) => open,
            None => {
                self.limit_to_free_bytes()?;
                let (name, directory) = if self.file_outcome.is_of_program.get() {
                    (name::Name::of_program()?, directory())
                } else {
                    (name::Name::automatic()?, automatic_directory())
                };
                let file = Partial::create(name, &directory)?;
                Open::begin(file, &self.options, self.start, &self.meta, &mut self.bytes)
            }
        };
        self.write_names_and_spans(&mut open.writer);
        open.writer.events(events, &mut self.bytes);
        let is_full = open.size + self.bytes.len() as u64 > self.limit;
        if is_full && let Some(last) = events.last() {
            // Later events are summed up below the call that is open now.
            let what = What::enter(Recorder::TRUNCATED);
            let truncated = RawEvent { what, at: last.at };
            open.writer.events(&[truncated], &mut self.bytes);
            self.meta.is_truncated = true;
        }
        open.append(&self.bytes)?;
        self.open = Some(open);
        Ok(!is_full)
    }

    /// Writes new names and spans; names first, because spans refer to them.
    fn write_names_and_spans(&mut self, writer: &mut EventsWriter) {
        if let Ok(names) = self.names.try_borrow() {
            let new = names.get(writer.symbols_written()..);
            writer.symbols(new.unwrap_or_default(), &mut self.bytes);
        }
        if let Some(spans) = self
            .spans
            .as_ref()
            .and_then(|spans| spans.try_borrow().ok())
        {
            writer.spans(spans.spans(), &mut self.bytes);
        }
    }

    /// Limits the file to the space left by `xhprof.max_dir_size`; fails if there
    /// is too little.
    fn limit_to_free_bytes(&mut self) -> Result<()> {
        let most = settings::value(&settings::MAX_DIR_SIZE);
        let is_collected = !self.file_outcome.is_of_program.get() && place::collected().is_some();
        if most == 0 || is_collected {
            return Ok(());
        }
        let directory = directory();
        let free = Ledger::free_bytes(&directory, most)?;
        if free < SMALLEST {
            return Err(Error::msg(Ledger::drop_profile(&directory)));
        }
        self.limit = self.limit.min(free);
        Ok(())
    }

    fn try_end(&mut self, at: RawInstant) -> Result<()> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        if self.file_outcome.is_discarded.get() {
            return fs::remove_file(&open.partial)
                .with_context(|| format!("cannot remove {}", open.partial.display()));
        }
        request_meta::describe(&mut self.meta, self.file_outcome.phase());
        self.bytes.clear();
        open.writer
            .clone()
            .end(at, Some(&self.meta), &mut self.bytes);
        open.append(&self.bytes)?;
        if self.file_outcome.stays_partial.get() {
            self.file_outcome.written_to.replace(Some(open.partial));
            return Ok(());
        }
        let destination = self.file_outcome.destination.take();
        let path = destination.unwrap_or_else(|| open.path());
        open.move_to(&path)?;
        if settings::value(&settings::MAX_DIR_SIZE) > 0 && is_in(&path, &directory()) {
            Ledger::add(&directory(), open.size);
        }
        self.file_outcome.written_to.replace(Some(path));
        Ok(())
    }

    fn note(&self, error: Error) {
        // No other reference is held while a profile runs.
        if let Ok(mut failure) = self.file_outcome.failure.try_borrow_mut() {
            failure.get_or_insert(error);
        }
    }
}

impl EventSink for EventFile {
    fn write(&mut self, events: &[RawEvent]) -> bool {
        self.try_write(events).unwrap_or_else(|error| {
            self.note(error);
            false
        })
    }

    fn delay(&mut self, pause: RawInstant) {
        if let Some(open) = &mut self.open {
            open.writer.delay(pause);
        }
    }

    fn end(&mut self, at: RawInstant) {
        if let Err(error) = self.try_end(at) {
            self.note(error);
        }
    }

    fn begin_anew(&mut self, at: RawInstant) {
        self.open = None;
        self.start = at;
        self.meta = Meta::default();
        self.describe();
    }
}

impl FileOutcome {
    /// For a profile that the program began.
    pub(crate) fn of_program() -> Self {
        let file_outcome = Self::default();
        file_outcome.is_of_program.set(true);
        file_outcome
    }

    fn phase(&self) -> RequestPhase {
        if self.is_of_program.get() {
            RequestPhase::Running
        } else {
            RequestPhase::Ended
        }
    }
}

/// A file that was created, and is empty.
struct Partial {
    file: File,
    partial: PathBuf,
    name: name::Name,
}

impl Partial {
    fn create(name: name::Name, directory: &Path) -> Result<Self> {
        let mut partial = directory.join(name.with_ending("xhp.partial"));
        // Another process writes that file, or was killed while it did.
        let file = create_private(&partial).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                partial = directory.join(name.with_run_id("xhp.partial"));
                create_private(&partial)
            }
            _ => Err(error),
        });
        let file =
            file.with_context(|| format!("cannot write the profile {}", partial.display()))?;
        Ok(Self {
            file,
            partial,
            name,
        })
    }
}

impl Open {
    fn begin(
        made: Partial,
        options: &EventsOptions,
        start: RawInstant,
        meta: &Meta,
        bytes: &mut Vec<u8>,
    ) -> Self {
        Self {
            writer: EventsWriter::begin(options, start, meta, bytes),
            file: made.file,
            size: 0,
            partial: made.partial,
            name: made.name,
        }
    }

    /// The final path. The program may have set its route or title since.
    fn path(&self) -> PathBuf {
        let directory = self.partial.parent().unwrap_or(Path::new("."));
        directory.join(self.name.renewed().with_ending("xhp"))
    }

    fn move_to(&self, path: &Path) -> Result<()> {
        let problem = || format!("cannot write the profile {}", path.display());
        match fs::rename(&self.partial, path) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let directory = path.parent().unwrap_or(Path::new("."));
                let temporary = self.name.temporary(directory);
                copy_privately(&self.partial, &temporary, path).with_context(problem)?;
                fs::remove_file(&self.partial)
                    .with_context(|| format!("cannot remove {}", self.partial.display()))
            }
            Err(error) => {
                // Best effort: the first error is reported.
                let _ = fs::remove_file(&self.partial);
                Err(error).with_context(problem)
            }
            Ok(()) => Ok(()),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = self.file.write_all(bytes);
        if outcome.is_err() && self.size == 0 {
            // The file has no whole block. Best effort: the first error is reported.
            let _ = fs::remove_file(&self.partial);
        }
        self.size += bytes.len() as u64;
        outcome.with_context(|| format!("cannot write the profile {}", self.partial.display()))
    }
}
