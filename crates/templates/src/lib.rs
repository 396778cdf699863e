//! Names of templates: Twig and Blade compile templates to PHP, and PHP runs
//! functions such as `__TwigTemplate_bd87…::doDisplay`.
//!
//! [`name`] gives such functions the template's name, file and line. It finds
//! them in the compiled files, which the profile names. `xhprof run` calls it
//! right after the run, `xhprof convert --templates` for other profiles, and the agent
//! before it sends a profile: later, or elsewhere, the files may be gone.
//!
//! It has no types of its own: it changes a [`Profile`].
//!
//! ```
//! use profile::{Profile, Symbol};
//!
//! let folder = tempfile::tempdir()?;
//! let compiled = folder.path().join("compiled.php");
//! let php = r#"<?php
//! class __TwigTemplate_bd87debc0f8762111841c9ee60d71de0 extends Template
//! {
//!     protected function doDisplay(array $context, array $blocks = [])
//!     {
//!     }
//!     public function getSourceContext() { return new Source("", "page.html.twig", ""); }
//! }"#;
//! std::fs::write(&compiled, php)?;
//! let mut symbol = Symbol::new(*b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0::doDisplay");
//! symbol.file = Some(compiled.to_str().unwrap().as_bytes().into());
//! symbol.line = 4;
//! let mut profile = Profile { symbols: vec![Symbol::new(Symbol::MAIN), symbol], ..Profile::empty() };
//! assert_eq!(templates::name(&mut profile), 1);
//! assert_eq!(&*profile.symbols[1].name, b"twig::page.html.twig");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **Invariant:** a compiled file only gives names and lines. It is read if it is
//! a regular file of limited size, and is never shown.

#![forbid(unsafe_code)]

mod blade;
mod template;
mod twig;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use profile::{Body, Profile, Symbol, make_name_safe};

/// The largest compiled file that is read, and the most of all together.
const MOST_OF_FILE: u64 = 4 * 1024 * 1024;
const MOST_OF_ALL: usize = 256 * 1024 * 1024;

/// What a compiled function is to the author of the template.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    name: Vec<u8>,
    /// The template; none if it is in no file, or if its lines are not known.
    file: Option<Vec<u8>>,
    line: u32,
}

/// Names the templates of a profile; returns how many functions got a name.
///
/// A profile of call events keeps its names: its file is copied as PHP wrote it.
pub fn name(profile: &mut Profile) -> usize {
    if matches!(profile.body, Body::Events(_)) {
        return 0;
    }
    let mut files = Files::default();
    let mut taken: HashSet<Box<[u8]>> = HashSet::new();
    let mut named = Vec::new();
    for (index, symbol) in profile.symbols.iter().enumerate() {
        match files.named(symbol) {
            Some(new) => named.push((index, new)),
            None => {
                taken.insert(symbol.name.clone());
            }
        }
    }
    let mut count = 0;
    for (index, mut new) in named {
        let Some(symbol) = profile.symbols.get_mut(index) else {
            continue;
        };
        make_name_safe(&mut new.name);
        // A template that was compiled twice, with other options, keeps one name.
        if taken.insert(new.name.clone().into()) {
            symbol.name = new.name.into();
            count += 1;
        } else {
            taken.insert(symbol.name.clone());
        }
        if let Some(file) = new.file {
            symbol.file = Some(file.into());
            symbol.line = new.line;
        }
    }
    count
}

/// Whether the bytes of a native file may have names of compiled templates: whether it
/// is worth reading for [`name`].
#[must_use]
pub fn may_have_any(file: &[u8]) -> bool {
    // Only the first of such names has its beginning, see docs/format.md, section S.
    find(file, b"__TwigTemplate_").is_some() || find(file, b"views/").is_some()
}

/// The compiled files that were read.
#[derive(Default)]
struct Files {
    texts: HashMap<Box<[u8]>, Option<Vec<u8>>>,
    size: usize,
}

