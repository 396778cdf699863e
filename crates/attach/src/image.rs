//! PHP's global variables in the symbols of a binary.
//!
//! Debian's PHPs export them (`.dynsym`); those that only thread-safe PHPs need are in `.symtab`, which most binaries
//! are stripped of. See [`find`](crate::find) for what is done without symbols.

use std::collections::HashMap;
use std::fs::File;

use object::{Object, ObjectSegment, ObjectSymbol, ReadCache};

/// The symbols that are looked for.
const NAMES: [&str; 12] = [
    "executor_globals",
    "compiler_globals",
    "sapi_globals",
    "core_globals",
    "executor_globals_offset",
    "compiler_globals_offset",
    "sapi_globals_offset",
    "core_globals_offset",
    "sapi_module",
    "module_registry",
    "tsrm_tls_table",
    "tsrm_tls_table_size",
];

/// What a binary says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Image {
    /// Addresses by name, counted from the first byte of the file.
    symbols: HashMap<&'static str, u64>,
}

impl Image {
    /// Reads a binary; no symbols if it is none.
    pub(crate) fn read(file: File) -> Self {
        let cache = ReadCache::new(file);
        let Ok(file) = object::File::parse(&cache) else {
            return Self::default();
        };
        // The address that the file's first byte would have.
        let start = file.segments().map(|segment| {
            let (offset, _) = segment.file_range();
            segment.address().wrapping_sub(offset)
        });
        let start = start.min().unwrap_or(0);
        let mut symbols = HashMap::new();
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            let is_defined = symbol.is_definition() && symbol.address() != 0;
            if let Some(name) = symbol.name().ok().filter(|_| is_defined)
                && let Some(known) = NAMES.iter().find(|known| **known == name)
            {
                symbols.insert(*known, symbol.address().wrapping_sub(start));
            }
        }
        Self { symbols }
    }

    /// The address of a symbol, counted from the first byte of the file.
    pub(crate) fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.get(name).copied()
    }

    /// Whether it has a symbol of PHP's.
    pub(crate) fn is_php(&self) -> bool {
        !self.symbols.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_binary_has_no_symbols() {
        let file = File::open("/proc/self/status").unwrap();
        assert_eq!(Image::read(file), Image::default());
    }

    #[test]
    fn a_binary_without_php_has_no_symbols() {
        let file = File::open("/proc/self/exe").unwrap();
        assert!(!Image::read(file).is_php());
    }
}
