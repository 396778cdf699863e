//! Converts names for Perl's tools: always in a package, without blanks.

use profile::{Profile, Symbol};

use crate::shared::text;

/// Perl's name for code outside of any function.
pub(super) const RUNTIME: &[u8] = b"main::RUNTIME";

/// Perl's package for functions without one.
const PACKAGE: &[u8] = b"main::";

/// A function's name in Perl's syntax; not that of the root.
pub(super) fn perl(name: &[u8]) -> Vec<u8> {
    let colons = name.windows(2).position(|window| window == b"::");
    let has_package = colons.is_some_and(|place| place > 0) && !name.starts_with(PACKAGE);
    let mut perl = if has_package {
        Vec::new()
    } else {
        PACKAGE.to_vec()
    };
    perl.extend(name.iter().map(|&byte| match byte {
        b';' | 0..=b' ' | 0x7f => b'?',
        byte => byte,
    }));
    if name.is_empty() {
        perl.extend(b"(unknown)");
    }
    // A function of that name is not the root.
    if perl == RUNTIME {
        perl.push(b'?');
    }
    perl
}

/// A file's name. The report puts it into links and its flame graph without
/// escaping: characters with a meaning in XML or in an address are replaced.
pub(super) fn file(name: &[u8]) -> Vec<u8> {
    let name = text::lossy(name);
    let safe = |letter| match letter {
        '&' | '<' | '>' | '"' | '\'' | '#' | '?' | '%' => '_',
        letter if letter.is_control() => '_',
        char::REPLACEMENT_CHARACTER | '\u{fffe}' | '\u{ffff}' => '_',
        letter => letter,
    };
    name.chars().map(safe).collect::<String>().into_bytes()
}

/// A name in XHProf's syntax.
pub(super) fn ours(perl: &[u8]) -> &[u8] {
    if perl == RUNTIME {
        return Symbol::MAIN;
    }
    match perl.strip_prefix(PACKAGE) {
        Some(name) if !name.is_empty() => name,
        _ => perl,
    }
}

/// All symbols' names, by number.
pub(super) fn all(profile: &Profile) -> Vec<Vec<u8>> {
    let symbols = profile.symbols.iter().enumerate();
    let names = symbols.map(|(index, symbol)| match index {
        0 => RUNTIME.to_vec(),
        _ => perl(&symbol.name),
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_if_they_have_no_blanks() {
        for name in [
            "strlen",
            "A::b",
            "main::x",
            "RUNTIME",
            "App\\f",
            "main::main::y",
            "größe",
            "a:b",
        ] {
            let perl = perl(name.as_bytes());
            let ours = str::from_utf8(ours(&perl)).unwrap();
            assert_eq!(ours.trim_end_matches('?'), name);
            assert!(perl != RUNTIME && perl.windows(2).any(|window| window == b"::"));
        }
        assert_eq!(ours(RUNTIME), b"main()");
        assert_eq!(perl(b"a; b\0\n\t\x7f"), b"main::a??b????");
        assert_eq!(perl(b""), b"main::(unknown)");
        assert_eq!(perl(b"::x"), b"main::::x");
        assert_eq!(file(b"/a b/<\"\xff&\n.php"), b"/a b/____ .php");
    }
}
