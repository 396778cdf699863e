//! Reads a function of another process: what tells it apart, and its names.

use std::ops::Range;

use policy::naming::functions as naming;
use profile::{Symbol, SymbolId};

use super::{Identity, Known, Lasts};
use crate::layout::{Layout, to_usize};
use crate::maps::is_in;
use crate::memory::{Memory, half_in, word_in};
use crate::stack::RawFrame;
use crate::symbols::Symbols;
use crate::target::{Target, TargetMemory};
use crate::values::string;

/// `zend_compile.h`
const INTERNAL: u8 = 1;
const USER: u8 = 2;
const EVAL: u8 = 4;
/// The longest names and paths that are read.
const LONGEST: usize = 64 << 10;

/// What is needed to read functions.
pub(crate) struct View<'a, M> {
    pub(crate) memory: &'a M,
    pub(crate) layout: &'a Layout,
    /// OPcache's memory.
    pub(crate) shared: &'a [Range<u64>],
}

impl<'a> View<'a, TargetMemory> {
    pub(crate) fn of(target: &'a Target) -> Self {
        Self {
            memory: &target.memory,
            layout: &target.layout,
            shared: &target.shared,
        }
    }
}

pub(super) fn identity(bytes: &[u8], layout: &Layout) -> Identity {
    let number = |offset: u64| u64::from(half_in(bytes, offset));
    [
        number(layout.fn_flags) << 8
            | u64::from(bytes.get(to_usize(layout.kind)).copied().unwrap_or(0)),
        word_in(bytes, layout.function_name),
        word_in(bytes, layout.scope),
        word_in(bytes, layout.opcodes),
        word_in(bytes, layout.filename),
        number(layout.line_start) << 32 | number(layout.last),
    ]
}

impl<M: Memory> View<'_, M> {
    fn text(&self, address: u64) -> Option<Vec<u8>> {
        string(self.memory, address, LONGEST, self.layout)
    }

    /// Reads the names of a function; none if it cannot be one.
    pub(super) fn read(&self, bytes: &[u8], address: u64, symbols: &mut Symbols) -> Option<Known> {
        let layout = self.layout;
        let flags = u64::from(half_in(bytes, layout.fn_flags));
        let name = word_in(bytes, layout.function_name);
        let scope = word_in(bytes, layout.scope);
        let internal = match bytes.get(to_usize(layout.kind)).copied()? {
            INTERNAL => true,
            USER | EVAL => false,
            _ => return None,
        };
        let is_trampoline = flags & layout.acc_trampoline != 0;
        // Closures and trampolines of internal functions are copies that come and go.
        let is_copy = is_trampoline || flags & (layout.acc_closure | layout.acc_fake_closure) != 0;
        let lasts = if internal && !is_copy && name != 0 {
            Lasts::Always
        } else if is_in(self.shared, address) {
            Lasts::UntilReset
        } else {
            Lasts::No
        };
        let mut known = Known {
            symbol: None,
            is_file: false,
            is_generator: flags & layout.acc_generator != 0,
            is_internal: internal,
            file: None,
            number: 0,
            lasts,
        };
        // The first frame of a fiber has no name; PHP makes up a trampoline for a call of `__call`, and that call
        // is recorded.
        if internal && name == 0 || is_trampoline && !internal {
            return Some(known);
        }
        let file = if internal {
            None
        } else {
            let path = self.text(word_in(bytes, layout.filename))?;
            Some(naming::recorded_path(&path).into_owned())
        };
        let line = if internal {
            0
        } else {
            half_in(bytes, layout.line_start)
        };
        let mut written = Vec::new();
        if name == 0 {
            known.is_file = true;
            naming::write_run_init(file.as_deref().unwrap_or_default(), &mut written);
        } else {
            let class = match scope {
                0 => None,
                scope => {
                    let class = self.memory.word(scope.wrapping_add(layout.class_name));
                    Some(self.text(class.ok()?)?)
                }
            };
            naming::write_name(class.as_deref(), &self.text(name)?, &mut written);
            if let Some(file) = &file {
                naming::add_place_to_closure(file, line, &mut written);
            }
        }
        let symbol = Symbols::of_file(&written, file.as_deref(), line);
        let symbol = symbols.add(Symbol { internal, ..symbol });
        known.symbol = Some(symbol);
        // Two functions may have one name, and the top level of a file is executed by another function.
        if let Some(file) = &file
            && (known.is_file || !symbols.is_in_file(symbol, file))
        {
            known.file = symbols.add_file(file);
        }
        Some(known)
    }

    /// The compilation that a thread performs; none if it does not compile.
    pub(crate) fn compilation(&self, compiler: u64, symbols: &mut Symbols) -> Option<SymbolId> {
        let layout = self.layout;
        let mut is_compiling = [0];
        let at = compiler.wrapping_add(layout.in_compilation);
        self.memory.read(at, &mut is_compiling).ok()?;
        if is_compiling != [1] {
            return None;
        }
        let file = self
            .memory
            .word(compiler.wrapping_add(layout.compiled_filename));
        let path = self.text(file.ok()?)?;
        let mut name = Vec::new();
        if path.ends_with(b" : eval()'d code") {
            naming::write_file(b"eval::", &path, false, &mut name);
        } else {
            naming::write_file(b"load::", &path, true, &mut name);
        }
        Some(symbols.add(Symbol::new(name)))
    }

    pub(super) fn is_including(&self, frame: &RawFrame) -> bool {
        let mut code = [0];
        let at = frame.opline.wrapping_add(self.layout.opcode);
        let is_read = frame.opline != 0 && self.memory.read(at, &mut code).is_ok();
        is_read && u64::from(code[0]) == self.layout.include_or_eval
    }
}
