//! What a thread waits for, as the kernel shows it.
//!
//! `/proc/PID/task/TID/syscall` has the system call of a thread that is blocked, with its arguments and the stack
//! pointer, or `running`. A file descriptor among the arguments gets its name from `/proc/PID/fd` and `/proc/PID/net`:
//! `recvfrom tcp 10.0.0.5:3306`, `flock /srv/app/cache.lock`.
//!
//! **Invariant:** no data that the program sends or receives is read, and no session's name: see [`path`].

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use crate::memory::{Memory, half_in, word_in};
use crate::process;
use crate::sockets;
use crate::system_calls::{Argument, known};

/// What a thread does in the kernel's view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// It is on a CPU, or waits for one.
    OnCpu,
    /// It is blocked in this system call.
    Blocked(Call),
    /// It is blocked, by a page fault for instance, or the system call is not shown.
    OffCpu,
}

/// A system call that has not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    number: u64,
    arguments: [u64; 6],
    /// Tells apart calls from different places.
    stack: u64,
}

/// The threads of one process, and the sockets that are known by name.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    threads: HashMap<u32, File>,
    sockets: HashMap<u64, String>,
}

/// The most threads whose file stays open, and the most sockets whose name is remembered.
const MOST: usize = 256;
/// The longest path in a name.
const LONGEST: usize = 200;

impl Waits {
    /// What a thread does now.
    pub(crate) fn state(&mut self, process: u32, thread: u32) -> State {
        if !self.threads.contains_key(&thread) {
            if self.threads.len() >= MOST {
                self.threads.clear();
            }
            if let Ok(file) = File::open(format!("/proc/{process}/task/{thread}/syscall")) {
                self.threads.insert(thread, file);
            }
        }
        let mut bytes = [0; 256];
        let read = self
            .threads
            .get(&thread)
            .and_then(|file| file.read_at(&mut bytes, 0).ok());
        let text = bytes.get(..read.unwrap_or(0)).unwrap_or_default();
        parse(&String::from_utf8_lossy(text)).unwrap_or_else(|| {
            // The thread is gone, or the kernel does not show system calls.
            self.threads.remove(&thread);
            match process::is_on_cpu(thread) {
                Some(false) => State::OffCpu,
                _ => State::OnCpu,
            }
        })
    }

    /// The name of what a thread waits for; none if it does not wait.
    pub(crate) fn name<M: Memory>(
        &mut self,
        state: &State,
        process: u32,
        thread: u32,
        memory: &M,
    ) -> Option<String> {
        let call = match state {
            State::OnCpu => return None,
            State::OffCpu => return Some(format!("[{}]", kernel_function(process, thread))),
            State::Blocked(call) => call,
        };
        let Some((name, argument)) = known(call.number) else {
            return Some(format!("[system call {}]", call.number));
        };
        let [first, second, third, ..] = call.arguments;
        let mut descriptor = |number| self.descriptor(process, number);
        let detail = match argument {
            Argument::None => None,
            Argument::Descriptor => descriptor(first),
            Argument::Poll => polled(memory, first, second).and_then(|(number, others)| {
                let mut name = descriptor(number)?;
                if others > 0 {
                    let _ = write!(name, " and {others} more");
                }
                Some(name)
            }),
            Argument::Select => [second, third]
                .into_iter()
                .find_map(|set| selected(memory, set, first))
                .and_then(descriptor),
            Argument::Path => text(memory, first),
            Argument::PathAt => text(memory, second),
            Argument::Process => u32::try_from(first)
                .ok()
                .and_then(|child| fs::read_to_string(format!("/proc/{child}/comm")).ok())
                .map(|name| name.trim_end().to_owned()),
        };
        Some(match detail {
            Some(detail) => format!("[{name} {detail}]"),
            None => format!("[{name}]"),
        })
    }

    /// What an open file is: its path, or the addresses of a socket.
    fn descriptor(&mut self, process: u32, number: u64) -> Option<String> {
        let link = fs::read_link(format!("/proc/{process}/fd/{number}")).ok()?;
        let link = link.to_string_lossy();
        if let Some(inode) = sockets::inode(&link) {
            if let Some(name) = self.sockets.get(&inode) {
                return Some(name.clone());
            }
            let name = sockets::name(process, inode)?;
            if self.sockets.len() >= MOST {
                self.sockets.clear();
            }
            self.sockets.insert(inode, name.clone());
            return Some(name);
        }
        let kind = link.split(':').next().unwrap_or_default();
        match kind {
            "pipe" => Some("pipe".to_owned()),
            // `anon_inode:[eventpoll]`: the system call says as much.
            "anon_inode" => None,
            _ => Some(path(&link)),
        }
    }
}

