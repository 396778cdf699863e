//! Who may use a server: tokens, and the sessions of browsers.

use std::fmt;

use crate::{Error, Result};

/// A token, or the session of a browser that a token opened. All servers of a
/// store take the same ones. The secret is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredToken {
    /// Its public part, by which it is found: 16 hexadecimal digits.
    pub id: String,
    /// Its name, for people; empty in sessions.
    pub name: String,
    /// What it may do: `read`, `write`, `admin`, or several separated by commas. A
    /// session has what its token has.
    pub scopes: String,
    /// The only application that it may see and send; none for all.
    pub app: Option<String>,
    /// The hash of the whole secret.
    pub hash: [u8; 32],
    /// When it was made, in microseconds since 1970.
    pub created_us: u64,
    /// When it ends, in microseconds since 1970; none if it does not.
    pub until_us: Option<u64>,
    /// The id of the token that opened the session; none if it is no session.
    pub session_of: Option<String>,
}

impl fmt::Debug for StoredToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredToken")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}

impl StoredToken {
    /// The most tokens of a store, and the most sessions.
    pub const MAX_TOKENS: usize = 10_000;

    /// The longest name, and the longest name of an application, in bytes.
    const MAX_TEXT: usize = 1024;

    /// Refuses what is no token.
    ///
    /// # Errors
    ///
    /// [`Error::Query`], which names the field.
    pub fn check(&self) -> Result<()> {
        let wrong = |reason: String| Err(Error::Query(reason));
        let is_id = |id: &str| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id(&self.id) || self.session_of.as_deref().is_some_and(|id| !is_id(id)) {
            return wrong("id: it has 16 hexadecimal digits".to_owned());
        }
        let texts = [
            ("name", Some(&self.name)),
            ("scopes", Some(&self.scopes)),
            ("app", self.app.as_ref()),
        ];
        for (field, text) in texts {
            let text = text.map_or("", String::as_str);
            if text.len() > Self::MAX_TEXT || text.contains(char::is_control) {
                return wrong(format!(
                    "{field}: at most {} bytes in one line",
                    Self::MAX_TEXT
                ));
            }
        }
        if self.app.as_ref().is_some_and(String::is_empty) {
            return wrong("app: an application has a name".to_owned());
        }
        if self.session_of.is_none() && (self.name.is_empty() || self.scopes.is_empty()) {
            return wrong("name, scopes: they must not be empty".to_owned());
        }
        Ok(())
    }
}

/// How much of an application was stored on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// The number of runs.
    pub runs: u64,
    /// The size of their files in the store, in bytes.
    pub bytes: u64,
}
