//! Tokens and sessions in the store, which all servers of the store share.
//!
//! A secret is `xhp_ID_SECRET`. The store finds its row by the id, and the hash of
//! the whole is compared in constant time. A session is a row as well, so a
//! browser may reach another server with each request.
//!
//! **Invariants:** a session is no token, and it does what its token may do now: it
//! ends with it.

use std::io;
use std::time::Duration;

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::StoredToken;

use crate::access::{Caller, Scope, Token, secret};
use crate::asking::{change, look_up};
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;

/// How a token of the store begins, so that searches for leaked secrets find it.
const PREFIX: &str = "xhp_";

/// The digits of an id.
const ID: usize = 16;

/// How long a session lasts.
pub(crate) const SESSION: Duration = Duration::from_secs(12 * 3600);

/// Makes a token; returns its secret, and what the store keeps of it. The scopes
/// are `read`, `write` and `admin`, with commas between them.
///
/// # Errors
///
/// A sentence for the user.
pub fn new_token(
    name: &str,
    scopes: &str,
    app: Option<&str>,
    until_us: Option<u64>,
) -> Result<(String, StoredToken), String> {
    let Some(list) = Scope::list(scopes) else {
        return Err(format!(
            "{scopes}: a token may read, write, admin, or several separated by commas"
        ));
    };
    let names: Vec<_> = list.iter().map(|scope| scope.name()).collect();
    let (secret, row) = new_row(until_us).map_err(|error| error.to_string())?;
    let row = StoredToken {
        name: name.to_owned(),
        scopes: names.join(","),
        app: app.map(str::to_owned),
        ..row
    };
    row.check().map_err(|error| error.to_string())?;
    Ok((secret, row))
}

fn new_row(until_us: Option<u64>) -> io::Result<(String, StoredToken)> {
    let mut bytes = [0; ID / 2];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let id = format!("{:016x}", u64::from_be_bytes(bytes));
    let secret = format!("{PREFIX}{id}_{}", secret()?);
    let row = StoredToken {
        id,
        name: String::new(),
        scopes: String::new(),
        app: None,
        hash: *blake3::hash(secret.as_bytes()).as_bytes(),
        created_us: now_us(),
        until_us,
        session_of: None,
    };
    Ok((secret, row))
}

/// The id in a secret; none if it is not of the store.
fn id_of(secret: &str) -> Option<&str> {
    let (id, rest) = secret.strip_prefix(PREFIX)?.split_once('_')?;
    let is_id = id.len() == ID && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && rest.len() == 43).then_some(id)
}

/// The row with that id, if it has not ended.
async fn row(state: &State, id: &str) -> Result<Option<StoredToken>, Problem> {
    let found = match state.rows.kept(id) {
        Some(row) => Some(row),
        None => {
            let asked = id.to_owned();
            let found = look_up(state, move |store| store.token(&asked)).await?;
            if let Some(row) = &found {
                state.rows.keep(row);
            }
            found
        }
    };
    let now = now_us();
    Ok(found.filter(|row| row.until_us.is_none_or(|until| until > now)))
}

/// The row of a secret.
async fn proven(state: &State, secret: &str) -> Result<Option<StoredToken>, Problem> {
    let Some(id) = id_of(secret) else {
        return Ok(None);
    };
    let hash = blake3::hash(secret.as_bytes());
    let found = row(state, id).await?;
    // `Hash` compares in constant time.
    Ok(found.filter(|row| blake3::Hash::from_bytes(row.hash) == hash))
}

/// The owner of a row; none if it is a session.
fn owner_of(row: StoredToken) -> Option<Caller> {
    if row.session_of.is_some() {
        return None;
    }
    Some(Caller {
        // A later version may have other scopes: such a token does nothing here.
        scopes: Scope::list(&row.scopes).unwrap_or_default(),
        name: row.name,
        app: row.app,
        csrf: None,
        token: row.id,
    })
}

/// The owner of a token, of the file or of the store.
pub(crate) async fn owner(state: &State, token: &str) -> Result<Option<Caller>, Problem> {
    if let Some(caller) = state.config.access.caller(token) {
        return Ok(Some(caller));
    }
    Ok(proven(state, token).await?.and_then(owner_of))
}

/// The caller of a session, with what its token may do now.
pub(crate) async fn of_session(state: &State, session: &str) -> Result<Option<Caller>, Problem> {
    let Some(found) = proven(state, session).await? else {
        return Ok(None);
    };
    let Some(id) = found.session_of else {
        return Ok(None);
    };
    let mut of_file = state.config.access.tokens().iter();
    let caller = match of_file.find(|token| token.id() == id) {
        Some(token) => Some(Token::caller(token)),
        None => row(state, &id).await?.and_then(owner_of),
    };
    Ok(caller.map(|caller| Caller {
        csrf: Some(csrf(session)),
        ..caller
    }))
}

/// What a page of a session must send with changes. Who knows it does not know the
/// session.
fn csrf(session: &str) -> String {
    let key = blake3::derive_key("xhprof serve 2026-11-23 csrf token", session.as_bytes());
    URL_SAFE_NO_PAD.encode(key)
}

/// Opens a session; returns its secret.
pub(crate) async fn open(state: &State, caller: Caller) -> Result<String, Problem> {
    let until = now_us() + u64::try_from(SESSION.as_micros()).unwrap_or(0);
    let failed =
        |error: io::Error| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
    let (secret, row) = new_row(Some(until)).map_err(failed)?;
    let row = StoredToken {
        session_of: Some(caller.token),
        ..row
    };
    change(state, move |store| store.add_token(&row)).await?;
    Ok(secret)
}

/// Ends a session.
pub(crate) async fn close(state: &State, session: &str) -> Result<(), Problem> {
    let Some(found) = proven(state, session).await? else {
        return Ok(());
    };
    if found.session_of.is_some() {
        change(state, move |store| store.remove_token(&found.id)).await?;
        state.rows.forget();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_its_id_and_256_random_bits() {
        let (secret, row) = new_token("ci", "write,read", Some("shop"), None).unwrap();
        assert_eq!(id_of(&secret), Some(row.id.as_str()));
        assert_eq!(row.hash, *blake3::hash(secret.as_bytes()).as_bytes());
        assert_eq!(row.scopes, "write,read");
        // Base64 of 32 bytes, in which `_` is a digit.
        let random = secret.splitn(3, '_').nth(2).unwrap();
        assert!(random.len() == 43 && !format!("{row:?}").contains(random));
        assert_ne!(new_token("ci", "read", None, None).unwrap().0, secret);
        for wrong in ["", "xhp_", "xhp_0123_x", &secret[1..], &secret[..60]] {
            assert_eq!(id_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused_with_a_reason() {
        for (name, scopes, app, part) in [
            ("ci", "all", None, "may read, write"),
            ("ci", "", None, "may read, write"),
            ("", "read", None, "must not be empty"),
            ("a\nb", "read", None, "name"),
            ("ci", "read", Some(""), "has a name"),
        ] {
            let error = new_token(name, scopes, app, None).unwrap_err();
            assert!(error.contains(part), "{name} {scopes}: {error}");
        }
    }
}