/// The line of `/proc/PID/task/TID/syscall`; none if it is empty.
fn parse(line: &str) -> Option<State> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next()?;
    if first == "running" {
        return Some(State::OnCpu);
    }
    let Ok(number) = first.parse() else {
        // -1: blocked outside of a system call.
        return Some(State::OffCpu);
    };
    let mut next = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let mut arguments = [0; 6];
    for argument in &mut arguments {
        *argument = next()?;
    }
    Some(State::Blocked(Call {
        number,
        arguments,
        stack: next()?,
    }))
}

/// The kernel's function in which a thread is blocked.
fn kernel_function(process: u32, thread: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/task/{thread}/wchan"));
    let name = name.ok().filter(|name| !name.is_empty() && name != "0");
    name.unwrap_or_else(|| "off CPU".to_owned())
}

/// The first file of an array of `struct pollfd`, and how many others there are.
fn polled<M: Memory>(memory: &M, array: u64, length: u64) -> Option<(u64, u64)> {
    let number = memory.half(array).ok().filter(|_| length > 0)?;
    let is_set = number.cast_signed() >= 0;
    is_set.then(|| (u64::from(number), length - 1))
}

/// The first file in a `fd_set` of files below `end`.
fn selected<M: Memory>(memory: &M, set: u64, end: u64) -> Option<u64> {
    let mut bytes = [0; 128];
    memory.read(set, &mut bytes).ok().filter(|()| set != 0)?;
    let mut words = (0..16).map(|index| (index * 64, word_in(&bytes, index * 8)));
    let first = words
        .find_map(|(base, word)| (word != 0).then(|| base + u64::from(word.trailing_zeros())))?;
    (first < end).then_some(first)
}

fn text<M: Memory>(memory: &M, address: u64) -> Option<String> {
    let bytes = memory.text(address, 4096).ok().filter(|_| address != 0)?;
    Some(path(&String::from_utf8_lossy(&bytes)))
}

/// A path for a profile. The names of sessions and uploads are replaced: the first are as good as passwords, and both
/// are new each time.
fn path(path: &str) -> String {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_upload = file.strip_prefix("php").is_some_and(|rest| {
        rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let start = if file.starts_with("sess_") {
        "sess_"
    } else if is_upload && folder == "/tmp" {
        "php"
    } else {
        let is_fitting = path.len() <= LONGEST;
        let mut end = LONGEST.min(path.len());
        while !path.is_char_boundary(end) {
            end -= 1;
        }
        let shown = path.get(..end).unwrap_or_default();
        return format!("{shown}{}", if is_fitting { "" } else { "…" });
    };
    format!("{folder}/{start}*")
}

/// The number of a thread of this machine, by its `pthread_t`; none if the C library is not glibc.
pub(crate) fn thread_number<M: Memory>(memory: &M, process: u32, pthread: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    memory
        .read(pthread.wrapping_add(THREAD_NUMBER), &mut bytes)
        .ok()?;
    let number = half_in(&bytes, 0);
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    if numbers(&status).count() > 1 {
        // Of a container: the C library knows the number in there.
        let threads = fs::read_dir(format!("/proc/{process}/task"))
            .ok()?
            .flatten();
        return threads.into_iter().find_map(|thread| {
            let status = fs::read_to_string(thread.path().join("status")).ok()?;
            (numbers(&status).last() == Some(number)).then(|| numbers(&status).next())?
        });
    }
    fs::exists(format!("/proc/{process}/task/{number}"))
        .is_ok_and(|is_there| is_there)
        .then_some(number)
}

/// The numbers of a thread in all namespaces, the outermost first: `NSpid` of `/proc/PID/status`.
fn numbers(status: &str) -> impl Iterator<Item = u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    line.unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|number| number.parse().ok())
}

