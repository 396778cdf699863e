//! What is to be written, from what was found.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::project::Project;
use super::servers::{IniFolder, Servers};
use super::write::{Step, line_of, owner_of};
use crate::users::{self, Identity};
use crate::words::quoted;

/// Read after the files that the packages bring, `20-xhprof.ini`.
const INI: &str = "90-xhprof.ini";
/// What `xhprof run -o` and the extension write.
const IGNORED: &str = "*.xhp";

/// The plan.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What was found, for people.
    pub(super) found: Vec<String>,
    pub(super) steps: Vec<Step>,
    /// What was left as it is, and why.
    pub(super) notes: Vec<String>,
    /// What to do afterwards.
    pub(super) next: Vec<String>,
}

impl Plan {
    pub(super) fn new(
        project: &Project,
        servers: &Servers,
        profiles: Option<&Path>,
    ) -> Result<Self> {
        let user = rustix::process::geteuid().as_raw();
        let framework = match project.framework {
            Some((name, _)) => format!(": {name}"),
            None => String::new(),
        };
        let mut plan = Self {
            found: vec![format!("project {}{framework}", project.folder.display())],
            ..Self::default()
        };
        plan.found.extend(servers.phps.iter().cloned());
        let profiles = Profiles::new(profiles, project, servers.web_user.as_deref(), user)?;
        plan.ini_files(servers, &profiles, user)?;
        plan.project_files(project, user);
        plan.first_commands(project);
        Ok(plan)
    }

    fn ini_files(&mut self, servers: &Servers, profiles: &Profiles, user: u32) -> Result<()> {
        let secret = secret()?;
        let mut is_web = false;
        for folder in &servers.folders {
            let Some(text) = ini(folder, profiles, &secret) else {
                self.notes.push(match &folder.set_at {
                    Some(place) => format!("left as it is: {place} sets xhprof.auto_enable"),
                    None => format!("left as it is: {} loads xhprof", folder.path.display()),
                });
                continue;
            };
            let path = folder.path.join(INI);
            let is_right = is_free(&path, user).and_then(|()| is_trusted(folder, user));
            match is_right {
                // The folders of several PHPs may have one reason.
                Err(reason) if self.notes.contains(&reason) => {}
                Err(reason) => self.notes.push(reason),
                Ok(()) => {
                    is_web |= folder.is_web();
                    let purpose = match (&folder.server, folder.is_web()) {
                        (_, false) => "loads the extension on the command line".to_owned(),
                        (Some(server), true) => {
                            format!("{server} profiles requests with the cookie")
                        }
                        (None, true) => "requests with the cookie are profiled".to_owned(),
                    };
                    // A server's own file is read by its master. One for all PHPs must be readable for all.
                    let has_secret = text.contains(&secret);
                    if has_secret && folder.server.is_none() {
                        self.notes.push(format!(
                            "each user who can read {} knows the secret: its folder is that of all PHPs",
                            path.display()
                        ));
                    }
                    self.steps.push(if has_secret && folder.server.is_some() {
                        Step::private_file(path, purpose, text)
                    } else {
                        Step::file(path, purpose, text)
                    });
                }
            }
        }
        if is_web {
            // The folder first: what names it comes behind.
            self.steps.splice(0..0, profiles.step());
            self.next.push(format!(
                "restart php-fpm, Apache and workers; then: curl --cookie XHPROF={secret} http://localhost/"
            ));
            self.next.push(format!(
                "xhprof list {}",
                quoted(profiles.folder.as_os_str())
            ));
        }
        Ok(())
    }

    fn project_files(&mut self, project: &Project, user: u32) {
        if let Some(text) = project.budgets() {
            let path = project.folder.join("xhprof.yaml");
            match is_free(&path, user) {
                Ok(()) => {
                    let purpose = "budgets that `xhprof check` reads".to_owned();
                    self.steps.push(Step::file(path, purpose, text));
                }
                Err(reason) => self.notes.push(reason),
            }
        }
        if !project.folder.join(".git").exists() {
            return;
        }
        match line_of(&project.folder.join(".gitignore"), IGNORED, user) {
            Ok(step) => self.steps.extend(step),
            Err(reason) => self.notes.push(format!("left as it is: {reason:#}")),
        }
    }

    fn first_commands(&mut self, project: &Project) {
        if let Some(command) = &project.command {
            self.next.push(format!("xhprof run -- {command}"));
        }
        if let Some((name, section)) = project.framework {
            self.next.push(format!(
                "profiles called by {name}'s routes and jobs: docs/frameworks.md#{section}"
            ));
        }
    }
}

/// Whether a new file can be written there; else why not.
fn is_free(path: &Path, user: u32) -> Result<(), String> {
    if path.symlink_metadata().is_ok() {
        return Err(format!("left as it is: {} exists", path.display()));
    }
    let folder = path.parent().unwrap_or(path);
    match owner_of(folder) {
        Some(owner) if owner == user => Ok(()),
        Some(0) => Err(format!(
            "not written: {} belongs to root: run `sudo xhprof init`, too",
            folder.display()
        )),
        Some(owner) => Err(format!(
            "not written: {} belongs to {}: run `xhprof init` as that user, too",
            folder.display(),
            users::name(owner)
        )),
        None => Err(format!("not written: there is no {}", folder.display())),
    }
}

