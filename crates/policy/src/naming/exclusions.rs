//! Functions that a profile leaves out: `ignored_functions` and `xhprof.exclude`.
//!
//! Such a function gets no frame. Its time and memory are charged to its caller,
//! and its callees become callees of the nearest caller that is not left out.
//!
//! **Invariant:** a function is compared with the patterns once per profile.
//! After that its run-time slot holds the answer, or, for functions without a
//! slot, a table of names or of files.

use std::collections::{HashMap, HashSet};

use crate::patterns::matches;

/// How many answers are kept: a program may generate any number of names and
/// files.
const MAX_ANSWERS: usize = 10_000;

/// The functions that a profile leaves out.
#[derive(Debug, Default)]
pub struct Exclusions {
    /// Exact names, as XHProf has them; and names that matched a pattern.
    names: HashSet<Box<[u8]>>,
    /// Patterns of names, in lower case.
    name_patterns: Vec<Box<[u8]>>,
    /// Patterns of the files that functions are defined in.
    file_patterns: Vec<Box<[u8]>>,
    /// The answers for files that were compared with the patterns.
    files: HashMap<Box<[u8]>, bool>,
    /// How many functions and files were compared with patterns.
    compared: usize,
}

impl Exclusions {
    /// Leaves out the functions of these names. A name without `*` is exact, as in
    /// XHProf; with `*` it is a pattern.
    pub fn of_names(names: HashSet<Box<[u8]>>) -> Self {
        let mut exclusions = Self::default();
        for name in names {
            if name.contains(&b'*') {
                let pattern = name.to_ascii_lowercase();
                exclusions.name_patterns.push(pattern.into());
            } else {
                exclusions.names.insert(name);
            }
        }
        exclusions
    }

    /// Also leaves out what matches these patterns: files if the pattern contains a
    /// slash and no `::`, else functions and methods, case-insensitively.
    #[must_use]
    pub fn and_patterns(mut self, patterns: &[String]) -> Self {
        for pattern in patterns {
            // With `::` it is a method's, or that of a function in a template.
            if pattern.contains('/') && !pattern.contains("::") {
                self.add_file_pattern(pattern);
            } else {
                let pattern = pattern.to_ascii_lowercase();
                self.name_patterns.push(pattern.into_bytes().into());
            }
        }
        self
    }

    /// `vendor/*` matches files below any folder `vendor`, `/srv/app/vendor/*` only
    /// below that one; `vendor/` means `vendor/*`.
    fn add_file_pattern(&mut self, pattern: &str) {
        let end = if pattern.ends_with('/') { "*" } else { "" };
        let mut add = |start| {
            let pattern = format!("{start}{pattern}{end}");
            self.file_patterns.push(pattern.into_bytes().into());
        };
        // A file may be included by a relative path.
        add("");
        if !pattern.starts_with(['/', '*']) && !pattern.contains("://") {
            add("*/");
        }
    }

    /// Whether functions that are defined in that file are left out.
    pub fn has_file(&mut self, path: &[u8]) -> bool {
        if self.file_patterns.is_empty() {
            return false;
        }
        if let Some(&answer) = self.files.get(path) {
            return answer;
        }
        self.compared += 1;
        let answer = self
            .file_patterns
            .iter()
            .any(|pattern| matches(pattern, path));
        if self.files.len() < MAX_ANSWERS {
            self.files.insert(path.into(), answer);
        }
        answer
    }

    /// How many functions and files were compared with patterns so far.
    pub fn compared(&self) -> usize {
        self.compared
    }

    /// Whether any function is left out by its name.
    pub fn has_any_name(&self) -> bool {
        !self.names.is_empty() || !self.name_patterns.is_empty()
    }

    /// Whether the function of that name is left out. Callers must cache a
    /// negative answer.
    pub fn has_name(&mut self, name: &[u8]) -> bool {
        if self.names.contains(name) {
            return true;
        }
        if self.name_patterns.is_empty() {
            return false;
        }
        self.compared += 1;
        let lower_case = name.to_ascii_lowercase();
        let answer = self
            .name_patterns
            .iter()
            .any(|pattern| matches(pattern, &lower_case));
        if answer && self.names.len() < MAX_ANSWERS {
            self.names.insert(name.into());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str], patterns: &[&str]) -> Exclusions {
        let names = names.iter().map(|name| name.as_bytes().into()).collect();
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Exclusions::of_names(names).and_patterns(&patterns)
    }

