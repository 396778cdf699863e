//! The processes that are sampled: those that come are opened, those that end are forgotten.

use std::collections::{HashMap, HashSet};
use std::io;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use crate::error::AttachError;
use crate::find::{Effort, Finder};
use crate::process::{self, Process};
use crate::symbols::Symbols;
use crate::worker::{Options, Seen, Worker};

/// Which processes to sample.
pub trait Choice {
    /// Whether a process is wanted.
    fn has(&self, process: &Process) -> bool;

    /// Whether their children are, too, and the children of these.
    fn has_children(&self) -> bool {
        false
    }

    /// Whether the user has named this very process, so that a failure to open it is one of the command.
    fn names(&self, process: &Process) -> bool;
}

/// The processes that are sampled.
#[derive(Debug)]
pub struct Watch {
    finder: Finder,
    workers: Vec<Worker>,
    /// The processes of this machine, by number.
    known: HashMap<u32, Known>,
    /// All functions that were seen.
    pub symbols: Symbols,
    options: Options,
}

/// A process of this machine.
#[derive(Debug, Default)]
struct Known {
    /// None if it cannot be looked at.
    process: Option<Rc<Process>>,
    is_chosen: bool,
    looks: u32,
    /// Whether it may be one that becomes readable with its first request.
    is_late: bool,
}

/// A process that is older has its name.
const YOUNG: Duration = Duration::from_secs(5);
/// How often a process is looked at: a new one may run PHP a moment later, and php-fpm names its workers after `fork`.
const LOOKS: u32 = 4;
/// How many looks pass until one is tried again that may not have served a request yet: eight seconds.
const LOOKS_BETWEEN: u32 = 16;

/// How often a process is tried to be opened whose tables are no tables: one of them may grow at this moment, and the
/// process may have lost its CPU in the midst of it.
const TRIES: u32 = 5;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(10);

fn open_worker(
    finder: &mut Finder,
    process: &Rc<Process>,
    effort: Effort,
) -> Result<Worker, AttachError> {
    for _ in 1..TRIES {
        match Worker::open(finder, Rc::clone(process), effort) {
            Err(AttachError::Unbelievable) => thread::sleep(PAUSE),
            result => return result,
        }
    }
    Worker::open(finder, Rc::clone(process), effort)
}

/// What a look at the machine's processes has found.
#[derive(Debug, Default)]
pub struct Found {
    /// The processes that were opened.
    pub opened: Vec<Rc<Process>>,
    /// Those that were chosen and cannot be opened.
    pub refused: Vec<(Rc<Process>, AttachError)>,
}

impl Watch {
    /// Nothing yet: see [`look`](Self::look).
    #[must_use]
    pub fn new(finder: Finder, options: Options) -> Self {
        Self {
            finder,
            workers: Vec::new(),
            known: HashMap::new(),
            symbols: Symbols::default(),
            options,
        }
    }

    /// The processes that are sampled.
    #[must_use]
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// Opens the processes of `choice` that are not open yet.
    ///
    /// # Errors
    ///
    /// If `/proc` cannot be read.
    pub fn look(&mut self, choice: &dyn Choice) -> io::Result<Found> {
        let own = std::process::id();
        let numbers: HashSet<u32> = process::all()?.into_iter().collect();
        // A number that was gone for a look may be another process's.
        self.known.retain(|number, _| numbers.contains(number));
        let uptime = process::uptime();
        let mut new = Vec::new();
        for number in numbers {
            let known = self.known.entry(number).or_default();
            known.looks = known.looks.saturating_add(1);
            // What a process is called changes in its first moments only.
            let is_due = known.is_late && known.looks.is_multiple_of(LOOKS_BETWEEN);
            if number == own || known.looks > LOOKS && !is_due {
                continue;
            }
            if let Ok(process) = Process::read(number) {
                let is_other = |before: &Rc<Process>| before.started != process.started;
                if known.process.as_ref().is_some_and(is_other) {
                    known.looks = 1;
                }
                known.is_chosen = choice.has(&process);
                if !known.is_chosen && process.age(uptime) > YOUNG {
                    known.looks = LOOKS;
                }
                known.process = Some(Rc::new(process));
                new.push(number);
            }
        }
        let open: HashSet<u32> = self
            .workers
            .iter()
            .map(|worker| worker.process.id)
            .collect();
        let chosen = self.known.iter().filter(|(_, known)| known.is_chosen);
        let mut chosen: HashSet<u32> = chosen.map(|(number, _)| *number).collect();
        if choice.has_children() {
            chosen.extend(&open);
            let processes = self.known.values();
            let processes = processes.filter_map(|known| known.process.as_ref());
            chosen.extend(process::descendants(&chosen, &processes));
        }
        let mut found = Found::default();
        for number in new {
            let Some(known) = self.known.get_mut(&number) else {
                continue;
            };
            let Some(process) = known.process.clone() else {
                continue;
            };
            if !chosen.contains(&number) || open.contains(&number) {
                continue;
            }
            let looks = known.looks;
            let is_named = choice.names(&process);
            let effort = if is_named {
                Effort::Whole
            } else {
                Effort::Named
            };
            let opened = open_worker(&mut self.finder, &process, effort);
            known.is_late = match opened {
                Err(AttachError::Unbelievable | AttachError::NoThreads) => true,
                Err(AttachError::NoPhp) => process.command.contains("php"),
                _ => false,
            };
            match opened {
                Ok(worker) => {
                    found.opened.push(process);
                    self.workers.push(worker);
                }
                Err(AttachError::NoPhp) if !is_named => {}
                Err(error) => {
                    // A process that has just begun may be all right at the next look.
                    let is_new = matches!(error, AttachError::Unbelievable);
                    if is_named || looks == if is_new { LOOKS } else { 1 } {
                        found.refused.push((process, error));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Calls `act` with what each thread of each process does now, and counts the threads. Processes that have ended are
    /// forgotten.
    pub fn sample(&mut self, act: &mut dyn FnMut(&Process, Seen<'_>, &Symbols)) -> u32 {
        let mut threads = 0;
        let (options, symbols, known) = (self.options, &mut self.symbols, &mut self.known);
        self.workers.retain_mut(|worker| {
            let process = Rc::clone(&worker.process);
            let mut act = |seen: Seen<'_>, symbols: &Symbols| {
                threads += 1;
                act(&process, seen, symbols);
            };
            let is_there = worker.sample(options, symbols, &mut act).is_ok();
            if !is_there
                && let Some(known) = known.get_mut(&process.id)
                && Process::read(process.id).is_ok_and(|now| !now.command.is_empty())
            {
                // Another program runs in it: it may be PHP, too.
                known.looks = 0;
            }
            is_there
        });
        threads
    }
}
