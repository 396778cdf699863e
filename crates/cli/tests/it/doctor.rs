//! `xhprof doctor` with real PHPs: what it reads of php-fpm, and that no
//! question to PHP leaves a profile. Skipped, with a reason, where there is no
//! such PHP or no extension for it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of a test, and a test that is skipped says so"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The extension as it was built beside this program, or as the environment
/// names it.
pub(crate) fn extension() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_xhprof"));
    let target = program.parent()?.parent()?;
    let built = ["release", "debug"].map(|profile| target.join(profile).join("libxhprof.so"));
    let named = std::env::var_os("XHPROF_EXTENSION").map(PathBuf::from);
    named.into_iter().chain(built).find(|path| path.is_file())
}

/// A directory with an ini file that PHP reads besides its own.
struct Stage {
    directory: TempDir,
    extension: PathBuf,
    php: String,
}

impl Stage {
    /// With a PHP that loads the extension; none, and why, if there is none.
    fn new(php: &str) -> Option<Self> {
        let Some(extension) = extension() else {
            println!("skipped: the extension is not built: cargo build --release -p xhprof");
            return None;
        };
        let stage = Self {
            directory: tempfile::tempdir().unwrap(),
            extension: extension.canonicalize().unwrap(),
            php: php.to_owned(),
        };
        stage.ini("");
        let mut command = Command::new(php);
        command.arg("-m").env("PHP_INI_SCAN_DIR", stage.scan());
        let Ok(output) = command.output() else {
            println!("skipped: there is no {php}");
            return None;
        };
        if !String::from_utf8_lossy(&output.stdout).contains("\nxhprof\n") {
            println!("skipped: {php} does not load {}", extension_name(&stage));
            return None;
        }
        Some(stage)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn scan(&self) -> PathBuf {
        self.path("conf.d")
    }

    /// Writes the ini file; its first line loads the extension.
    fn ini(&self, settings: &str) {
        fs::create_dir_all(self.scan()).unwrap();
        let text = format!("extension={}\n{settings}", self.extension.display());
        fs::write(self.scan().join("xhprof.ini"), text).unwrap();
    }

    /// Runs the program as if a user had asked for profiles of everything.
    fn xhprof(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PHP_INI_SCAN_DIR", self.scan())
            .env("XHPROF_EXTENSION", &self.extension)
            .env("XHPROF_PHP", &self.php)
            .env("XHPROF", "1")
            .env("XHPROF_OUTPUT", self.path("profiles"));
        command.output().unwrap()
    }

    fn profiles(&self) -> usize {
        fs::read_dir(self.path("profiles")).unwrap().count()
    }
}

fn extension_name(stage: &Stage) -> String {
    stage.extension.display().to_string()
}

pub(crate) fn php() -> String {
    std::env::var("PHP").unwrap_or_else(|_| "php".to_owned())
}

/// The php-fpm that belongs to the tested PHP, else any.
fn php_fpm() -> String {
    let name = php().replace("/bin/php", "/sbin/php-fpm");
    let names = [&*name, "/usr/sbin/php-fpm8.2", "php-fpm"];
    let found = names
        .into_iter()
        .find(|path| path.contains("fpm") && Path::new(path).is_file());
    found.unwrap_or("php-fpm").to_owned()
}

fn text(output: &Output) -> String {
    let bytes = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(bytes).unwrap()
}

fn assert_has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "no {line:?} in:\n{text}");
    }
}

#[test]
fn no_question_to_php_leaves_a_profile() {
    let Some(stage) = Stage::new(&php()) else {
        return;
    };
    fs::create_dir(stage.path("profiles")).unwrap();
    let everything = format!(
        "xhprof.auto_enable=1\nxhprof.output_dir={}\n",
        stage.path("profiles").display()
    );
    stage.ini(&everything);
    // The setting and the variables have an effect.
    let mut command = Command::new(php());
    command.args(["-r", "1;"]);
    command.env("PHP_INI_SCAN_DIR", stage.scan());
    assert!(command.status().unwrap().success());
    assert_eq!(stage.profiles(), 1, "PHP itself profiles everything");
    let doctor = text(&stage.xhprof(&["doctor", "--verbose"]));
    assert_has(
        &doctor,
        &["✓ PHP ", "loaded by php.ini", "xhprof.auto_enable is 1"],
    );
    assert_has(&doctor, &["! the size of"]);
    fs::write(stage.path("s.php"), "<?php echo 'ran';").unwrap();
    let run = stage.xhprof(&["run", "-o", "kept.xhp", "--", "s.php"]);
    assert!(run.status.success(), "{}", text(&run));
    assert_eq!(run.stdout, b"ran");
    assert!(stage.path("kept.xhp").is_file());
    assert_eq!(stage.profiles(), 1);
}

