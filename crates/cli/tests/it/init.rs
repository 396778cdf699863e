//! `xhprof init`: what it writes, what it leaves alone, and that its commands take all of it back.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::doctor::{extension, php};
use crate::program::program;
use crate::write_program::write_program;

/// Answers as PHP's command line with the extension does.
const STAND_IN: &str = "#!/bin/sh\n\
    case \"$*\" in\n\
    *--ri*) echo 'xhprof.output_dir => x => x'; echo 'xhprof.auto_enable => 0 => 0' ;;\n\
    *) printf 'xhprof-fact\\tversion\\t8.2.99\\nxhprof-fact\\tscan dir\\t%s\\n' \"$PHP_INI_SCAN_DIR\" ;;\n\
    esac\n";

/// A project of Laravel's kind, the folders of a PHP as Debian has them, and a home.
struct Stage {
    root: TempDir,
    php: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let stage = Self {
            php: root.path().join("php8.2"),
            root,
        };
        for folder in [
            "shop/.git",
            "etc/php/8.2/cli/conf.d",
            "etc/php/8.2/fpm/conf.d",
            "home",
        ] {
            fs::create_dir_all(stage.path(folder)).unwrap();
        }
        write_program(&stage.php, STAND_IN.as_bytes());
        fs::write(
            stage.path("shop/artisan"),
            "<?php echo 'commands', PHP_EOL;\n",
        )
        .unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn init(&self, arguments: &[&str]) -> Output {
        program()
            .arg("init")
            .args(["--profiles", "../home/xhprof"])
            .args(arguments)
            .current_dir(self.path("shop"))
            .env("PHP_INI_SCAN_DIR", self.path("etc/php/8.2/cli/conf.d"))
            .env("XHPROF_PHP", &self.php)
            .env_remove("XHPROF_EXTENSION")
            .output()
            .unwrap()
    }

    /// Every file with its text; folders and links, too.
    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let kind = entry.file_type().unwrap();
                let text = if kind.is_file() {
                    fs::read(&path).unwrap()
                } else {
                    Vec::new()
                };
                if kind.is_dir() {
                    folders.push(path.clone());
                }
                tree.insert(path, text);
            }
        }
        tree
    }
}

fn text(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
}

/// The commands behind "The way back:".
fn way_back(output: &Output) -> Vec<String> {
    let text = text(output);
    let lines = text.split("The way back:\n").nth(1).unwrap().lines();
    lines
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.trim().to_owned())
        .collect()
}

#[test]
fn it_writes_what_it_says_and_its_commands_take_it_back() {
    let stage = Stage::new();
    fs::write(stage.path("shop/.gitignore"), "/vendor\n").unwrap();
    let before = stage.tree();
    let shown = stage.init(&["--dry-run"]);
    assert!(shown.status.success(), "{}", text(&shown));
    assert_eq!(stage.tree(), before, "--dry-run writes nothing");
    let asked = stage.init(&[]);
    assert!(!asked.status.success());
    assert!(
        text(&asked).contains("no terminal to ask"),
        "{}",
        text(&asked)
    );
    assert_eq!(stage.tree(), before, "without an answer nothing is written");

    let done = stage.init(&["--yes"]);
    assert!(done.status.success(), "{}", text(&done));
    let after = stage.tree();
    let new: Vec<_> = after
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(*text))
        .map(|(path, _)| path.clone())
        .collect();
    for path in &new {
        let name = path.display().to_string();
        assert!(text(&shown).contains(&name), "{name} was not announced");
    }
    assert!(new.contains(&stage.path("etc/php/8.2/fpm/conf.d/90-xhprof.ini")));
    assert!(new.contains(&stage.path("shop/xhprof.yaml")));
    let ignored = fs::read_to_string(stage.path("shop/.gitignore")).unwrap();
    assert_eq!(ignored, "/vendor\n*.xhp\n");
    let cli = fs::read_to_string(stage.path("etc/php/8.2/cli/conf.d/90-xhprof.ini")).unwrap();
    assert!(
        cli.contains("extension = ") && !cli.contains("auto_enable"),
        "{cli}"
    );

    // The secret is no one's but the server's, whose master reads the file.
    let mode = |path: &str| fs::metadata(stage.path(path)).unwrap().mode() & 0o777;
    assert_eq!(mode("etc/php/8.2/fpm/conf.d/90-xhprof.ini"), 0o600);
    assert_eq!(mode("etc/php/8.2/cli/conf.d/90-xhprof.ini"), 0o644);

    let again = stage.init(&["--yes"]);
    assert!(
        text(&again).contains("nothing to write"),
        "{}",
        text(&again)
    );
    for command in way_back(&done) {
        let status = Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(status.success(), "{command}");
    }
    assert_eq!(stage.tree(), before);
}

