//! Functions of another process, and their names.
//!
//! A function is read each time that it is on a stack, as another one may have its place: closures come and go, and
//! without OPcache a request's functions go with it. Only PHP's own functions last as long as the process and are not
//! read again. What OPcache keeps in shared memory lasts until it is reset: such a function is read again after
//! [`TRUSTED`] stacks, the innermost one earlier, and a difference makes all be read again. The names are read once for
//! each function.
//!
//! **Invariant:** the names are those of the extension, made by the same rules ([`policy::naming::functions`]).

mod view;

use profile::{FileId, NumberMap, SymbolId};

use crate::lines::Lines;
use crate::maps::is_in;
use crate::memory::Memory;
use crate::stack::RawFrame;
use crate::symbols::Symbols;
pub(crate) use view::View;

/// What a frame stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A call that is recorded.
    Call {
        symbol: SymbolId,
        /// Whether it is the top level of a file, which profiles leave out unless asked.
        is_file: bool,
        is_internal: bool,
        /// Its file, if it is not that of the symbol, and of the top level of a file.
        file: Option<FileId>,
        /// Its number, for the lines of its instructions.
        number: u64,
    },
    /// A frame that the extension does not record either.
    Nothing,
    /// Its function cannot be one.
    Broken,
}

/// How many functions are remembered: a program may create closures without end.
const MAX_FUNCTIONS: usize = 1 << 18;

/// For how many stacks a function in OPcache's memory is not read again: a second at 99 Hz.
const TRUSTED: u64 = 99;

/// For how many stacks, if it is the innermost one.
const TRUSTED_INNERMOST: u64 = 4;

/// What tells functions at one address apart.
type Identity = [u64; 6];

/// The functions of one process.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    known: NumberMap<u64, Entry>,
    /// The addresses of those functions of the stack that were read again, in order.
    fresh: Vec<u64>,
    /// Their bytes, one behind the other.
    bytes: Vec<u8>,
    /// The number of the stack.
    stack: u64,
    /// Whether instructions in OPcache's memory include a file, by address.
    includes: NumberMap<u64, bool>,
    /// The lines of their instructions.
    pub(crate) lines: Lines,
    /// How many functions have got a number.
    numbered: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    identity: Identity,
    known: Known,
    /// The number of the stack for which it was read.
    read: u64,
}

