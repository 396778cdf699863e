//! Functions as users see them: `Cache::get`, `run_init::boot.php`.
//!
//! A profile names each function once, in a table, and refers to it by number
//! elsewhere. Names are PHP's bytes, which need not be UTF-8.

use std::sync::{Arc, LazyLock};

use crate::table::{Id, known};

/// A symbol's index in [`Profile::symbols`](crate::Profile::symbols).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SymbolId(pub u32);

impl SymbolId {
    /// The root, `main()`.
    pub const ROOT: Self = Self(0);

    /// The number as an index into a table of symbols.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Id for SymbolId {
    #[inline]
    fn index(self) -> usize {
        Self::index(self)
    }
}

/// A function as users see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// PHP's bytes, without the separator `==>`.
    pub name: Box<[u8]>,
    /// The file, if known.
    ///
    /// Shared, because many functions are in one file.
    pub file: Option<Arc<[u8]>>,
    /// The first line; zero if unknown.
    pub line: u32,
    /// Whether PHP itself or an extension implements it.
    pub internal: bool,
}

impl Symbol {
    /// The name of the root of every profile.
    pub const MAIN: &'static [u8] = b"main()";

    /// Makes a user function's symbol. The name is taken as it is: see
    /// [`make_name_safe`].
    #[must_use]
    pub fn new(name: impl Into<Box<[u8]>>) -> Self {
        Self {
            name: name.into(),
            file: None,
            line: 0,
            internal: false,
        }
    }
}

/// The symbol that `id` names.
#[inline]
#[track_caller]
pub(crate) fn symbol_in(symbols: &[Symbol], id: SymbolId) -> &Symbol {
    /// Stands for a symbol that does not exist.
    static UNKNOWN: LazyLock<Symbol> = LazyLock::new(|| Symbol::new(&b""[..]));
    known(symbols, id).unwrap_or_else(|| &UNKNOWN)
}

/// Shortens every `==>` in `name` to `=>`: XHProf's arrays separate the caller
/// from the callee by `==>`, and have no escape for it.
///
/// ```
/// let mut name = b"eval::a===>b.php".to_vec();
/// profile::make_name_safe(&mut name);
/// assert_eq!(name, b"eval::a=>b.php");
/// ```
pub fn make_name_safe(name: &mut Vec<u8>) {
    if !contains_separator(name) {
        return;
    }
    let mut safe = Vec::with_capacity(name.len());
    for &byte in name.iter() {
        if byte == b'>' {
            // One `=` fewer may leave a separator, as in `===>`.
            while safe.ends_with(b"==") {
                safe.pop();
            }
        }
        safe.push(byte);
    }
    *name = safe;
}

fn contains_separator(name: &[u8]) -> bool {
    // Names with it are rare: this checks many bytes at once.
    name.contains(&b'>') && name.windows(3).any(|window| window == b"==>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(name: &str) -> String {
        let mut name = name.as_bytes().to_vec();
        make_name_safe(&mut name);
        String::from_utf8(name).unwrap()
    }

    #[test]
    fn the_separator_is_shortened_wherever_it_is() {
        assert_eq!(safe("a==>b"), "a=>b");
        assert_eq!(safe("==>a==>"), "=>a=>");
        assert_eq!(safe("a=====>b"), "a=>b");
        assert_eq!(safe("==>>==>"), "=>>=>");
    }

    #[test]
    fn names_without_the_separator_stay() {
        for name in ["", "=", "==", "=>", "a=b", "a == b", "Foo::bar@1"] {
            assert_eq!(safe(name), name);
        }
    }
}