    #[test]
    fn a_pattern_with_a_slash_is_of_files_unless_it_has_a_method() {
        let mut exclusions = of(&[], &["vendor/", "twig::shop/*"]);
        assert!(exclusions.has_file(b"/srv/vendor/a.php"));
        assert!(exclusions.has_name(b"twig::shop/page.html.twig::block_body"));
        assert!(!exclusions.has_name(b"twig::page.html.twig"));
        assert!(!exclusions.has_file(b"/srv/twig::shop/a.php"));
    }

    #[test]
    fn nothing_is_left_out_by_default() {
        let mut nothing = of(&[], &[]);
        assert!(!nothing.has_any_name());
        assert!(!nothing.has_name(b"") && !nothing.has_file(b"/x.php"));
        assert_eq!(nothing.compared(), 0);
    }

    #[test]
    fn a_name_without_a_star_is_exact_as_in_xhprof() {
        let mut exclusions = of(&["strlen"], &[]);
        assert!(exclusions.has_name(b"strlen"));
        for other in [&b"StrLen"[..], b"strlen2", b"Foo::strlen", b""] {
            assert!(!exclusions.has_name(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn a_pattern_ignores_case() {
        let mut exclusions = of(&["PDO::*"], &["Symfony\\*", "array_map"]);
        for name in ["pdo::query", "PDO::Query", "symfony\\X::y", "ARRAY_MAP"] {
            assert!(exclusions.has_name(name.as_bytes()), "{name}");
        }
        for name in ["PDOStatement::execute", "App\\Symfony\\X", "array_map2"] {
            assert!(!exclusions.has_name(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn patterns_of_files_match_below_any_folder_unless_they_are_absolute() {
        for (pattern, path, expected) in [
            ("vendor/*", "/srv/app/vendor/a/b.php", true),
            ("vendor/*", "vendor/b.php", true),
            ("vendor/", "/srv/vendor/b.php", true),
            ("vendor/*", "/srv/myvendor/b.php", false),
            ("vendor/*", "/srv/vendor.php", false),
            ("/srv/app/vendor/*", "/srv/app/vendor/x.php", true),
            ("/srv/app/vendor/*", "/old/srv/app/vendor/x.php", false),
            ("*/cache/*.php", "/a/cache/b/c.php", true),
            ("*/cache/*.php", "/a/cache/b/c.inc", false),
            ("Vendor/*", "/srv/vendor/b.php", false),
            ("phar://x.phar/*", "phar://x.phar/a.php", true),
            ("phar://x.phar/*", "/a/phar://x.phar/a.php", false),
        ] {
            let mut exclusions = of(&[], &[pattern]);
            assert_eq!(
                exclusions.has_file(path.as_bytes()),
                expected,
                "{pattern} {path}"
            );
            assert!(!exclusions.has_any_name(), "{pattern} is for files");
        }
    }

    #[test]
    fn a_file_is_compared_once() {
        let mut exclusions = of(&[], &["vendor/*"]);
        for _ in 0..3 {
            assert!(exclusions.has_file(b"/vendor/x.php"));
            assert!(!exclusions.has_file(b"/src/x.php"));
        }
        assert_eq!(exclusions.compared(), 2);
    }

    #[test]
    fn a_name_that_matched_is_compared_once() {
        let mut exclusions = of(&[], &["a*"]);
        assert!(exclusions.has_name(b"ab") && exclusions.has_name(b"ab"));
        assert_eq!(exclusions.compared(), 1);
        // Callers keep the negative answers.
        assert!(!exclusions.has_name(b"x"));
        assert_eq!(exclusions.compared(), 2);
    }

    #[test]
    fn memory_is_bounded_and_answers_stay_right() {
        let mut exclusions = of(&[], &["gen*", "tmp/*"]);
        for number in 0..MAX_ANSWERS + 100 {
            assert!(exclusions.has_name(format!("gen{number}").as_bytes()));
            assert!(exclusions.has_file(format!("tmp/{number}").as_bytes()));
        }
        assert_eq!(exclusions.names.len(), MAX_ANSWERS);
        assert_eq!(exclusions.files.len(), MAX_ANSWERS);
    }
}