impl Entry {
    /// Whether the function has its place still, so that it need not be read for the stack of that number.
    fn is_trusted(&self, stack: u64, is_innermost: bool) -> bool {
        let trusted = if is_innermost {
            TRUSTED_INNERMOST
        } else {
            TRUSTED
        };
        match self.known.lasts {
            Lasts::Always => true,
            Lasts::UntilReset => stack.saturating_sub(self.read) < trusted,
            Lasts::No => false,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Known {
    /// None if calls of it are not recorded.
    symbol: Option<SymbolId>,
    is_file: bool,
    is_generator: bool,
    is_internal: bool,
    file: Option<FileId>,
    /// Another function at the same address has another number.
    number: u64,
    lasts: Lasts,
}

/// How long a function has its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasts {
    /// Until the process ends.
    Always,
    /// Until OPcache is reset.
    UntilReset,
    /// Another one may be there the next time.
    No,
}

impl Functions {
    /// Another stack begins, the innermost frame first. Reads those of its functions that must be read, all at once.
    pub(crate) fn next_stack<M: Memory>(&mut self, process: &View<'_, M>, stack: &[RawFrame]) {
        self.stack += 1;
        let (known, fresh) = (&self.known, &mut self.fresh);
        let addresses = stack.iter().map(|frame| frame.function).enumerate();
        let is_due = |(index, address): &(usize, u64)| {
            let entry = known.get(address);
            *address != 0 && !entry.is_some_and(|entry| entry.is_trusted(self.stack, *index == 0))
        };
        fresh.clear();
        fresh.extend(addresses.filter(is_due).map(|(_, address)| address));
        fresh.sort_unstable();
        fresh.dedup();
        let size = process.layout.function_bytes();
        self.bytes.resize(size * fresh.len(), 0);
        let pieces = fresh.iter().copied().zip(self.bytes.chunks_exact_mut(size));
        let mut pieces: Vec<_> = pieces.collect();
        if process.memory.read_all(&mut pieces).is_err() {
            // One of them cannot be read: which one is found below.
            fresh.clear();
        }
    }

    /// What a frame stands for.
    pub(crate) fn meaning<M: Memory>(
        &mut self,
        process: &View<'_, M>,
        frame: &RawFrame,
        is_innermost: bool,
        symbols: &mut Symbols,
    ) -> Meaning {
        if frame.function == 0 {
            return Meaning::Nothing;
        }
        let Some(known) = self.known(process, frame.function, is_innermost, symbols) else {
            return Meaning::Broken;
        };
        let is_creation = u64::from(frame.call_info) & process.layout.call_generator == 0;
        match known.symbol {
            // The call that creates a generator: its body runs later, in another frame.
            Some(_) if known.is_generator && is_creation => Meaning::Nothing,
            Some(symbol) => Meaning::Call {
                symbol,
                is_file: known.is_file,
                is_internal: known.is_internal,
                file: known.file,
                number: known.number,
            },
            None => Meaning::Nothing,
        }
    }

    /// Whether a frame of PHP code is at `include`, `require` or `eval`.
    pub(crate) fn is_including<M: Memory>(
        &mut self,
        process: &View<'_, M>,
        frame: &RawFrame,
    ) -> bool {
        if !is_in(process.shared, frame.opline) {
            return process.is_including(frame);
        }
        if let Some(is_including) = self.includes.get(&frame.opline) {
            return *is_including;
        }
        let is_including = process.is_including(frame);
        if self.includes.len() >= MAX_FUNCTIONS {
            self.includes.clear();
        }
        self.includes.insert(frame.opline, is_including);
        is_including
    }

    fn known<M: Memory>(
        &mut self,
        process: &View<'_, M>,
        address: u64,
        is_innermost: bool,
        symbols: &mut Symbols,
    ) -> Option<Known> {
        let before = self.known.get(&address).copied();
        if let Some(entry) = before
            && entry.is_trusted(self.stack, is_innermost)
        {
            return Some(entry.known);
        }
        let size = process.layout.function_bytes();
        let mut single = Vec::new();
        let bytes = match self.fresh.binary_search(&address) {
            Ok(index) => self.bytes.get(index * size..(index + 1) * size)?,
            Err(_) => {
                single.resize(size, 0);
                process.memory.read(address, &mut single).ok()?;
                &single
            }
        };
        let identity = view::identity(bytes, process.layout);
        let read = self.stack;
        if let Some(same) = before.filter(|entry| entry.identity == identity) {
            self.known.insert(address, Entry { read, ..same });
            return Some(same.known);
        }
        if before.is_some_and(|entry| entry.known.lasts == Lasts::UntilReset) {
            // OPcache was reset: other functions have the places of all that it had. The stack is read again.
            self.includes.clear();
            self.known
                .retain(|_, entry| entry.known.lasts == Lasts::Always);
            return None;
        }
        self.numbered += 1;
        let known = Known {
            number: self.numbered,
            ..process.read(bytes, address, symbols)?
        };
        if self.known.len() >= MAX_FUNCTIONS {
            self.known.clear();
        }
        let entry = Entry {
            identity,
            known,
            read,
        };
        self.known.insert(address, entry);
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Layout, to_usize};
    use crate::memory::fake::FakeMemory;

    const INTERNAL: u8 = 1;
    const USER: u8 = 2;

    fn layout() -> Layout {
        crate::layout::known().remove(0)
    }

    fn put_string(memory: &FakeMemory, address: u64, text: &str) {
        let layout = layout();
        memory.write(address, &[0; 24]);
        memory.word(address + layout.string_len, text.len() as u64);
        memory.write(address + layout.string_val, text.as_bytes());
    }

    /// A function at 0x1000: type, flags, name, class, file and line.
    fn put(memory: &FakeMemory, kind: u8, flags: u64, name: Option<&str>, class: Option<&str>) {
        let layout = layout();
        memory.write(0x1000, &vec![0; to_usize(layout.function_size)]);
        memory.write(0x1000 + layout.kind, &[kind]);
        memory.write(
            0x1000 + layout.fn_flags,
            &u32::try_from(flags).unwrap().to_le_bytes(),
        );
        if let Some(name) = name {
            put_string(memory, 0x2000, name);
            memory.word(0x1000 + layout.function_name, 0x2000);
        }
        if let Some(class) = class {
            memory.write(0x3000, &[0; 64]);
            put_string(memory, 0x4000, class);
            memory.word(0x3000 + layout.class_name, 0x4000);
            memory.word(0x1000 + layout.scope, 0x3000);
        }
        if kind != INTERNAL {
            put_string(memory, 0x5000, "/srv/app/boot.php");
            memory.word(0x1000 + layout.filename, 0x5000);
            memory.write(0x1000 + layout.line_start, &7_u32.to_le_bytes());
        }
    }

    fn meaning(memory: &FakeMemory, functions: &mut Functions, call_info: u32) -> String {
        let frame = RawFrame {
            address: 0,
            function: 0x1000,
            opline: 0,
            call_info,
        };
        let layout = layout();
        let process = View {
            memory,
            layout: &layout,
            shared: &[],
        };
        let mut symbols = Symbols::default();
        match functions.meaning(&process, &frame, false, &mut symbols) {
            Meaning::Call { symbol, .. } => {
                String::from_utf8_lossy(symbols.name(symbol)).into_owned()
            }
            Meaning::Nothing => "nothing".to_owned(),
            Meaning::Broken => "broken".to_owned(),
        }
    }

    fn named(kind: u8, flags: u64, name: Option<&str>, class: Option<&str>) -> String {
        let memory = FakeMemory::default();
        put(&memory, kind, flags, name, class);
        meaning(&memory, &mut Functions::default(), 0)
    }

    #[test]
    fn names_are_those_of_the_extension() {
        let layout = layout();
        assert_eq!(named(INTERNAL, 0, Some("md5"), None), "md5");
        assert_eq!(
            named(USER, 0, Some("get"), Some("App\\Cache")),
            "App\\Cache::get"
        );
        assert_eq!(named(USER, 0, None, None), "run_init::app/boot.php");
        assert_eq!(
            named(USER, 0, Some("{closure}"), None),
            "{closure:app/boot.php:7}"
        );
        // A fiber's first frame, a generator that is created, and `__call`'s stand-in.
        assert_eq!(named(INTERNAL, 0, None, None), "nothing");
        assert_eq!(
            named(USER, layout.acc_generator, Some("gen"), None),
            "nothing"
        );
        assert_eq!(
            named(USER, layout.acc_trampoline, Some("magic"), None),
            "nothing"
        );
        assert_eq!(
            named(
                INTERNAL,
                layout.acc_trampoline,
                Some("__invoke"),
                Some("Closure")
            ),
            "Closure::__invoke"
        );
        assert_eq!(named(9, 0, Some("x"), None), "broken");
    }

    #[test]
    fn the_body_of_a_generator_is_recorded() {
        let memory = FakeMemory::default();
        put(&memory, USER, layout().acc_generator, Some("gen"), None);
        let body = u32::try_from(layout().call_generator).unwrap();
        assert_eq!(meaning(&memory, &mut Functions::default(), body), "gen");
    }

    #[test]
    fn what_is_compiled_has_the_name_of_the_compilers_hook() {
        let memory = FakeMemory::default();
        let layout = layout();
        let process = View {
            memory: &memory,
            layout: &layout,
            shared: &[],
        };
        let mut symbols = Symbols::default();
        memory.write(0x7000, &[0; 256]);
        assert_eq!(process.compilation(0x7000, &mut symbols), None);
        memory.write(0x7000 + layout.in_compilation, &[1]);
        memory.word(0x7000 + layout.compiled_filename, 0x8000);
        for (path, name) in [
            ("/srv/app/a.php", "load::app/a.php"),
            (
                "/a.php(3) : eval()'d code",
                "eval::/a.php(3) : eval()'d code",
            ),
        ] {
            put_string(&memory, 0x8000, path);
            let symbol = process.compilation(0x7000, &mut symbols).unwrap();
            assert_eq!(String::from_utf8_lossy(symbols.name(symbol)), name);
        }
    }

    #[test]
    fn another_function_at_the_same_place_has_its_own_name() {
        let memory = FakeMemory::default();
        let mut functions = Functions::default();
        put(&memory, USER, 0, Some("first"), None);
        assert_eq!(meaning(&memory, &mut functions, 0), "first");
        put_string(&memory, 0x6000, "second");
        memory.word(0x1000 + layout().function_name, 0x6000);
        assert_eq!(meaning(&memory, &mut functions, 0), "second");
    }

    #[test]
    fn a_reset_of_opcache_is_found_by_the_innermost_function_and_in_time_by_all() {
        let memory = FakeMemory::default();
        let layout = layout();
        let shared = 0x1000..0x2000;
        let process = View {
            memory: &memory,
            layout: &layout,
            shared: std::slice::from_ref(&shared),
        };
        let frame = RawFrame {
            address: 0,
            function: 0x1000,
            opline: 0,
            call_info: 0,
        };
        let mut symbols = Symbols::default();
        let mut name = |functions: &mut Functions, is_innermost| {
            let caller = RawFrame {
                function: 0,
                ..frame
            };
            let stack = [if is_innermost { frame } else { caller }, frame];
            functions.next_stack(&process, &stack);
            match functions.meaning(&process, &frame, is_innermost, &mut symbols) {
                Meaning::Call { symbol, .. } => {
                    String::from_utf8_lossy(symbols.name(symbol)).into_owned()
                }
                _ => "broken".to_owned(),
            }
        };
        for is_innermost in [true, false] {
            let mut functions = Functions::default();
            put(&memory, USER, 0, Some("first"), None);
            assert_eq!(name(&mut functions, false), "first");
            put_string(&memory, 0x6000, "second");
            memory.word(0x1000 + layout.function_name, 0x6000);
            let stacks =
                (0..=TRUSTED).take_while(|_| name(&mut functions, is_innermost) == "first");
            assert_eq!(
                stacks.count() as u64,
                if is_innermost {
                    TRUSTED_INNERMOST
                } else {
                    TRUSTED
                } - 1
            );
            assert_eq!(name(&mut functions, false), "second");
        }
    }

    #[test]
    fn a_name_that_cannot_be_read_makes_a_frame_broken() {
        let memory = FakeMemory::default();
        put(&memory, USER, 0, Some("first"), None);
        memory.word(0x1000 + layout().function_name, 0x9_0000);
        assert_eq!(meaning(&memory, &mut Functions::default(), 0), "broken");
        // A length that no name has.
        memory.write(0x9_0000, &[0xFF; 32]);
        assert_eq!(meaning(&memory, &mut Functions::default(), 0), "broken");
    }
}
