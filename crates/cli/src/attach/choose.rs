//! Which processes the command line means, and what a profile of them says.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use ::attach::{AttachError, Choice, Finder, Options, Process, Watch, layout, process};
use anyhow::{Context, Result, anyhow, bail};
use profile::Meta;
use regex::Regex;

use super::containers::{self, Container};
use crate::args::ChoiceArguments;
use crate::terminal::say;

/// Which processes the command line means.
pub(super) struct Selection {
    wanted: Wanted,
    containers: Vec<Container>,
    looks: u32,
    children: bool,
}

/// The chosen processes.
pub(super) struct Chosen {
    pub(super) watch: Watch,
    selection: Selection,
    /// How many processes were opened, and what they are.
    opened: u64,
    versions: BTreeSet<String>,
    sapis: BTreeSet<String>,
    first: Option<Rc<Process>>,
    /// What was said of processes that cannot be read.
    said: HashSet<String>,
}

/// How many looks pass until the files of containers are read again: two seconds.
const LOOKS_BETWEEN: u32 = 4;

enum Wanted {
    Processes(HashSet<u32>),
    Pool(String),
    Name(Regex),
    Container(String),
    All,
}

/// The processes, as the watch asks for them.
struct Rule<'a> {
    wanted: &'a Wanted,
    containers: &'a [Container],
    children: bool,
}

impl Choice for Rule<'_> {
    fn has(&self, process: &Process) -> bool {
        // A thread of the kernel, or a zombie, has no command line.
        let is_program = !process.command.is_empty();
        match self.wanted {
            Wanted::Processes(numbers) => numbers.contains(&process.id),
            Wanted::Pool(pool) => process
                .pool()
                .is_some_and(|name| pool.is_empty() || name == pool),
            Wanted::Name(regex) => is_program && regex.is_match(&process.command),
            Wanted::Container(_) => {
                let mut containers = self.containers.iter();
                is_program
                    && !process.is_master()
                    && containers.any(|container| container.has(process.id))
            }
            Wanted::All => is_program && !process.is_master(),
        }
    }

    fn has_children(&self) -> bool {
        self.children
    }

    fn names(&self, process: &Process) -> bool {
        matches!(self.wanted, Wanted::Processes(numbers) if numbers.contains(&process.id))
    }
}

/// Knows the PHPs of this program, and that of a file of the user.
pub(super) fn finder(layout: Option<&Path>) -> Result<Finder> {
    let Some(file) = layout else {
        return Ok(Finder::default());
    };
    let cannot = || format!("cannot use the layout {}", file.display());
    let text = fs::read_to_string(file).with_context(cannot)?;
    let own = layout::parse(&text).with_context(cannot)?;
    Ok(Finder::new(
        own.into_iter().chain(layout::known()).collect(),
    ))
}

fn regular_expression(text: &str) -> Result<Regex> {
    Regex::new(text).map_err(|error| {
        // A picture of the pattern comes first, in lines of its own.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        let reason = reason.strip_prefix("error: ").unwrap_or(reason);
        anyhow!("--name is no regular expression: {reason}")
    })
}

impl Selection {
    pub(super) fn new(arguments: &ChoiceArguments) -> Result<Self> {
        let wanted = if let Some(pool) = &arguments.fpm {
            Wanted::Pool(pool.clone())
        } else if let Some(regex) = &arguments.name {
            Wanted::Name(regular_expression(regex)?)
        } else if let Some(name) = &arguments.container {
            Wanted::Container(name.clone())
        } else if arguments.all {
            Wanted::All
        } else {
            Wanted::Processes(arguments.processes.iter().copied().collect())
        };
        if let Wanted::Processes(numbers) = &wanted {
            let gone = numbers
                .iter()
                .find(|number| Process::read(**number).is_err());
            if let Some(number) = gone {
                bail!("cannot attach to process {number}: {}", AttachError::Gone);
            }
        }
        Ok(Self {
            wanted,
            containers: Vec::new(),
            looks: 0,
            children: arguments.children,
        })
    }

    /// Reads the files of containers, from time to time.
    fn refresh(&mut self) -> Result<()> {
        if let Wanted::Container(name) = &self.wanted
            && self.looks.is_multiple_of(LOOKS_BETWEEN)
        {
            self.containers = containers::named(Path::new("/"), name);
            if self.containers.is_empty() && self.looks == 0 {
                bail!(
                    "no container {name} runs, as far as the files of Docker and containerd tell; \
                     name its processes by their numbers, or use --all"
                );
            }
        }
        self.looks = self.looks.wrapping_add(1);
        Ok(())
    }

