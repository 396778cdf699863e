//! A file of call events, written as they happen.
//!
//! It is called `….xhp.partial` until the profile ends. If the process is killed,
//! the file can be read up to its last whole block. No file is created before the
//! first block is full.
//!
//! **Invariants:** nothing here calls PHP while a profile runs: [`FileOutcome::ask`]
//! does so before, and problems are reported when the profile ends. A process never
//! writes into its parent's file.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Error, Result, bail};
use profile::Meta;
use profile::native::events::{EventsWriter, RawEvent, RawInstant, What};
use recorder::{EventSink, Recorder};

use super::destination::Destination;
use super::file::{copy_privately, create_private};
use super::ledger::Ledger;
use super::name::Name;
use super::place;
use super::request_meta::RequestPhase;
use crate::clock;
use crate::session::EventSource;
use crate::{settings, zend};

/// What the end of a file takes for each name, at most: the writer's copy, and the bytes.
const BYTES_A_NAME: usize = 256;

/// The requests for a file of call events, and its outcome. Shared by the file and
/// the code that began the profile.
#[derive(Debug, Default)]
pub(crate) struct FileOutcome {
    /// What PHP was asked for before the profile began, and again before it ended.
    from_php: RefCell<Option<FromPhp>>,
    /// The first error.
    pub(crate) failure: RefCell<Option<Error>>,
    /// The file is removed when the profile ends.
    pub(crate) is_discarded: Cell<bool>,
    /// The program began the profile, so there may be several files.
    is_of_program: bool,
    /// The file keeps its name `….xhp.partial`: it is read at once.
    pub(crate) stays_partial: Cell<bool>,
    /// The file's final path, if it is not in the output directory.
    pub(super) final_path: RefCell<Option<PathBuf>>,
    /// The file's path, once the profile has ended.
    pub(crate) written_to: RefCell<Option<PathBuf>>,
}

/// What the file takes from PHP.
#[derive(Debug)]
struct FromPhp {
    to: Destination,
    /// `xhprof.max_events_size`.
    max_size: u64,
    /// The file counts for no limit of the output directory.
    is_collected: bool,
}

/// The least free space, in bytes, for a file to be created.
const SMALLEST: u64 = 64 << 10;

/// Call events on their way into a file.
#[derive(Debug)]
pub(crate) struct EventFile {
    source: EventSource,
    meta: Meta,
    limit: u64,
    /// The process that writes the file.
    process: u32,
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
    /// `xhprof.file_permissions`.
    permissions: u32,
}

impl EventFile {
    /// A file for a profile that begins. The caller must have called
    /// [`FileOutcome::ask`]; errors are stored in `file_outcome`.
    pub(crate) fn new(source: EventSource, file_outcome: Rc<FileOutcome>) -> Self {
        let mut file = Self {
            source,
            meta: Meta::default(),
            limit: 0,
            process: 0,
            open: None,
            bytes: Vec::new(),
            file_outcome,
        };
        file.begin();
        file
    }

    fn begin(&mut self) {
        self.open = None;
        self.process = std::process::id();
        self.meta = Meta {
            mode: profile::Mode::Traced,
            started_unix_us: Some(clock::unix_time_us()),
            ..Meta::default()
        };
        let from_php = self.file_outcome.from_php.borrow();
        if let Some(from_php) = &*from_php {
            from_php.to.request.add_to(&mut self.meta);
            self.limit = from_php.max_size;
        }
    }

    /// Writes events; false if the file is full.
    fn try_write(&mut self, events: &[RawEvent]) -> Result<bool> {
        if self.process != std::process::id() {
            // A forked child, before its first call: the events are the parent's, and
            // the ends of calls that are open in both.
            return Ok(true);
        }
        if !zend::can_allocate(2 * size_of_val(events)) {
            bail!("no memory for more call events");
        }
        self.bytes.clear();
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.create()?,
        };
        self.write_what_is_new(&mut open.writer);
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

    /// Creates the file, and writes its beginning to `bytes`.
    fn create(&mut self) -> Result<Open> {
        let file_outcome = Rc::clone(&self.file_outcome);
        let mut from_php = file_outcome.from_php.borrow_mut();
        let from_php = from_php.as_mut();
        let from_php = from_php.context("nothing is known of the request")?;
        self.limit_to_free_bytes(from_php)?;
        from_php.to.name.leave_parent()?;
        let permissions = from_php.to.limits.permissions;
        let (file, partial) =
            create_partial(&from_php.to.name, &from_php.to.directory, permissions)?;
        let EventSource { options, start, .. } = &self.source;
        Ok(Open {
            writer: EventsWriter::begin(options, *start, &self.meta, &mut self.bytes),
            file,
            size: 0,
            partial,
            permissions,
        })
    }

    /// Writes what is new: files of lines, names and spans; names first, because spans refer
    /// to them.
    fn write_what_is_new(&mut self, writer: &mut EventsWriter) {
        if self.source.options.has_lines {
            let files = (self.source.files_of_lines)(writer.files_written());
            writer.files(&files, &mut self.bytes);
        }
        if let Ok(names) = self.source.names.try_borrow() {
            let new = names.symbols().get(writer.symbols_written()..);
            writer.symbols(new.unwrap_or_default(), &mut self.bytes);
        }
        let spans = self.source.spans.as_ref();
        if let Some(spans) = spans.and_then(|spans| spans.try_borrow().ok()) {
            writer.spans(spans.spans(), &mut self.bytes);
        }
    }

