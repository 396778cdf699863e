//! A process that runs PHP, opened for reading.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use crate::core_file::CoreMemory;
use crate::layout::{Layout, to_usize};
use crate::memory::{Memory, ProcessMemory, word_in};
use crate::values::string;

/// A process that runs PHP.
#[derive(Debug)]
pub struct Target {
    /// The process.
    pub process: u32,
    /// PHP's version, such as `8.2.36`.
    pub version: String,
    /// How PHP is run (`cli`, `fpm-fcgi` …), if the binary's symbols lead to it.
    pub sapi: Option<String>,
    pub(crate) layout: Rc<Layout>,
    pub(crate) roots: Roots,
    pub(crate) memory: TargetMemory,
    /// Where OPcache keeps what no request changes.
    pub(crate) shared: Vec<Range<u64>>,
}

/// The memory of a target.
#[derive(Debug)]
pub(crate) enum TargetMemory {
    Process(ProcessMemory),
    Core(CoreMemory),
}

impl Memory for TargetMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Process(memory) => memory.read(address, into),
            Self::Core(memory) => memory.read(address, into),
        }
    }

    fn now(&self) -> u64 {
        match self {
            Self::Process(memory) => memory.now(),
            Self::Core(memory) => memory.now(),
        }
    }

    fn read_all(&self, pieces: &mut [(u64, &mut [u8])]) -> io::Result<()> {
        match self {
            Self::Process(memory) => memory.read_all(pieces),
            Self::Core(memory) => memory.read_all(pieces),
        }
    }
}

/// The addresses of one thread's globals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Globals {
    pub(crate) executor: u64,
    pub(crate) compiler: Option<u64>,
    pub(crate) sapi: Option<u64>,
    pub(crate) core: Option<u64>,
    /// The `pthread_t` of a thread-safe PHP's thread; none for the process's first thread.
    pub(crate) pthread: Option<u64>,
}

/// Where the globals are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Those of a plain PHP do not move.
    Process(Globals),
    /// A thread-safe PHP has a table of threads, which come and go.
    Threads {
        /// The address of the table's first list, and the number of lists.
        table: u64,
        size: usize,
        /// Where the globals are in a thread's entry.
        executor: u64,
        compiler: Option<u64>,
        sapi: Option<u64>,
        core: Option<u64>,
    },
}

/// `TSRM.c`: the fields of a thread's entry that are used, and its size without the globals.
const ENTRY_COUNT: u64 = 8;
const ENTRY_THREAD: u64 = 16;
const ENTRY_NEXT: u64 = 24;
const ENTRY_SIZE: usize = 32;
/// More threads than any server has: a list that is longer is none.
const MOST_THREADS: usize = 65_536;
/// How many variables of `$_SERVER` are looked at, and the longest value that is read.
const MOST_VARIABLES: u32 = 512;
const MOST_BYTES: usize = 8 << 10;

impl Roots {
    /// The globals of each thread.
    pub(crate) fn all<M: Memory>(&self, memory: &M) -> Vec<Globals> {
        match self {
            Self::Process(globals) => vec![*globals],
            Self::Threads {
                table,
                size,
                executor,
                compiler,
                sapi,
                core,
            } => {
                let mut all = Vec::new();
                for index in 0..*size as u64 {
                    let mut entry = memory.word(table.wrapping_add(index * 8)).unwrap_or(0);
                    while entry != 0 && all.len() < MOST_THREADS {
                        let mut bytes = [0; ENTRY_SIZE];
                        let is_there = memory.read(entry, &mut bytes).is_ok();
                        // The number of globals that the thread has: a few dozen.
                        let count = word_in(&bytes, ENTRY_COUNT) & 0xFFFF_FFFF;
                        if !is_there || !(1..4096).contains(&count) {
                            break;
                        }
                        all.push(Globals {
                            executor: entry.wrapping_add(*executor),
                            compiler: compiler.map(|offset| entry.wrapping_add(offset)),
                            sapi: sapi.map(|offset| entry.wrapping_add(offset)),
                            core: core.map(|offset| entry.wrapping_add(offset)),
                            pthread: Some(word_in(&bytes, ENTRY_THREAD)),
                        });
                        entry = word_in(&bytes, ENTRY_NEXT);
                    }
                }
                all
            }
        }
    }
}

/// The request that a worker serves, without its query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET` …
    pub method: String,
    /// The path.
    pub path: String,
}

