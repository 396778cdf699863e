//! Checks settings that PHP itself accepts silently: unknown names, a trigger
//! that cannot work, an output directory that cannot be written or has no size
//! limit.

use std::collections::HashSet;
use std::path::Path;

use settings::{AutoEnable, FORMER, Former, Kind, Scope, Setting};

use super::ini::{self, Directive};
use super::pools::Pool;
use super::{Finding, Grade};
use crate::suggest::suggestion;
use crate::users::Identity;

/// The settings that the extension has, and their values.
#[derive(Debug)]
pub(super) struct Known<'i> {
    rows: Vec<(&'i str, &'i str)>,
}

impl<'i> Known<'i> {
    /// Parses the table of `php --ri xhprof`.
    pub(super) fn of(information: &'i str) -> Self {
        let rows = information.lines().filter_map(|line| {
            let mut columns = line.trim().split(" => ");
            let (name, local) = (columns.next()?, columns.next()?.trim());
            // A warning names settings too, but has no columns.
            let is_name = ini::is_ours(name) && !name.contains(' ');
            let value = if local == "no value" { "" } else { local };
            is_name.then_some((name, value))
        });
        Self {
            rows: rows.collect(),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|(known, _)| *known == name)
    }

    fn value(&self, name: &str) -> &str {
        let row = self.rows.iter().find(|(known, _)| *known == name);
        row.map_or("", |(_, value)| value)
    }
}

/// Lines with unknown settings, which PHP accepts silently.
pub(super) fn unknown(directives: &[Directive], known: &Known<'_>) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let unknown = directives
        .iter()
        .filter(|directive| !known.has(&directive.name) && seen.insert(directive.place()));
    let finding = |directive: &Directive| {
        let is_it = |former: &&Former| former.name.to_bytes() == directive.name.as_bytes();
        if let Some(former) = FORMER.iter().find(is_it) {
            let what = format!("{}: {}", directive.place(), former.sentence());
            return Finding::new(Grade::Wrong, what);
        }
        let names = known.rows.iter().map(|(name, _)| *name);
        let meant = suggestion(&directive.name, names);
        let what = format!(
            "{}: there is no setting {}{meant}",
            directive.place(),
            directive.name
        );
        Finding::new(Grade::Wrong, what).advise("PHP ignores such a line silently")
    };
    unknown.map(finding).collect()
}

/// The complaint about an invalid `xhprof.auto_enable`. PHP makes none, since
/// each question starts it with another value.
pub(super) fn overridden(directives: &[Directive]) -> Option<String> {
    let name = settings::AUTO_ENABLE.name();
    let directive = ini::last(directives, name)?;
    let setting = settings::named(name)?;
    (!setting.is_valid(&directive.value)).then(|| {
        let (expected, value) = (setting.expected(), &directive.value);
        format!("{name} must be {expected}, not \"{value}\"; using the default, \"0\"")
    })
}

/// Lines of a pool that have no effect: invalid values, and settings that PHP reads
/// before there are pools. PHP itself checks those of the ini files.
pub(super) fn without_effect(directives: &[Directive]) -> Vec<Finding> {
    let found = directives.iter().filter_map(|directive| {
        let setting = settings::named(&directive.name)?;
        let (place, name) = (directive.place(), setting.name());
        if !setting.is_valid(&directive.value) {
            let shown = match setting.kind() {
                Kind::Secret => "what it is".to_owned(),
                _ => format!("\"{}\"", directive.value),
            };
            let what = format!(
                "{place}: {name} must be {}, not {shown}",
                setting.expected()
            );
            let advice = "PHP ignores an invalid value of a pool; the value of php.ini stays";
            return Some(Finding::new(Grade::Wrong, what).advise(advice));
        }
        (setting.scope() == Scope::System).then(|| {
            let what = format!("{place}: {name} has no effect in a pool");
            let advice = "the extension reads it once, when PHP starts: set it in php.ini";
            Finding::new(Grade::Wrong, what).advise(advice)
        })
    });
    found.collect()
}

/// The process whose settings are checked.
#[derive(Debug)]
pub(super) struct Subject<'s> {
    pub(super) known: &'s Known<'s>,
    /// The `xhprof.*` lines of the ini files.
    pub(super) directives: &'s [Directive],
    /// The pool of php-fpm, if the process is one.
    pub(super) pool: Option<&'s Pool>,
    /// The directory for temporary files.
    pub(super) temporary: &'s str,
    /// Whether requests come from a web server.
    pub(super) is_web: bool,
}

