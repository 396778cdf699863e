//! `xhprof doctor`: checks the installation and reports faults.
//!
//! PHP answers every question: which settings it reads and whether the
//! extension loads depends on its build, its php.ini and its environment. The
//! command changes nothing.

mod checks;
mod facts;
mod fpm;
pub(crate) mod ini;
mod pools;
mod settings;

use std::io::{self, Write};

use anyhow::{Context, Result};

use crate::args::DoctorArguments;
use crate::extension::Extension;
use crate::output;
use crate::php::{Php, Sapi};
use crate::terminal::{Look, Style, printable};
use crate::units::counted;
pub(crate) use facts::Facts;
pub(crate) use fpm::every as every_fpm;
use ini::Directive;
use settings::{Known, Subject};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grade {
    Good,
    Warning,
    Wrong,
}

/// The result of one check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) grade: Grade,
    /// The observation.
    pub(crate) what: String,
    /// What to do, or what it means.
    pub(crate) advice: Option<String>,
    /// Names and values that belong to the finding.
    pub(crate) details: Vec<(String, String)>,
}

impl Finding {
    fn new(grade: Grade, what: impl Into<String>) -> Self {
        Self {
            grade,
            what: what.into(),
            advice: None,
            details: Vec::new(),
        }
    }

    fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    fn detail(mut self, details: Vec<(String, String)>) -> Self {
        self.details = details;
        self
    }
}

/// The users of php-fpm's pools, as far as they can be read.
pub(crate) fn pool_users(php: &Php, ini_path: &str) -> Vec<String> {
    let pools = pools::of(php, None, ini_path).unwrap_or_default();
    pools.into_iter().filter_map(|pool| pool.user).collect()
}

/// Prints all findings; the exit code is 1 if one of them is a fault.
pub(crate) fn run(arguments: &DoctorArguments) -> Result<u8> {
    let php = match &arguments.php_fpm {
        Some(binary) => Php::new(&fpm::binary(binary)?),
        None => Php::new(&arguments.php.php),
    };
    let mut findings = Vec::new();
    match Extension::find(&php, arguments.php.extension.as_deref()) {
        Ok(extension) => match Facts::ask(&php, &extension.options()) {
            Ok(facts) => {
                findings.push(checks::php(&facts));
                findings.push(checks::extension(&extension, php.sapi(), &facts));
                findings.extend(checks::rows(&extension.information));
                let directives = ini::directives(&facts.ini_files());
                let unseen = settings::overridden(&directives);
                findings.push(checks::settings(&extension.information, unseen));
                findings.extend(checks::environment(&facts, php.sapi()));
                let settings = of_settings(&php, &facts, &extension, &directives, arguments);
                findings.extend(settings);
            }
            Err(error) => findings.push(Finding::new(Grade::Wrong, format!("{error:#}"))),
        },
        Err(error) => {
            // The checks that need no extension are made in any case.
            let facts = Facts::ask(&php, &[]);
            findings.extend(facts.iter().map(checks::php));
            findings.push(Finding::new(Grade::Wrong, format!("{error:#}")));
            let about = facts.iter();
            findings.extend(about.flat_map(|facts| checks::environment(facts, php.sapi())));
        }
    }
    let mut out = io::stdout().lock();
    let look = Look::of(&out);
    let of_grade = |grade| {
        findings
            .iter()
            .filter(move |finding| finding.grade == grade)
    };
    let (wrong, good) = (
        of_grade(Grade::Wrong).count(),
        of_grade(Grade::Good).count(),
    );
    let mut text = rendered(&answer(&findings, php.sapi()), look);
    if arguments.verbose {
        text.extend(findings.iter().map(|finding| rendered(finding, look)));
    } else {
        let rest = of_grade(Grade::Wrong).chain(of_grade(Grade::Warning));
        text.extend(rest.map(|finding| rendered(finding, look)));
        if good > 0 {
            let note = format!(
                "… {} without a finding; --verbose lists all",
                counted(good as u64, "check")
            );
            text.push_str(&format!("{}\n", look.paint(Style::Faint, &note)));
        }
    }
    let printed = out.write_all(text.as_bytes());
    output::even_if_not_read(printed.context("cannot write to standard output"))?;
    Ok(u8::from(wrong > 0))
}

/// The first line: whether programs can be profiled here.
fn answer(findings: &[Finding], sapi: Sapi) -> Finding {
    let of_grade = |grade| {
        findings
            .iter()
            .filter(|finding| finding.grade == grade)
            .count()
    };
    let warnings = match of_grade(Grade::Warning) {
        0 => String::new(),
        number => format!(", with {}", counted(number as u64, "warning")),
    };
    match (of_grade(Grade::Wrong), sapi) {
        (0, Sapi::CommandLine) => Finding::new(
            Grade::Good,
            format!("xhprof works here{warnings}: `xhprof run -- script.php` profiles a script"),
        ),
        (0, _) => Finding::new(Grade::Good, format!("xhprof works here{warnings}")),
        (wrong, _) => Finding::new(
            Grade::Wrong,
            format!(
                "xhprof does not work as it is set up: {}{warnings}",
                counted(wrong as u64, "fault")
            ),
        ),
    }
}

/// Checks the settings in the configuration files; with php-fpm, those of each
/// pool.
fn of_settings(
    php: &Php,
    facts: &Facts,
    extension: &Extension,
    directives: &[Directive],
    arguments: &DoctorArguments,
) -> Vec<Finding> {
    let known = Known::of(&extension.information);
    let mut findings = settings::unknown(directives, &known);
    let subject = |pool| Subject {
        known: &known,
        directives,
        pool,
        temporary: facts.get("temporary"),
        is_web: php.sapi() != Sapi::CommandLine,
    };
    if php.sapi() != Sapi::Fpm {
        findings.extend(subject(None).findings());
        return findings;
    }
    match pools::of(php, arguments.fpm_config.as_deref(), facts.get("ini path")) {
        Ok(pools) if pools.is_empty() => {
            findings.push(Finding::new(Grade::Wrong, "php-fpm has no pool"));
        }
        Ok(pools) => {
            for pool in &pools {
                findings.extend(settings::unknown(&pool.directives, &known));
                findings.extend(settings::without_effect(&pool.directives));
                findings.extend(subject(Some(pool)).findings());
            }
        }
        Err(reason) => {
            let what = format!("the pools of php-fpm are unknown: {reason}");
            findings.push(Finding::new(Grade::Warning, what));
            findings.extend(subject(None).findings());
        }
    }
    findings
}

fn rendered(finding: &Finding, look: Look) -> String {
    let (mark, style) = match finding.grade {
        Grade::Good => ("✓", Style::Good),
        Grade::Warning => ("!", Style::Warm),
        Grade::Wrong => ("✗", Style::Hot),
    };
    let what = printable(finding.what.as_bytes());
    let mut text = format!("{} {what}\n", look.paint(style, mark));
    if let Some(advice) = &finding.advice {
        let advice = printable(advice.as_bytes());
        text.push_str(&format!("  {}\n", look.paint(Style::Faint, &advice)));
    }
    let width = finding
        .details
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    for (name, value) in &finding.details {
        let (name, value) = (printable(name.as_bytes()), printable(value.as_bytes()));
        let name = look.paint(Style::Faint, &format!("{name:<width$}"));
        text.push_str(&format!("    {name}  {value}\n"));
    }
    text
}
