//! The address of a bucket: `s3://NAME/PREFIX?endpoint=URL&region=NAME`.

use std::fmt;
use std::path::PathBuf;

use rusty_s3::UrlStyle;

use crate::{Error, Result};

/// What an address has to look like.
const FORM: &str = "s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&style=path|host][&credentials=FILE][&ca_file=FILE]";

/// The longest name of a bucket, and of a prefix: those of Amazon's service.
const MAX_NAME: usize = 63;
const MAX_PREFIX: usize = 512;

/// Where a bucket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Its name.
    pub name: String,
    /// What the keys of its objects begin with: empty, or with a `/` at the end.
    pub prefix: String,
    /// The service, without the bucket.
    pub endpoint: String,
    /// The region.
    pub region: String,
    /// Whether the bucket's name is in the path, as in most services but
    /// Amazon's, or in the name of the host.
    pub is_in_path: bool,
    /// The file with the key and the secret; else they are in the environment.
    pub credentials: Option<PathBuf>,
    /// The certificates of the service's own authority.
    pub ca_file: Option<PathBuf>,
}

impl Address {
    /// Reads an address. Without an endpoint it is Amazon's.
    ///
    /// # Errors
    ///
    /// [`Error::Query`] names what is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let rest = text
            .strip_prefix("s3://")
            .ok_or_else(|| wrong(text, "it does not begin with s3://"))?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (name, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_name) {
            return Err(wrong(text, "it has no valid name of a bucket"));
        }
        let prefix = prefix.trim_matches('/');
        let is_prefix = |byte: u8| is_name(byte) || byte == b'/';
        if prefix.len() > MAX_PREFIX
            || !prefix.bytes().all(is_prefix)
            || prefix.split('/').any(|part| part == "..")
        {
            return Err(wrong(
                text,
                "its prefix has other characters than letters, digits, - . _ and /",
            ));
        }
        let mut endpoint = None;
        let mut region = None;
        let mut is_in_path = None;
        let mut credentials = None;
        let mut ca_file = None;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("endpoint", url)) => endpoint = Some(endpoint_of(text, url)?),
                Some(("region", name)) if !name.is_empty() && name.bytes().all(is_name) => {
                    region = Some(name.to_owned());
                }
                Some(("region", _)) => return Err(wrong(text, "its region is not a name")),
                Some(("style", "path")) => is_in_path = Some(true),
                Some(("style", "host")) => is_in_path = Some(false),
                Some(("style", _)) => {
                    return Err(wrong(text, "its style is neither path nor host"));
                }
                Some(("credentials", file)) if !file.is_empty() => {
                    credentials = Some(PathBuf::from(file));
                }
                Some(("ca_file", file)) if !file.is_empty() => ca_file = Some(PathBuf::from(file)),
                _ => return Err(wrong(text, &format!("{option:?} is not an option"))),
            }
        }
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        Ok(Self {
            name: name.to_owned(),
            prefix: if prefix.is_empty() {
                String::new()
            } else {
                format!("{prefix}/")
            },
            is_in_path: is_in_path.unwrap_or(endpoint.is_some()),
            endpoint: endpoint.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com")),
            region,
            credentials,
            ca_file,
        })
    }

    pub(super) fn style(&self) -> UrlStyle {
        if self.is_in_path {
            UrlStyle::Path
        } else {
            UrlStyle::VirtualHost
        }
    }
}

impl fmt::Display for Address {
    /// Without the file of the credentials: for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{} at {}", self.name, self.prefix, self.endpoint)
    }
}

fn endpoint_of(text: &str, url: &str) -> Result<String> {
    let host = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains('@') => {
            Ok(url.trim_end_matches('/').to_owned())
        }
        _ => Err(wrong(
            text,
            "its endpoint is not an http:// or https:// address without a password",
        )),
    }
}

fn wrong(text: &str, why: &str) -> Error {
    Error::Query(format!("the bucket {text:?}: {why}; the form is {FORM}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_parts() {
        let address = Address::parse(
            "s3://runs/team/a/?endpoint=http://127.0.0.1:9000/&region=eu-1&credentials=/etc/key",
        );
        let expected = Address {
            name: "runs".to_owned(),
            prefix: "team/a/".to_owned(),
            endpoint: "http://127.0.0.1:9000".to_owned(),
            region: "eu-1".to_owned(),
            is_in_path: true,
            credentials: Some(PathBuf::from("/etc/key")),
            ca_file: None,
        };
        assert_eq!(address.unwrap(), expected);
    }

    #[test]
    fn without_options_it_is_amazons_bucket_of_that_name() {
        let address = Address::parse("s3://runs").unwrap();
        assert_eq!(address.endpoint, "https://s3.us-east-1.amazonaws.com");
        assert_eq!((address.prefix.as_str(), address.is_in_path), ("", false));
        assert!(Address::parse("s3://runs?style=path").unwrap().is_in_path);
    }

    #[test]
    fn a_wrong_address_says_what_is_wrong() {
        for (text, why) in [
            ("runs", "does not begin"),
            ("s3://", "no valid name"),
            ("s3://a b", "no valid name"),
            ("s3://runs/a?b=c", "is not an option"),
            ("s3://runs/../x", "its prefix"),
            ("s3://runs?endpoint=ftp://x", "its endpoint"),
            ("s3://runs?endpoint=http://user:secret@x", "its endpoint"),
            ("s3://runs?region=", "its region"),
            ("s3://runs?style=both", "its style"),
            ("s3://runs?credentials=", "is not an option"),
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