impl Subject<'_> {
    /// The value that PHP uses.
    fn value<T: Clone>(&self, setting: &Setting<T>) -> T {
        setting.value_of(self.text(setting).as_bytes())
    }

    /// The value as it is written.
    fn text<T>(&self, setting: &Setting<T>) -> &str {
        let name = setting.name();
        let of_pool = self.pool.map(|pool| &pool.directives[..]);
        if let Some(directive) = of_pool.and_then(|directives| ini::last(directives, name)) {
            return &directive.value;
        }
        // PHP was started with another value of this one.
        if name == settings::AUTO_ENABLE.name() {
            return ini::last(self.directives, name).map_or("", |directive| &directive.value);
        }
        self.known.value(name)
    }

    /// `pool www: `
    fn prefix(&self) -> String {
        let name = |pool: &Pool| format!("pool {}: ", pool.name);
        self.pool.map_or_else(String::new, name)
    }

    /// All findings about the settings.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let prefix = self.prefix();
        let auto_enable = self.value(&settings::AUTO_ENABLE);
        let is_on = matches!(auto_enable, AutoEnable::Always | AutoEnable::Trigger);
        let mut findings = Vec::new();
        let what = if is_on {
            {
                let auto_enable = self.text(&settings::AUTO_ENABLE);
                format!("{prefix}xhprof.auto_enable is {auto_enable}")
            }
        } else {
            format!(
                "{prefix}xhprof.auto_enable is 0: only programs that call xhprof_enable() are profiled"
            )
        };
        findings.push(Finding::new(Grade::Good, what));
        findings.extend(self.trigger());
        if self.pool.is_some() {
            findings.push(self.directory(is_on));
        }
        if is_on && self.value(&settings::MAX_DIR_SIZE) == 0 {
            let what = format!("{prefix}the size of {} has no limit", self.output_dir());
            findings.push(
                Finding::new(Grade::Warning, what)
                    .advise("set a limit in php.ini, as in xhprof.max_dir_size = 2G"),
            );
        }
        findings
    }

    fn trigger(&self) -> Option<Finding> {
        let prefix = self.prefix();
        let trigger = self.text(&settings::TRIGGER);
        if trigger.is_empty() {
            let is_needed = self.value(&settings::AUTO_ENABLE) == AutoEnable::Trigger;
            return is_needed.then(|| {
                let what =
                    format!("{prefix}xhprof.auto_enable is trigger, but xhprof.trigger is empty");
                Finding::new(Grade::Wrong, what).advise(
                    "no request is profiled: set xhprof.trigger, as in xhprof.trigger = XHPROF",
                )
            });
        }
        let has_secret = !self.text(&settings::TRIGGER_SECRET).is_empty();
        (self.is_web && !has_secret).then(|| {
            let what =
                format!("{prefix}xhprof.trigger is {trigger}, but xhprof.trigger_secret is empty");
            Finding::new(Grade::Wrong, what).advise(
                "no request can trigger a profile: set a long random secret, and send it as the trigger's value",
            )
        })
    }

    fn output_dir(&self) -> &str {
        match self.text(&settings::OUTPUT_DIR) {
            "" => self.temporary,
            directory => directory,
        }
    }

    /// Whether the pool's user can write to the output directory.
    fn directory(&self, is_on: bool) -> Finding {
        let prefix = self.prefix();
        let directory = self.output_dir();
        let pool = self.pool;
        let root = pool.and_then(|pool| pool.chroot.as_deref());
        let path = match root {
            None | Some("") => Path::new(directory).to_owned(),
            Some(root) => Path::new(root).join(directory.trim_start_matches('/')),
        };
        let user = pool.and_then(|pool| pool.user.as_deref());
        let group = pool.and_then(|pool| pool.group.as_deref());
        let Some(user) = user else {
            return Finding::new(
                Grade::Good,
                format!(
                    "{prefix}writes to {}, as the user who starts php-fpm",
                    path.display()
                ),
            );
        };
        let bad = if is_on { Grade::Wrong } else { Grade::Warning };
        let make = format!(
            "install -d -o {user} -g {} -m 0700 {}",
            group.unwrap_or(user),
            path.display()
        );
        let shown = path.display();
        let Some(identity) = Identity::of(user, group) else {
            let what = format!("{prefix}there is no user {user}, or no such group");
            return Finding::new(bad, what);
        };
        if !path.is_dir() {
            let what = format!("{prefix}xhprof.output_dir {shown} is not a directory");
            return Finding::new(bad, what).advise(format!("profiles are lost; create it: {make}"));
        }
        match identity.may_write(&path) {
            Ok(()) => {
                let what = format!("{prefix}{user} can write to {shown}");
                let finding = Finding::new(Grade::Good, what);
                if self.text(&settings::OUTPUT_DIR).is_empty() {
                    return finding.advise(
                        "it is the temporary directory; a service with PrivateTmp has its own: set xhprof.output_dir",
                    );
                }
                finding
            }
            Err(place) if *place == *path => {
                let what = format!("{prefix}{user} cannot write to xhprof.output_dir {shown}");
                Finding::new(bad, what).advise(format!("profiles are lost; {make}"))
            }
            Err(place) => {
                let place = place.display();
                let what =
                    format!("{prefix}{user} cannot enter {place}, so it cannot write to {shown}");
                Finding::new(bad, what).advise(format!(
                    "profiles are lost; chmod o+x {place}, or choose another xhprof.output_dir"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const INFORMATION: &str = "xhprof.auto_enable => 0 => 0\nxhprof.max_dir_size => 0 => 0\n\
        xhprof.output_dir => no value => no value\nxhprof.trigger => no value => no value\n\
        xhprof.trigger_secret => no value => no value\n";

    fn directives(pairs: &[(&str, &str)]) -> Vec<Directive> {
        let directive = |(line, (name, value)): (usize, &(&str, &str))| Directive {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            file: PathBuf::from("/etc/x.ini"),
            line,
        };
        (1..).zip(pairs).map(directive).collect()
    }

    fn said(
        information: &str,
        pairs: &[(&str, &str)],
        pool: Option<&Pool>,
    ) -> Vec<(Grade, String)> {
        let subject = Subject {
            known: &Known::of(information),
            directives: &directives(pairs),
            pool,
            temporary: "/tmp",
            is_web: true,
        };
        let findings = subject.findings().into_iter();
        findings
            .map(|finding| (finding.grade, finding.what))
            .collect()
    }

    fn pool(user: &str, pairs: &[(&str, &str)]) -> Pool {
        Pool {
            name: "www".to_owned(),
            user: Some(user.to_owned()),
            group: None,
            chroot: None,
            directives: directives(pairs),
        }
    }

    #[test]
    fn misspelt_names_have_their_line_and_what_was_meant() {
        let lines = directives(&[("xhprof.auto_enabled", "1"), ("xhprof.trigger", "X")]);
        let findings = unknown(&lines, &Known::of(INFORMATION));
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].what,
            "/etc/x.ini:1: there is no setting xhprof.auto_enabled; did you mean xhprof.auto_enable?"
        );
    }

    #[test]
    fn lines_of_a_pool_without_effect_are_named() {
        let lines = directives(&[
            ("xhprof.rate", "2"),
            ("xhprof.trigger_secret", "a\0b"),
            ("xhprof.engine", "observer"),
            ("xhprof.min_duration", "200"),
            ("xhprof.no_such", "1"),
        ]);
        let said: Vec<_> = without_effect(&lines)
            .into_iter()
            .map(|finding| finding.what)
            .collect();
        assert_eq!(
            said,
            [
                "/etc/x.ini:1: xhprof.rate must be a number from 0 to 1, as in 0.01, not \"2\"",
                "/etc/x.ini:2: xhprof.trigger_secret must be text in UTF-8, not what it is",
                "/etc/x.ini:3: xhprof.engine has no effect in a pool",
            ]
        );
    }

    #[test]
    fn a_trigger_without_a_secret_is_wrong_on_the_web() {
        let set = INFORMATION.replace("trigger => no value", "trigger => XHPROF");
        let findings = said(&set, &[("xhprof.auto_enable", "trigger")], None);
        let expected = "xhprof.trigger is XHPROF, but xhprof.trigger_secret is empty";
        assert!(
            findings.contains(&(Grade::Wrong, expected.to_owned())),
            "{findings:?}"
        );
        let secret = set.replace("secret => no value", "secret => (hidden)");
        let findings = said(&secret, &[("xhprof.auto_enable", "trigger")], None);
        assert!(
            findings.iter().all(|finding| finding.0 != Grade::Wrong),
            "{findings:?}"
        );
        let findings = said(INFORMATION, &[("xhprof.auto_enable", "trigger")], None);
        assert!(
            findings[1].1.ends_with("but xhprof.trigger is empty"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_directory_without_a_limit_is_warned_of_where_something_is_written() {
        let limit = |findings: Vec<(Grade, String)>| {
            findings
                .iter()
                .any(|finding| finding.1.contains("has no limit"))
        };
        assert!(limit(said(
            INFORMATION,
            &[("xhprof.auto_enable", "1")],
            None
        )));
        assert!(!limit(said(INFORMATION, &[], None)));
        let limited = INFORMATION.replace("size => 0", "size => 2G");
        assert!(!limit(said(&limited, &[("xhprof.auto_enable", "1")], None)));
    }

    #[test]
    fn a_pool_has_its_own_settings_and_its_own_user() {
        let directory = tempfile::tempdir().unwrap();
        let own = directory.path().join("own");
        std::fs::create_dir(&own).unwrap();
        let own = own.to_str().unwrap();
        let set = [("xhprof.output_dir", own), ("xhprof.auto_enable", "1")];
        let root = said(INFORMATION, &[], Some(&pool("root", &set)));
        assert!(
            root.contains(&(Grade::Good, format!("pool www: root can write to {own}"))),
            "{root:?}"
        );
        let unknown = said(INFORMATION, &[], Some(&pool("no such user", &set)));
        assert!(
            unknown.iter().any(|finding| finding.0 == Grade::Wrong),
            "{unknown:?}"
        );
        // Only the owner of a temporary directory may enter it.
        let unprivileged = said(INFORMATION, &[], Some(&pool("daemon", &set)));
        let wrong = unprivileged
            .iter()
            .find(|finding| finding.0 == Grade::Wrong)
            .unwrap();
        assert!(wrong.1.contains("daemon cannot"), "{unprivileged:?}");
        let gone = said(
            INFORMATION,
            &[],
            Some(&pool("root", &[("xhprof.output_dir", "/nonexistent")])),
        );
        assert!(
            gone.contains(&(
                Grade::Warning,
                "pool www: xhprof.output_dir /nonexistent is not a directory".to_owned()
            )),
            "{gone:?}"
        );
    }
}
