//! Who may do what, and the tokens of a file, which are those of the administrator.
//!
//! **Invariant:** neither tokens nor sessions are kept, only their hashes. A
//! token has 256 random bits, so a fast hash suffices.

use std::fmt::Write as _;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
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
    /// Its name in files and answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Write => "write",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// The scopes of a list with commas between them; none if one is not known.
    pub(crate) fn list(text: &str) -> Option<Vec<Self>> {
        text.split(',').map(Self::parse).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "read" => Some(Self::Read),
            "write" => Some(Self::Write),
            "admin" => Some(Self::Admin),
            _ => None,
        }
    }
}

/// A token of a file.
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

impl Token {
    /// What stands for it in sessions and lists: 16 digits of its hash.
    pub(crate) fn id(&self) -> String {
        let digits = self.hash.iter().take(8);
        digits.fold(String::new(), |mut id, byte| {
            let _ = write!(id, "{byte:02x}");
            id
        })
    }

    /// Its owner.
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            name: self.name.clone(),
            scopes: self.scopes.clone(),
            app: self.app.clone(),
            csrf: None,
            token: self.id(),
        }
    }
}

/// Who may use the server.
#[derive(Debug)]
pub enum Access {
    /// Any client that reaches the address.
    WithoutLogin,
    /// The owners of these tokens, and of those in the store.
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
    /// The id of its token; empty without one.
    pub(crate) token: String,
}

impl Caller {
    /// The caller of a server without login.
    pub(crate) fn without_login() -> Self {
        Self {
            name: "no login".to_owned(),
            scopes: vec![Scope::Read, Scope::Write, Scope::Admin],
            app: None,
            csrf: None,
            token: String::new(),
        }
    }

    /// Whether it may do what needs that scope.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        scope == Scope::Open || self.scopes.contains(&scope)
    }

    /// Whether it may see an application, and what is of it.
    pub(crate) fn sees(&self, app: &str) -> bool {
        self.app.as_deref().is_none_or(|own| own == app)
    }
}

impl Access {
    /// The tokens of the file.
    pub(crate) fn tokens(&self) -> &[Token] {
        match self {
            Self::WithoutLogin => &[],
            Self::Tokens(tokens) => tokens,
        }
    }

    /// The owner of a token of the file.
    pub(crate) fn caller(&self, token: &str) -> Option<Caller> {
        let hash = blake3::hash(token.as_bytes());
        // `Hash` compares in constant time.
        let is_it = |token: &&Token| blake3::Hash::from_bytes(token.hash) == hash;
        self.tokens().iter().find(is_it).map(Token::caller)
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
    Some(Token {
        name: name.to_owned(),
        scopes: Scope::list(scopes)?,
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
    if !is_word(name) || !is_word(app) || Scope::list(scopes).is_none() {
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
}