#[test]
fn statements_are_recorded_where_they_are_asked_for() {
    let Some(stage) = Stage::new(&php()) else {
        return;
    };
    fs::write(
        stage.path("s.php"),
        "<?php @file_get_contents('http://127.0.0.1:1/');",
    )
    .unwrap();
    let with = stage.xhprof(&["run", "--flags", "cpu,sql", "--", "s.php"]);
    assert_has(&text(&with), &["waited for  1 span", "http"]);
    let without = text(&stage.xhprof(&["run", "--flags", "cpu", "--", "s.php"]));
    assert!(!without.contains("waited for"), "{without}");
}

#[test]
fn php_fpm_is_looked_at_with_its_own_ini_files_and_pools() {
    let Some(stage) = Stage::new(&php_fpm()) else {
        return;
    };
    fs::create_dir(stage.path("profiles")).unwrap();
    stage.ini(
        "xhprof.auto_enabled = 1\nxhprof.auto_enable = 1\nxhprof.trigger = XHPROF\n\
         xhprof.max_dirsize = 1G\nxhprof.rate = 7\n",
    );
    let pools = "[global]\nerror_log = /dev/null\ninclude = POOLS/*.conf\n"
        .replace("POOLS", stage.path("pool.d").to_str().unwrap());
    fs::write(stage.path("php-fpm.conf"), pools).unwrap();
    fs::create_dir(stage.path("pool.d")).unwrap();
    let own = stage.path("profiles");
    let pool = format!(
        "[www]\nuser = daemon\nlisten = /tmp/none\npm = static\npm.max_children = 1\n\
         php_admin_value[xhprof.output_dir] = {}\nphp_value[xhprof.trigger_secrets] = x\n",
        own.display()
    );
    fs::write(stage.path("pool.d/www.conf"), pool).unwrap();
    let fpm = format!("--php-fpm={}", php_fpm());
    let output = stage.xhprof(&["doctor", "--verbose", &fpm, "--fpm-config", "php-fpm.conf"]);
    assert_eq!(output.status.code(), Some(1));
    let found = text(&output);
    let ini = stage.scan().join("xhprof.ini");
    let conf = stage.path("pool.d/www.conf");
    assert_has(
        &found,
        &[
            "FPM/FastCGI",
            "✗ settings with invalid values",
            "    xhprof.rate must be a number from 0 to 1",
            &format!(
                "✗ {}:2: there is no setting xhprof.auto_enabled; did you mean xhprof.auto_enable?",
                ini.display()
            ),
            &format!(
                "✗ {}:5: there is no setting xhprof.max_dirsize",
                ini.display()
            ),
            &format!(
                "✗ {}:7: there is no setting xhprof.trigger_secrets; did you mean xhprof.trigger_secret",
                conf.display()
            ),
            "✗ pool www: xhprof.trigger is XHPROF, but xhprof.trigger_secret is empty",
            // A temporary directory is its owner's only.
            "✗ pool www: daemon cannot ",
            "! pool www: the size of",
        ],
    );
    assert_eq!(stage.profiles(), 0, "php-fpm -i is a request, too");
}

#[test]
fn a_php_fpm_that_is_set_up_right_has_nothing_wrong() {
    let Some(stage) = Stage::new(&php_fpm()) else {
        return;
    };
    stage.ini(
        "xhprof.auto_enable = trigger\nxhprof.trigger = XHPROF\nxhprof.trigger_secret = s3cret\n\
         xhprof.output_dir = /tmp\nxhprof.max_dir_size = 1G\n",
    );
    let conf = "[global]\nerror_log = /dev/null\n[www]\nuser = root\nlisten = /tmp/none\npm = static\npm.max_children = 1\n";
    fs::write(stage.path("php-fpm.conf"), conf).unwrap();
    let fpm = php_fpm();
    let output = stage.xhprof(&[
        "doctor",
        "--verbose",
        "--php",
        &fpm,
        "--fpm-config",
        "php-fpm.conf",
    ]);
    let found = text(&output);
    assert_has(&found, &["✓ pool www: root can write to /tmp"]);
    assert!(!found.contains('✗') && !found.contains("s3cret"), "{found}");
    assert_eq!(output.status.code(), Some(0), "{found}");
}

#[test]
fn an_invalid_value_of_any_setting_is_named() {
    let Some(stage) = Stage::new(&php()) else {
        return;
    };
    stage.ini("xhprof.auto_enable = triger\nxhprof.flags = memroy\n");
    let output = stage.xhprof(&["doctor", "--verbose"]);
    assert_eq!(output.status.code(), Some(1));
    let found = text(&output);
    assert_has(
        &found,
        &[
            "✗ settings with invalid values; PHP uses their defaults",
            "    xhprof.flags must be any of the words",
            "    xhprof.auto_enable must be 0, 1, trigger or never, not \"triger\"; using the default, \"0\"",
        ],
    );
    stage.ini("xhprof.auto_enable = triger\nxhprof.auto_enable = On\n");
    assert_has(
        &text(&stage.xhprof(&["doctor", "--verbose"])),
        &["✓ every xhprof setting is in its range"],
    );
}
