//! The names of one profile, within limits.
//!
//! **Invariant:** a profile keeps no more names than it has rows for, no longer ones
//! than [`MAX_LENGTH`], and says what it cut.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use profile::{Meta, Symbol};

use super::functions::recorded_path;

/// The names of a profile, shared with its file of call events.
pub type SharedNames = Rc<RefCell<Names>>;

/// The longest name, in bytes: four times as long as a path can be.
pub const MAX_LENGTH: usize = 16 << 10;
/// What ends a name that was cut, besides a hash: other names begin like it.
const ELLIPSIS: &[u8] = "…".as_bytes();
/// The digits of that hash.
const DIGITS: usize = 16;

/// The tag with the number of functions whose names were left out.
pub const LEFT_OUT: &str = "names_left_out";
/// The tag with the number of names that were shortened.
pub const SHORTENED: &str = "names_shortened";

/// How many names a profile keeps.
#[derive(Debug, Clone, Copy)]
pub struct NameLimits {
    /// The number of names.
    pub count: usize,
    /// The size of names and files together, in bytes.
    pub bytes: u64,
}

/// The names of a profile, in the order of their numbers.
#[derive(Debug, Clone)]
pub struct Names {
    symbols: Vec<Symbol>,
    /// The last place: functions of one file share its path.
    last_file: Option<Arc<[u8]>>,
    limits: NameLimits,
    bytes: u64,
    left_out: u64,
    shortened: u64,
}

impl Names {
    /// The names of a profile that begins, with `main()` and `[truncated]`.
    #[must_use]
    pub fn new(limits: NameLimits) -> Self {
        Self::with_capacity(limits, 0)
    }

    /// The same, with room for `count` names.
    #[must_use]
    pub fn with_capacity(limits: NameLimits, count: usize) -> Self {
        let mut symbols = Vec::new();
        // Without memory for all, they grow as needed, or [`has_room`](Self::has_room) is
        // false.
        let _ = symbols.try_reserve_exact(count.saturating_add(2));
        symbols.push(Symbol::new(Symbol::MAIN));
        symbols.push(Symbol::new(&b"[truncated]"[..]));
        Self {
            limits: NameLimits {
                count: limits.count.saturating_add(symbols.len()),
                ..limits
            },
            symbols,
            last_file: None,
            bytes: 0,
            left_out: 0,
            shortened: 0,
        }
    }

    /// All symbols.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// All symbols.
    #[must_use]
    pub fn into_symbols(self) -> Vec<Symbol> {
        self.symbols
    }

    /// Whether there is room for one more name, and memory. If not, it is counted.
    pub fn has_room(&mut self) -> bool {
        let has_room = self.symbols.len() < self.limits.count
            && self.bytes < self.limits.bytes
            && self.symbols.try_reserve(1).is_ok();
        self.left_out += u64::from(!has_room);
        has_room
    }

    /// Adds a name, which [`fitting`] made from a name of `length` bytes; with its place
    /// if that is known.
    pub fn add(&mut self, symbol: Symbol, length: usize) {
        let file = symbol.file.as_ref().map_or(0, |file| file.len());
        self.bytes += (symbol.name.len() + file) as u64;
        self.shortened += u64::from(length > MAX_LENGTH);
        self.symbols.push(symbol);
    }

    /// Sets the place of the symbol numbered `number`, if that exists.
    pub fn set_place(&mut self, number: usize, file: Option<&[u8]>, line: u32) {
        if let Some(symbol) = self.symbols.get_mut(number) {
            if let Some(file) = file {
                let file = recorded_path(file);
                let file = file.get(..MAX_LENGTH).unwrap_or(&file);
                let last = self.last_file.take().filter(|last| **last == *file);
                let shared = last.unwrap_or_else(|| file.into());
                self.bytes += shared.len() as u64;
                self.last_file = Some(Arc::clone(&shared));
                symbol.file = Some(shared);
            } else {
                symbol.file = None;
            }
            symbol.line = line;
        }
    }

