//! The answers of the tools, from reports, lists, comparisons and findings.
//!
//! **Invariant:** nothing is computed here: lines and values are those of `xhprof report`,
//! `list`, `diff` and `regressions`.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use profile::Profile;
use serde_json::{Value, json};

use super::answer::Answer;
use super::catalogue::Asked;
use super::{RunRow, RunsAsked, Server};
use crate::args::{Cost, DiffArguments, ReportFormat, Side, Sort, TableArguments, ViewArguments};
use crate::diff;
use crate::report::{BesideRows, Report, Rows};
use crate::terminal::{code, printable};
use crate::units::{count, counted, size, time};

/// The profiles of one side of a comparison.
const MOST_RUNS: usize = 50;

/// A choice of the command line by its name; the schema has the names.
fn chosen<T: ValueEnum>(name: Option<&str>) -> Option<T> {
    T::from_str(name?, true).ok()
}

/// The options of a report.
fn table(asked: &Asked, limit: usize) -> TableArguments {
    TableArguments {
        metric: chosen::<Cost>(asked.metric.as_deref()).unwrap_or_default(),
        sort: chosen::<Sort>(asked.sort.as_deref()),
        limit: Some(limit),
        pattern: asked.filter.clone(),
        no_hints: true,
        ..TableArguments::default()
    }
}

fn report<'a>(
    profile: Profile,
    view: &'a ViewArguments,
    table: &'a TableArguments,
) -> Result<Report<'a>> {
    Report::new(profile, view, table, ReportFormat::Json)
        .context("this profile does not answer that; summary says what was measured")
}

/// The value of a row at a path of names.
fn at<'v>(rows: &'v Rows, path: &str) -> Option<&'v str> {
    rows.rows.first()?.1.pointer(path)?.as_str()
}

impl Server {
    pub(super) fn list_runs(&self, asked: &Asked) -> Result<Answer> {
        let (runs, others, unread) = self.place.runs(&RunsAsked {
            route: asked.route.clone(),
            status: asked.status.clone(),
            since: asked.since(),
            app: asked.app.clone(),
            release: asked.release.clone(),
            sort: asked.sort_runs.clone().unwrap_or_default(),
            most: asked.offset() + asked.limit(),
        })?;
        let all = runs.len() + others;
        let mut text = format!(
            "{} in {}\n\n",
            counted(all as u64, "profile"),
            self.place.name()
        );
        if all == 0 {
            text.push_str(
                "No profile matches. `xhprof run -o run.xhp -- script.php` records one, and \
                 xhprof.auto_enable those of requests.\n",
            );
        }
        let mut answer = Answer::new(text);
        if unread > 0 {
            answer.text.push_str(&format!(
                "- left out, no profiles: {}\n",
                counted(unread as u64, "file")
            ));
        }
        let named: Vec<String> = runs.iter().map(|run| run.run.clone()).collect();
        let same_route = runs.split_first().and_then(|(first, others)| {
            let same = others.iter().find(|run| run.route == first.route);
            same.or(others.first())
        });
        let before = same_route.map(|run| run.run.clone());
        let rows = runs.into_iter().map(|run| (line(&run), with_name(run)));
        let rows = Rows {
            rows: rows.collect(),
            others,
        };
        answer.list("runs", rows, asked.offset(), 1.0);
        if let Some(first) = named.first() {
            let why = "what this profile comes to";
            answer.suggest("summary", json!({ "run": first }), why);
        }
        if let (Some(new), Some(base)) = (named.first(), before) {
            let why = "what changed between the two, if they are of the same program";
            answer.suggest("differences", json!({ "base": [base], "new": [new] }), why);
        }
        Ok(answer)
    }

    /// The summary of a run, as Markdown.
    pub(super) fn markdown(&self, run: &str) -> Result<String> {
        let (view, table) = (ViewArguments::default(), TableArguments::default());
        let report = Report::new(
            self.place.profile(run)?,
            &view,
            &table,
            ReportFormat::Markdown,
        )?;
        Ok(report.markdown(run))
    }