    /// Limits the file to the space left by `xhprof.max_dir_size`; fails if there
    /// is too little.
    fn limit_to_free_bytes(&mut self, from_php: &FromPhp) -> Result<()> {
        let most = from_php.to.limits.max_size;
        if most == 0 || from_php.is_collected {
            return Ok(());
        }
        let directory = &from_php.to.directory;
        let free = Ledger::free_bytes(directory, most)?;
        if free < SMALLEST {
            return Err(Error::msg(Ledger::drop_profile(directory)));
        }
        self.limit = self.limit.min(free);
        Ok(())
    }

    fn try_end(&mut self, at: RawInstant) -> Result<()> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let file_outcome = Rc::clone(&self.file_outcome);
        if file_outcome.is_discarded.get() {
            return fs::remove_file(&open.partial)
                .with_context(|| format!("cannot remove {}", open.partial.display()));
        }
        if !zend::can_allocate(open.writer.symbols_written() * BYTES_A_NAME) {
            bail!("no memory for the end of {}", open.partial.display());
        }
        let from_php = file_outcome.from_php.borrow();
        let from_php = from_php
            .as_ref()
            .context("nothing is known of the request")?;
        from_php.to.request.add_to(&mut self.meta);
        if let Ok(names) = self.source.names.try_borrow() {
            names.describe(&mut self.meta);
        }
        self.bytes.clear();
        open.writer
            .clone()
            .end(at, Some(&self.meta), &mut self.bytes);
        open.append(&self.bytes)?;
        if file_outcome.stays_partial.get() {
            file_outcome.written_to.replace(Some(open.partial));
            return Ok(());
        }
        let path = file_outcome.final_path.take().unwrap_or_else(|| {
            let directory = place::parent(&open.partial);
            directory.join(from_php.to.name.with_ending("xhp"))
        });
        open.move_to(&path, &from_php.to.name)?;
        if let Some(directory) = from_php.to.limits.counts(&path) {
            Ledger::add(directory, open.size);
        }
        file_outcome.written_to.replace(Some(path));
        Ok(())
    }

    fn note(&self, error: Error) {
        // No other reference is held while a profile runs.
        if let Ok(mut failure) = self.file_outcome.failure.try_borrow_mut() {
            failure.get_or_insert(error);
        }
    }
}

thread_local! {
    /// A call writes its events now.
    static IS_WRITING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a call writes its events now, which may take a while where the file is on
/// another machine.
pub(crate) fn is_writing() -> bool {
    IS_WRITING.get()
}

impl EventSink for EventFile {
    fn write(&mut self, events: &[RawEvent]) -> bool {
        IS_WRITING.set(true);
        let outcome = zend::without_file_size_signal(|| self.try_write(events));
        let has_room = outcome.unwrap_or_else(|error| {
            self.note(error);
            false
        });
        IS_WRITING.set(false);
        has_room
    }

    fn delay(&mut self, pause: RawInstant) {
        if let Some(open) = &mut self.open {
            open.writer.delay(pause);
        }
    }

    fn end(&mut self, at: RawInstant) {
        if let Err(error) = zend::without_file_size_signal(|| self.try_end(at)) {
            self.note(error);
        }
    }

    fn discard(&mut self) {
        if let Some(open) = self.open.take() {
            // Best effort: the program ended without its profile.
            let _ = fs::remove_file(&open.partial);
        }
    }

    fn restart(&mut self, at: RawInstant) {
        self.source.start = at;
        self.begin();
    }
}

impl FileOutcome {
    /// For a profile that the program began.
    pub(crate) fn of_program() -> Self {
        Self {
            is_of_program: true,
            ..Self::default()
        }
    }

    /// Asks PHP for what the file needs. The caller must do so before the profile
    /// begins: afterwards the file is written in the midst of calls, where PHP must
    /// not be asked.
    ///
    /// # Errors
    ///
    /// If the file can have no name.
    pub(crate) fn ask(&self) -> Result<()> {
        let to = if self.is_of_program {
            Destination::of_program()?
        } else {
            // The request's outcome is not known yet.
            Destination::automatic(RequestPhase::Running)?
        };
        let from_php = FromPhp {
            to,
            max_size: settings::value(&settings::MAX_EVENTS_SIZE),
            is_collected: !self.is_of_program && place::collected().is_some(),
        };
        self.from_php.replace(Some(from_php));
        Ok(())
    }

    /// Asks PHP once more, before the profile ends: its outcome is known now.
    pub(crate) fn ask_at_end(&self) {
        let phase = if self.is_of_program {
            RequestPhase::Running
        } else {
            RequestPhase::Ended
        };
        // Taken out: PHP may bail out while it is asked.
        let from_php = self.from_php.take();
        if let Some(mut from_php) = from_php {
            from_php.to.renew(phase);
            self.from_php.replace(Some(from_php));
        }
    }
}

/// Creates an empty file, and returns its path.
fn create_partial(name: &Name, directory: &Path, permissions: u32) -> Result<(File, PathBuf)> {
    let mut partial = directory.join(name.with_ending("xhp.partial"));
    // Another process writes that file, or was killed while it did.
    let file = create_private(&partial, permissions).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            partial = directory.join(name.with_run_id("xhp.partial"));
            create_private(&partial, permissions)
        }
        _ => Err(error),
    });
    let file = file.with_context(|| format!("cannot write the profile {}", partial.display()))?;
    Ok((file, partial))
}

impl Open {
    fn move_to(&self, path: &Path, name: &Name) -> Result<()> {
        let problem = || format!("cannot write the profile {}", path.display());
        match fs::rename(&self.partial, path) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let temporary = name.temporary(place::parent(path));
                copy_privately(&self.partial, &temporary, path, self.permissions)
                    .with_context(problem)?;
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
