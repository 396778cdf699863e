//! Function names as XHProf has them.

use super::{Function, FunctionKind};

/// Writes the name under which `function` is recorded to `name`; false if it
/// has none, being the top level of a file.
///
/// The name is `Class::method` or `function`, in PHP's bytes. An anonymous class
/// is written without the path after its NUL, and XHProf's separator `==>` is
/// replaced.
pub(crate) fn write_name(function: Function<'_>, name: &mut Vec<u8>) -> bool {
    name.clear();
    let Some(function_name) = function.name() else {
        return false;
    };
    if let Some(class) = function.class() {
        name.extend_from_slice(without_hidden_path(class));
        name.extend_from_slice(b"::");
    }
    write_without_hidden_paths(function_name, name);
    profile::make_name_safe(name);
    true
}

/// Adds file and line to the name of a closure: `{closure:dir/file.php:12}`. Other
/// names are not changed.
///
/// PHP 8.4 and later name a closure by the enclosing function, or by its file at
/// the top level: `{closure:A::b():12}`, `{closure:/srv/dir/file.php:12}`. Earlier
/// versions do not know the enclosing function. So the file is used in all
/// versions, shortened as in `run_init`: a closure has the same name in each.
pub(crate) fn add_place_to_closure(function: Function<'_>, name: &mut Vec<u8>) {
    const CLOSURE: &[u8] = b"{closure";
    if function.kind() != FunctionKind::User || name.last() != Some(&b'}') {
        return;
    }
    // Only a closure's name contains a brace. Since 8.4 the text after the first
    // one is the place, which may nest: `{closure:{closure:/a.php:3}:5}`.
    let mut places = name.windows(CLOSURE.len());
    let (Some(start), Some(path)) = (places.position(|place| place == CLOSURE), function.file())
    else {
        return;
    };
    name.truncate(start + CLOSURE.len());
    // Before 8.4 the namespace precedes it, which the file makes redundant.
    let class = name.windows(2).take(start).rposition(|pair| pair == b"::");
    name.drain(class.map_or(0, |place| place + 2)..start);
    name.push(b':');
    name.extend_from_slice(last_two_parts(path));
    name.extend_from_slice(format!(":{}}}", function.line()).as_bytes());
    profile::make_name_safe(name);
}

/// Writes `prefix` and `path` to `name`; only the last two parts of a file's path,
/// as in `load::dir/file.php`.
pub(crate) fn write_file(prefix: &[u8], path: &[u8], is_file: bool, name: &mut Vec<u8>) {
    name.clear();
    name.extend_from_slice(prefix);
    name.extend_from_slice(if is_file { last_two_parts(path) } else { path });
    profile::make_name_safe(name);
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

/// The top level of a file: `run_init::dir/file.php`.
pub(crate) fn write_run_init(function: Function<'_>, name: &mut Vec<u8>) {
    let path = function.file().unwrap_or(b"");
    write_file(b"run_init::", path, true, name);
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
