//! Who may do what: tokens, sessions, and the limit on failed logins.
//!
//! **Invariant:** neither tokens nor sessions are kept, only their hashes. A
//! token has 256 random bits, so a fast hash suffices.

use std::collections::HashMap;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What a request may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Nothing that needs a login.
    Open,
    /// Send runs.
    Write,
    /// Look at runs.
    Read,
    /// Delete runs.
    Admin,
}

impl Scope {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "read" => Some(Self::Read),
            "write" => Some(Self::Write),
            "admin" => Some(Self::Admin),
            _ => None,
        }
    }
}

/// A token, as its file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its name, for the log.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// The only application it may see; none for all.
    pub app: Option<String>,
    hash: [u8; 32],
}

/// Who may use the server.
#[derive(Debug)]
pub enum Access {
    /// Any client that reaches the address.
    WithoutLogin,
    /// The owners of tokens.
    Tokens(Vec<Token>),
}

/// The caller of a request, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) name: String,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) app: Option<String>,
    /// Set if a cookie proved it: then changes need this in a header.
    pub(crate) csrf: Option<String>,
}

impl Caller {
    /// The caller of a server without login.
    pub(crate) fn without_login() -> Self {
        Self {
            name: "no login".to_owned(),
            scopes: vec![Scope::Read, Scope::Write, Scope::Admin],
            app: None,
            csrf: None,
        }
    }

    /// Whether it may do what needs that scope.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        scope == Scope::Open || self.scopes.contains(&scope)
    }
}

impl Access {
    /// The owner of a token.
    pub(crate) fn caller(&self, token: &str) -> Option<Caller> {
        let Self::Tokens(tokens) = self else {
            return Some(Caller::without_login());
        };
        let hash = blake3::hash(token.as_bytes());
        // `Hash` compares in constant time.
        let is_it = |token: &&Token| blake3::Hash::from_bytes(token.hash) == hash;
        let token = tokens.iter().find(is_it)?;
        Some(Caller {
            name: token.name.clone(),
            scopes: token.scopes.clone(),
            app: token.app.clone(),
            csrf: None,
        })
    }
}

/// Reads a file of tokens: a line each, `NAME SCOPES APP HASH`, where SCOPES are
/// separated by commas and APP is `*` for all.
///
/// # Errors
///
/// A file that others can read; a line that is not as described.
pub fn read_tokens(path: &Path) -> io::Result<Vec<Token>> {
    let named = |error| io::Error::other(format!("{}: {error}", path.display()));
    let mode = fs::metadata(path).map_err(named)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(io::Error::other(format!(
            "{}: others may read it (mode {:04o}); chmod 600 changes that",
            path.display(),
            mode & 0o7777
        )));
    }
    let mut tokens = Vec::new();
    for (number, line) in (1..).zip(fs::read_to_string(path)?.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let token = parsed(line).ok_or_else(|| {
            io::Error::other(format!(
                "{}, line {number}: not `NAME read,write,admin APP HASH`; \
                 --add-token writes such lines",
                path.display()
            ))
        })?;
        tokens.push(token);
    }
    if tokens.is_empty() {
        return Err(io::Error::other(format!(
            "{}: it has no tokens; --add-token adds one",
            path.display()
        )));
    }
    Ok(tokens)
}

fn parsed(line: &str) -> Option<Token> {
    let mut parts = line.split_whitespace();
    let (name, scopes, app, hash) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let scopes = scopes.split(',').map(Scope::parse);
    Some(Token {
        name: name.to_owned(),
        scopes: scopes.collect::<Option<_>>()?,
        app: (app != "*").then(|| app.to_owned()),
        hash: *blake3::Hash::from_hex(hash).ok()?.as_bytes(),
    })
}

/// Adds a token to a file, which is created if it is missing. Returns the
/// token: it is in no file.
///
/// # Errors
///
/// Invalid names and scopes; errors of the file system.
pub fn add_token(path: &Path, name: &str, scopes: &str, app: Option<&str>) -> io::Result<String> {
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let app = app.unwrap_or("*");
    if !is_word(name) || !is_word(app) || scopes.split(',').any(|one| Scope::parse(one).is_none()) {
        return Err(io::Error::other(
            "a token needs a name without blanks, and scopes: read, write, admin, or several \
             separated by commas",
        ));
    }
    let token = secret()?;
    let hash = blake3::hash(token.as_bytes()).to_hex();
    let mut file = fs::OpenOptions::new();
    file.append(true).create(true).mode(0o600);
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = file.custom_flags(no_follow).open(path)?;
    writeln!(file, "{name} {scopes} {app} {hash}")?;
    Ok(token)
}

