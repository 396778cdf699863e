//! Finds PHP in a process: which version it is, and where its globals are.
//!
//! The address of `executor_globals` comes from the binary's symbols. A binary without symbols has it in its writable
//! data, where it is recognized by what it points to. In a thread-safe PHP each thread has its globals behind its
//! entry in the table of `TSRM.c`, at offsets that PHP exports.
//!
//! **Invariant:** globals are believed only if they lead to PHP's own function `zend_version`, to its constant
//! `E_ERROR` and to a module of the layout's API: see [`check`]. Before a process's first request they lead to no
//! function, so the module comes from elsewhere: see [`Search::module`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use nix::fcntl::OFlag;

use crate::core_file::CoreFile;
use crate::error::AttachError;
use crate::image::Image;
use crate::layout::{Layout, to_usize};
use crate::maps::{self, Mapping, Object};
use crate::memory::{Memory, ProcessMemory, half_in, word_in};
use crate::process::Process;
use crate::target::{Globals, Roots, Target, TargetMemory};
use crate::values::{bucket, string};

/// Opens processes. What it reads of a binary serves all processes that run it.
#[derive(Debug)]
pub struct Finder {
    layouts: Vec<Rc<Layout>>,
    binaries: HashMap<(u64, u64), Rc<Binary>>,
}

#[derive(Debug)]
struct Binary {
    image: Image,
    /// Where the globals are, counted from the file's first byte, if a search has found them, and whose they are.
    found: RefCell<Option<(u64, Module)>>,
}

/// What a PHP says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Module {
    api: u64,
    is_debug: bool,
    zts: bool,
    version: String,
}

/// Whether an object is searched that has no symbol of PHP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Yes: the user has named the process.
    Whole,
    /// Only if its name has `php` in it: the process is one of many.
    Named,
}

impl Default for Finder {
    fn default() -> Self {
        Self::new(crate::layout::known())
    }
}

impl Finder {
    /// Knows PHPs of these layouts.
    #[must_use]
    pub fn new(layouts: Vec<Layout>) -> Self {
        Self {
            layouts: layouts.into_iter().map(Rc::new).collect(),
            binaries: HashMap::new(),
        }
    }