/// Whether PHP, when root starts it, may load the extension: another user must not be able to
/// change it.
fn is_trusted(folder: &IniFolder, user: u32) -> Result<(), String> {
    let file = folder.to_load.as_ref().map(Path::new);
    let Some(file) = file.filter(|file| user == 0 && file.is_absolute()) else {
        return Ok(());
    };
    // Who can write to a folder above it can put another file in its place.
    let is_of_root = |path: &Path| {
        let meta = path.metadata();
        meta.is_ok_and(|meta| meta.uid() == 0 && meta.mode() & 0o022 == 0)
    };
    match file.canonicalize() {
        Ok(real) if real.ancestors().all(is_of_root) => Ok(()),
        _ => Err(format!(
            "not written: others than root can change {}: install it first (docs/install.md)",
            file.display()
        )),
    }
}

/// The folder for the profiles of a web server.
struct Profiles {
    folder: PathBuf,
    /// The server's user, and the group that reads.
    owner: Option<(u32, u32)>,
}

impl Profiles {
    fn new(
        named: Option<&Path>,
        project: &Project,
        web_user: Option<&str>,
        user: u32,
    ) -> Result<Self> {
        let folder = match named {
            Some(named) => without_links(named)?,
            None if user == 0 => "/var/lib/xhprof".into(),
            None => without_links(&state()?.join("xhprof"))?,
        };
        // Another user than root cannot give it away.
        let web_user = web_user.filter(|_| user == 0);
        let owner = web_user.and_then(|name| Identity::of(name, None));
        Ok(Self {
            folder,
            owner: owner.map(|owner| (owner.user(), project.group)),
        })
    }

    fn step(&self) -> Option<Step> {
        // It may be the user's, with profiles in it.
        if self.folder.symlink_metadata().is_ok() {
            return None;
        }
        let purpose = match self.owner {
            Some((user, _)) => format!("profiles of {}, which you can read", users::name(user)),
            None => "profiles".to_owned(),
        };
        Some(Step::folder(self.folder.clone(), purpose, self.owner))
    }
}

/// The user's folder for what programs keep.
fn state() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
    let state = named.map(PathBuf::from).or_else(home);
    state.context("neither HOME nor XDG_STATE_HOME is set: give --profiles DIR")
}

/// An absolute path whose folders that are there are no links.
fn without_links(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let there = path.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(above).ok()?))
    });
    Ok(there.unwrap_or(path))
}

/// The text of an ini file; none if there is nothing to set.
fn ini(folder: &IniFolder, profiles: &Profiles, secret: &str) -> Option<String> {
    let is_set = folder.set_at.is_some() || !folder.is_web();
    if is_set && folder.to_load.is_none() {
        return None;
    }
    let mut text =
        "; Written by `xhprof init`. docs/settings.md describes the settings.\n".to_owned();
    if let Some(extension) = &folder.to_load {
        text.push_str(&format!("extension = {}\n", value(extension)));
    }
    if !is_set {
        let mut lines = vec![
            "xhprof.auto_enable = trigger".to_owned(),
            "xhprof.trigger = XHPROF".to_owned(),
            format!("xhprof.trigger_secret = \"{secret}\""),
            format!(
                "xhprof.output_dir = {}",
                value(&profiles.folder.clone().into_os_string())
            ),
            "xhprof.output_name = \"%t.%R.%i\"".to_owned(),
            "xhprof.max_dir_size = 1G".to_owned(),
        ];
        if profiles.owner.is_some() {
            lines.push("xhprof.file_permissions = 0640".to_owned());
        }
        text.extend(lines.iter().flat_map(|line| [line, "\n"]));
    }
    Some(text)
}

/// A path in the syntax of PHP's ini files.
fn value(path: &OsString) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('"', "\\\""))
}

fn secret() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("cannot get random bytes")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_loads_no_file_that_others_can_change() {
        // All may write to the folder for temporaries.
        let file = tempfile::NamedTempFile::new().unwrap();
        let named = |file: &Path| IniFolder {
            path: "/etc/php".into(),
            server: None,
            to_load: Some(file.into()),
            set_at: None,
        };
        assert!(is_trusted(&named(file.path()), 0).is_err());
        assert!(is_trusted(&named(file.path()), 1000).is_ok());
        assert!(is_trusted(&named(Path::new("/bin/sh")), 0).is_ok());
        assert!(is_trusted(&named(Path::new("/nothing.so")), 0).is_err());
    }

    #[test]
    fn a_path_is_a_text_of_php_ini() {
        assert_eq!(value(&"/srv/a b\"c".into()), "\"/srv/a b\\\"c\"");
    }
}
