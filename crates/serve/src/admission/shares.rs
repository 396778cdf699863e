//! How the memory of the server is divided, so that all parts together stay within it.

use std::fs;
use std::path::Path;

/// The program with its threads, the caches of the store, and what is not counted.
const BASE: u64 = 80 << 20;

/// A connection: the head of its request, and the kernel's buffers.
const CONNECTION: u64 = 128 << 10;

/// The least memory of a process that reads uploads, and the most.
const READER: (u64, u64) = (128 << 20, 4 << 30);

/// What a question may take; most take less.
const QUESTION: u64 = 48 << 20;

/// The least memory of a server.
pub const MIN_MEMORY: u64 = 256 << 20;

/// The parts of the server's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shares {
    /// The most connections.
    pub(crate) connections: usize,
    /// How many processes read uploads, and the memory of each.
    pub(crate) readers: usize,
    pub(crate) reader: u64,
    /// The bytes of bodies and profiles.
    pub(crate) bodies: u64,
    /// How many questions run at a time.
    pub(crate) questions: usize,
}

impl Shares {
    /// The parts of so much memory.
    pub(crate) fn of(memory: u64) -> Self {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Self::of_threads(memory, threads)
    }

    fn of_threads(memory: u64, threads: usize) -> Self {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let rest = memory.max(MIN_MEMORY) - BASE;
        let connections = (rest / 8 / CONNECTION).clamp(64, 1000);
        let rest = rest - connections * CONNECTION;
        let readers = count(rest / 2 / READER.0).clamp(1, threads.clamp(2, 8));
        Self {
            connections: count(connections),
            readers,
            reader: (rest / 2 / readers as u64).min(READER.1),
            bodies: rest / 4,
            questions: count(rest / 4 / QUESTION).clamp(2, threads.clamp(2, 16)),
        }
    }
}

/// What a server takes that was not told: a quarter of the machine, or of what its cgroup
/// may have.
#[must_use]
pub fn default_memory() -> u64 {
    let text = |path: &Path| fs::read_to_string(path).ok();
    let machine = rustix::system::sysinfo();
    let total = machine.totalram.saturating_mul(u64::from(machine.mem_unit));
    let groups = text(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| of_group(line, &text));
    let least = limits.chain([total]).min().unwrap_or(2 << 30);
    (least / 4).max(MIN_MEMORY)
}

/// The lowest limit of a group in `/proc/self/cgroup` and of those around it.
fn of_group(line: &str, text: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        list if list.split(',').any(|name| name == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return None,
    };
    let folder = Path::new(root).join(group.trim_start_matches('/'));
    // In a container the path may be that of the machine: then only the root is there.
    let folders = folder
        .ancestors()
        .take_while(|above| above.starts_with(root));
    let limits = folders.filter_map(|folder| text(&folder.join(file))?.trim().parse().ok());
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_not_more_than_the_whole() {
        for memory in [0, MIN_MEMORY, 512 << 20, 1 << 30, 6 << 30, 64 << 30] {
            for threads in [1, 2, 8, 128] {
                let shares = Shares::of_threads(memory, threads);
                let sum = BASE
                    + shares.connections as u64 * CONNECTION
                    + shares.readers as u64 * shares.reader
                    + shares.bodies;
                let memory = memory.max(MIN_MEMORY);
                assert!(sum <= memory * 7 / 8, "{memory} {threads}: {shares:?}");
                assert!(shares.reader >= 64 << 20 && shares.questions >= 2);
            }
        }
        let large = Shares::of_threads(64 << 30, 8);
        assert_eq!(
            (large.connections, large.readers, large.questions),
            (1000, 8, 8)
        );
    }

    #[test]
    fn a_limit_is_that_of_a_group_or_of_one_around() {
        let files = |path: &Path| {
            let text = match path.to_str()? {
                "/sys/fs/cgroup/a/memory.max" => "1000\n",
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(of_group("0::/a/b", &files), Some(1000));
        assert_eq!(of_group("4:memory:/docker/x", &files), Some(9));
        assert_eq!(of_group("5:cpu:/a", &files), None);
        assert!(default_memory() >= MIN_MEMORY);
    }
}
