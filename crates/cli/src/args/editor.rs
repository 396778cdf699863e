//! `--editor`, `--editor-path`: links that open a file in an editor.
//!
//! **Invariant:** an address in a page is of an editor, by its scheme or as a port of
//! this machine. The page checks it again, as the paths in it come from a profile.

use std::str::FromStr;

/// An address with `{file}` and, if the editor can go to a line, `{line}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Editor(pub(crate) String);

/// A folder of the profile, and where it is on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditorPath {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// Editors by name.
const KNOWN: [(&str, &str); 2] = [
    ("phpstorm", "phpstorm://open?file={file}&line={line}"),
    ("vscode", "vscode://file{file}:{line}"),
];

/// The schemes of editors: `web/src/source/editor.ts` has the same.
const SCHEMES: [&str; 16] = [
    "phpstorm",
    "idea",
    "jetbrains",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "cursor",
    "windsurf",
    "zed",
    "subl",
    "sublime",
    "txmt",
    "nova",
    "mvim",
    "emacs",
    "editor",
];

impl FromStr for Editor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, address)) = KNOWN.iter().find(|(name, _)| *name == text) {
            return Ok(Self((*address).to_owned()));
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(
                "give phpstorm, vscode, or an address such as zed://file{file}:{line}".to_owned(),
            );
        };
        if !SCHEMES.contains(&scheme) && !is_local(scheme, rest) {
            return Err(format!(
                "{scheme}:// is no editor: give one of {}, or a port as in http://localhost:63342/",
                SCHEMES.map(|scheme| format!("{scheme}://")).join(", ")
            ));
        }
        if !rest.contains("{file}") {
            return Err("the address has no {file}".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

fn is_local(scheme: &str, rest: &str) -> bool {
    let port = ["localhost:", "127.0.0.1:"]
        .iter()
        .find_map(|host| rest.strip_prefix(host));
    let port = port.and_then(|port| port.split_once('/'));
    scheme == "http"
        && port.is_some_and(|(port, _)| {
            !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit())
        })
}

impl FromStr for EditorPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok(Self {
                from: from.to_owned(),
                to: to.to_owned(),
            }),
            _ => Err("give two folders as in /app=/home/me/app".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(text: &str) -> Result<String, String> {
        text.parse().map(|Editor(address)| address)
    }

    #[test]
    fn an_editor_has_a_name_or_an_address_of_its_own() {
        assert_eq!(
            editor("phpstorm").unwrap(),
            "phpstorm://open?file={file}&line={line}"
        );
        for address in [
            "zed://file{file}:{line}",
            "http://localhost:63342/api/file{file}",
        ] {
            assert_eq!(editor(address).unwrap(), address);
        }
        for wrong in [
            "vim",
            "javascript://{file}",
            "http://example.com/{file}",
            "http://localhost:/{file}",
            "zed://file",
        ] {
            assert!(editor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_mapping_has_two_folders() {
        let path: EditorPath = "/app=/home/me/app".parse().unwrap();
        assert_eq!((&*path.from, &*path.to), ("/app", "/home/me/app"));
        assert!("/app".parse::<EditorPath>().is_err());
        assert!("=/a".parse::<EditorPath>().is_err());
    }
}