    pub(super) fn summary(&self, asked: &Asked) -> Result<Answer> {
        let run = &asked.run;
        let profile = self.place.profile(run)?;
        let view = ViewArguments::default();
        let table = TableArguments {
            limit: Some(30),
            ..TableArguments::default()
        };
        let report = Report::new(profile, &view, &table, ReportFormat::Markdown)?;
        let mut answer = Answer::new(report.markdown(run));
        answer.put_all(report.head(run));
        // The text has them already.
        let text = std::mem::take(&mut answer.text);
        let (spans, hints) = (report.span_rows(), report.hint_rows());
        let functions = report.function_rows();
        let (top, of_hint) = (at(&functions, "/name"), at(&hints, "/function"));
        if of_hint.is_some() || !hints.rows.is_empty() {
            let why = "what the rules found, with what to do";
            answer.suggest("hints", json!({ "run": run }), why);
        }
        if !spans.rows.is_empty() {
            let why = "statements and requests, their callers, and N+1";
            answer.suggest("spans", json!({ "run": run }), why);
        }
        if let Some(function) = of_hint.or(top) {
            let why = "who calls it, and what it calls";
            let arguments = json!({ "run": run, "function": function });
            answer.suggest("callers_and_callees", arguments, why);
        }
        answer.suggest(
            "functions",
            json!({ "run": run, "sort": "calls" }),
            "what is called most",
        );
        answer.list("hints", first(hints, 5), 0, 0.5);
        answer.list("functions", first(functions, 10), 0, 1.0);
        answer.text = text;
        Ok(answer)
    }