    /// Opens a process that runs PHP.
    ///
    /// # Errors
    ///
    /// If there is none, it may not be read, or its PHP is not one that a layout fits.
    pub fn open(&mut self, process: u32, effort: Effort) -> Result<Target, AttachError> {
        let of_io = |error| AttachError::of_io(process, error);
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).map_err(of_io)?;
        let mappings = maps::parse(&maps);
        if mappings.is_empty() {
            // A zombie, or a thread of the kernel.
            return Err(AttachError::NoPhp);
        }
        let own = fs::read_link(format!("/proc/{process}/exe")).map_err(of_io)?;
        let memory = ProcessMemory::open(process).map_err(of_io)?;
        let memory = TargetMemory::Process(memory);
        let path_of = |object: &Object| {
            if own.as_os_str() == object.path.as_str() {
                return Some(PathBuf::from(format!("/proc/{process}/exe")));
            }
            // By its root: it may be in a container.
            let is_likely = has_name(object);
            is_likely.then(|| PathBuf::from(format!("/proc/{process}/root{}", object.path)))
        };
        self.search(process, &mappings, memory, path_of, effort)
    }

    /// Opens the core file of a process that ran PHP, by the binary that it ran.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open), or if it is no core file.
    pub(crate) fn open_core(
        &mut self,
        core: &Path,
        binary: &Path,
    ) -> Result<(Process, Target), AttachError> {
        let mut core = CoreFile::open(core)?;
        let mut paths = HashMap::new();
        for object in maps::objects(&core.mappings) {
            let Some(path) = core.path_of(&object, binary) else {
                continue;
            };
            match core.add_file(&object.path, &path) {
                Ok(()) => drop(paths.insert(object.path, path)),
                Err(error) if path == binary => return Err(error),
                // A library that is not there any more is not PHP's, mostly.
                Err(_) => {}
            }
        }
        let CoreFile {
            mappings,
            process,
            memory,
        } = core;
        let memory = TargetMemory::Core(memory);
        let path_of = |object: &Object| paths.get(&object.path).cloned();
        let target = self.search(process.id, &mappings, memory, path_of, Effort::Whole)?;
        Ok((process, target))
    }

    /// Searches the objects of a process for PHP.
    fn search(
        &mut self,
        process: u32,
        mappings: &[Mapping],
        memory: TargetMemory,
        path_of: impl Fn(&Object) -> Option<PathBuf>,
        effort: Effort,
    ) -> Result<Target, AttachError> {
        let mut problem = AttachError::NoPhp;
        for object in maps::objects(mappings) {
            let Some(path) = path_of(&object) else {
                continue;
            };
            let binary = self.binary(path);
            if !binary.image.is_php() && !has_name(&object) && effort == Effort::Named {
                continue;
            }
            let search = Search {
                memory: &memory,
                object: &object,
                binary: &binary,
                mappings,
                layouts: &self.layouts,
            };
            match search.find() {
                Ok((layout, module, roots)) => {
                    let sapi = search.sapi(&layout);
                    return Ok(Target {
                        process,
                        version: module.version,
                        sapi,
                        shared: maps::shared_memory(mappings),
                        layout,
                        roots,
                        memory,
                    });
                }
                Err(AttachError::NoPhp) => {}
                Err(error) => problem = error,
            }
        }
        Err(problem)
    }

    /// What is known of a binary.
    fn binary(&mut self, path: PathBuf) -> Rc<Binary> {
        let read = || {
            // Without waiting: another file may have this name by now, such as a FIFO.
            let file = OpenOptions::new()
                .read(true)
                .custom_flags(OFlag::O_NONBLOCK.bits())
                .open(path)
                .ok()?;
            let about = file.metadata().ok()?;
            about.is_file().then(|| (file, (about.dev(), about.ino())))
        };
        let new = |image| {
            let found = RefCell::new(None);
            Rc::new(Binary { image, found })
        };
        match read() {
            Some((file, identity)) => {
                let known = self.binaries.entry(identity);
                Rc::clone(known.or_insert_with(|| new(Image::read(file))))
            }
            None => new(Image::default()),
        }
    }
}

/// Whether an object is PHP by its file's name.
fn has_name(object: &Object) -> bool {
    let file = object.path.rsplit('/').next();
    file.is_some_and(|file| file.contains("php"))
}

/// A search in one object of one process.
struct Search<'a, M> {
    memory: &'a M,
    object: &'a Object,
    binary: &'a Binary,
    mappings: &'a [Mapping],
    layouts: &'a [Rc<Layout>],
}

type Found = (Rc<Layout>, Module, Roots);

