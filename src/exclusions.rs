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
pub(crate) struct Exclusions {
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
    pub(crate) fn of_names(names: HashSet<Box<[u8]>>) -> Self {
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
    /// slash, else functions and methods, case-insensitively.
    #[must_use]
    pub(crate) fn and_patterns(mut self, patterns: &[String]) -> Self {
        for pattern in patterns {
            if pattern.contains('/') {
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
    pub(crate) fn has_file(&mut self, path: &[u8]) -> bool {
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
    pub(crate) fn compared(&self) -> usize {
        self.compared
    }

    /// Whether any function is left out by its name.
    pub(crate) fn has_any_name(&self) -> bool {
        !self.names.is_empty() || !self.name_patterns.is_empty()
    }

    /// Whether the function of that name is left out. Callers must cache a
    /// negative answer.
    pub(crate) fn has_name(&mut self, name: &[u8]) -> bool {
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
