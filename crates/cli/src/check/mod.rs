//! `xhprof check`: runs scenarios and holds their profiles against budgets.
//!
//! Counts of calls, statements and edges are exact, so they decide by
//! themselves. Times decide only against the spread of several runs.
//!
//! **Invariant:** a budget that cannot be decided is never kept: the exit code
//! says so.

mod artifacts;
mod budget;
mod config;
mod culprits;
mod facts;
mod init;
mod language;
mod mistakes;
mod output;
mod places;
mod request;
mod result;
mod scenario;
mod statistics;
mod update;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use profile::Profile;

use crate::args::CheckArguments;
use crate::terminal::{printable, say};
use crate::{directory, input, pager};
use budget::{Budget, Verdict};
use config::{Config, DEFAULT_NOISE, Scenario, Source};
use places::PlacedBudget;
use result::{BudgetResult, Ending, Results, ScenarioResult};

/// Checks, and prints the results; the exit code says how it ended.
pub(crate) fn run(arguments: &CheckArguments) -> Result<u8> {
    let configured = if arguments.init {
        init::run(arguments).map(|()| None)
    } else {
        configured(arguments).map(Some)
    };
    let (mut config, source) = match configured {
        Ok(Some(configured)) => configured,
        Ok(None) => return Ok(0),
        Err(error) => {
            say_lines(&format!("error: {error:#}"));
            return Ok(Ending::Failed as u8);
        }
    };
    if let Some(only) = &arguments.only {
        config
            .scenarios
            .retain(|scenario| scenario.name.contains(only));
        if config.scenarios.is_empty() {
            bail!("no scenario has \"{only}\" in its name");
        }
    }
    if let Some(repeat) = arguments.repeat {
        for scenario in &mut config.scenarios {
            scenario.repeat = repeat;
        }
    }
    let results = Results {
        scenarios: checked(&config, arguments)?,
        config: source.as_ref().map(|(path, _)| path.clone()),
    };
    report(&results, arguments)?;
    let is_raised = match (arguments.update, &source) {
        (true, Some((path, text))) => update::run(path, text, &config, &results)?,
        _ => false,
    };
    let ending = if is_raised {
        results.ending_of_others()
    } else {
        results.ending()
    };
    Ok(ending as u8)
}

/// Prints an error of several lines: a mark below a column of the budget, or the output of a
/// command.
fn say_lines(text: &str) {
    let mut lines = text.lines();
    say(lines.next().unwrap_or_default());
    for line in lines {
        // As in `say`: there is no other stream to report an error on.
        let _ = writeln!(std::io::stderr(), "{}", printable(line.as_bytes()));
    }
}

/// The scenarios of the file, or one of the command line; and the file.
fn configured(arguments: &CheckArguments) -> Result<(Config, Option<(PathBuf, String)>)> {
    let source = source_of(arguments)?;
    let Some(source) = source else {
        if !arguments.budget.is_empty() {
            // `--base` takes all files that follow it.
            let base = if arguments.base.is_empty() {
                ""
            } else {
                "; PROFILES come before --base"
            };
            bail!(
                "--budget is for PROFILES or a COMMAND; the budgets of scenarios are in the file{base}"
            );
        }
        let text = config::read(&arguments.config)?;
        let config = Config::parse(&text, &arguments.config.display().to_string())?;
        return Ok((config, Some((arguments.config.clone(), text))));
    };
    if arguments.budget.is_empty() {
        bail!("PROFILES and COMMAND need a --budget, such as --budget 'spans.sql.repeated <= 1'");
    }
    let budgets = arguments.budget.iter().map(|text| {
        let budget = Budget::new(text)
            .map_err(|error| anyhow!("--budget: {}", mistakes::pointed(text, &error, None)))?;
        Ok(PlacedBudget {
            budget,
            line: 0,
            column: 0,
        })
    });
    let budgets = budgets.collect::<Result<Vec<_>>>()?;
    let repeat = arguments.repeat.unwrap_or(1);
    let scenario = Scenario::of_command_line(source, arguments.base.clone(), budgets, repeat);
    let config = Config {
        scenarios: vec![scenario],
        parallel: 1,
        max_noise: DEFAULT_NOISE,
    };
    Ok((config, None))
}

/// What the command line names to profile.
fn source_of(arguments: &CheckArguments) -> Result<Option<Source>> {
    if !arguments.profiles.is_empty() {
        let files = directory::files(&arguments.profiles, None)?;
        return Ok(Some(Source::Profiles(
            files.into_iter().map(|file| file.path).collect(),
        )));
    }
    if arguments.command.is_empty() {
        return Ok(None);
    }
    let words = arguments
        .command
        .iter()
        .map(|word| word.to_str().map(str::to_owned));
    let words: Option<Vec<String>> = words.collect();
    let words = words.context("the command has a word that is not UTF-8")?;
    Ok(Some(Source::Run(words)))
}