impl<M: Memory> Search<'_, M> {
    fn find(&self) -> Result<Found, AttachError> {
        if let Some(executor) = self.symbol("executor_globals") {
            return self.at(executor).ok_or_else(|| self.problem());
        }
        if self.symbol("executor_globals_offset").is_some() {
            return self.threads();
        }
        let known = self.binary.found.borrow().as_ref().map(|found| found.0);
        let known = known.and_then(|offset| self.at(self.object.start + offset));
        known.or_else(|| self.scan()).ok_or(AttachError::NoPhp)
    }

    fn symbol(&self, name: &str) -> Option<u64> {
        let offset = self.binary.image.symbol(name)?;
        Some(self.object.start.wrapping_add(offset))
    }

    /// The globals of a process, if they are at that address.
    fn at(&self, executor: u64) -> Option<Found> {
        let plain = self.layouts.iter().filter(|layout| !layout.zts);
        let mut fitting = plain.filter_map(|layout| {
            let module = check(self.memory, executor, layout, || self.module(layout))?;
            let globals = Globals {
                executor,
                compiler: self.symbol("compiler_globals"),
                sapi: self.symbol("sapi_globals"),
                core: self.symbol("core_globals"),
                pthread: None,
            };
            Some((Rc::clone(layout), module, Roots::Process(globals)))
        });
        fitting.next()
    }

    /// Searches the writable data for three pointers: to the functions, the classes and the constants.
    fn scan(&self) -> Option<Found> {
        let mut found = None;
        self.each_word(|address, next| {
            if !next.iter().all(|&word| self.is_data(word)) {
                return false;
            }
            let layouts = self.layouts.iter().filter(|layout| !layout.zts);
            let mut places: Vec<u64> = layouts
                .map(|layout| address.wrapping_sub(layout.function_table))
                .collect();
            places.dedup();
            found = places
                .into_iter()
                .find_map(|place| Some((place, self.at(place)?)));
            found.is_some()
        });
        let (place, found) = found?;
        let offset = place.wrapping_sub(self.object.start);
        self.binary.found.replace(Some((offset, found.1.clone())));
        Some(found)
    }

    /// The table of a thread-safe PHP's threads.
    fn threads(&self) -> Result<Found, AttachError> {
        let offset = |name: &str| {
            self.memory
                .word(self.symbol(name)?)
                .ok()
                .filter(|&offset| offset != 0)
        };
        let executor = offset("executor_globals_offset").ok_or(AttachError::Unbelievable)?;
        let roots = |table: u64, size: usize| Roots::Threads {
            table,
            size,
            executor,
            compiler: offset("compiler_globals_offset"),
            sapi: offset("sapi_globals_offset"),
            core: offset("core_globals_offset"),
        };
        let at = |table: u64, size: usize| {
            let roots = roots(table, size);
            let threads = roots.all(self.memory);
            let safe = self.layouts.iter().filter(|layout| layout.zts);
            let mut fitting = safe.filter_map(|layout| {
                let mut checked = threads.iter();
                let module = checked.find_map(|globals| {
                    check(self.memory, globals.executor, layout, || {
                        self.module(layout)
                    })
                })?;
                Some((Rc::clone(layout), module))
            });
            let (layout, module) = fitting.next()?;
            Some((layout, module, roots.clone()))
        };
        if let Some(table) = self
            .symbol("tsrm_tls_table")
            .and_then(|at| self.memory.word(at).ok())
        {
            let size = self.symbol("tsrm_tls_table_size");
            let size = size.and_then(|at| self.memory.half(at).ok()).unwrap_or(1);
            let found = at(table, to_usize(u64::from(size)).min(MOST_BUCKETS));
            return found.ok_or_else(|| self.problem());
        }
        // Not one of the words leads to a thread until PHP has started.
        let mut found = None;
        self.each_word(|_, [table, ..]| {
            if self.is_data(table) {
                // A block of malloc()'s of the C library has its size in front of it.
                let size = self.memory.word(table - 8).unwrap_or(0) & !7;
                let size = to_usize((size / 8).saturating_sub(1)).clamp(1, MOST_BUCKETS);
                found = at(table, size);
            }
            found.is_some()
        });
        found.ok_or(AttachError::NoThreads)
    }

    /// Calls `act` with each word of the writable data, its address and the two words behind it, until it is true.
    fn each_word(&self, mut act: impl FnMut(u64, [u64; 3]) -> bool) {
        for range in &self.object.writable {
            let size = to_usize(range.end - range.start).min(MOST_DATA);
            let mut bytes = vec![0; size];
            if self.memory.read(range.start, &mut bytes).is_err() {
                continue;
            }
            for offset in (0..size as u64).step_by(8) {
                let words = [0, 8, 16].map(|more| word_in(&bytes, offset + more));
                if act(range.start + offset, words) {
                    return;
                }
            }
        }
    }

    /// Whether a word may be the address of data.
    fn is_data(&self, address: u64) -> bool {
        let holds = |mapping: &Mapping| mapping.is_writable && mapping.addresses.contains(&address);
        address != 0 && address.is_multiple_of(8) && self.mappings.iter().any(holds)
    }

    /// The module of PHP's core by the table of modules, or by another process of this binary.
    fn module(&self, layout: &Layout) -> Option<Module> {
        let Some(registry) = self.symbol("module_registry") else {
            let found = self.binary.found.borrow();
            return found.as_ref().map(|(_, module)| module.clone());
        };
        // The table has been the same since 7.3; the first one is Core.
        let (value, _) = bucket(self.memory, registry, 0, layout)?;
        module(self.memory, value, layout)
    }

    /// Why PHP's symbols lead to nothing.
    fn problem(&self) -> AttachError {
        let layout = self.layouts.first();
        match layout.and_then(|layout| self.module(layout)) {
            Some(module) if module.is_debug => AttachError::Debug,
            Some(Module { api, zts, .. }) => {
                let is_known = |known: &Rc<Layout>| known.api == api && known.zts == zts;
                if self.layouts.iter().any(is_known) {
                    AttachError::Unbelievable
                } else {
                    AttachError::Unknown { api, zts }
                }
            }
            None => AttachError::Unbelievable,
        }
    }

    /// PHP's name for how it is run: `cli`, `fpm-fcgi` ….
    fn sapi(&self, layout: &Layout) -> Option<String> {
        let module = self.symbol("sapi_module")?;
        let name = self
            .memory
            .word(module.wrapping_add(layout.sapi_name))
            .ok()?;
        let name = self.memory.text(name, 32).ok()?;
        let is_name = |byte: &u8| byte.is_ascii_graphic();
        String::from_utf8(name)
            .ok()
            .filter(|name| name.as_bytes().iter().all(is_name))
    }
}

