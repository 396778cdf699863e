//! The texts of prepared statements, for the calls that execute them.

use std::collections::HashMap;
use std::rc::Rc;

/// How many prepared statements are stored.
const MAX_PREPARED: usize = 1_000;

/// The key of a prepared statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Prepared {
    /// The statement's object handle. PHP reuses handles, but a new object's
    /// statement is prepared anew.
    Object(u32),
    /// The connection's object handle, and the name that the program chose.
    Name(Option<u32>, Box<[u8]>),
}

/// A prepared statement.
#[derive(Debug)]
struct Statement {
    /// A hash of the original text; 0 if the text cannot be compared later.
    fingerprint: u64,
    /// The text without literals.
    text: Rc<[u8]>,
}

/// The prepared statements of one profile.
#[derive(Debug, Default)]
pub(crate) struct PreparedStatements(HashMap<Prepared, Statement>);

impl PreparedStatements {
    /// Stores a prepared statement; `text` must be redacted.
    pub(crate) fn add(&mut self, name: Prepared, fingerprint: u64, text: Rc<[u8]>) {
        if self.0.len() < MAX_PREPARED || self.0.contains_key(&name) {
            self.0.insert(name, Statement { fingerprint, text });
        }
    }

    /// The text of the prepared statement of that key, if its fingerprint is the same.
    pub(crate) fn text(&self, name: &Prepared, fingerprint: u64) -> Option<Rc<[u8]>> {
        let found = self.0.get(name)?;
        (found.fingerprint == fingerprint).then(|| Rc::clone(&found.text))
    }

    /// Drops all: new ones are not seen during a pause.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
