//! `xhprof run` with a PHP that is a shell script: the arguments it is started
//! with, its streams and its exit status.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod kept;
mod signals;

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::write_program::write_program;

/// Answers as PHP would, then ends as `END` says.
const FAKE_PHP: &str = r#"#!/bin/sh
for argument; do
    if [ "$argument" = --ri ]; then
        printf '%s\n' "$@" "XHPROF=$XHPROF" "XHPROF_OUTPUT=$XHPROF_OUTPUT" > "$HERE/question"
        case "$*" in
            *-d\ extension=*) test "$LOADED" = ini && echo 'Warning: Module "xhprof" is already loaded in Unknown on line 0' ;;
        esac
        case "$LOADED" in
            no) echo 'Warning: PHP Startup: Unable to load dynamic library "x.so" (tried: x.so (no such file)) in Unknown on line 0'
                echo "Extension 'xhprof' not present."; exit 1 ;;
            other) echo "unknown option $1" >&2; exit 2 ;;
            pecl) printf 'xhprof\n\nxhprof support => enabled\nVersion => 2.3.10\n\nxhprof.output_dir => no value => no value\n' ;;
            *) printf 'xhprof\n\nVersion => 0.1.0\n\nxhprof.auto_enable => 0 => 0\nxhprof.output_dir => => \n' ;;
        esac
        exit 0
    fi
    case "$argument" in xhprof.automatic_dir=*) directory="${argument#*=}" ;; esac
