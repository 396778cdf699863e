//! The names of one profile, within limits.
//!
//! **Invariant:** a profile keeps no more names than it has rows for, no longer ones
//! than [`MAX_LENGTH`], and says what it cut.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hasher};
use std::rc::Rc;

use profile::{Meta, Symbol};

/// The names of a profile, shared with its file of call events.
pub(crate) type SharedNames = Rc<RefCell<Names>>;

/// The longest name, in bytes: four times as long as a path can be.
pub(crate) const MAX_LENGTH: usize = 16 << 10;
/// What ends a name that was cut, besides a hash: other names begin like it.
const ELLIPSIS: &[u8] = "…".as_bytes();
/// The digits of that hash.
const DIGITS: usize = 16;

/// The tag with the number of functions whose names were left out.
pub(crate) const LEFT_OUT: &str = "names_left_out";
/// The tag with the number of names that were shortened.
pub(crate) const SHORTENED: &str = "names_shortened";

/// How many names a profile keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameLimits {
    /// The number of names.
    pub(crate) count: usize,
    /// The size of names and files together, in bytes.
    pub(crate) bytes: u64,
}

/// The names of a profile, in the order of their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    symbols: Vec<Symbol>,
    limits: NameLimits,
    bytes: u64,
    left_out: u64,
    shortened: u64,
}

impl Names {
    /// The names of a profile that begins, with `main()` and `[truncated]`.
    pub(crate) fn new(limits: NameLimits) -> Self {
        let symbols = vec![Symbol::new(Symbol::MAIN), Symbol::new(&b"[truncated]"[..])];
        Self {
            limits: NameLimits {
                count: limits.count.saturating_add(symbols.len()),
                ..limits
            },
            symbols,
            bytes: 0,
            left_out: 0,
            shortened: 0,
        }
    }

    /// All symbols.
    pub(crate) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// All symbols.
    pub(crate) fn into_symbols(self) -> Vec<Symbol> {
        self.symbols
    }

    /// Whether there is room for one more name. If not, it is counted.
    pub(crate) fn has_room(&mut self) -> bool {
        let has_room = self.symbols.len() < self.limits.count && self.bytes < self.limits.bytes;
        self.left_out += u64::from(!has_room);
        has_room
    }

    /// Adds a name, which [`fitting`] made from a name of `length` bytes.
    pub(crate) fn add(&mut self, symbol: Symbol, length: usize) {
        self.bytes += symbol.name.len() as u64;
        self.shortened += u64::from(length > MAX_LENGTH);
        self.symbols.push(symbol);
    }

    /// Sets the place of the symbol numbered `number`, if that exists.
    pub(crate) fn set_place(&mut self, number: usize, file: Option<&[u8]>, line: u32) {
        if let Some(symbol) = self.symbols.get_mut(number) {
            symbol.file = file.map(|file| file.get(..MAX_LENGTH).unwrap_or(file).into());
            symbol.line = line;
            self.bytes += symbol.file.as_ref().map_or(0, |file| file.len() as u64);
        }
    }

    /// Takes all names, and leaves none.
    pub(crate) fn take(&mut self) -> Self {
        let none = Self::new(self.limits);
        std::mem::replace(self, none)
    }

    /// Whether names were left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// Says in a profile's metadata what was cut.
    pub(crate) fn describe(&self, meta: &mut Meta) {
        meta.is_truncated |= self.is_cut();
        for (tag, count) in [(LEFT_OUT, self.left_out), (SHORTENED, self.shortened)] {
            if count > 0 {
                meta.set_tag(tag, count.to_string());
            }
        }
    }
}

/// The name, cut to [`MAX_LENGTH`] bytes: then it ends with a hash of the whole, so
/// that names with the same beginning stay apart.
pub(crate) fn fitting(name: &[u8]) -> Cow<'_, [u8]> {
    if name.len() <= MAX_LENGTH {
        return Cow::Borrowed(name);
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(name);
    let mut cut = name.to_vec();
    cut.truncate(MAX_LENGTH - ELLIPSIS.len() - DIGITS);
    // Not within a letter.
    while cut.last().is_some_and(|byte| byte & 0xC0 == 0x80) {
        cut.pop();
    }
    if cut.last().is_some_and(|byte| *byte >= 0xC0) {
        cut.pop();
    }
    cut.extend_from_slice(ELLIPSIS);
    cut.extend_from_slice(format!("{:0DIGITS$x}", hasher.finish()).as_bytes());
    Cow::Owned(cut)
}
