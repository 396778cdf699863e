//! Directories of profiles: `list`, and `report`, `merge`, `diff` and `flamegraph` of
//! what is in one.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test, and a test that is skipped says so"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder, native};
use tempfile::TempDir;

use crate::another_user::{is_root, program_of_another_user};
use crate::program::program;

/// 2023-11-14 22:13:20 UTC
const START: u64 = 1_700_000_000_000_000;

/// A profile of a request that began so many hours later.
fn request(route: &str, status: &str, hours: u64, wall_ms: u64) -> Profile {
    let mut profile = Profile::empty();
    profile.symbols.push(Symbol::new(&b"work"[..]));
    let mut builder = TreeBuilder::new();
    builder.cost(NodeId::ROOT).calls = 1;
    let node = builder.child(NodeId::ROOT, SymbolId(1));
    *builder.cost(node) += Cost {
        calls: 9,
        wall: wall_ms * 1_000_000,
        cpu: wall_ms * 500_000,
        ..Cost::default()
    };
    profile.body = Body::Tree(builder.finish_self_costs());
    profile.metrics.cpu = true;
    profile.meta.title = Some(route.to_owned());
    profile.meta.started_unix_us = Some(START + hours * 3_600_000_000);
    profile.meta.set_tag("status", status);
    profile.meta.peak_memory = Some(2_097_152);
    profile
}

const LONG: &str = "a-very-long-name-of-a-file-that-fits-into-no-terminal-but-must-be-whole-in-every-pipe-whatever-its-width.xhp";

struct Stage(TempDir);

impl Stage {
    /// Four requests, a file that is cut off, one that is no profile, and one
    /// that is being written.
    fn new() -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        fs::create_dir(stage.path("in")).unwrap();
        let mut failed = request("POST /checkout", "500", 1, 40);
        failed.meta.set_tag("failed", "1");
        stage.write("in/a.xhp", &failed);
        stage.write("in/b.xhp", &request("GET /articles/?", "200", 0, 10));
        stage.write("in/c.xhp", &request("GET /articles/?", "200", 2, 20));
        stage.write(&format!("in/{LONG}"), &request("GET /../-rf", "404", 3, 5));
        let whole = fs::read(stage.path("in/a.xhp")).unwrap();
        fs::write(stage.path("in/cut.xhp"), &whole[..whole.len() - 7]).unwrap();
        fs::write(stage.path("in/notes.txt"), "hello").unwrap();
        fs::write(stage.path("in/.hidden.tmp"), "").unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, profile: &Profile) {
        let mut bytes = Vec::new();
        native::write(profile, &mut bytes).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
        command.args(arguments).current_dir(self.0.path());
        // Narrower than the names: a pipe gets them whole.
        command.env("COLUMNS", "60").output().unwrap()
    }

    fn succeed(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let [out, errors] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{arguments:?}: {errors}");
        (out, errors)
    }

    /// The files of a list, without the directory.
    fn files(&self, arguments: &[&str]) -> Vec<String> {
        let (json, _) = self.succeed(&[&["list", "in", "--json"], arguments].concat());
        let lines = json.lines().filter(|line| line.contains("\"file\": \"in/"));
        let names = lines.filter_map(|line| line.split('"').nth(3));
        let names = names.map(|name| name.trim_start_matches("in/").to_owned());
        names
            .filter(|name| !name.starts_with("cut") && !name.starts_with("notes"))
            .collect()
    }
}

#[test]
fn a_list_has_a_line_for_each_profile_and_names_what_is_none() {
    let stage = Stage::new();
    let (table, errors) = stage.succeed(&["list", "in"]);
    let expected = "\
date (UTC)           status     wall      cpu     peak  calls  route or script  file
2023-11-15 01:13:20  404     5.00 ms  2.50 ms  2.10 MB     10  GET /../-rf      in/LONG
2023-11-15 00:13:20  200     20.0 ms  10.0 ms  2.10 MB     10  GET /articles/?  in/c.xhp
2023-11-14 23:13:20  500 !   40.0 ms  20.0 ms  2.10 MB     10  POST /checkout   in/a.xhp
2023-11-14 22:13:20  200     10.0 ms  5.00 ms  2.10 MB     10  GET /articles/?  in/b.xhp
";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        squeezed(&table),
        squeezed(&expected.replace("LONG", LONG)),
        "{table}"
    );
    assert!(
        errors.contains("left out in/cut.xhp: broken native profile"),
        "{errors}"
    );
    assert!(errors.contains("left out in/notes.txt: not a profile in any known format"));
    assert!(!errors.contains("hidden"), "{errors}");
    assert_eq!(errors.lines().count(), 2);
}

