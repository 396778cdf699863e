//! The processes of this machine, as `/proc` shows them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;
use std::time::Duration;

/// A process, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// That of its parent.
    pub parent: u32,
    /// When it began, in ticks since the machine started: another process may get the same number later.
    pub started: u64,
    /// The name of its program, at most 15 bytes.
    pub name: String,
    /// Its command line, which php-fpm replaces by `php-fpm: pool NAME`.
    pub command: String,
    /// Its user.
    pub user: u32,
}

impl Process {
    /// Looks at a process.
    ///
    /// # Errors
    ///
    /// If it is gone, or `/proc` hides it.
    pub fn read(id: u32) -> io::Result<Self> {
        let stat = fs::read(format!("/proc/{id}/stat"))?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        let stat = Stat::parse(&stat).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        let command = fs::read(format!("/proc/{id}/cmdline"))?;
        let command = String::from_utf8_lossy(&command);
        let command = command.trim_end_matches(['\0', ' ']).replace('\0', " ");
        let user = fs::metadata(format!("/proc/{id}"))?.uid();
        Ok(Self {
            id,
            parent: stat.parent,
            started: stat.started,
            name: stat.name.to_owned(),
            command,
            user,
        })
    }

    /// A process of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self {
            id: 0,
            parent: 0,
            started: 0,
            name: String::new(),
            command: String::new(),
            user: 0,
        }
    }

    /// How long it has run, if the machine has run as long; zero if that is not known.
    pub(crate) fn age(&self, uptime: Option<Duration>) -> Duration {
        let began = Duration::from_millis(self.started.saturating_mul(MS_PER_TICK));
        uptime.unwrap_or_default().saturating_sub(began)
    }

    /// The pool, if it is a worker of php-fpm.
    #[must_use]
    pub fn pool(&self) -> Option<&str> {
        self.command.strip_prefix("php-fpm: pool ")
    }

    /// Whether it looks like a PHP by its name alone.
    #[must_use]
    pub fn is_named_like_php(&self) -> bool {
        self.name.contains("php") || self.command.starts_with("php-fpm")
    }

    /// Whether it is the master of php-fpm, which serves no request.
    #[must_use]
    pub fn is_master(&self) -> bool {
        self.command.starts_with("php-fpm: master")
    }
}

/// Whether a thread is on a CPU or waits for one, and not for anything else; none if it is gone.
#[must_use]
pub fn is_on_cpu(process: u32) -> Option<bool> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(Stat::parse(&stat)?.state == 'R')
}

/// How long a tick of `/proc/PID/stat` is: `USER_HZ` is 100 on each architecture of ours.
const MS_PER_TICK: u64 = 10;

/// How long the machine has run.
pub(crate) fn uptime() -> Option<Duration> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    let seconds = text.split(' ').next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The numbers of all processes.
///
/// # Errors
///
/// If `/proc` cannot be read.
pub fn all() -> io::Result<Vec<u32>> {
    let entries = fs::read_dir("/proc")?.flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(numbers.collect())
}

/// Those of `processes` that descend from one of `roots`.
#[must_use]
pub fn descendants<'a>(
    roots: &HashSet<u32>,
    processes: &(impl Iterator<Item = &'a Rc<Process>> + Clone),
) -> HashSet<u32> {
    let mut found = roots.clone();
    loop {
        let is_new = |process: &&Rc<Process>| {
            found.contains(&process.parent) && !found.contains(&process.id)
        };
        let new = processes.clone().filter(is_new);
        let new: Vec<u32> = new.map(|process| process.id).collect();
        if new.is_empty() {
            return found.difference(roots).copied().collect();
        }
        found.extend(new);
    }
}

/// The fields of `/proc/PID/stat` that are used.
struct Stat<'a> {
    name: &'a str,
    state: char,
    parent: u32,
    started: u64,
}

impl<'a> Stat<'a> {
    fn parse(stat: &'a str) -> Option<Self> {
        // The name may contain blanks and parentheses.
        let (before, after) = stat.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let fields: Vec<&str> = after.split_ascii_whitespace().collect();
        Some(Self {
            name,
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_parentheses() {
        let stat = "42 (a) (b) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 991 1 1";
        let stat = Stat::parse(stat).unwrap();
        assert_eq!(
            (stat.name, stat.state, stat.parent, stat.started),
            ("a) (b", 'S', 7, 991)
        );
    }

    #[test]
    fn this_process_is_one_of_all() {
        let own = Process::read(std::process::id()).unwrap();
        assert!(all().unwrap().contains(&own.id));
        assert_eq!(own, Process::read(own.id).unwrap());
        assert!(!own.is_master() && own.pool().is_none());
        let age = own.age(uptime());
        assert!(age < Duration::from_secs(3600) && own.age(None).is_zero());
    }

    #[test]
    fn children_of_children_descend_too() {
        let process = |id, parent| {
            Rc::new(Process {
                id,
                parent,
                started: 0,
                name: String::new(),
                command: String::new(),
                user: 0,
            })
        };
        let processes = [process(5, 4), process(4, 3), process(3, 1), process(9, 1)];
        let found = descendants(&HashSet::from([3]), &processes.iter());
        assert_eq!(found, HashSet::from([4, 5]));
    }
}