    pub(super) fn functions(&self, asked: &Asked) -> Result<Answer> {
        let view = ViewArguments::default();
        let table = table(asked, asked.offset() + asked.limit());
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        let rows = report.function_rows();
        let mut answer = Answer::new(format!("Functions of {}\n\n", code(asked.run.as_bytes())));
        if rows.rows.is_empty() {
            answer
                .text
                .push_str("No function matches; ask without filter.\n");
        }
        let head = report.head(&asked.run);
        for name in ["metric", "total", "calls"] {
            answer.put(name, head[name].clone());
        }
        if let Some(name) = rows
            .rows
            .get(asked.offset())
            .and_then(|row| row.1.get("name"))
        {
            let arguments = json!({ "run": asked.run, "function": name });
            let why = "who calls it, and what it calls";
            answer.suggest("callers_and_callees", arguments.clone(), why);
            if report.has_stacks() {
                answer.suggest("call_paths", arguments, "how it is reached");
            }
        }
        answer.list("functions", rows, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn callers_and_callees(&self, asked: &Asked) -> Result<Answer> {
        let wanted = asked.function.as_deref().unwrap_or_default();
        let view = ViewArguments::default();
        let table = table(asked, asked.offset() + asked.limit());
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        let with = |function: &Value| json!({ "run": asked.run, "function": function });
        let [one, callers, callees] = match report.beside_rows(wanted)? {
            BesideRows::One(lists) => *lists,
            BesideRows::Several(rows) => {
                let number = count((rows.rows.len() + rows.others) as u64);
                let wanted = code(wanted.as_bytes());
                let mut answer =
                    Answer::new(format!("{number} functions match {wanted}: name one.\n\n"));
                if let Some(name) = rows.rows.first().and_then(|row| row.1.get("name")) {
                    answer.suggest("callers_and_callees", with(name), "the costliest of them");
                }
                answer.list("functions", rows, asked.offset(), 1.0);
                return Ok(answer);
            }
        };
        let mut answer = Answer::new("Function\n\n");
        let name = at(&one, "/name").map(Value::from);
        answer.list("functions", one, 0, 1.0);
        if let Some(name) = name.filter(|_| report.has_stacks()) {
            answer.suggest("call_paths", with(&name), "the whole paths through it");
        }
        for (side, rows) in [("callers", callers), ("callees", callees)] {
            answer
                .text
                .push_str(&format!("\n{}, shares of its cost\n\n", capital(side)));
            if let Some(name) = rows.rows.first().and_then(|row| row.1.get("name")) {
                let why = format!("the first of its {side}");
                answer.suggest("callers_and_callees", with(name), &why);
            }
            let share = if side == "callers" { 0.5 } else { 1.0 };
            answer.list(side, rows, asked.offset(), share);
        }
        Ok(answer)
    }

    pub(super) fn call_paths(&self, asked: &Asked) -> Result<Answer> {
        let view = ViewArguments::default();
        let table = table(asked, asked.limit());
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        if !report.has_stacks() {
            bail!(
                "this profile has pairs of caller and callee only, no call paths: ask \
                 callers_and_callees, or record with the mode tree"
            );
        }
        let rows = report.path_rows(asked.function.as_deref())?;
        let through = asked.function.as_deref();
        let through = through.map(|name| format!(" through {}", code(name.as_bytes())));
        let mut answer = Answer::new(format!(
            "Costliest paths from main(){}: cost with callees\n\n",
            through.unwrap_or_default()
        ));
        if let Some(name) = through_function(asked, &rows) {
            let why = "who calls it, and what it calls";
            let arguments = json!({ "run": asked.run, "function": name });
            answer.suggest("callers_and_callees", arguments, why);
        }
        answer.paths(rows, "ask with function or a higher limit");
        Ok(answer)
    }

    pub(super) fn annotate_lines(&self, asked: &Asked) -> Result<Answer> {
        let view = ViewArguments::default();
        let table = table(asked, asked.offset() + asked.limit());
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        let rows = report.line_rows(asked.function.as_deref())?;
        let of = asked.function.as_deref().unwrap_or(asked.run.as_str());
        let mut answer = Answer::new(format!("Lines of {}\n\n", code(of.as_bytes())));
        let function = rows
            .rows
            .get(asked.offset())
            .and_then(|row| row.1.pointer("/functions/0"));
        if let Some(function) = function {
            let arguments = json!({ "run": asked.run, "function": function });
            if asked.function.is_none() {
                let why = "all lines of the function of the first";
                answer.suggest("annotate_lines", arguments.clone(), why);
            }
            let why = "who calls it, and what it calls";
            answer.suggest("callers_and_callees", arguments, why);
        }
        answer.list("lines", rows, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn spans(&self, asked: &Asked) -> Result<Answer> {
        let view = ViewArguments::default();
        let table = table(asked, asked.offset() + asked.limit());
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        let rows = report.span_rows();
        let mut answer = Answer::new("Time, calls, kind, text without literals, caller\n\n");
        if rows.rows.is_empty() {
            answer.text.push_str(
                "- none: nothing matches, the program waited for nothing, or `sql` was left out of \
                 the flags\n",
            );
        }
        let repeated = rows
            .rows
            .iter()
            .flat_map(|row| row.1["n_plus_one"].as_array());
        let repeated: Vec<&Value> = repeated.flatten().collect();
        for repeat in &repeated {
            for (function, why) in [
                (
                    &repeat["parents"][0],
                    "one call of it repeats the statement: its loop",
                ),
                (&repeat["caller"], "it makes the repeated statement"),
            ] {
                let arguments = json!({ "run": asked.run, "function": function });
                answer.suggest("callers_and_callees", arguments, why);
            }
        }
        let is_plain = repeated.is_empty() && report.has_stacks();
        if let (true, Some(caller)) = (is_plain, at(&rows, "/callers/0/name")) {
            let arguments = json!({ "run": asked.run, "function": caller });
            answer.suggest("call_paths", arguments, "how the longest wait is reached");
        }
        answer.list("spans", rows, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn hints(&self, asked: &Asked) -> Result<Answer> {
        let view = ViewArguments {
            hints: true,
            ..ViewArguments::default()
        };
        let table = TableArguments {
            pattern: asked.filter.clone(),
            ..TableArguments::default()
        };
        let report = report(self.place.profile(&asked.run)?, &view, &table)?;
        let rows = report.hint_rows();
        let mut answer = Answer::new("The share is what can be saved at most.\n\n");
        if rows.rows.is_empty() {
            answer.text.push_str("- none of the rules found anything\n");
            let why = "the costliest functions, whatever the reason";
            answer.suggest("functions", json!({ "run": asked.run }), why);
        }
        for (_, hint) in rows.rows.iter().skip(asked.offset()) {
            if hint["id"] == "n-plus-one" {
                let why = "the repeated statements, with the loop";
                answer.suggest("spans", json!({ "run": asked.run }), why);
            }
            if hint["function"].is_string() {
                let arguments = json!({ "run": asked.run, "function": hint["function"] });
                answer.suggest("callers_and_callees", arguments, "the function of a hint");
            }
        }
        answer.list("hints", rows, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn differences(&self, asked: &Asked) -> Result<Answer> {
        let read = |names: &[String]| -> Result<Vec<Profile>> {
            if names.is_empty() || names.len() > MOST_RUNS {
                bail!("base and new are 1 to {MOST_RUNS} profiles each");
            }
            let read = |name: &String| {
                let mut profile = self.place.profile(name)?;
                profile.body = profile::Body::Edges(profile.edges().into_owned());
                Ok(profile)
            };
            names.iter().map(read).collect()
        };
        let sides = [read(&asked.base)?, read(&asked.new)?];
        let names = [&asked.base, &asked.new];
        let names = names.map(|side| side.iter().map(PathBuf::from).collect::<Vec<_>>());
        let arguments = DiffArguments {
            metric: chosen::<Cost>(asked.metric.as_deref()).unwrap_or_default(),
            only: chosen::<Side>(asked.only.as_deref()),
            limit: Some(asked.offset() + asked.limit()),
            pattern: asked.filter.clone(),
            ..DiffArguments::default()
        };
        let [base, new] = &sides;
        let [base_names, new_names] = &names;
        let rows = diff::rows([base, new], [base_names, new_names], &arguments)?;
        let (total, value) = rows.head;
        let mut answer = Answer::new(format!(
            "Changes from base to new\n\n{total}\nFunctions\n\n"
        ));
        answer.put_all(value);
        for (metric, is_asked, why) in [
            (
                "calls",
                Cost::Calls,
                "what is called more often: the same on every machine",
            ),
            ("memory", Cost::Memory, "what keeps more memory"),
        ] {
            if arguments.metric != is_asked {
                let sides = json!({ "base": asked.base, "new": asked.new, "metric": metric });
                answer.suggest("differences", sides, why);
            }
        }
        if let Some(name) = at(&rows.functions, "/name") {
            let arguments = json!({ "run": asked.new.first(), "function": name });
            let why = "who calls what changed most";
            answer.suggest("callers_and_callees", arguments, why);
        }
        answer.list("functions", rows.functions, asked.offset(), 0.6);
        answer
            .text
            .push_str("\nCalls of one function by another\n\n");
        answer.list("edges", rows.edges, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn regressions(&self, asked: &Asked) -> Result<Answer> {
        let findings = self.place.findings(asked.app.as_deref(), asked.since())?;
        let mut rows = findings.rows();
        if let Some(release) = &asked.release {
            rows.rows.retain(|row| row.1["release"] == *release);
        }
        let number = rows.rows.len() as u64;
        let mut answer = Answer::new(format!(
            "{} in {}\n",
            counted(number, "regression"),
            counted(findings.reports.len() as u64, "release")
        ));
        for report in findings.reports.iter().take(10) {
            let compared = crate::regressions::words::compared(report);
            answer.text.push_str(&format!(
                "- {}: {compared}\n",
                code(report.release.as_bytes())
            ));
        }
        for (_, finding) in rows.rows.iter().skip(asked.offset()) {
            let place = |side: usize| {
                let open = &finding["places"][0]["open"][side];
                let run = open["run"].as_str().or(open["file"].as_str());
                run.map(|run| self.place.run_name(run))
            };
            if let (Some(base), Some(new)) = (place(0), place(1)) {
                let why = "a usual run before the release, and one after it";
                answer.suggest("differences", json!({ "base": [base], "new": [new] }), why);
            }
        }
        answer.list("findings", rows, asked.offset(), 1.0);
        Ok(answer)
    }

    pub(super) fn run_command(
        &mut self,
        asked: &Asked,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Answer> {
        let runner = self.runner.as_mut().ok_or_else(|| {
            anyhow!("this server runs no commands: its user starts it with --allow-run for that")
        })?;
        let mode = asked.mode.as_deref().unwrap_or("tree");
        let outcome = runner.run(&asked.command, mode, asked.seconds, is_cancelled)?;
        let mut answer = self.summary(&Asked {
            run: outcome.run.clone(),
            ..Asked::default()
        })?;
        answer.put("run", outcome.run.as_str().into());
        answer.put("ending", outcome.ending.as_str().into());
        answer.put("output", outcome.output.trim().into());
        let head = format!(
            "The command {}; its profile is {}\n\n",
            outcome.ending, outcome.run
        );
        answer.text.insert_str(0, &head);
        Ok(answer)
    }
}

/// The function that paths were asked for, else the deepest of the first path.
fn through_function<'r>(asked: &'r Asked, rows: &'r Rows) -> Option<&'r str> {
    let depth = |row: &(String, Value)| row.1["depth"].as_u64();
    let mut pairs = rows.rows.windows(2);
    let end = pairs.position(|pair| depth(&pair[1]) <= depth(&pair[0]));
    let end = end.unwrap_or(rows.rows.len().saturating_sub(1));
    let deepest = rows.rows.get(end)?.1["name"].as_str();
    asked.function.as_deref().or(deepest)
}

/// The first rows.
fn first(mut rows: Rows, most: usize) -> Rows {
    rows.others += rows.rows.len().saturating_sub(most);
    rows.rows.truncate(most);
    rows
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A run in a list.
fn line(run: &RunRow) -> String {
    let mut facts: Vec<String> = run
        .started_us
        .map(formats::flamegraph::moment)
        .into_iter()
        .collect();
    let trimmed = |text: String| text.trim_end().to_owned();
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    facts.extend(run.wall_ns.map(|wall| trimmed(time(signed(wall)))));
    facts.extend(
        run.peak
            .map(|peak| format!("{} peak memory", trimmed(size(signed(peak))))),
    );
    if run.spans > 0 {
        facts.push(counted(run.spans, "span"));
    }
    if !run.status.is_empty() {
        let failed = if run.has_failed { ", failed" } else { "" };
        facts.push(format!(
            "status {}{failed}",
            printable(run.status.as_bytes())
        ));
    }
    let (name, route) = (code(run.run.as_bytes()), code(run.route.as_bytes()));
    format!("- {name}: {route}, {}\n", facts.join(", "))
}

fn with_name(run: RunRow) -> Value {
    crate::report::json::with(run.value, "run", run.run.into())
}
