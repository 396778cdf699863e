//! Reads the `xhprof.*` lines of the configuration files.
//!
//! PHP reports the value of a setting, but ignores unknown names silently. So
//! these files are read here too, but only for names, values and comments.

use std::fs;
use std::path::{Path, PathBuf};

/// The prefix of the names to look for.
const PREFIX: &str = "xhprof.";

/// One line of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The setting's name, as written in the file.
    pub(super) name: String,
    /// The value, without quotes; `1` or empty for PHP's words for true and
    /// false.
    pub(super) value: String,
    /// The file.
    pub(super) file: PathBuf,
    /// The line, from 1.
    pub(super) line: usize,
}

impl Directive {
    /// `/etc/php.ini:12`
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// The `xhprof.*` lines of ini files, in the order in which PHP reads them.
pub(crate) fn directives(files: &[PathBuf]) -> Vec<Directive> {
    let read = |file: &PathBuf| {
        // A file that cannot be read here is skipped; PHP has read it.
        let text = fs::read(file).unwrap_or_default();
        of_text(&String::from_utf8_lossy(&text), file)
    };
    files.iter().flat_map(read).collect()
}

fn of_text(text: &str, file: &Path) -> Vec<Directive> {
    let lines = (1..).zip(text.lines());
    let found = lines.filter_map(|(line, text)| {
        let (name, value) = assignment(text)?;
        is_ours(name).then(|| Directive {
            name: name.to_owned(),
            value,
            file: file.to_owned(),
            line,
        })
    });
    found.collect()
}

/// Whether it is the name of one of this extension's settings in any case:
/// PHP's names are case-sensitive.
pub(super) fn is_ours(name: &str) -> bool {
    let prefix = name.get(..PREFIX.len());
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX))
}

/// Name and value of a line; none if it is not an assignment.
pub(crate) fn assignment(line: &str) -> Option<(&str, String)> {
    let line = line.trim_start();
    if line.starts_with([';', '#', '[']) {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    Some((name.trim(), self::value(value)))
}

/// A value in the syntax of PHP's ini files.
fn value(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            let end = rest.find(quote).unwrap_or(rest.len());
            return rest.get(..end).unwrap_or(rest).to_owned();
        }
    }
    let end = text.find(';').unwrap_or(text.len());
    let text = text.get(..end).unwrap_or(text).trim_end();
    match text.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" => "1".to_owned(),
        "off" | "no" | "false" | "none" | "null" => String::new(),
        _ => text.to_owned(),
    }
}

/// The value of `name` that takes effect: the last one.
pub(crate) fn last<'d>(directives: &'d [Directive], name: &str) -> Option<&'d Directive> {
    directives.iter().rfind(|directive| directive.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_xhprof_are_found_with_their_places() {
        let text = "; xhprof.rate = 1\n[xhprof]\nxhprof.auto_enabled = On ; yes\n\
                    memory_limit = 1G\n  xhprof.match=\"a ; b\"\r\n#xhprof.trigger=x\nxhprof.rate\n";
        let found = of_text(text, Path::new("/etc/php.ini"));
        let found: Vec<_> = found
            .iter()
            .map(|directive| (&*directive.name, &*directive.value, directive.place()))
            .collect();
        assert_eq!(
            found,
            [
                ("xhprof.auto_enabled", "1", "/etc/php.ini:3".to_owned()),
                ("xhprof.match", "a ; b", "/etc/php.ini:5".to_owned()),
            ]
        );
    }

    #[test]
    fn the_last_of_several_counts() {
        let found = of_text("xhprof.rate=1\nxhprof.rate = 0.5\n", Path::new("x"));
        assert_eq!(last(&found, "xhprof.rate").unwrap().value, "0.5");
        assert_eq!(last(&found, "xhprof.mode"), None);
    }
}
