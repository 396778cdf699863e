//! `xhprof init`: finds the PHPs, their servers and the framework of a project, and writes the
//! first files: ini files, budgets, a line of `.gitignore`.
//!
//! **Invariant:** only what the plan names is written, and only if it is new or a line of the
//! user's own `.gitignore`. If one step fails, those before it are taken back.

mod plan;
mod project;
mod servers;
mod write;

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, Result, bail};

use crate::args::InitArguments;
use crate::terminal::printable;
use plan::Plan;
use project::Project;
use write::Step;

/// Finds, shows, asks and writes.
pub(crate) fn run(arguments: &InitArguments) -> Result<()> {
    let project = Project::find(&arguments.project)?;
    let servers = servers::find(&arguments.php, arguments.extension.as_deref());
    let plan = Plan::new(&project, &servers, arguments.profiles.as_deref())?;
    let mut out = io::stdout().lock();
    show(&mut out, &plan)?;
    if plan.steps.is_empty() {
        tell(&mut out, "nothing to write")?;
        return notes(&mut out, &plan.notes);
    }
    if arguments.dry_run {
        for step in &plan.steps {
            let Some(text) = step.text() else { continue };
            writeln!(out)?;
            tell(&mut out, &format!("{}:", step.path().display()))?;
            for line in text.lines() {
                tell(&mut out, &format!("  {line}"))?;
            }
        }
        writeln!(out)?;
        tell(&mut out, "nothing was written: --dry-run")?;
        return notes(&mut out, &plan.notes);
    }
    if !arguments.yes && !is_wanted(&mut out)? {
        return tell(&mut out, "nothing was written");
    }
    write::perform(&plan.steps).context("nothing was written")?;
    tell(&mut out, "written. The way back:")?;
    for step in plan.steps.iter().rev() {
        tell(&mut out, &format!("  {}", step.way_back()))?;
    }
    notes(&mut out, &plan.notes)?;
    if !plan.next.is_empty() {
        tell(&mut out, "next:")?;
        for line in &plan.next {
            tell(&mut out, &format!("  {line}"))?;
        }
    }
    Ok(())
}

fn show(out: &mut impl Write, plan: &Plan) -> Result<()> {
    for line in &plan.found {
        tell(out, line)?;
    }
    if !plan.steps.is_empty() {
        tell(out, "to be written:")?;
    }
    let width = |step: &Step| step.path().display().to_string().chars().count();
    let width = plan.steps.iter().map(width).max().unwrap_or(0);
    for step in &plan.steps {
        let path = step.path().display().to_string();
        tell(out, &format!("  {path:<width$}  {}", step.purpose()))?;
    }
    Ok(())
}

fn notes(out: &mut impl Write, notes: &[String]) -> Result<()> {
    notes.iter().try_for_each(|note| tell(out, note))
}

fn tell(out: &mut impl Write, line: &str) -> Result<()> {
    writeln!(out, "{}", printable(line.as_bytes())).context("cannot write to standard output")
}

/// The one question.
fn is_wanted(out: &mut impl Write) -> Result<bool> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        bail!("nothing was written: there is no terminal to ask; --yes writes, --dry-run shows");
    }
    write!(out, "write them? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}
