//! `xhprof check --init`: a first file, in which everything measured now is
//! allowed.

use std::ffi::OsStr;

use anyhow::{Context, Result, bail};
use profile::Profile;

use super::config::{Config, Scenario, Source};
use super::facts::Fact;
use super::{read, scenario, source_of};
use crate::args::CheckArguments;
use crate::terminal::say;
use crate::words::{quoted, quoted_line};

/// Functions that a page should not call, unless it does so now.
const UNWANTED: [&str; 5] = [
    "var_dump",
    "print_r",
    "debug_zval_refcount",
    "sleep",
    "usleep",
];

/// Writes the file.
pub(super) fn run(arguments: &CheckArguments) -> Result<()> {
    let path = &arguments.config;
    if path.exists() || path.is_symlink() {
        bail!(
            "{} exists already; --config names another file, and --update raises its limits",
            path.display()
        );
    }
    let Some(source) = source_of(arguments)? else {
        bail!("--init needs profiles, or a command: xhprof check --init -- php shop.php");
    };
    let (name, lines) = match &source {
        Source::Run(words) => {
            let words: Vec<_> = words.iter().map(Into::into).collect();
            (
                quoted_line(&words),
                // The first run fills caches, in CI as here.
                format!(
                    "    run: {}\n    warm_up: 1\n    repeat: 3\n",
                    yaml(&quoted_line(&words))
                ),
            )
        }
        Source::Profiles(files) => {
            let list: Vec<String> = files
                .iter()
                .map(|file| format!("      - {}\n", yaml(&file.display().to_string())))
                .collect();
            (
                "profiles".to_owned(),
                format!("    profiles:\n{}", list.concat()),
            )
        }
        Source::Request(_) => bail!("--init knows no requests"),
    };
    let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
    let mut scenario = Scenario::of_command_line(
        source,
        Vec::new(),
        Vec::new(),
        arguments.repeat.unwrap_or(3),
    );
    scenario.warm_up = 1;
    let runs = read(&scenario::profiles(
        &scenario,
        &arguments.php,
        temporary.path(),
    )?)?;
    let budgets: Vec<String> = budgets(&runs)
        .iter()
        .map(|budget| format!("      - {}\n", yaml(budget)))
        .collect();
    let text = format!(
        "# What each scenario may cost: `xhprof check` fails if it costs more.\n\
         scenarios:\n  - name: {}\n{lines}    budgets:\n{}",
        yaml(&name),
        budgets.concat()
    );
    Config::parse(&text, &path.display().to_string()).context("the new file would be invalid")?;
    crate::output::save_public(path, text.as_bytes())?;
    say(&format!(
        "wrote {} with {} budgets; `xhprof check{}` checks them",
        crate::output::with_size(path),
        budgets.len(),
        if path == "xhprof.yaml" {
            String::new()
        } else {
            format!(" --config {}", quoted(OsStr::new(path)))
        }
    ));
    Ok(())
}

/// Budgets that the runs keep exactly: counts as they are, sizes with a tenth
/// more.
fn budgets(runs: &[Profile]) -> Vec<String> {
    let most = |name: &str| -> Option<f64> {
        let (fact, _) = Fact::new(name, None, 0).ok()?;
        let values: Option<Vec<f64>> = runs.iter().map(|run| fact.value(run).ok()).collect();
        values?.into_iter().max_by(f64::total_cmp)
    };
    let mut budgets = Vec::new();
    for name in ["calls", "edges", "spans.sql.count"] {
        budgets.extend(most(name).map(|value| format!("{name} <= {value}")));
    }
    budgets.extend(
        most("spans.sql.repeated").map(|value| format!("spans.sql.repeated <= {}", value.max(1.0))),
    );
    let megabytes = most("memory.peak").map(|value| (value * 1.1 / 1e6).ceil());
    budgets.extend(megabytes.map(|value| format!("memory.peak <= {value}MB")));
    let is_called = |name: &str| {
        let mut symbols = runs.iter().flat_map(|run| &run.symbols);
        symbols.any(|symbol| *symbol.name == *name.as_bytes())
    };
    let unwanted: Vec<String> = UNWANTED
        .iter()
        .filter(|name| !is_called(name))
        .map(|name| format!("\"{name}\""))
        .collect();
    if !unwanted.is_empty() {
        budgets.push(format!("no_call({})", unwanted.join(", ")));
    }
    budgets
}

/// A text as YAML writes it: in single quotation marks if it would mean
/// something else.
fn yaml(text: &str) -> String {
    let is_plain = text
        .chars()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '/')
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || " _./<=()\",-+%".contains(letter))
        && !text.ends_with(' ');
    if is_plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_yaml() {
        for text in [
            "php shop.php",
            "it's",
            "a: b",
            "# no",
            "- x",
            "calls <= 3",
            "",
            "null: x",
        ] {
            let back: String = yaml_serde::from_str(&yaml(text)).unwrap();
            assert_eq!(back, text);
        }
    }
}
