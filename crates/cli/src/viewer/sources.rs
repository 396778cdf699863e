//! `--source DIR`: the text of the files that define the profile's functions.
//!
//! **Invariant:** the profile says only which files are wanted. What is put into
//! a page lies below DIR after all symbolic links are resolved, is not hidden,
//! and is limited in size: a profile may come from another machine, and a page
//! may be given away.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde_json::json;
use view::{Answer, Document, Question, SourceQuery};

use crate::terminal::say;
use crate::units;

/// The largest file, and the most of all files together, in bytes.
const MOST_OF_FILE: u64 = 1024 * 1024;
const MOST_OF_ALL: usize = 24 * 1024 * 1024;

/// Finds the sources of a profile below directories, the costliest first; returns
/// them as JSON, `[{"path": …, "text": …}, …]`. `path` is what the profile says.
pub(super) fn collected(document: &mut Document, directories: &[PathBuf]) -> Result<Vec<u8>> {
    let roots = directories
        .iter()
        .map(|directory| Root::new(directory))
        .collect::<Result<Vec<_>>>()?;
    let wanted = wanted(document);
    let mut found = Vec::new();
    let (mut size, mut too_large) = (0, 0);
    for path in &wanted {
        match roots.iter().find_map(|root| root.read(path)) {
            Some(Found::Text(Text { text, .. })) if size + text.len() <= MOST_OF_ALL => {
                size += text.len();
                found.push(json!({ "path": path, "text": text }));
            }
            Some(_) => too_large += 1,
            None => {}
        }
    }
    let names: Vec<_> = directories.iter().map(|path| path.display()).collect();
    let names = names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let names = names.join(", ");
    if wanted.is_empty() {
        bail!("--source: the profile does not say in which files its functions are");
    }
    if found.is_empty() && too_large == 0 {
        bail!(
            "--source: none of the profile's {} files is below {names}; the first is {}",
            wanted.len(),
            wanted[0]
        );
    }
    let missing = wanted.len() - found.len() - too_large;
    let mut line = format!(
        "sources: {} of {} files, {}",
        found.len(),
        wanted.len(),
        units::size(i64::try_from(size).unwrap_or(i64::MAX))
    );
    if missing > 0 {
        line.push_str(&format!("; {missing} not below {names}"));
    }
    if too_large > 0 {
        line.push_str(&format!(
            "; {too_large} left out: at most 1 MB a file and 24 MB in all"
        ));
    }
    say(&line);
    Ok(serde_json::to_vec(&found)?)
}

/// The paths that the profile names, the file with the greatest own cost first.
fn wanted(document: &mut Document) -> Vec<String> {
    match document.answer(&Question::Sources(SourceQuery::default())) {
        Ok(Answer::Sources(sources)) => sources.files.into_iter().map(|file| file.name).collect(),
        _ => Vec::new(),
    }
}

/// What was found below a directory.
pub(crate) enum Found {
    Text(Text),
    TooLarge,
}

/// The text of a file.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) modified: Option<SystemTime>,
    /// Whether it is at the place that the profile names.
    pub(crate) is_itself: bool,
}

/// A directory that sources are taken from.
pub(crate) struct Root {
    /// Without symbolic links.
    real: PathBuf,
}

impl Root {
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let real = directory
            .canonicalize()
            .with_context(|| format!("cannot read the directory {}", directory.display()))?;
        if !real.is_dir() {
            bail!("--source {}: this is no directory", directory.display());
        }
        Ok(Self { real })
    }

    /// The file that a profile calls `path`: that very file, if it is below this
    /// directory. Else the profile comes from another place: as much of the
    /// path's end as there is here.
    pub(crate) fn read(&self, path: &str) -> Option<Found> {
        let inside = Path::new(path).strip_prefix(&self.real).ok();
        let parts: Vec<&str> = match inside {
            Some(inside) => components(inside)?,
            None => components(Path::new(path))?,
        };
        let ends = if inside.is_some() { 1 } else { parts.len() };
        let is_itself = inside.is_some();
        (0..ends).find_map(|from| {
            let path: PathBuf = parts[from..].iter().collect();
            self.read_inside(&path, is_itself)
        })
    }

    fn read_inside(&self, path: &Path, is_itself: bool) -> Option<Found> {
        let real = self.real.join(path).canonicalize().ok()?;
        let inside = real.strip_prefix(&self.real).ok()?;
        // What a link leads to may be hidden, too.
        components(inside)?;
        // Before it is opened: to open a pipe waits for a writer.
        let metadata = real.metadata().ok()?;
        if !metadata.is_file() {
            return None;
        }
        let file = File::open(&real).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST_OF_FILE + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MOST_OF_FILE {
            return Some(Found::TooLarge);
        }
        Some(Found::Text(Text {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            modified: metadata.modified().ok(),
            is_itself,
        }))
    }
}

/// The parts of a path, without its root; none if one leads up or is hidden, as
/// `.env` and `.git` are.
fn components(path: &Path) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => {
                let part = part.to_str()?;
                if part.starts_with('.') {
                    return None;
                }
                parts.push(part);
            }
            Component::RootDir => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(found: Option<Found>) -> Option<String> {
        match found {
            Some(Found::Text(Text { text, .. })) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn only_what_is_below_the_directory_is_read() {
        let stage = tempfile::tempdir().unwrap();
        let place = stage.path().canonicalize().unwrap();
        fs::create_dir_all(place.join("app/src/.git")).unwrap();
        fs::write(place.join("secret.php"), "secret").unwrap();
        fs::write(place.join("app/src/a.php"), "a").unwrap();
        fs::write(place.join("app/src/.env"), "KEY").unwrap();
        fs::write(place.join("app/src/.git/c.php"), "KEY").unwrap();
        fs::write(place.join("app/src/large.php"), vec![b' '; 1_048_577]).unwrap();
        symlink(place.join("secret.php"), place.join("app/src/out.php")).unwrap();
        symlink("a.php", place.join("app/src/in.php")).unwrap();
        symlink(".env", place.join("app/src/env.php")).unwrap();
        let root = Root::new(&place.join("app")).unwrap();
        let here = |name: &str| text(root.read(&format!("{}/app/{name}", place.display())));
        assert_eq!(here("src/a.php").as_deref(), Some("a"));
        assert_eq!(here("src/in.php").as_deref(), Some("a"));
        for refused in [
            "src/out.php",
            "src/env.php",
            "src/.env",
            "src/.git/c.php",
            "../secret.php",
            "src",
            "src/none.php",
        ] {
            assert_eq!(here(refused), None, "{refused}");
        }
        assert!(matches!(root.read("src/large.php"), Some(Found::TooLarge)));
        // Profiled on another machine, below another directory.
        assert_eq!(text(root.read("/srv/www/src/a.php")).as_deref(), Some("a"));
        assert_eq!(text(root.read("/src/../src/a.php")), None);
        assert_eq!(text(root.read("")), None);
    }
}
