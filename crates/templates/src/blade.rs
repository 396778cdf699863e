//! What Blade compiled: a file named by a hash, whose last line names the view.
//!
//! ```php
//! <?php /**PATH /srv/app/resources/views/page.blade.php ENDPATH**/ ?>
//! ```
//!
//! Laravel 5.7 and later write it so. PHP has such a file as `run_init::views/<hash>.php`,
//! if `xhprof.run_init` is set, and as part of closures' names. Blade adds and removes
//! lines without a map of them: a closure keeps file and line of what was compiled.

use profile::Symbol;

use super::{Named, find, short};

/// Whether a file is called by a hash: SHA-1, or XXH128 since Laravel 9.
pub(super) fn is_compiled(file: &[u8]) -> bool {
    let name = file.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let hash = name.strip_suffix(b".php").unwrap_or_default();
    matches!(hash.len(), 32 | 40) && hash.iter().all(u8::is_ascii_hexdigit)
}

/// Puts the view's name in place of the file's.
pub(super) fn named(symbol: &Symbol, file: &[u8], text: &[u8]) -> Option<Named> {
    let start = text.windows(8).rposition(|window| window == b"/**PATH ")? + 8;
    let rest = text.get(start..)?;
    let path = rest.get(..find(rest, b" ENDPATH**/")?)?;
    let compiled = short(file);
    let at = find(&symbol.name, compiled)?;
    let (before, behind) = symbol.name.split_at(at);
    let behind = behind.get(compiled.len()..)?;
    // Of a closure, `:12}` is left: the line of the compiled file.
    let is_whole = behind.is_empty();
    let mark: &[u8] = if is_whole { b"" } else { b", compiled" };
    Some(Named {
        name: [before, short(path), mark, behind].concat(),
        file: is_whole.then(|| path.to_owned()),
        line: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] =
        b"/srv/app/storage/framework/views/0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1b.php";
    const TEXT: &[u8] = b"<h1>/**PATH no ENDPATH**/</h1>\n<?php /**PATH /srv/app/resources/views/page.blade.php ENDPATH**/ ?>";

    fn name_of(name: &str, text: &[u8]) -> Option<String> {
        let named = named(&Symbol::new(name.as_bytes()), FILE, text)?;
        let view = &b"/srv/app/resources/views/page.blade.php"[..];
        let is_whole = name.starts_with("run_init::");
        assert_eq!(named.file.as_deref(), is_whole.then_some(view));
        Some(String::from_utf8(named.name).unwrap())
    }

    #[test]
    fn a_view_is_named_by_its_comment() {
        let hash = "views/0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1b.php";
        assert!(is_compiled(FILE));
        for (name, expected) in [
            (
                format!("run_init::{hash}"),
                "run_init::views/page.blade.php",
            ),
            (
                format!("Factory::{{closure:{hash}:7}}"),
                "Factory::{closure:views/page.blade.php, compiled:7}",
            ),
        ] {
            assert_eq!(name_of(&name, TEXT).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_files_and_functions_keep_their_names() {
        assert!(!is_compiled(b"/srv/app/page.php"));
        assert!(!is_compiled(
            b"/srv/0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1.php"
        ));
        assert_eq!(name_of("work", TEXT), None);
        assert_eq!(
            name_of("run_init::views/0a1b.php", b"<?php return 1;"),
            None
        );
        assert_eq!(name_of("work", b"/**PATH /srv/x"), None);
    }
}