#[test]
fn what_is_there_and_what_is_linked_stays_as_it_is() {
    let stage = Stage::new();
    let fpm = stage.path("etc/php/8.2/fpm/conf.d/90-xhprof.ini");
    let cli = stage.path("etc/php/8.2/cli/conf.d/90-xhprof.ini");
    fs::write(&fpm, "; mine\n").unwrap();
    symlink(stage.path("home/planted"), &cli).unwrap();
    fs::write(stage.path("shop/xhprof.yaml"), "mine").unwrap();
    symlink(stage.path("home/other"), stage.path("shop/.gitignore")).unwrap();
    let before = stage.tree();
    let done = stage.init(&["--yes"]);
    assert!(done.status.success(), "{}", text(&done));
    assert!(text(&done).contains("nothing to write"), "{}", text(&done));
    for path in [&fpm, &cli] {
        let line = format!("left as it is: {} exists", path.display());
        assert!(text(&done).contains(&line), "{}", text(&done));
    }
    assert!(text(&done).contains("is not a plain file of yours"));
    assert_eq!(stage.tree(), before);
}

#[test]
fn root_writes_nothing_into_the_folders_of_others() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can give a folder away");
        return;
    }
    let stage = Stage::new();
    for folder in ["shop", "etc/php/8.2/fpm/conf.d"] {
        std::os::unix::fs::chown(stage.path(folder), Some(65534), None).unwrap();
    }
    let done = stage.init(&["--yes"]);
    assert!(done.status.success(), "{}", text(&done));
    assert!(text(&done).contains("run `xhprof init` as that user, too"));
    assert!(!stage.path("shop/xhprof.yaml").exists() && !stage.path("shop/.gitignore").exists());
    assert!(!stage.path("etc/php/8.2/fpm/conf.d/90-xhprof.ini").exists());
    assert!(stage.path("etc/php/8.2/cli/conf.d/90-xhprof.ini").exists());
}

#[test]
fn what_holds_for_several_folders_is_told_once() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root must trust the extension's folder");
        return;
    }
    let stage = Stage::new();
    let folder = stage.path("for-all");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let extension = folder.join("xhprof.so");
    fs::write(&extension, "").unwrap();
    let shown = stage.init(&["--dry-run", "--extension", extension.to_str().unwrap()]);
    let said = text(&shown);
    let reason = "not written: others than root can change ";
    assert_eq!(said.matches(reason).count(), 1, "{said}");
}

#[test]
fn php_that_does_not_load_the_extension_is_left_out() {
    let stage = Stage::new();
    write_program(
        &stage.php,
        b"#!/bin/sh\necho \"Extension 'xhprof' not present.\"\n",
    );
    let shown = stage.init(&["--dry-run"]);
    assert!(text(&shown).contains("left out: "), "{}", text(&shown));
    assert!(!text(&shown).contains("90-xhprof.ini"), "{}", text(&shown));
    assert!(text(&shown).contains("xhprof.yaml"), "{}", text(&shown));
}

#[test]
fn real_php_reads_the_ini_file_and_check_the_budgets() {
    let Some(extension) = extension() else {
        println!("skipped: the extension is not built: cargo build --release -p xhprof");
        return;
    };
    let stage = Stage::new();
    let folder = stage.path("conf.d");
    fs::create_dir(&folder).unwrap();
    let run = |arguments: &[&str]| {
        program()
            .args(arguments)
            .current_dir(stage.path("shop"))
            .env("PHP_INI_SCAN_DIR", &folder)
            .env("XHPROF_PHP", php())
            .env("XHPROF_EXTENSION", &extension)
            .output()
            .unwrap()
    };
    let done = run(&["init", "--yes", "--profiles", "../home/xhprof"]);
    // Root refuses an extension that another user can change, as in that one's clone.
    if text(&done).contains("left out") || text(&done).contains("others than root can change") {
        println!("skipped: {}", text(&done));
        return;
    }
    assert!(done.status.success(), "{}", text(&done));
    let asked = Command::new(php())
        .args([
            "-r",
            "echo ini_get('xhprof.trigger'), ini_get('xhprof.max_dir_size');",
        ])
        .env("PHP_INI_SCAN_DIR", &folder)
        .output()
        .unwrap();
    assert_eq!(text(&asked), "XHPROF1G");
    let checked = run(&["check"]);
    assert!(checked.status.success(), "{}", text(&checked));
    let doctor = run(&["doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor));
}
