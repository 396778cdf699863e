//! The processes that are sampled: those that come are opened, those that end are forgotten.

use std::collections::{HashMap, HashSet};
use std::io;

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
    /// How often a process was looked at that is not open, by number and start.
    looks: HashMap<(u32, u64), u32>,
    /// All functions that were seen.
    pub symbols: Symbols,
    options: Options,
}

/// How often a process is looked at: a new one may run PHP a moment later, and php-fpm names its workers after `fork`.
const LOOKS: u32 = 4;

/// What a look at the machine's processes has found.
#[derive(Debug, Default)]
pub struct Found {
    /// The processes that were opened.
    pub opened: Vec<Process>,
    /// Those that were chosen and cannot be opened.
    pub refused: Vec<(Process, AttachError)>,
}

impl Watch {
    /// Nothing yet: see [`look`](Self::look).
    #[must_use]
    pub fn new(finder: Finder, options: Options) -> Self {
        Self {
            finder,
            workers: Vec::new(),
            looks: HashMap::new(),
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
        let open: HashSet<u32> = self
            .workers
            .iter()
            .map(|worker| worker.process.id)
            .collect();
        let numbers = process::all()?.into_iter().filter(|number| *number != own);
        let processes: Vec<Process> = if choice.has_children() {
            numbers
                .filter_map(|number| Process::read(number).ok())
                .collect()
        } else {
            let mut looks = HashMap::new();
            let mut read = |number: u32| {
                let identity = (number, process::started(number).ok()?);
                let before = self.looks.get(&identity).copied().unwrap_or(0);
                looks.insert(identity, before);
                // The name of a process that is not new stays.
                (before < LOOKS).then(|| Process::read(number).ok())?
            };
            let new = numbers.filter(|number| !open.contains(number));
            let processes = new.filter_map(&mut read).collect();
            self.looks = looks;
            processes
        };
        let chosen = processes.iter().filter(|process| choice.has(process));
        let mut chosen: HashSet<u32> = chosen.map(|process| process.id).collect();
        if choice.has_children() {
            chosen.extend(process::descendants(&chosen, &processes));
        }
        let mut found = Found::default();
        for process in processes {
            let looks = self.looks.entry((process.id, process.started)).or_insert(0);
            *looks += 1;
            if !chosen.contains(&process.id) || open.contains(&process.id) || *looks > LOOKS {
                continue;
            }
            let is_named = choice.names(&process);
            let effort = if is_named {
                Effort::Whole
            } else {
                Effort::Named
            };
            match Worker::open(&mut self.finder, process.clone(), effort) {
                Ok(worker) => {
                    found.opened.push(process);
                    self.workers.push(worker);
                }
                Err(AttachError::NoPhp) if !is_named => {}
                Err(error) if *looks == 1 || is_named => found.refused.push((process, error)),
                Err(_) => {}
            }
        }
        Ok(found)
    }

    /// Calls `act` with what each thread of each process does now. Processes that have ended are forgotten.
    pub fn sample(&mut self, act: &mut dyn FnMut(&Process, Seen<'_>, &Symbols)) {
        let (options, symbols) = (self.options, &mut self.symbols);
        self.workers.retain_mut(|worker| {
            let process = worker.process.clone();
            let mut act = |seen: Seen<'_>, symbols: &Symbols| act(&process, seen, symbols);
            worker.sample(options, symbols, &mut act).is_ok()
        });
    }
}
