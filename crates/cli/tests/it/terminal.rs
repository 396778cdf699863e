//! The output on a terminal, which the test makes, and into a pipe.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

const SNIFF: &str =
    "PHP_CodeSniffer\\Standards\\Generic\\Sniffs\\WhiteSpace\\ScopeIndentSniff::process";

/// A profile of functions with long names; two differ at one end only.
struct Stage {
    directory: tempfile::TempDir,
    names: Vec<String>,
}

impl Stage {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let names = [
            SNIFF,
            "Vendor\\Package\\Deeply\\Nested\\Left\\Component\\Something\\Handler::handle",
            "Vendor\\Package\\Deeply\\Nested\\Right\\Component\\Something\\Handler::handle",
            "strlen",
        ];
        let cost = |wall: u32| format!("{{\"ct\":1,\"wt\":{wall},\"cpu\":1,\"mu\":8,\"pmu\":8}}");
        let mut json = String::from("{");
        for (number, name) in (1..).zip(names) {
            let name = name.replace('\\', "\\\\");
            json.push_str(&format!("\"main()==>{name}\":{},", cost(number)));
            json.push_str(&format!("\"{name}==>deep\":{},", cost(1)));
        }
        json.push_str(&format!("\"main()\":{}}}", cost(100)));
        let mut file = File::create(directory.path().join("long.json")).unwrap();
        file.write_all(json.as_bytes()).unwrap();
        let names = names.map(str::to_owned).into();
        Self { directory, names }
    }

    fn xhprof(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
        command.current_dir(self.directory.path()).args(arguments);
        command
            .env_remove("COLUMNS")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// The output into a pipe.
    fn piped(&self, arguments: &[&str]) -> String {
        let output = self
            .xhprof(arguments)
            .env("COLUMNS", "40")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The output on a terminal that is `width` columns wide.
    fn shown(&self, width: u16, arguments: &[&str]) -> String {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let path = ptsname(&controller, Vec::new()).unwrap();
        let path = PathBuf::from(path.into_string().unwrap());
        let terminal: OwnedFd = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap()
            .into();
        let size = Winsize {
            // Not known, as in terminals of some pipelines.
            ws_row: 0,
            ws_col: width,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).unwrap();
        let mut child = self.xhprof(arguments).stdout(terminal).spawn().unwrap();
        let mut bytes = Vec::new();
        // Linux ends a terminal that is closed on the other side with an error.
        let _: io::Result<usize> = File::from(controller).read_to_end(&mut bytes);
        child.wait().unwrap();
        String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
    }
}

#[test]
fn no_name_is_cut_in_a_pipe() {
    let stage = Stage::new();
    let views: [&[&str]; 6] = [
        &["report", "long.json"],
        &["report", "long.json", "--tree", "--estimate", "--min", "0"],
        &[
            "report",
            "long.json",
            "--inverted",
            "--estimate",
            "--min",
            "0",
        ],
        &["report", "long.json", "--callers", "deep"],
        &["report", "long.json", "--callees", "main()"],
        &["grep", "", "long.json", "--estimate"],
    ];
    for view in views {
        let text = stage.piped(view);
        for name in &stage.names {
            assert!(text.contains(name.as_str()), "{view:?}: {name} in\n{text}");
        }
        assert!(!text.contains("left out for want"), "{view:?}: {text}");
    }
    let one = stage.piped(&[
        "report",
        "long.json",
        "--callers",
        "scopeindentsniff::PROCESS",
    ]);
    assert!(one.contains(SNIFF), "{one}");
}

#[test]
fn a_terminal_loses_memory_first_and_then_namespaces() {
    let stage = Stage::new();
    let wide = stage.shown(160, &["report", "long.json"]);
    assert!(wide.contains(SNIFF) && wide.contains("self peak"), "{wide}");
    let narrower = stage.shown(130, &["report", "long.json"]);
    assert!(narrower.contains(SNIFF), "{narrower}");
    assert!(
        !narrower.contains("self peak") && narrower.contains("left out"),
        "{narrower}"
    );
    let narrow = stage.shown(90, &["report", "long.json"]);
    assert!(
        !narrow.contains("self mem") && narrow.contains("self cpu"),
        "{narrow}"
    );
    assert!(
        narrow.contains("…\\WhiteSpace\\ScopeIndentSniff::process\n"),
        "{narrow}"
    );
    let whole = stage.shown(90, &["report", "long.json", "--wide"]);
    assert!(
        whole.contains(SNIFF) && whole.contains("self peak"),
        "{whole}"
    );
}

#[test]
fn different_functions_look_different_at_every_width() {
    let stage = Stage::new();
    for width in (40..140).step_by(7) {
        let text = stage.shown(width, &["report", "long.json"]);
        let rows = text.lines().skip_while(|line| !line.starts_with("calls"));
        let rows = rows.skip(1).take_while(|line| !line.starts_with('…'));
        let labels: Vec<&str> = rows
            .filter_map(|line| line.split_whitespace().last())
            .collect();
        assert_eq!(labels.len(), 6, "{width}: {text}");
        let different: HashSet<&&str> = labels.iter().collect();
        assert_eq!(different.len(), labels.len(), "{width}: {text}");
        // A shown name can be pasted.
        for label in labels {
            let text = stage.piped(&["report", "long.json", "--callees", label]);
            assert!(
                text.contains("callee") || text.contains("calls no"),
                "{label}: {text}"
            );
        }
    }
}