#[test]
fn what_does_not_add_up_is_named_and_not_said_to_be_in_the_sum() {
    let stage = Stage::new();
    fs::create_dir(stage.path("mixed")).unwrap();
    fs::copy(stage.path("in/a.xhp"), stage.path("mixed/a.xhp")).unwrap();
    // Samples without times.
    fs::write(stage.path("mixed/z.folded"), "main();work 5\n").unwrap();
    for arguments in [
        &["merge", "mixed", "-o", "sum.xhp"][..],
        &["merge", "mixed", "--by", "route", "-o", "sums"],
        &["report", "mixed"],
    ] {
        let (_, errors) = stage.succeed(arguments);
        assert!(!errors.contains("several kinds"), "{arguments:?}: {errors}");
    }
    let output = stage.run(&["diff", "mixed", "in/a.xhp"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        errors,
        "xhprof: error: mixed/a.xhp counts time, mixed/z.folded counts samples: they cannot be compared\n"
    );
}

#[test]
fn a_list_is_filtered_and_sorted() {
    let stage = Stage::new();
    for (arguments, files) in [
        (&["--route", "/ARTICLES"][..], &["c.xhp", "b.xhp"][..]),
        (&["--route", "^POST"], &["a.xhp"]),
        (&["--status", "5xx"], &["a.xhp"]),
        (&["--status", "failed"], &["a.xhp"]),
        (&["--status", "200", "--sort", "wall"], &["c.xhp", "b.xhp"]),
        (&["--since", "2023-11-15"], &[LONG, "c.xhp"]),
        (&["--since", "1h"], &[]),
        (&["--sort", "wall"], &["a.xhp", "c.xhp", "b.xhp", LONG]),
        (&["--sort", "file", "--limit", "2"], &[LONG, "a.xhp"]),
        (&["--sort", "route"], &[LONG, "b.xhp", "c.xhp", "a.xhp"]),
    ] {
        assert_eq!(stage.files(arguments), files, "{arguments:?}");
    }
    let (none, _) = stage.succeed(&["list", "in", "--since", "1h"]);
    assert_eq!(none, "none of 4 profiles matches\n");
    assert_eq!(
        stage.run(&["list", "in", "--since", "soon"]).status.code(),
        Some(2)
    );
    assert_eq!(stage.run(&["list", "none"]).status.code(), Some(1));
    assert_eq!(stage.run(&["list", "in/cut.xhp"]).status.code(), Some(1));
}

#[test]
fn programs_get_numbers_and_what_was_left_out() {
    let stage = Stage::new();
    let (json, _) = stage.succeed(&["list", "in", "--json", "--limit", "1", "--sort", "wall"]);
    for line in [
        "\"version\": 1",
        "\"wall_ns\": 40000000",
        "\"cpu_ns\": 20000000",
        "\"peak_bytes\": 2097152",
        "\"date_unix_us\": 1700003600000000",
        "\"failed\": true",
        "\"error\": \"not a profile in any known format\"",
    ] {
        assert!(json.contains(line), "{line}: {json}");
    }
}

#[test]
fn a_directory_is_merged_but_for_what_is_no_profile_and_the_sum_itself() {
    let stage = Stage::new();
    for _ in 0..2 {
        let (_, errors) = stage.succeed(&["merge", "in", "-o", "in/sum.xhp"]);
        assert_eq!(errors.lines().count(), 3, "{errors}");
        assert!(errors.contains("xhprof: wrote in/sum.xhp ("), "{errors}");
        let (report, _) = stage.succeed(&["report", "in/sum.xhp"]);
        assert!(report.contains("75.0 ms wall"), "{report}");
        assert!(report.contains("40 calls"), "{report}");
    }
    fs::remove_file(stage.path("in/sum.xhp")).unwrap();
    let (report, _) = stage.succeed(&["report", "in"]);
    assert!(report.contains("75.0 ms wall"), "{report}");
}

#[test]
fn a_route_has_one_file_whose_name_is_safe() {
    let stage = Stage::new();
    let (table, _) = stage.succeed(&["merge", "in", "--by", "route", "-o", "out"]);
    let names = ["GET_articles.xhp", "GET_rf.xhp", "POST_checkout.xhp"];
    let mut files: Vec<_> = fs::read_dir(stage.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    assert_eq!(files, names);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[1][..3], ["1", "40.0", "ms"], "{table}");
    assert_eq!(rows[2][0], "2", "{table}");
    assert!(
        table.contains("30.0 ms  15.0 ms     20  GET /articles/?"),
        "{table}"
    );
    let (report, _) = stage.succeed(&["report", "out/GET_articles.xhp"]);
    assert!(report.starts_with("GET /articles/?"), "{report}");
    let refused = stage.run(&["merge", "in", "--by", "route", "-o", "-"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn directories_are_sides_of_a_comparison() {
    let stage = Stage::new();
    fs::create_dir(stage.path("new")).unwrap();
    for (name, wall) in [("x.xhp", 100), ("y.xhp", 110)] {
        stage.write(&format!("new/{name}"), &request("GET /", "200", 0, wall));
    }
    let (diff, _) = stage.succeed(&["diff", "in", "new"]);
    assert!(diff.contains("4 runs: in/"), "{diff}");
    assert!(diff.contains("2 runs: new/x.xhp, new/y.xhp"), "{diff}");
    assert!(!diff.contains("unknown"), "{diff}");
    let (diff, _) = stage.succeed(&["diff", "in", "new/x.xhp"]);
    assert!(diff.contains("the new side is one run"), "{diff}");
    let (json, _) = stage.succeed(&["diff", "in", "new/x.xhp", "--json"]);
    assert!(json.contains("\"noise\": \"unknown in new\""), "{json}");
    assert!(json.contains("\"new_spread\": null"), "{json}");
}

#[test]
fn several_bases_of_a_flame_graph_count_as_their_mean() {
    let stage = Stage::new();
    let picture = |bases: &[&str]| {
        let mut arguments = vec!["flamegraph", "in/a.xhp", "--to", "html", "-o", "-"];
        for base in bases {
            arguments.extend(["--base", base]);
        }
        stage.succeed(&arguments).0
    };
    let of_both = picture(&["in/b.xhp", "in/c.xhp"]);
    assert_ne!(of_both, picture(&["in/b.xhp"]));
    assert_ne!(of_both, picture(&["in/c.xhp"]));
    fs::create_dir(stage.path("old")).unwrap();
    for name in ["b.xhp", "c.xhp"] {
        fs::copy(stage.path("in").join(name), stage.path("old").join(name)).unwrap();
    }
    assert_eq!(of_both, picture(&["old"]));
}

#[test]
fn whose_file_it_is_and_how_to_read_it_is_said() {
    let stage = Stage::new();
    let file = stage.path("in/a.xhp");
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(stage.0.path(), 0o755);
    mode(&file, if is_root() { 0o600 } else { 0o000 });
    let command = |arguments: &[&str]| {
        let mut command = if is_root() {
            program_of_another_user(stage.0.path())
        } else {
            program()
        };
        command.args(arguments).current_dir(stage.0.path());
        command.output()
    };
    let output = command(&["report", "in/a.xhp"]).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "cannot read in/a.xhp: it belongs to ";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("try `sudo xhprof report in/a.xhp`"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    let listed = command(&["list", "in"]).unwrap();
    let said = String::from_utf8(listed.stderr).unwrap();
    assert!(said.contains("left out in/a.xhp: it belongs to "), "{said}");

    // Before anything is read or run.
    let folder = stage.path("in");
    mode(&folder, 0o555);
    let written = command(&["convert", "no.xhp", "-o", "in/a.csv"]).unwrap();
    mode(&folder, 0o755);
    let said = String::from_utf8(written.stderr).unwrap();
    let expected = "cannot write in/a.csv: no file can be made in in: Permission denied";
    assert!(said.contains(expected), "{said}");
}
