//! The pools of php-fpm: their users and their own settings.
//!
//! `php-fpm -tt` names the main file. This module reads that file and its
//! `include`s, since only they show the line of a setting.

use std::fs;
use std::path::{Path, PathBuf};

use super::ini::{Directive, assignment, is_ours};
use crate::php::Php;

/// The maximum depth of `include`, as in php-fpm itself.
const MAX_INCLUDE_DEPTH: usize = 64;

/// The properties of a pool on which profiles depend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pool {
    /// Its section's name: `www`.
    pub(super) name: String,
    /// The user it runs as.
    pub(super) user: Option<String>,
    /// The group, if it is not the user's primary group.
    pub(super) group: Option<String>,
    /// The directory that the pool uses as its root (`chroot`).
    pub(super) chroot: Option<String>,
    /// The `xhprof.*` settings that it makes with `php_value` and
    /// `php_admin_value`.
    pub(super) directives: Vec<Directive>,
}

/// The pools of a php-fpm, or why they are unknown.
pub(super) fn of(php: &Php, asked_for: Option<&Path>, ini_path: &str) -> Result<Vec<Pool>, String> {
    let file = match asked_for {
        Some(file) => file.to_owned(),
        None => main_file(php, ini_path)
            .ok_or("its configuration was not found: give it with --fpm-config FILE")?,
    };
    let mut reader = Reader::default();
    reader
        .read(&file)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    Ok(reader.pools)
}

/// The main file: as php-fpm reports it, else in its usual place.
fn main_file(php: &Php, ini_path: &str) -> Option<PathBuf> {
    // For a user other than root the test may fail, but it names the file.
    let answer = php.ask(&["-t".into()]).unwrap_or_default();
    if let Some(file) = named_file(&answer) {
        return Some(file);
    }
    let ini_path = Path::new(ini_path);
    let above = ini_path.parent().unwrap_or(ini_path);
    let mut usual = [ini_path, above]
        .map(|directory| directory.join("php-fpm.conf"))
        .into_iter();
    usual.find(|file| file.is_file())
}

/// `configuration file X test is successful`, or `…configuration file 'X'`.
fn named_file(answer: &str) -> Option<PathBuf> {
    let mut rest = answer.split("configuration file ").skip(1);
    rest.find_map(|text| {
        let text = text.trim_start_matches('\'');
        let end = text.find([' ', '\'', '\n'])?;
        let file = PathBuf::from(text.get(..end)?);
        file.is_file().then_some(file)
    })
}

#[derive(Debug, Default)]
struct Reader {
    pools: Vec<Pool>,
    is_in_pool: bool,
    files: usize,
}

impl Reader {
    fn read(&mut self, file: &Path) -> std::io::Result<()> {
        let text = fs::read(file)?;
        self.files += 1;
        let text = String::from_utf8_lossy(&text).into_owned();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if let Some(name) = text
                .strip_prefix('[')
                .and_then(|rest| rest.split(']').next())
            {
                self.section(name.trim());
            } else if let Some((name, value)) = assignment(text) {
                if name == "include" {
                    self.include(&value);
                } else {
                    self.set(name, &value, file, line);
                }
            }
        }
        Ok(())
    }

    fn section(&mut self, name: &str) {
        self.is_in_pool = !name.eq_ignore_ascii_case("global");
        // A pool may have several sections.
        let known = self.pools.iter().position(|pool| pool.name == name);
        if let Some(place) = known {
            let pool = self.pools.remove(place);
            self.pools.push(pool);
        } else if self.is_in_pool {
            self.pools.push(Pool {
                name: name.to_owned(),
                user: None,
                group: None,
                chroot: None,
                directives: Vec::new(),
            });
        }
    }

    fn include(&mut self, pattern: &str) {
        let files = glob::glob(pattern).into_iter().flatten().flatten();
        let files: Vec<PathBuf> = files.collect();
        for file in files {
            if self.files < MAX_INCLUDE_DEPTH {
                // php-fpm would not start, and reports that itself.
                let _ = self.read(&file);
            }
        }
    }

    fn set(&mut self, name: &str, value: &str, file: &Path, line: usize) {
        let pool = self.pools.last_mut();
        let Some(pool) = pool.filter(|_| self.is_in_pool) else {
            return;
        };
        let value = value.replace("$pool", &pool.name);
        match name {
            "user" => pool.user = Some(value),
            "group" => pool.group = Some(value),
            "chroot" => pool.chroot = Some(value),
            _ => {
                let kinds = ["php_admin_value", "php_admin_flag", "php_value", "php_flag"];
                let setting = kinds.iter().find_map(|kind| {
                    let rest = name.strip_prefix(kind)?.trim();
                    rest.strip_prefix('[')?.strip_suffix(']')
                });
                if let Some(setting) = setting.filter(|name| is_ours(name)) {
                    pool.directives.push(Directive {
                        name: setting.to_owned(),
                        value,
                        file: file.to_owned(),
                        line,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_read_through_includes() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let main = format!(
            "[global]\npid = /run/x\ninclude={}/pool.d/*.conf\n",
            directory.path().display()
        );
        fs::write(path("php-fpm.conf"), main).unwrap();
        fs::create_dir(path("pool.d")).unwrap();
        let www = "; comment\n[www]\nuser = daemon\ngroup = nogroup\n\
                   php_admin_value[xhprof.output_dir] = /var/lib/x\nphp_value[memory_limit] = 1G\n\
                   php_flag[xhprof.auto_enable] = on\n";
        fs::write(path("pool.d/www.conf"), www).unwrap();
        fs::write(path("pool.d/x.conf"), "[x]\nchroot=/srv\n").unwrap();
        let mut reader = Reader::default();
        reader.read(&path("php-fpm.conf")).unwrap();
        let [www, x] = &reader.pools[..] else {
            panic!("{:?}", reader.pools)
        };
        assert_eq!((&*www.name, www.user.as_deref()), ("www", Some("daemon")));
        assert_eq!(www.group.as_deref(), Some("nogroup"));
        let set: Vec<_> = www
            .directives
            .iter()
            .map(|directive| (&*directive.name, &*directive.value, directive.line))
            .collect();
        assert_eq!(
            set,
            [
                ("xhprof.output_dir", "/var/lib/x", 5),
                ("xhprof.auto_enable", "1", 7)
            ]
        );
        assert_eq!((&*x.name, x.chroot.as_deref()), ("x", Some("/srv")));
    }

    #[test]
    fn the_main_file_is_in_what_php_fpm_says() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = file.path().display();
        for answer in [
            format!("[22-Nov] NOTICE: configuration file {name} test is successful\n"),
            format!("ERROR: failed to load configuration file '{name}'\n"),
        ] {
            assert_eq!(named_file(&answer).as_deref(), Some(file.path()));
        }
        assert_eq!(named_file("ERROR: no such thing\n"), None);
    }
}