impl Files {
    fn named(&mut self, symbol: &Symbol) -> Option<Named> {
        let file = symbol.file.as_deref()?;
        if twig::is_compiled(&symbol.name) {
            let text = self.text(file)?;
            return twig::named(&symbol.name, symbol.line, text);
        }
        if blade::is_compiled(file) {
            let text = self.text(file)?;
            return blade::named(symbol, file, text);
        }
        None
    }

    fn text(&mut self, file: &[u8]) -> Option<&[u8]> {
        if !self.texts.contains_key(file) {
            let text = std::str::from_utf8(file)
                .ok()
                .and_then(|path| read(Path::new(path)))
                .filter(|text| self.size + text.len() <= MOST_OF_ALL);
            self.size += text.as_ref().map_or(0, Vec::len);
            self.texts.insert(file.into(), text);
        }
        self.texts.get(file)?.as_deref()
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    // Before it is opened: to open a pipe waits for a writer.
    if !path.is_absolute() || !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MOST_OF_FILE + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MOST_OF_FILE).then_some(text)
}

/// The last two parts of a path, as in names of files: `views/page.blade.php`.
fn short(path: &[u8]) -> &[u8] {
    let slashes = path
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, byte)| **byte == b'/');
    let start = slashes.map(|(place, _)| place + 1).nth(1);
    start.and_then(|start| path.get(start..)).unwrap_or(path)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPILED: &str = "<?php\n\nuse Twig\\Template;\n\n/* a/page.html.twig */\n\
        class __TwigTemplate_bd87debc0f8762111841c9ee60d71de0 extends Template\n{\n    \
        protected function doDisplay(array $context)\n    {\n        // line 3\n        \
        echo \"x\";\n    }\n\n    public function getDebugInfo()\n    {\n        \
        return array (  11 => 3,);\n    }\n\n    public function getSourceContext()\n    {\n        \
        return new Source(\"\", \"a/page.html.twig\", \"/srv/templates/a/page.html.twig\");\n    }\n}\n";

    fn profile_of(path: &Path) -> Profile {
        let mut profile = Profile::empty();
        let class = "__TwigTemplate_bd87debc0f8762111841c9ee60d71de0";
        for (name, line) in [(format!("{class}::doDisplay"), 8), ("work".to_owned(), 3)] {
            let mut symbol = Symbol::new(name.into_bytes());
            symbol.file = Some(path.to_str().unwrap().as_bytes().into());
            symbol.line = line;
            profile.symbols.push(symbol);
        }
        profile
    }

    #[test]
    fn a_template_has_its_name_file_and_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bd87.php");
        std::fs::write(&path, COMPILED).unwrap();
        let mut profile = profile_of(&path);
        assert_eq!(name(&mut profile), 1);
        let symbol = &profile.symbols[1];
        assert_eq!(&*symbol.name, b"twig::a/page.html.twig");
        assert_eq!(
            symbol.file.as_deref(),
            Some(&b"/srv/templates/a/page.html.twig"[..])
        );
        assert_eq!(symbol.line, 3);
        assert_eq!(&*profile.symbols[2].name, b"work");
        // The name is taken.
        let mut profile = profile_of(&path);
        profile.symbols[2].name = b"twig::a/page.html.twig"[..].into();
        assert_eq!(name(&mut profile), 0);
        assert_eq!(profile.symbols[1].line, 3);
    }

    #[test]
    fn only_regular_files_of_limited_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let long = format!("{COMPILED}{}", " ".repeat(4 * 1024 * 1024));
        std::fs::write(at("long.php"), long).unwrap();
        std::fs::write(at("real.php"), COMPILED).unwrap();
        std::os::unix::fs::symlink("real.php", at("link.php")).unwrap();
        for file in ["long.php", "link.php", "none.php", ""] {
            let mut profile = profile_of(&at(file));
            assert_eq!(name(&mut profile), 0, "{file}");
            assert_eq!(profile.symbols[1].line, 8);
        }
    }

    #[test]
    fn short_paths_have_two_parts() {
        assert_eq!(short(b"/a/b/c.php"), b"b/c.php");
        assert_eq!(short(b"b/c.php"), b"b/c.php");
        assert_eq!(short(b"/c.php"), b"/c.php");
    }
}