/// 256 random bits as text.
pub(crate) fn secret() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// How long a session lasts.
const SESSION: Duration = Duration::from_secs(12 * 3600);

/// The most sessions.
const SESSIONS: usize = 10_000;

/// Failed logins of an address within [`WINDOW`], before it has to wait.
const FAILURES: usize = 10;
const WINDOW: Duration = Duration::from_secs(60);

/// The sessions of browsers, and failed logins.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<[u8; 32], (Caller, Instant)>>,
    failures: Mutex<HashMap<IpAddr, Vec<Instant>>>,
}

impl Sessions {
    /// Opens a session; returns its secret.
    pub(crate) fn open(&self, mut caller: Caller) -> io::Result<String> {
        let (session, csrf) = (secret()?, secret()?);
        caller.csrf = Some(csrf);
        let now = Instant::now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, (_, since)| now.duration_since(*since) < SESSION);
        if open.len() >= SESSIONS {
            return Err(io::Error::other("too many sessions are open"));
        }
        let hash = *blake3::hash(session.as_bytes()).as_bytes();
        open.insert(hash, (caller, now));
        Ok(session)
    }

    /// The caller of a session.
    pub(crate) fn caller(&self, session: &str) -> Option<Caller> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (caller, since) = open.get(blake3::hash(session.as_bytes()).as_bytes())?;
        (since.elapsed() < SESSION).then(|| caller.clone())
    }

    /// Ends a session.
    pub(crate) fn close(&self, session: &str) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(blake3::hash(session.as_bytes()).as_bytes());
    }

    /// Whether an address has to wait.
    pub(crate) fn is_blocked(&self, address: IpAddr) -> bool {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = failures.get(&address).map_or(0, |times| {
            times.iter().filter(|time| time.elapsed() < WINDOW).count()
        });
        recent >= FAILURES
    }

    /// Counts a failed login.
    pub(crate) fn failed(&self, address: IpAddr) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() > 10_000 {
            failures.clear();
        }
        let times = failures.entry(address).or_default();
        times.retain(|time| time.elapsed() < WINDOW);
        times.push(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_in_its_file_as_a_hash_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let token = add_token(&path, "ci", "read,write", Some("shop")).unwrap();
        let other = add_token(&path, "boss", "admin", None).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&token) && !text.contains(&other));
        let access = Access::Tokens(read_tokens(&path).unwrap());
        let caller = access.caller(&token).unwrap();
        assert_eq!(caller.app.as_deref(), Some("shop"));
        assert!(caller.may(Scope::Write) && !caller.may(Scope::Admin));
        assert!(access.caller(&other).unwrap().may(Scope::Admin));
        assert_eq!(access.caller("x"), None);
        assert_eq!(access.caller(""), None);
    }

    #[test]
    fn a_bad_file_of_tokens_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        for text in ["", "a b c d", "a read *", "a read,x * 00"] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            assert!(read_tokens(&path).is_err(), "{text}");
        }
        fs::remove_file(&path).unwrap();
        add_token(&path, "a", "read", None).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            read_tokens(&path)
                .unwrap_err()
                .to_string()
                .contains("others may read it")
        );
        for (name, scopes) in [("a b", "read"), ("", "read"), ("a", "all"), ("a", "")] {
            assert!(
                add_token(&path, name, scopes, None).is_err(),
                "{name} {scopes}"
            );
        }
    }

    #[test]
    fn an_address_waits_after_ten_failures() {
        let sessions = Sessions::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        for _ in 0..10 {
            assert!(!sessions.is_blocked(address));
            sessions.failed(address);
        }
        assert!(sessions.is_blocked(address));
        assert!(!sessions.is_blocked(IpAddr::from([192, 0, 2, 2])));
    }
}