    /// Takes all names, and leaves none.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let none = Self::new(self.limits);
        std::mem::replace(self, none)
    }

    /// Whether names were left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// Says in a profile's metadata what was cut.
    pub fn describe(&self, meta: &mut Meta) {
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
#[must_use]
pub fn fitting(name: &[u8]) -> Cow<'_, [u8]> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(count: usize, bytes: u64) -> Names {
        Names::new(NameLimits { count, bytes })
    }

    fn add(names: &mut Names, name: &[u8]) {
        if names.has_room() {
            names.add(Symbol::new(&*fitting(name)), name.len());
        }
    }

    fn tag(names: &Names, tag: &str) -> Option<String> {
        let mut meta = Meta::default();
        names.describe(&mut meta);
        let found = meta.tags.iter().find(|(key, _)| key == tag);
        found.map(|(_, value)| value.clone())
    }

    #[test]
    fn names_beyond_the_number_are_counted() {
        let mut names = limited(2, 1_000);
        for name in [b"a", b"b", b"c", b"d"] {
            add(&mut names, name);
        }
        let kept: Vec<_> = names.symbols().iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(kept, [&b"main()"[..], b"[truncated]", b"a", b"b"]);
        assert!(names.is_cut());
        assert_eq!(tag(&names, LEFT_OUT).as_deref(), Some("2"));
    }

    #[test]
    fn names_beyond_the_bytes_are_counted() {
        let mut names = limited(100, 5);
        for name in [&b"four"[..], b"four", b"more"] {
            add(&mut names, name);
        }
        // The one that exceeds the limit is kept.
        assert_eq!(names.symbols().len(), 4);
        assert_eq!(tag(&names, LEFT_OUT).as_deref(), Some("1"));
    }

    #[test]
    fn files_count_too() {
        let mut names = limited(100, 5);
        add(&mut names, b"f");
        names.set_place(2, Some(b"/a/file.php"), 7);
        add(&mut names, b"g");
        assert_eq!(names.symbols().len(), 3);
        assert_eq!(names.symbols()[2].line, 7);
    }

    #[test]
    fn functions_of_one_file_share_its_path() {
        let mut names = limited(100, 1_000);
        for (number, file) in [b"/a.php", b"/a.php", b"/b.php", b"/a.php"]
            .into_iter()
            .enumerate()
        {
            add(&mut names, b"f");
            names.set_place(number + 2, Some(file), 7);
        }
        let files = names.symbols().iter().skip(2);
        let files: Vec<_> = files.map(|symbol| symbol.file.clone().unwrap()).collect();
        assert!(Arc::ptr_eq(&files[0], &files[1]));
        let paths: Vec<_> = files.iter().map(|file| &**file).collect();
        assert_eq!(paths, [b"/a.php", b"/a.php", b"/b.php", b"/a.php"]);
    }

    #[test]
    fn long_names_are_cut_between_letters_and_stay_apart() {
        let long = |end: &str| format!("{}{end}", "ä".repeat(MAX_LENGTH)).into_bytes();
        let (one, other) = (long("1"), long("2"));
        let (one, other) = (fitting(&one), fitting(&other));
        assert!(one.len() <= MAX_LENGTH && one != other);
        assert!(str::from_utf8(&one).is_ok());
        assert_eq!(*fitting(b"short"), *b"short");
        let mut names = limited(10, 1 << 20);
        add(&mut names, &long(""));
        assert_eq!(tag(&names, SHORTENED).as_deref(), Some("1"));
        assert!(!names.is_cut());
    }

    #[test]
    fn taken_names_leave_the_limits() {
        let mut names = limited(1, 100);
        add(&mut names, b"a");
        assert_eq!(names.take().symbols().len(), 3);
        assert_eq!(names.symbols().len(), 2);
        add(&mut names, b"b");
        assert!(!names.is_cut());
    }
}