/// The largest part of a binary's writable data that is searched.
const MOST_DATA: usize = 16 << 20;
/// The largest table of threads.
const MOST_BUCKETS: usize = 4096;
/// The entries of a table of functions or constants in which the known one must be.
const FIRST: u64 = 8;

/// Checks that globals are those of a PHP with that layout, by a known string behind each of two pointers. Returns
/// what PHP says of itself. `init_executor` sets the pointer to the functions: a process that has served no request
/// has none, and `registered` says what its PHP is.
fn check<M: Memory>(
    memory: &M,
    executor: u64,
    layout: &Layout,
    registered: impl Fn() -> Option<Module>,
) -> Option<Module> {
    let table = |offset: u64| memory.word(executor.wrapping_add(offset)).ok();
    let named = |table: u64, name: &[u8]| {
        (0..FIRST).find_map(|index| {
            let (value, key) = bucket(memory, table, index, layout)?;
            (key == name).then_some(value)
        })
    };
    named(table(layout.constants)?, b"E_ERROR")?;
    let fits =
        |module: &Module| module.api == layout.api && module.zts == layout.zts && !module.is_debug;
    let functions = table(layout.function_table)?;
    if functions == 0 {
        return registered().filter(fits);
    }
    let function = named(functions, b"zend_version")?;
    let mut bytes = vec![0; to_usize(layout.function_size)];
    memory.read(function, &mut bytes).ok()?;
    let name = word_in(&bytes, layout.function_name);
    if string(memory, name, 32, layout).as_deref() != Some(b"zend_version") {
        return None;
    }
    module(memory, word_in(&bytes, layout.module), layout).filter(fits)
}

fn module<M: Memory>(memory: &M, address: u64, layout: &Layout) -> Option<Module> {
    let mut bytes = vec![0; to_usize(layout.module_size)];
    memory.read(address, &mut bytes).ok()?;
    let byte = |offset: u64| bytes.get(to_usize(offset)).copied().unwrap_or(0);
    let name = memory.text(word_in(&bytes, layout.module_name), 32).ok()?;
    let version = memory
        .text(word_in(&bytes, layout.module_version), 64)
        .ok()?;
    let version = String::from_utf8(version).ok()?;
    if !version.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    name.eq_ignore_ascii_case(b"core").then(|| Module {
        api: u64::from(half_in(&bytes, layout.module_api)),
        is_debug: byte(layout.module_debug) != 0,
        zts: byte(layout.module_zts) != 0,
        version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_in_the_place_of_a_binary_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libphp.so");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        assert!(!Finder::default().binary(path).image.is_php());
    }
}
