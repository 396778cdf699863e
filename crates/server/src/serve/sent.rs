//! What became of the files of `xhprof push`, for people and for programs.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use crate::args::PushArguments;
use cli::directory::{self, Found};
use cli::operand;
use cli::pager;
use cli::terminal::{printable, say};
use cli::units::{count, counted};

/// The most files with a line each; more get a summary.
const MAX_LINES: usize = 20;

/// The version of the JSON. It changes when programs that read it have to.
const VERSION: u32 = 1;

/// What became of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Stored, under this id.
    Stored(String),
    /// The server had it, under this id.
    Known(String),
    /// Not stored.
    Refused {
        reason: String,
        /// False if the server found no profile in it.
        is_profile: bool,
    },
    /// Not stored, and neither are the files after it.
    Ended(String),
}

/// What became of all files.
pub(super) struct Outcomes<'a> {
    server: &'a str,
    files: Vec<(&'a Found, Outcome)>,
}

impl<'a> Outcomes<'a> {
    pub(super) fn new(server: &'a str) -> Self {
        let files = Vec::new();
        Self { server, files }
    }

    pub(super) fn add(&mut self, file: &'a Found, outcome: Outcome) {
        self.files.push((file, outcome));
    }

    /// Prints the outcomes of `total` files; returns the exit code.
    pub(super) fn report(self, arguments: &PushArguments, total: usize) -> Result<u8> {
        let code = u8::from(self.failed() > 0 || self.sent() == 0);
        if arguments.json {
            pager::print_json(&self.json(total))?;
            return Ok(code);
        }
        if !arguments.quiet {
            let text = self.text();
            std::io::stdout().write_all(text.as_bytes())?;
        }
        let mut left_out = Vec::new();
        for (file, outcome) in &self.files {
            let path = &file.path;
            match outcome {
                Outcome::Refused { reason, .. } if is_left_out(file, outcome) => {
                    left_out.push((path.clone(), reason.clone()));
                }
                Outcome::Refused { reason, .. } => {
                    say(&format!("error: {}: {reason}", operand::title(path)));
                }
                Outcome::Ended(reason) => say(&format!("error: {reason}")),
                Outcome::Stored(_) | Outcome::Known(_) => {}
            }
        }
        for line in directory::lines(&left_out) {
            say(&line);
        }
        if total > self.files.len() {
            let rest = (total - self.files.len()) as u64;
            say(&format!("{} not tried", counted(rest, "more file")));
        }
        Ok(code)
    }

    fn sent(&self) -> usize {
        let is_sent = |outcome: &Outcome| matches!(outcome, Outcome::Stored(_) | Outcome::Known(_));
        let outcomes = self.files.iter();
        outcomes.filter(|(_, outcome)| is_sent(outcome)).count()
    }

    /// The files that should have been sent and were not.
    fn failed(&self) -> usize {
        let files = self.files.iter();
        let failed = files.filter(|(file, outcome)| {
            matches!(outcome, Outcome::Refused { .. } | Outcome::Ended(_))
                && !is_left_out(file, outcome)
        });
        failed.count()
    }

    /// A line for each run, or a summary of many.
    fn text(&self) -> String {
        let mut text = String::new();
        let (mut stored, mut known) = (0_u64, 0_u64);
        for (file, outcome) in &self.files {
            let (what, id) = match outcome {
                Outcome::Stored(id) => ("stored", id),
                Outcome::Known(id) => ("already there", id),
                Outcome::Refused { .. } | Outcome::Ended(_) => continue,
            };
            stored += u64::from(matches!(outcome, Outcome::Stored(_)));
            known += u64::from(matches!(outcome, Outcome::Known(_)));
            if self.files.len() <= MAX_LINES {
                let name = printable(operand::title(&file.path).as_bytes());
                // The server chose the id.
                let id = printable(id.as_bytes());
                // Writing to a string never fails.
                let _ = writeln!(text, "{name}: {what}, {}/run/{id}", self.server);
            }
        }
        if self.files.len() > MAX_LINES {
            let runs = counted(stored, "run");
            let _ = writeln!(
                text,
                "{runs} stored, {} already there: {}/",
                count(known),
                self.server
            );
        }
        text
    }

    fn json(&self, total: usize) -> Value {
        let files = self.files.iter().map(|(file, outcome)| {
            let (what, id, reason) = match outcome {
                Outcome::Stored(id) => ("stored", Some(id), None),
                Outcome::Known(id) => ("already there", Some(id), None),
                Outcome::Refused { reason, .. } if is_left_out(file, outcome) => {
                    ("left out", None, Some(reason))
                }
                Outcome::Refused { reason, .. } | Outcome::Ended(reason) => {
                    ("failed", None, Some(reason))
                }
            };
            json!({
                "file": operand::title(&file.path),
                "outcome": what,
                "id": id,
                "address": id.map(|id| format!("{}/run/{id}", self.server)),
                "error": reason,
            })
        });
        json!({
            "version": VERSION,
            "files": files.collect::<Vec<Value>>(),
            "not_tried": total - self.files.len(),
        })
    }
}

/// Whether a directory has the file, and it is no profile.
fn is_left_out(file: &Found, outcome: &Outcome) -> bool {
    let is_none = matches!(outcome, Outcome::Refused { is_profile, .. } if !is_profile);
    file.is_found && is_none
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, is_found: bool) -> Found {
        Found {
            path: name.into(),
            is_found,
        }
    }

    fn refused(is_profile: bool) -> Outcome {
        Outcome::Refused {
            reason: "no".to_owned(),
            is_profile,
        }
    }

    #[test]
    fn each_of_few_files_has_a_line_and_many_have_a_summary() {
        let files: Vec<Found> = (0..=MAX_LINES)
            .map(|number| found(&number.to_string(), false))
            .collect();
        let mut few = Outcomes::new("http://x");
        few.add(&files[0], Outcome::Stored("a".to_owned()));
        few.add(&files[1], Outcome::Known("b".to_owned()));
        assert_eq!(
            few.text(),
            "0: stored, http://x/run/a\n1: already there, http://x/run/b\n"
        );
        let mut many = Outcomes::new("http://x");
        for file in &files {
            many.add(file, Outcome::Stored("a".to_owned()));
        }
        assert_eq!(many.text(), "21 runs stored, 0 already there: http://x/\n");
    }

    #[test]
    fn a_file_of_a_directory_that_is_no_profile_is_no_failure() {
        let (named, inside) = (found("a", false), found("b", true));
        for (file, is_profile, failed) in [
            (&named, false, 1),
            (&named, true, 1),
            (&inside, false, 0),
            (&inside, true, 1),
        ] {
            let mut outcomes = Outcomes::new("http://x");
            outcomes.add(file, refused(is_profile));
            assert_eq!(outcomes.failed(), failed, "{file:?} {is_profile}");
            assert_eq!(outcomes.sent(), 0);
        }
    }

    #[test]
    fn programs_get_every_file() {
        let (one, two) = (found("a", false), found("b", false));
        let mut outcomes = Outcomes::new("http://x");
        outcomes.add(&one, Outcome::Stored("a1".to_owned()));
        outcomes.add(&two, Outcome::Ended("full".to_owned()));
        let json = outcomes.json(5);
        assert_eq!(json["files"][0]["address"], "http://x/run/a1");
        assert_eq!(json["files"][1]["outcome"], "failed");
        assert_eq!(json["files"][1]["error"], "full");
        assert_eq!(json["not_tried"], 3);
    }
}
