//! Function names as XHProf has them.
//!
//! The extension names the functions that it sees in its own process, `crates/attach` those of another one.
//!
//! **Invariant:** a function has the same name from both. The names are PHP's bytes.

use std::borrow::Cow;

/// Writes `Class::method` or `function` to `name`.
///
/// An anonymous class is written without the path after its NUL, and XHProf's separator `==>` is replaced.
pub fn write_name(class: Option<&[u8]>, function: &[u8], name: &mut Vec<u8>) {
    name.clear();
    if let Some(class) = class {
        name.extend_from_slice(without_hidden_path(class));
        name.extend_from_slice(b"::");
    }
    write_without_hidden_paths(function, name);
    profile::make_name_safe(name);
}

/// Adds file and line to the name of a closure: `{closure:dir/file.php:12}`. Other
/// names are not changed. The function must be PHP code in that file, on that line.
///
/// PHP 8.4 and later name a closure by the enclosing function, or by its file at
/// the top level: `{closure:A::b():12}`, `{closure:/srv/dir/file.php:12}`. Earlier
/// versions do not know the enclosing function. So the file is used in all
/// versions, shortened as in `run_init`: a closure has the same name in each.
pub fn add_place_to_closure(file: &[u8], line: u32, name: &mut Vec<u8>) {
    const CLOSURE: &[u8] = b"{closure";
    if name.last() != Some(&b'}') {
        return;
    }
    // Only a closure's name contains a brace. Since 8.4 the text after the first
    // one is the place, which may nest: `{closure:{closure:/a.php:3}:5}`.
    let mut places = name.windows(CLOSURE.len());
    let Some(start) = places.position(|place| place == CLOSURE) else {
        return;
    };
    name.truncate(start + CLOSURE.len());
    // Before 8.4 the namespace precedes it, which the file makes redundant.
    let class = name.windows(2).take(start).rposition(|pair| pair == b"::");
    name.drain(class.map_or(0, |place| place + 2)..start);
    name.push(b':');
    name.extend_from_slice(last_two_parts(&recorded_path(file)));
    name.extend_from_slice(format!(":{line}}}").as_bytes());
    profile::make_name_safe(name);
}

/// Writes `prefix` and `path` to `name`; only the last two parts of a file's path,
/// as in `load::dir/file.php`.
pub fn write_file(prefix: &[u8], path: &[u8], is_file: bool, name: &mut Vec<u8>) {
    name.clear();
    name.extend_from_slice(prefix);
    let path = recorded_path(path);
    name.extend_from_slice(if is_file {
        last_two_parts(&path)
    } else {
        &path
    });
    profile::make_name_safe(name);
}

/// The top level of a file: `run_init::dir/file.php`.
pub fn write_run_init(path: &[u8], name: &mut Vec<u8>) {
    write_file(b"run_init::", path, true, name);
}

/// What a profile keeps of a file's path: no users, passwords and parameters of URLs.
#[must_use]
pub fn recorded_path(path: &[u8]) -> Cow<'_, [u8]> {
    redact::file(path)
}

fn last_two_parts(path: &[u8]) -> &[u8] {
    let mut slashes = path
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, byte)| **byte == b'/');
    let start = slashes.nth(1).map_or(0, |(index, _)| index + 1);
    let path = path.get(start..).unwrap_or(path);
    // A path that is just `/file` has no directory to show.
    path.strip_prefix(b"/").unwrap_or(path)
}

/// `class@anonymous\0/path:3$0` is `class@anonymous`.
fn without_hidden_path(class: &[u8]) -> &[u8] {
    match position_of_nul(class) {
        Some(nul) => class.get(..nul).unwrap_or(class),
        None => class,
    }
}

/// Few names contain a NUL: whether one does is found many bytes at a time.
fn position_of_nul(name: &[u8]) -> Option<usize> {
    if !name.contains(&0) {
        return None;
    }
    name.iter().position(|&byte| byte == 0)
}

/// The name of a closure in an anonymous class contains the class's whole name
/// with the path (PHP 8.4): removes the text from each NUL to the next `::`.
fn write_without_hidden_paths(function_name: &[u8], name: &mut Vec<u8>) {
    let mut rest = function_name;
    while let Some(nul) = position_of_nul(rest) {
        let (before, after) = rest.split_at(nul);
        name.extend_from_slice(before);
        let end = after.windows(2).position(|pair| pair == b"::");
        rest = end.map_or(b"", |end| after.get(end..).unwrap_or(b""));
    }
    name.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(class: Option<&str>, function: &str) -> String {
        let mut name = b"before".to_vec();
        write_name(class.map(str::as_bytes), function.as_bytes(), &mut name);
        String::from_utf8(name).unwrap()
    }

    #[test]
    fn methods_have_their_class_and_no_hidden_path() {
        assert_eq!(named(None, "strlen"), "strlen");
        assert_eq!(named(Some("App\\Cache"), "get"), "App\\Cache::get");
        let class = "class@anonymous\0/srv/a.php:3$0";
        assert_eq!(named(Some(class), "run"), "class@anonymous::run");
        let closure = "{closure:class@anonymous\0/srv/a.php:3$0::run():5}";
        assert_eq!(named(None, closure), "{closure:class@anonymous::run():5}");
        assert_eq!(named(None, "a==>b"), "a=>b");
    }

    #[test]
    fn a_closure_has_one_name_in_every_version() {
        for name in [
            "App\\{closure}",
            "{closure:App\\f():7}",
            "{closure:{closure:/x.php:3}:7}",
        ] {
            let mut name = name.as_bytes().to_vec();
            add_place_to_closure(b"/srv/dir/file.php", 7, &mut name);
            assert_eq!(name, b"{closure:dir/file.php:7}");
        }
        let mut name = b"App\\Cache::App\\{closure}".to_vec();
        add_place_to_closure(b"/file.php", 7, &mut name);
        assert_eq!(name, b"App\\Cache::{closure:file.php:7}");
        let mut name = b"strlen".to_vec();
        add_place_to_closure(b"/file.php", 7, &mut name);
        assert_eq!(name, b"strlen");
    }

    #[test]
    fn files_have_the_last_two_parts_of_their_path() {
        let mut name = Vec::new();
        write_run_init(b"/srv/app/boot.php", &mut name);
        assert_eq!(name, b"run_init::app/boot.php");
        write_file(
            b"eval::",
            b"/srv/app/boot.php(3) : eval()'d code",
            false,
            &mut name,
        );
        assert_eq!(name, b"eval::/srv/app/boot.php(3) : eval()'d code");
    }

    #[test]
    fn names_have_no_private_parts_of_urls() {
        let url = b"tpl://me:secret@shop/a.php?token=secret";
        let mut name = Vec::new();
        write_run_init(url, &mut name);
        assert_eq!(name, b"run_init::shop/a.php");
        write_file(b"load::", b"data:text/x,secret/secret", true, &mut name);
        assert_eq!(name, b"load::data:text/x");
        let mut name = b"{closure}".to_vec();
        add_place_to_closure(url, 3, &mut name);
        assert_eq!(name, b"{closure:shop/a.php:3}");
    }
}