/// Where glibc's `struct pthread` has `tid`: behind `tcbhead_t` and a list (`nptl/descr.h`).
const THREAD_NUMBER: u64 = if cfg!(target_arch = "aarch64") {
    208
} else {
    720
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fake::FakeMemory;

    #[test]
    fn a_line_is_a_state() {
        assert_eq!(parse("running\n"), Some(State::OnCpu));
        assert_eq!(parse("-1 0x7ffc 0x7f06\n"), Some(State::OffCpu));
        assert_eq!(parse(""), None);
        assert_eq!(parse("73 0x5"), None);
        let line = "73 0x5 0x2 0x0 0x0 0x7d 0x1 0x7ffe 0x7f68\n";
        let call = Call {
            number: 73,
            arguments: [5, 2, 0, 0, 0x7d, 1],
            stack: 0x7ffe,
        };
        assert_eq!(parse(line), Some(State::Blocked(call)));
    }

    #[test]
    fn a_thread_is_found_by_what_the_c_library_knows_of_it() {
        let own = std::process::id();
        let memory = FakeMemory::default();
        memory.write(0x1000 + THREAD_NUMBER, &own.to_le_bytes());
        assert_eq!(thread_number(&memory, own, 0x1000), Some(own));
        memory.write(0x1000 + THREAD_NUMBER, &[1, 0, 0, 0]);
        assert_eq!(thread_number(&memory, own, 0x1000), None);
        let numbers: Vec<u32> = numbers("Pid:\t9\nNSpid:\t4711\t9\n").collect();
        assert_eq!(numbers, [4711, 9]);
    }

    #[test]
    fn the_names_of_sessions_and_uploads_are_no_part_of_a_path() {
        assert_eq!(path("/var/lib/php/sess_0123abc"), "/var/lib/php/sess_*");
        assert_eq!(path("/tmp/phpA1b2C3 (deleted)"), "/tmp/php*");
        assert_eq!(path("/srv/phpA1b2C3"), "/srv/phpA1b2C3");
        assert_eq!(path("/srv/app.lock (deleted)"), "/srv/app.lock");
        let long = format!("/{}", "ä".repeat(200));
        assert!(path(&long).len() <= LONGEST + "…".len() && path(&long).ends_with('…'));
    }

    #[test]
    fn the_first_file_of_an_array_and_of_a_set_is_found() {
        let memory = FakeMemory::default();
        memory.write(0x100, &7_u32.to_le_bytes());
        assert_eq!(polled(&memory, 0x100, 3), Some((7, 2)));
        assert_eq!(polled(&memory, 0x100, 0), None);
        memory.write(0x100, &(-1_i32).to_le_bytes());
        assert_eq!(polled(&memory, 0x100, 1), None);
        memory.write(0x200, &[0; 128]);
        assert_eq!(selected(&memory, 0x200, 1024), None);
        memory.word(0x208, 1 << 3);
        assert_eq!(selected(&memory, 0x200, 68), Some(67));
        assert_eq!(selected(&memory, 0x200, 67), None);
        assert_eq!(selected(&memory, 0, 67), None);
    }

    /// A call with these arguments.
    fn blocked(name: &str, arguments: [u64; 6]) -> State {
        let number = crate::system_calls::number(name).unwrap();
        State::Blocked(Call {
            number,
            arguments,
            stack: 0,
        })
    }

    #[test]
    fn files_and_sockets_have_names() {
        use std::os::fd::AsRawFd;
        let own = std::process::id();
        let mut waits = Waits::default();
        let memory = FakeMemory::default();
        let mut name = |state| waits.name(&state, own, own, &memory).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let number = |fd: i32| u64::from(fd.unsigned_abs());
        let fd = number(file.as_file().as_raw_fd());
        let expected = format!("[flock {}]", file.path().display());
        assert_eq!(name(blocked("flock", [fd, 0, 0, 0, 0, 0])), expected);
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let client = std::net::TcpStream::connect(address).unwrap();
        let (accepted, _) = server.accept().unwrap();
        let mut of = |call, fd: i32| name(blocked(call, [number(fd), 0, 0, 0, 0, 0]));
        assert_eq!(
            of("accept4", server.as_raw_fd()),
            format!("[accept4 tcp {address}]")
        );
        assert_eq!(
            of("recvfrom", client.as_raw_fd()),
            format!("[recvfrom tcp {address}]")
        );
        assert_eq!(
            of("read", accepted.as_raw_fd()),
            format!("[read client of tcp {address}]")
        );
        assert_eq!(name(blocked("futex", [0; 6])), "[futex]");
        assert!(waits.name(&State::OnCpu, own, own, &memory).is_none());
    }

    #[test]
    fn a_process_that_sleeps_is_blocked_in_that() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let (number, mut waits) = (child.id(), Waits::default());
        let memory = FakeMemory::default();
        // It begins as this program, and loads its libraries first.
        let name = (0..2000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let state = waits.state(number, number);
            let name = waits.name(&state, number, number, &memory)?;
            name.contains("nanosleep").then_some(name)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(name.as_deref(), Some("[clock_nanosleep]"));
        assert_eq!(waits.state(number, number), State::OnCpu);
    }
}
