//! The project: its folder, its framework, and a command that `xhprof check` can measure.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A framework, by a file that each of its projects has.
struct Framework {
    name: &'static str,
    files: &'static [&'static str],
    /// The section of docs/frameworks.md.
    section: &'static str,
    /// A command without side effects.
    command: &'static str,
}

const FRAMEWORKS: [Framework; 5] = [
    Framework {
        name: "Laravel",
        files: &["artisan"],
        section: "laravel",
        command: "php artisan list",
    },
    Framework {
        name: "Magento",
        files: &["bin/magento"],
        section: "magento",
        command: "php bin/magento list",
    },
    Framework {
        name: "Drupal",
        files: &["core/lib/Drupal.php", "web/core/lib/Drupal.php"],
        section: "drupal",
        command: "php vendor/bin/drush list",
    },
    Framework {
        name: "WordPress",
        files: &["wp-load.php"],
        section: "wordpress",
        command: "php index.php",
    },
    Framework {
        name: "Symfony",
        files: &["bin/console"],
        section: "symfony",
        command: "php bin/console list",
    },
];

/// Scripts of a project without a framework.
const SCRIPTS: [&str; 2] = ["index.php", "public/index.php"];

/// What was found.
#[derive(Debug)]
pub(super) struct Project {
    /// Without symbolic links.
    pub(super) folder: PathBuf,
    /// The group that owns it.
    pub(super) group: u32,
    /// Its name, and its section of docs/frameworks.md.
    pub(super) framework: Option<(&'static str, &'static str)>,
    /// What can be measured first.
    pub(super) command: Option<String>,
}

impl Project {
    pub(super) fn find(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let folder = folder
            .canonicalize()
            .with_context(|| format!("no project at {shown}"))?;
        let meta = fs::metadata(&folder).with_context(|| format!("cannot read {shown}"))?;
        if !meta.is_dir() {
            bail!("{shown} is not a directory: name the project's");
        }
        let has = |file: &str| folder.join(file).is_file();
        let framework = FRAMEWORKS
            .iter()
            .find(|framework| framework.files.iter().any(|file| has(file)));
        let of_framework = framework.map(|framework| framework.command.to_owned());
        let own = || {
            SCRIPTS
                .iter()
                .find(|script| has(script))
                .map(|script| format!("php {script}"))
        };
        // Drush is a package of its own.
        let command = of_framework.or_else(own).filter(|command| {
            let script = command.split(' ').nth(1);
            script.is_some_and(has)
        });
        Ok(Self {
            group: meta.gid(),
            framework: framework.map(|framework| (framework.name, framework.section)),
            command,
            folder,
        })
    }

    /// The text of its `xhprof.yaml`; none without a command.
    pub(super) fn budgets(&self) -> Option<String> {
        let command = self.command.as_ref()?;
        Some(format!(
            "# What each scenario may cost: `xhprof check` fails if it costs more.\n\
             # `xhprof check --init --config FILE -- {command}` measures a file with more budgets.\n\
             scenarios:\n  \
             - name: first\n    \
             run: {command}\n    \
             # The first run fills caches.\n    \
             warm_up: 1\n    \
             budgets:\n      \
             - spans.sql.repeated <= 1\n      \
             - no_call(\"var_dump\")\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "<?php\n").unwrap();
        }
        Project::find(folder.path()).unwrap()
    }

    #[test]
    fn frameworks_are_known_by_their_files() {
        for (files, name, command) in [
            (
                &["artisan", "public/index.php"][..],
                "Laravel",
                Some("php artisan list"),
            ),
            (&["bin/console"], "Symfony", Some("php bin/console list")),
            (
                &["wp-load.php", "index.php"],
                "WordPress",
                Some("php index.php"),
            ),
            (&["web/core/lib/Drupal.php"], "Drupal", None),
        ] {
            let found = project(files);
            assert_eq!(found.framework.unwrap().0, name);
            assert_eq!(found.command.as_deref(), command);
        }
        let plain = project(&["public/index.php"]);
        assert!(plain.framework.is_none());
        assert_eq!(plain.command.as_deref(), Some("php public/index.php"));
        assert!(project(&["src/a.php"]).budgets().is_none());
    }
}