impl Target {
    /// The requests that are served now: one a thread, none for a thread that waits for one. The query is removed.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let all = self.roots.all(&self.memory);
        all.iter()
            .filter_map(|globals| self.request(*globals))
            .collect()
    }

    fn request(&self, globals: Globals) -> Option<Request> {
        let sapi = globals.sapi?;
        // What is left there of the last request is no request.
        let current = globals
            .executor
            .wrapping_add(self.layout.current_execute_data);
        let is_running = self.memory.word(current).is_ok_and(|frame| frame != 0);
        if !is_running {
            return None;
        }
        let text = |offset: u64| {
            let address = self.memory.word(sapi.wrapping_add(offset)).ok()?;
            let text = self
                .memory
                .text(address, 512)
                .ok()
                .filter(|_| address != 0)?;
            String::from_utf8(text).ok()
        };
        let method = text(self.layout.request_method)?;
        let is_method = |byte: &u8| byte.is_ascii_uppercase();
        if method.is_empty() || !method.as_bytes().iter().all(is_method) {
            return None;
        }
        // php-fpm has the script's path there; the program may have asked for `$_SERVER`.
        let path = self.server_variable(globals, b"REQUEST_URI");
        let path = path
            .or_else(|| text(self.layout.request_uri))
            .unwrap_or_default();
        let path = path.split(['?', '#']).next().unwrap_or("").to_owned();
        Some(Request { method, path })
    }

    /// A value of `$_SERVER`, if PHP has made it.
    fn server_variable(&self, globals: Globals, name: &[u8]) -> Option<String> {
        let (memory, layout) = (&self.memory, &*self.layout);
        let value = globals.core?.wrapping_add(layout.server);
        let mut zval = [0; 16];
        memory.read(value, &mut zval).ok()?;
        let is = |zval: &[u8], kind: u64| {
            zval.get(to_usize(layout.value_type))
                .copied()
                .map(u64::from)
                == Some(kind)
        };
        if !is(&zval, layout.array) {
            return None;
        }
        let table = word_in(&zval, 0);
        let used = memory.half(table.wrapping_add(layout.table_used)).ok()?;
        let size = layout.bucket_size * u64::from(used.min(MOST_VARIABLES));
        let mut buckets = vec![0; to_usize(size)];
        let at = memory.word(table.wrapping_add(layout.table_buckets)).ok()?;
        memory.read(at, &mut buckets).ok()?;
        let mut buckets = buckets.chunks_exact(to_usize(layout.bucket_size));
        buckets.find_map(|bucket| {
            let key = string(memory, word_in(bucket, layout.bucket_key), 64, layout)?;
            let is_it = key == name && is(bucket, layout.string);
            let value = word_in(bucket, layout.bucket_value);
            let text = is_it.then(|| string(memory, value, MOST_BYTES, layout))??;
            String::from_utf8(text).ok()
        })
    }

    /// Fails if the process has ended, or another program runs in it.
    pub(crate) fn memory_is_there(&self) -> io::Result<()> {
        match &self.roots {
            Roots::Process(globals) => self.memory.word(globals.executor)?,
            Roots::Threads { table, .. } => self.memory.word(*table)?,
        };
        Ok(())
    }

    /// Whether it is a thread-safe PHP.
    #[must_use]
    pub fn is_thread_safe(&self) -> bool {
        self.layout.zts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fake::FakeMemory;

    #[test]
    fn threads_are_in_lists_of_a_table() {
        let memory = FakeMemory::default();
        for (slot, entry) in [(0x100, 0x1000), (0x108, 0), (0x110, 0x3000)] {
            memory.word(slot, entry);
        }
        for (entry, next) in [(0x1000, 0x2000), (0x2000, 0), (0x3000, 0x4000)] {
            memory.write(entry, &[0; ENTRY_SIZE]);
            memory.word(entry + ENTRY_COUNT, 40);
            memory.word(entry + ENTRY_NEXT, next);
        }
        // A thread that ends: its entry is freed, and something else is there.
        memory.write(0x4000, &[0xFF; ENTRY_SIZE]);
        let roots = Roots::Threads {
            table: 0x100,
            size: 3,
            executor: 64,
            compiler: Some(8),
            sapi: None,
            core: None,
        };
        let all = roots.all(&memory);
        let places: Vec<u64> = all.iter().map(|globals| globals.executor).collect();
        assert_eq!(places, [0x1040, 0x2040, 0x3040]);
        assert_eq!(all[0].compiler, Some(0x1008));
    }
}
