//! Tokens and sessions.

use crate::{Result, StoredToken};

/// The tokens that were made in the store, and the sessions of browsers.
///
/// All methods may return an error of the database.
pub trait Tokens {
    /// Adds a token, or a session, and removes those that ended before it was made.
    ///
    /// # Errors
    ///
    /// [`Error::Query`](crate::Error::Query) for what [`StoredToken::check`] refuses,
    /// for an id that is there, and beyond [`StoredToken::MAX_TOKENS`].
    fn add_token(&self, token: &StoredToken) -> Result<()>;

    /// The token, or session, with that id. It may have ended.
    fn token(&self, id: &str) -> Result<Option<StoredToken>>;

    /// All tokens by name and id, without sessions.
    fn tokens(&self) -> Result<Vec<StoredToken>>;

    /// Removes a token with its sessions, or a session. False if there is none.
    fn remove_token(&self, id: &str) -> Result<bool>;
}