done
printf '%s\n' "$@" > "$HERE/arguments"
stat -c %a "$directory" > "$HERE/mode" 2>/dev/null
profile() {
    run_id=$(printf '%014x%08x0123456789' "$2" "$1")
    printf 'a:2:{s:10:"main()==>%s";a:2:{s:2:"ct";i:3;s:2:"wt";i:40;}s:6:"main()";a:2:{s:2:"ct";i:1;s:2:"wt";i:100;}}' "$3" \
        > "$directory/$run_id.script.xhp"
}
case "$END" in
    echo) cat; profile $$ 1 a; echo from the program >&2 ;;
    code) profile $$ 1 a; exit 7 ;;
    failing) echo "from the program" >&2; profile $$ 1 a; exit 7 ;;
    segv) kill -SEGV $$ ;;
    killed) kill -KILL $$ ;;
    prepared) profile $$ 1 a; for file in "$directory"/*; do cp "$HERE/prepared.xhp" "$file"; done ;;
    nothing) ;;
    nothing-code) exit 5 ;;
    broken) profile $$ 1 a; for file in "$directory"/*; do echo broken > "$file"; done ;;
    forked) profile 4711 1 b; profile $$ 2 a; profile 4712 3 c ;;
    requests) profile $$ 1 a; profile $$ 2 b ;;
    wrapped) profile 4711 1 w ;;
    interrupted)
        trap 'trap "" INT; profile $$ 1 a; kill $!; trap - INT; kill -INT $$' INT
        sleep 600 > /dev/null 2>&1 & echo ready; wait ;;
    stubborn)
        trap 'echo again' INT
        sleep 600 > /dev/null 2>&1 & echo $!; while :; do wait $!; done ;;
    terminated)
        trap 'profile $$ 1 a; kill $!; exit 9' TERM
        sleep 600 > /dev/null 2>&1 & echo ready; wait ;;
esac
"#;

/// How many words of the command line are ours: an extension and eight settings.
const OURS: usize = 18;

/// A directory with a fake PHP, a fake extension, and a place for temporaries.
pub(crate) struct Stage {
    directory: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let stage = Self { directory };
        for name in ["php", "php8.9"] {
            write_program(&stage.path(name), FAKE_PHP.as_bytes());
        }
        fs::write(stage.path("xhprof.so"), "").unwrap();
        fs::write(stage.path("s.php"), "<?php\n").unwrap();
        fs::create_dir(stage.path("tmp")).unwrap();
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, end: &str, arguments: &[&str]) -> Command {
        let mut command = self.program(end);
        command.arg("run").args(arguments);
        command
    }

    /// The program on this stage.
    pub(crate) fn program(&self, end: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
        command
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HERE", self.directory.path())
            .env("TMPDIR", self.path("tmp"))
            .env("XHPROF_PHP", self.path("php"))
            .env("XHPROF_EXTENSION", self.path("xhprof.so"))
            .env("END", end)
            // A session of its own, without the tester's terminal.
            .process_group(0)
            .stdin(Stdio::null());
        command
    }

    fn output(&self, end: &str, arguments: &[&str]) -> Output {
        let output = self.run(end, arguments).output().unwrap();
        self.assert_clean();
        output
    }

    /// Nothing of ours is left in the temporary directory.
    pub(crate) fn assert_clean(&self) {
        let left: Vec<PathBuf> = fs::read_dir(self.path("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(left, [] as [PathBuf; 0]);
    }

    fn php_arguments(&self) -> Vec<String> {
        let arguments = fs::read_to_string(self.path("arguments")).unwrap();
        arguments.lines().map(str::to_owned).collect()
    }
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

fn assert_reported(output: &Output) {
    let stderr = stderr(output);
    assert!(
        stderr.contains("100 µs wall · 4 calls · 2 functions"),
        "{stderr}"
    );
}

#[test]
fn php_gets_our_settings_before_the_script() {
    let stage = Stage::new();
    let output = stage.output(
        "echo",
        &[
            "--flags",
            "cpu,no_builtins",
            "--",
            "s.php",
            "-n",
            "--",
            "x y",
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let arguments = stage.php_arguments();
    let extension = format!(
        "extension={}",
        stage.path("xhprof.so").canonicalize().unwrap().display()
    );
    let (ours, theirs) = arguments.split_at(OURS);
    let (options, settings): (Vec<_>, Vec<_>) =
        ours.chunks(2).map(|pair| (&*pair[0], &*pair[1])).unzip();
    assert!(options.iter().all(|option| *option == "-d"), "{ours:?}");
    assert!(
        settings[4].starts_with("xhprof.automatic_dir=/"),
        "{ours:?}"
    );
    assert_eq!(
        [&settings[..4], &settings[5..]].concat(),
        [
            &extension,
            "xhprof.auto_enable=1",
            "xhprof.flags=cpu no_builtins",
            "xhprof.mode=tree",
            "xhprof.rate=1",
            "xhprof.match=",
            "xhprof.max_per_minute=0",
            "xhprof.min_duration=0",
        ]
    );
    assert_eq!(theirs, ["s.php", "-n", "--", "x y"]);
    assert_eq!(fs::read_to_string(stage.path("mode")).unwrap(), "700\n");
}

#[test]
fn what_follows_the_script_is_its_own_without_a_dash_too() {
    let stage = Stage::new();
    let output = stage.output("echo", &["-orun", "s.php", "-o", "--help", "--", "-x"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        stage.php_arguments()[OURS..],
        ["s.php", "-o", "--help", "--", "-x"]
    );
    assert!(stage.path("run").exists());
}

#[test]
fn php_is_never_profiled_when_it_is_asked() {
    let stage = Stage::new();
    let mut command = stage.run("echo", &["--", "s.php"]);
    command.env("XHPROF", "1").env("XHPROF_OUTPUT", "/tmp/x");
    assert!(command.output().unwrap().status.success());
    let question = fs::read_to_string(stage.path("question")).unwrap();
    assert!(question.contains("xhprof.auto_enable=0\n"), "{question}");
    assert!(
        question.ends_with("XHPROF=\nXHPROF_OUTPUT=\n"),
        "{question}"
    );
}

#[test]
fn flags_have_a_default_that_words_replace_and_signs_change() {
    let stage = Stage::new();
    let flags = |arguments: &[&str], environment: Option<&str>| {
        let mut command = stage.run("echo", &[arguments, &["--", "s.php"]].concat());
        command.envs(environment.map(|value| ("XHPROF_FLAGS", value)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let found = stage
            .php_arguments()
            .into_iter()
            .find_map(|argument| argument.strip_prefix("xhprof.flags=").map(str::to_owned));
        found.unwrap()
    };
    assert_eq!(flags(&[], None), "cpu memory sql");
    assert_eq!(flags(&["--flags", "cpu"], None), "cpu");
    assert_eq!(
        flags(&["--flags", "-sql,+no_builtins"], None),
        "cpu memory no_builtins"
    );
    assert_eq!(flags(&[], Some("memory,sql")), "memory sql");
    assert_eq!(flags(&["--flags", "none"], Some("memory")), "");
}

#[test]
fn lines_are_for_the_modes_that_have_none_without_the_flag() {
    let stage = Stage::new();
    for mode in ["tree", "events"] {
        let arguments = ["--mode", mode, "--flags", "+lines", "--", "s.php"];
        let output = stage.output("echo", &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        let flags = "xhprof.flags=cpu lines memory sql".to_owned();
        assert!(stage.php_arguments().contains(&flags), "{mode}");
    }
    for mode in ["edges", "sample"] {
        let arguments = ["--mode", mode, "--flags", "+lines", "--", "s.php"];
        let output = stage.output("echo", &arguments);
        assert_eq!(output.status.code(), Some(1), "{mode}");
        assert!(stderr(&output).contains("the flag lines is for --mode tree and events"));
    }
}

#[test]
fn what_would_not_be_measured_is_told_before_php_starts() {
    let stage = Stage::new();
    let sampled = "(--mode sample records wall time only)";
    for (arguments, expected, why) in [
        (
            &["--mode", "sample", "--metric", "cpu"][..],
            "the profile has no cpu costs",
            sampled,
        ),
        (
            &["--mode", "sample", "--sort", "calls"],
            "the profile has no number of calls",
            sampled,
        ),
        (
            &["--flags", "cpu", "--sort", "memory"],
            "the profile has no memory costs",
            "(--flags is cpu)",
        ),
        (
            &["--flags", "none", "--columns", "calls,cpu"],
            "there is no column cpu here; --columns takes calls, self, self%, incl, incl%",
            "(--flags is none)",
        ),
        (
            &["--mode", "edges", "-o", "run.svg"],
            "cannot write run.svg: flame graph (SVG) is made of whole stacks, and --mode edges",
            "--mode tree records stacks",
        ),
    ] {
        let output = stage.output("echo", &[arguments, &["--", "s.php"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = stderr(&output);
        assert!(said.contains(expected) && said.contains(why), "{said}");
        assert!(!stage.path("arguments").exists(), "{arguments:?}");
    }
    let all =
        "calls,self,self%,incl,incl%,wall,cpu,memory,peak,incl-wall,incl-cpu,incl-memory,incl-peak";
    stage.output("echo", &["--columns", all, "--", "s.php"]);
    assert!(stage.path("arguments").exists());
}

#[test]
fn samples_are_taken_each_millisecond_unless_asked_otherwise() {
    let stage = Stage::new();
    for (arguments, expected) in [
        (&["--", "s.php"][..], None),
        (
            &["--mode", "sample", "--", "s.php"],
            Some("xhprof.sampling_interval=1000"),
        ),
        (
            &["--mode", "sample", "--interval", "250", "--", "s.php"],
            Some("xhprof.sampling_interval=250"),
        ),
    ] {
        let output = stage.output("echo", arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        let found = stage
            .php_arguments()
            .into_iter()
            .find(|argument| argument.starts_with("xhprof.sampling_interval"));
        assert_eq!(found.as_deref(), expected);
    }
}

#[test]
fn what_is_no_script_is_told_before_php_starts() {
    let stage = Stage::new();
    fs::create_dir(stage.path("src")).unwrap();
    fs::write(stage.path("src/index.php"), "").unwrap();
    fs::write(stage.path("sail"), "#!/usr/bin/env bash\necho 1\n").unwrap();
    fs::write(stage.path("tool.py"), "#!/usr/bin/python3 -u\nprint(1)\n").unwrap();
    for (command, expected) in [
        ("t.php", "there is no script t.php in /"),
        ("t.php", "; did you mean s.php?"),
        ("none/t.php", "no directory none"),
        (
            "src",
            "src is a directory: name the script in it, as in `xhprof run -- src/index.php`",
        ),
        (
            "cat",
            "/cat, which is not a PHP script: `xhprof run` only starts PHP programs",
        ),
        (
            "/bin/cat",
            "/bin/cat is a program, not a PHP script: `xhprof run` only starts PHP programs",
        ),
        (
            "sail",
            "sail is a script for bash, not a PHP script: `xhprof run` only starts PHP programs",
        ),
        (
            "tool.py",
            "tool.py is a script for python3, not a PHP script",
        ),
    ] {
        let output = stage.output("echo", &["--", command]);
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(said.contains(expected), "{command}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!stage.path("arguments").exists() && !stage.path("question").exists());
    }
}

#[test]
fn what_may_be_a_php_script_is_run() {
    for text in [
        "#!/usr/bin/env php\n<?php echo 1;",
        "#!/usr/bin/env -S php8.4 -d memory_limit=1G\nno code",
        "#!/opt/php/bin/php-cli\n",
        // A script of the shell and PHP.
        "#!/bin/sh\n//bin/true; exec php \"$0\"\n<?php echo 1;",
        "#!\n",
        "no code",
    ] {
        let stage = Stage::new();
        fs::write(stage.path("tool"), text).unwrap();
        let output = stage.output("echo", &["--", "tool"]);
        assert!(output.status.success(), "{text}: {}", stderr(&output));
    }
}

#[test]
fn a_script_in_a_pipe_is_read_by_php_alone() {
    let stage = Stage::new();
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"<?php echo 1;").unwrap();
    drop(writer);
    let mut command = stage.run("echo", &["--", "/dev/stdin"]);
    let output = command.stdin(reader).output().unwrap();
    assert_eq!(output.stdout, b"<?php echo 1;", "{}", stderr(&output));
}

#[test]
fn an_interval_without_samples_is_refused() {
    let stage = Stage::new();
    let output = stage.output("echo", &["--interval", "250", "--", "s.php"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("it needs --mode sample"));
    assert!(!stage.path("arguments").exists());
}

#[test]
fn a_dash_is_a_script_from_standard_input() {
    let stage = Stage::new();
    let output = stage.output("echo", &["--", "-", "own"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stage
            .php_arguments()
            .ends_with(&["--".to_owned(), "own".to_owned()])
    );
}

#[test]
fn a_php_in_the_command_is_used_with_its_options() {
    let stage = Stage::new();
    let php = stage.path("php8.9");
    let command = [
        "--php",
        "/nonexistent",
        "--",
        php.to_str().unwrap(),
        "-d",
        "a=b",
        "s.php",
    ];
    let output = stage.output("echo", &command);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stage.php_arguments()[OURS..], ["-d", "a=b", "s.php"]);
}

#[test]
fn a_program_is_run_with_the_options_of_its_first_line() {
    let stage = Stage::new();
    let text = b"#!/usr/bin/env -S php -d memory_limit=1G\n<?php\n";
    write_program(&stage.path("tool"), text);
    // It cannot be executed, only given to PHP, which does not read that line.
    fs::write(stage.path("file"), text).unwrap();
    for (name, options) in [("tool", &["-d", "memory_limit=1G"][..]), ("file", &[])] {
        let output = stage.output("echo", &["--", name, "-x"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(
            stage.php_arguments()[OURS..],
            [options, &[name, "-x"]].concat()
        );
    }
}

#[test]
fn an_extension_in_php_ini_is_not_loaded_twice() {
    let stage = Stage::new();
    let output = stage
        .run("echo", &["--", "s.php"])
        .env("LOADED", "ini")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stage.php_arguments()[..2], ["-d", "xhprof.auto_enable=1"]);
}

#[test]
fn without_the_extension_the_program_is_not_run() {
    let stage = Stage::new();
    for (loaded, reason) in [
        ("pecl", "another extension named xhprof"),
        ("no", "(no such file)"),
        // A binary that is no PHP.
        ("other", "xhprof.so: it says \"unknown option -d\""),
    ] {
        let output = stage
            .run("echo", &["--", "s.php"])
            .env("LOADED", loaded)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1);
        assert!(!stage.path("arguments").exists());
    }
}

#[test]
fn the_programs_streams_are_its_own() {
    let stage = Stage::new();
    fs::write(stage.path("input"), "to the program\n\x00\x1b").unwrap();
    let mut command = stage.run("echo", &["--", "s.php"]);
    let output = command
        .stdin(fs::File::open(stage.path("input")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"to the program\n\x00\x1b");
    assert!(
        stderr(&output).starts_with("from the program\n\ns.php  100 µs"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_exit_code_is_the_programs() {
    let stage = Stage::new();
    let output = stage.output("code", &["--", "s.php"]);
    assert_eq!(output.status.code(), Some(7));
    assert_reported(&output);
}
