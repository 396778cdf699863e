//! The key and the secret of a bucket: from a file, or from the environment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusty_s3::Credentials;

use super::Address;
use crate::{Error, Result};

/// The largest file of credentials.
const MAX_FILE: u64 = 64 << 10;

/// The credentials of a bucket.
///
/// The file has the form of Amazon's tools: lines such as
/// `aws_access_key_id = KEY`; the names of sections are left out.
pub(super) fn read(address: &Address) -> Result<Credentials> {
    match &address.credentials {
        Some(file) => from_file(file),
        None => from_environment(|name| std::env::var(name).ok()),
    }
}

fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Credentials> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    match (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY")) {
        (Some(key), Some(secret)) => Ok(made(key, secret, set("AWS_SESSION_TOKEN"))),
        _ => Err(Error::Query(
            "the bucket needs a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add \
             credentials=FILE to its address"
                .to_owned(),
        )),
    }
}

fn from_file(path: &Path) -> Result<Credentials> {
    let shown = path.display();
    let io = |error| Error::Query(format!("cannot read the credentials {shown}: {error}"));
    let metadata = fs::metadata(path).map_err(io)?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(Error::Query(format!(
            "other users can read the credentials {shown}; run: chmod 600 {shown}"
        )));
    }
    if metadata.len() > MAX_FILE {
        return Err(Error::Query(format!(
            "{shown} is too large for a file of credentials"
        )));
    }
    let text = fs::read_to_string(path).map_err(io)?;
    let value = |wanted: &str| {
        let mut pairs = text.lines().filter_map(|line| line.split_once('='));
        let found = pairs.find(|(name, _)| name.trim() == wanted);
        found
            .map(|(_, value)| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    match (value("aws_access_key_id"), value("aws_secret_access_key")) {
        (Some(key), Some(secret)) => Ok(made(key, secret, value("aws_session_token"))),
        _ => Err(Error::Query(format!(
            "{shown} needs the lines aws_access_key_id = KEY and aws_secret_access_key = SECRET"
        ))),
    }
}

fn made(key: String, secret: String, token: Option<String>) -> Credentials {
    match token {
        Some(token) => Credentials::new_with_token(key, secret, token),
        None => Credentials::new(key, secret),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str, mode: u32) -> tempfile::TempPath {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        file.into_temp_path()
    }

    #[test]
    fn a_file_has_the_form_of_amazons_tools() {
        let file = file(
            "[default]\naws_access_key_id = K\naws_secret_access_key=S=\n",
            0o600,
        );
        let read = from_file(&file).unwrap();
        assert_eq!((read.key(), read.secret(), read.token()), ("K", "S=", None));
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let file = file("aws_access_key_id = K\naws_secret_access_key = S\n", 0o644);
        assert!(
            from_file(&file)
                .unwrap_err()
                .to_string()
                .contains("chmod 600")
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let file = file("aws_access_key_id = K\n", 0o600);
        assert!(
            from_file(&file)
                .unwrap_err()
                .to_string()
                .contains("aws_secret_access_key")
        );
        let error = from_environment(|_| None).unwrap_err().to_string();
        assert!(error.contains("AWS_ACCESS_KEY_ID"));
        let error = from_file(Path::new("/does/not/exist"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("/does/not/exist"));
    }

    #[test]
    fn the_environment_has_the_usual_names() {
        let read = from_environment(|name| Some(name.to_owned())).unwrap();
        assert_eq!(read.key(), "AWS_ACCESS_KEY_ID");
        assert_eq!(read.token(), Some("AWS_SESSION_TOKEN"));
    }
}