/// Runs all scenarios, several at once if the file says so.
fn checked(config: &Config, arguments: &CheckArguments) -> Result<Vec<ScenarioResult>> {
    let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<ScenarioResult>>> =
        Mutex::new(config.scenarios.iter().map(|_| None).collect());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(scenario) = config.scenarios.get(number) else {
                return;
            };
            let result = one(scenario, config, arguments, temporary.path());
            if let Ok(mut results) = results.lock()
                && let Some(place) = results.get_mut(number)
            {
                *place = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..config.parallel.min(config.scenarios.len()) {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_default();
    Ok(results.into_iter().flatten().collect())
}

fn one(
    scenario: &Scenario,
    config: &Config,
    arguments: &CheckArguments,
    temporary: &Path,
) -> ScenarioResult {
    let began = Instant::now();
    let mut result = ScenarioResult {
        name: scenario.name.clone(),
        runs: 0,
        seconds: 0.0,
        outcome: Ok(Vec::new()),
        artifacts: Vec::new(),
    };
    let outcome = judged(scenario, config, arguments, temporary, &mut result);
    result.seconds = began.elapsed().as_secs_f64();
    if let Err(error) = outcome {
        result.outcome = Err(format!("{error:#}"));
    }
    result
}

fn judged(
    scenario: &Scenario,
    config: &Config,
    arguments: &CheckArguments,
    temporary: &Path,
    result: &mut ScenarioResult,
) -> Result<()> {
    let slug = slug(&scenario.name);
    let own = temporary.join(&slug);
    std::fs::create_dir(&own).context("cannot create a temporary directory")?;
    let files = scenario::profiles(scenario, &arguments.php, &own)?;
    let base = base_of(scenario, config, arguments, &slug)?;
    let runs = read(&files)?;
    let base_runs = read(&base)?;
    result.runs = runs.len();
    let budgets: Vec<BudgetResult> = scenario
        .budgets
        .iter()
        .map(|placed| BudgetResult {
            text: placed.budget.text.clone(),
            line: placed.line,
            column: placed.column,
            verdict: placed.budget.verdict(&runs, &base_runs, config.max_noise),
        })
        .collect();
    if let Some(directory) = &arguments.save {
        artifacts::save(&files, &directory.join(&slug))?;
    }
    let is_failed = budgets
        .iter()
        .any(|budget| matches!(budget.verdict, Verdict::Broken { .. }));
    if let (true, Some(directory)) = (is_failed, &arguments.artifacts) {
        result.artifacts = artifacts::keep(&files, &base, &directory.join(&slug))?;
    } else if let Source::Profiles(files) = &scenario.source {
        result.artifacts.clone_from(files);
    }
    result.outcome = Ok(budgets);
    Ok(())
}

/// The files of the scenario's base: its own, those of `--base DIR/scenario`,
/// or `--base` itself if there is one scenario.
fn base_of(
    scenario: &Scenario,
    config: &Config,
    arguments: &CheckArguments,
    slug: &str,
) -> Result<Vec<PathBuf>> {
    let given: &[PathBuf] = if scenario.base.is_empty() {
        &arguments.base
    } else {
        &scenario.base
    };
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let below: Vec<PathBuf> = given
        .iter()
        .map(|path| path.join(slug))
        .filter(|path| path.is_dir())
        .collect();
    let paths = if !below.is_empty() {
        below
    } else if config.scenarios.len() == 1 || !scenario.base.is_empty() {
        given.to_vec()
    } else if scenario
        .budgets
        .iter()
        .any(|placed| placed.budget.needs_base())
    {
        bail!(
            "--base has no directory {slug}: `xhprof check --save DIR` writes one for each scenario"
        );
    } else {
        return Ok(Vec::new());
    };
    let files = directory::files(&paths, None).with_context(|| {
        format!("--base has no directory {slug}, which `xhprof check --save DIR` writes, and")
    })?;
    Ok(files.into_iter().map(|file| file.path).collect())
}

fn read(files: &[PathBuf]) -> Result<Vec<Profile>> {
    files
        .iter()
        .map(|file| input::read_without_progress(file))
        .collect()
}

/// A scenario's name as a directory.
fn slug(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let text: String = letters.collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

/// Prints the results and writes the files that were asked for.
fn report(results: &Results, arguments: &CheckArguments) -> Result<()> {
    let printed = pager::print(false, |look| {
        let mut text = output::text::render(results, look);
        if arguments.github {
            text.push_str(&output::github::annotations(results));
        }
        Ok(text)
    });
    // The files and the exit code are for others than the reader of the text.
    crate::output::even_if_not_read(printed)?;
    let json = |value: serde_json::Value| format!("{value:#}\n").into_bytes();
    let files = [
        (&arguments.junit, output::junit::render(results)?),
        (&arguments.sarif, json(output::sarif::render(results))),
        (&arguments.gitlab, json(output::gitlab::render(results))),
        (
            &arguments.markdown,
            output::markdown::render(results).into_bytes(),
        ),
    ];
    for (path, bytes) in files {
        if let Some(path) = path {
            artifacts::make_directory(path.parent())?;
            crate::output::write(path, |out| Ok(out.write_all(&bytes)?))?;
            crate::output::say_written(path);
        }
    }
    if arguments.github {
        match std::env::var_os("GITHUB_STEP_SUMMARY") {
            Some(path) => {
                let file = std::fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(&path);
                let written = file.and_then(|mut file| {
                    file.write_all(output::markdown::render(results).as_bytes())
                });
                written.with_context(|| format!("cannot add to {}", Path::new(&path).display()))?;
            }
            None => say(
                "--github: the environment has no GITHUB_STEP_SUMMARY, so no summary is written",
            ),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_name_of_a_directory() {
        assert_eq!(slug("Front page: /a/../b"), "front-page-a-b");
        assert_eq!(slug("../.."), "");
    }
}
