//! The PHPs of this machine, and the folders from which each of their servers reads ini files.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::doctor::{self, Facts, ini};
use crate::extension::Extension;
use crate::php::{Php, Sapi};
use crate::users;

/// Folders with PHPs besides the `PATH`.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/opt/*/bin"];
/// Who runs web servers, if php-fpm has no pool that says it.
const WEB_USERS: [&str; 3] = ["www-data", "apache", "nginx"];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Servers {
    /// One line for each PHP.
    pub(super) phps: Vec<String>,
    /// The folders of ini files, each once.
    pub(super) folders: Vec<IniFolder>,
    /// The user of the web server.
    pub(super) web_user: Option<String>,
}

/// A folder of ini files.
#[derive(Debug)]
pub(super) struct IniFolder {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    /// `cli`, `fpm`, `apache2`; none if all servers of the PHP read it.
    pub(super) server: Option<String>,
    /// What to write behind `extension =`; none if it is loaded.
    pub(super) to_load: Option<OsString>,
    /// Where it sets `xhprof.auto_enable` already.
    pub(super) set_at: Option<String>,
}

impl IniFolder {
    /// Whether requests of a web server are served with it.
    pub(super) fn is_web(&self) -> bool {
        self.server.as_deref() != Some("cli")
    }
}

/// Asks the named PHPs, or all that are found.
pub(super) fn find(named: &[OsString], extension: Option<&Path>) -> Servers {
    let binaries = if named.is_empty() {
        binaries()
    } else {
        named.to_vec()
    };
    let mut servers = Servers::default();
    for binary in &binaries {
        servers.add(&Php::new(binary), extension);
    }
    servers.web_user = servers.web_user.take().or_else(|| {
        let is_there = |name: &&&str| users::Identity::of(name, None).is_some();
        WEB_USERS
            .iter()
            .find(is_there)
            .map(|name| (*name).to_owned())
    });
    servers
}

impl Servers {
    fn add(&mut self, php: &Php, asked_for: Option<&Path>) {
        let name = Path::new(&php.binary).display();
        let found = Extension::find(php, asked_for)
            .and_then(|found| Ok((Facts::ask(php, &found.options())?, found)));
        let (facts, extension) = match found {
            Ok(found) => found,
            Err(error) => return self.phps.push(format!("{name}: left out: {error:#}")),
        };
        let version = facts.get("version");
        self.phps.push(format!("{name}: PHP {version}"));
        if php.sapi() == Sapi::Fpm && self.web_user.is_none() {
            let pools = doctor::pool_users(php, facts.get("ini path"));
            self.web_user = pools.into_iter().next();
        }
        let scanned = facts.get("scan dir").split(':');
        let Some(folder) = scanned.map(Path::new).find(|folder| folder.is_dir()) else {
            return self.phps.push(format!(
                "  it reads no folder of ini files: add extension=xhprof to {}",
                match facts.get("ini") {
                    "" => "its php.ini",
                    ini => ini,
                }
            ));
        };
        for (folder, server, is_own) in beside(folder) {
            if self.folders.iter().any(|known| known.path == folder) {
                continue;
            }
            let files = ini_files(&folder);
            let is_loaded =
                is_own && extension.to_load.is_none() || files.iter().any(|file| loads(file));
            // The PHP that was asked loads it by a file of its own, the one beside it may not.
            let to_load = extension.to_load.clone().unwrap_or_else(|| "xhprof".into());
            let directives = ini::directives(&files);
            let set = ini::last(&directives, settings::AUTO_ENABLE.name());
            self.folders.push(IniFolder {
                server,
                to_load: (!is_loaded).then_some(to_load),
                set_at: set.map(ini::Directive::place),
                path: folder,
            });
        }
    }
}

/// A folder, and those of the other servers of this PHP, as Debian has them:
/// `…/php/8.2/fpm/conf.d`. The last is whether it is the folder itself.
fn beside(folder: &Path) -> Vec<(PathBuf, Option<String>, bool)> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let Some(version) = of_version(&folder) else {
        return vec![(folder, None, true)];
    };
    let entries = fs::read_dir(version).into_iter().flatten().flatten();
    let folders = entries.filter_map(|entry| {
        let other = entry.path().join("conf.d").canonicalize().ok()?;
        let server = entry.file_name().into_string().ok()?;
        let is_own = other == folder;
        Some((other, Some(server), is_own))
    });
    let mut folders: Vec<_> = folders.collect();
    folders.sort();
    folders
}

/// `…/php/8.2` of `…/php/8.2/fpm/conf.d`.
fn of_version(folder: &Path) -> Option<&Path> {
    let version = folder.parent()?.parent()?;
    let is_number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let is_debian = folder.file_name()? == "conf.d"
        && version.parent()?.file_name()? == "php"
        && version.file_name()?.to_str().is_some_and(is_number);
    is_debian.then_some(version)
}

/// php.ini beside the folder, and the files in it.
fn ini_files(folder: &Path) -> Vec<PathBuf> {
    let main = folder.parent().map(|above| above.join("php.ini"));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("ini")))
        .collect();
    files.sort();
    main.into_iter().chain(files).collect()
}

/// Whether an ini file loads an extension xhprof.
fn loads(file: &Path) -> bool {
    let text = fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| {
        ini::assignment(line).is_some_and(|(name, value)| {
            let file = Path::new(&value).file_name().unwrap_or_default();
            name == "extension"
                && ["xhprof", "xhprof.so", "libxhprof.so"]
                    .iter()
                    .any(|known| file == *known)
        })
    })
}

/// All PHPs: each once, whatever its name is, and every php-fpm.
fn binaries() -> Vec<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = FOLDERS
        .iter()
        .flat_map(|pattern| glob::glob(pattern).into_iter().flatten().flatten());
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(usual).collect();
    let phps = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.file_name().is_some_and(is_php));
        paths.sort();
        paths
    });
    let mut seen = BTreeSet::new();
    phps.chain(doctor::every_fpm())
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| seen.insert(path.clone()))
        .map(PathBuf::into_os_string)
        .collect()
}

/// `php`, `php8`, `php8.4`, `php84`; no other program.
fn is_php(name: &OsStr) -> bool {
    let version = name.to_str().and_then(|name| name.strip_prefix("php"));
    version.is_some_and(|version| {
        version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_other_servers_stand_beside() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let folder = |server: &str| root.join("php/8.2").join(server).join("conf.d");
        for server in ["cli", "fpm"] {
            fs::create_dir_all(folder(server)).unwrap();
        }
        fs::create_dir_all(root.join("php/8.2/mods-available")).unwrap();
        let found = beside(&folder("cli"));
        assert_eq!(
            found,
            [
                (folder("cli"), Some("cli".to_owned()), true),
                (folder("fpm"), Some("fpm".to_owned()), false)
            ]
        );
        let shared = root.join("conf.d");
        fs::create_dir(&shared).unwrap();
        assert_eq!(beside(&shared), [(shared, None, true)]);
    }

    #[test]
    fn a_line_that_loads_the_extension_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.ini");
        for (text, is_loaded) in [
            ("extension=xhprof\n", true),
            ("extension = \"/opt/a/libxhprof.so\" ; ours\n", true),
            (";extension=xhprof\n", false),
            ("extension=xhprofiler\n", false),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(loads(&file), is_loaded, "{text}");
        }
    }

    #[test]
    fn only_php_is_php() {
        for (name, is) in [
            ("php", true),
            ("php8.4", true),
            ("phpize8.2", false),
            ("php-config", false),
        ] {
            assert_eq!(is_php(OsStr::new(name)), is, "{name}");
        }
    }
}