    fn rule(&self) -> Rule<'_> {
        Rule {
            wanted: &self.wanted,
            containers: &self.containers,
            children: self.children,
        }
    }

    /// The processes that are meant now, without a look into them.
    pub(super) fn processes(&mut self) -> Result<Vec<Rc<Process>>> {
        self.refresh()?;
        let numbers = process::all().context("cannot list the processes")?;
        let all = numbers.into_iter().filter_map(|id| Process::read(id).ok());
        let all: Vec<Rc<Process>> = all.map(Rc::new).collect();
        let rule = self.rule();
        let mut chosen: HashSet<u32> = all
            .iter()
            .filter(|one| rule.has(one))
            .map(|one| one.id)
            .collect();
        if self.children {
            chosen.extend(process::descendants(&chosen, &all.iter()));
        }
        Ok(all
            .into_iter()
            .filter(|one| chosen.contains(&one.id))
            .collect())
    }

    /// Whether the command line names this process by its number.
    pub(super) fn names(&self, process: &Process) -> bool {
        self.rule().names(process)
    }

    /// Whether processes that are meant can still begin.
    pub(super) fn may_come(&self) -> bool {
        !matches!(self.wanted, Wanted::Processes(_)) || self.children
    }
}

impl Chosen {
    /// Opens the processes that the command line names.
    pub(super) fn new(arguments: &ChoiceArguments, options: Options) -> Result<Self> {
        let selection = Selection::new(arguments)?;
        let finder = finder(arguments.layout.as_deref())?;
        let mut chosen = Self {
            watch: Watch::new(finder, options),
            selection,
            opened: 0,
            versions: BTreeSet::new(),
            sapis: BTreeSet::new(),
            first: None,
            said: HashSet::new(),
        };
        chosen.look()?;
        Ok(chosen)
    }

    /// Opens processes that are new. False if there is nothing left to sample, and nothing can come.
    pub(super) fn look(&mut self) -> Result<bool> {
        self.selection.refresh()?;
        let rule = self.selection.rule();
        let before = self.watch.workers().len();
        let found = self
            .watch
            .look(&rule)
            .context("cannot list the processes")?;
        for worker in self.watch.workers().get(before..).unwrap_or_default() {
            self.versions.insert(worker.target.version.clone());
            self.sapis.extend(worker.target.sapi.clone());
            self.first.get_or_insert_with(|| Rc::clone(&worker.process));
        }
        self.opened += found.opened.len() as u64;
        for (process, error) in found.refused {
            let number = process.id;
            if rule.names(&process) && self.opened == 0 {
                return Err(anyhow!(error).context(format!("cannot attach to process {number}")));
            }
            if matches!(error, AttachError::Gone) {
                continue;
            }
            // Other programs than PHP are no business of `--all`.
            let is_likely = process.is_named_like_php() || rule.names(&process);
            let problem = error.to_string();
            if is_likely && self.said.insert(problem.clone()) {
                say(&format!(
                    "cannot attach to process {number} ({}): {problem}",
                    process.command
                ));
            }
        }
        Ok(self.selection.may_come() || !self.watch.workers().is_empty())
    }

    /// How many processes were opened so far.
    pub(super) fn count(&self) -> u64 {
        self.opened
    }

    /// What a profile says of its processes.
    pub(super) fn describe(&self) -> Meta {
        let only = |names: &BTreeSet<String>| names.first().filter(|_| names.len() == 1).cloned();
        let single = self.first.as_ref().filter(|_| self.opened == 1);
        let what = match (&self.selection.wanted, single) {
            (_, Some(process)) => process.command.clone(),
            (Wanted::Pool(pool), _) if !pool.is_empty() => format!("php-fpm: pool {pool}"),
            (Wanted::Pool(_), _) => "php-fpm".to_owned(),
            (Wanted::Name(regex), _) => regex.as_str().to_owned(),
            (Wanted::Container(name), _) => format!("container {name}"),
            _ => "PHP".to_owned(),
        };
        let title = if single.is_some() {
            what
        } else {
            format!("{what}, {}", super::processes(self.opened))
        };
        let mut meta = Meta {
            title: Some(title),
            host: Some(
                rustix::system::uname()
                    .nodename()
                    .to_string_lossy()
                    .into_owned(),
            ),
            process: single.map(|process| process.id),
            sapi: only(&self.sapis),
            php_version: only(&self.versions),
            creator: Some(concat!("xhprof ", env!("CARGO_PKG_VERSION"), ", attach").to_owned()),
            ..Meta::default()
        };
        meta.set_tag("processes", self.opened.to_string());
        meta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_regular_expression_is_one_line() {
        let error = regular_expression("php [").unwrap_err().to_string();
        let expected = "--name is no regular expression: unclosed character class";
        assert_eq!(error, expected);
        assert!(regular_expression("php .*").is_ok());
    }
}
