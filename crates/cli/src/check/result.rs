//! What a check found, for every output.

use std::path::PathBuf;

use super::budget::Verdict;

/// A whole check.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// The file of the budgets, if there is one.
    pub(super) config: Option<PathBuf>,
    pub(super) scenarios: Vec<ScenarioResult>,
}

/// One scenario.
#[derive(Debug)]
pub(super) struct ScenarioResult {
    pub(super) name: String,
    /// How many runs decided.
    pub(super) runs: usize,
    /// How long it took.
    pub(super) seconds: f64,
    /// Its budgets, or why it could not run.
    pub(super) outcome: Result<Vec<BudgetResult>, String>,
    /// Files that were kept.
    pub(super) artifacts: Vec<PathBuf>,
}

/// One budget of a scenario.
#[derive(Debug)]
pub(super) struct BudgetResult {
    pub(super) text: String,
    /// Its line in the file; zero if it is of the command line.
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) verdict: Verdict,
}

/// How a check ended: the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Kept = 0,
    /// A scenario could not run.
    Failed = 1,
    /// A budget is broken.
    Broken = 3,
    /// No budget is broken, but one could not be decided.
    Undecided = 4,
}

impl Results {
    /// The exit code: what is broken weighs more than what could not run.
    pub(super) fn ending(&self) -> Ending {
        let mut verdicts = self.verdicts().map(|(_, budget)| &budget.verdict);
        if verdicts.any(|verdict| matches!(verdict, Verdict::Broken { .. })) {
            Ending::Broken
        } else {
            self.ending_of_others()
        }
    }

    /// The exit code without the broken budgets.
    pub(super) fn ending_of_others(&self) -> Ending {
        let mut verdicts = self.verdicts().map(|(_, budget)| &budget.verdict);
        if self
            .scenarios
            .iter()
            .any(|scenario| scenario.outcome.is_err())
        {
            Ending::Failed
        } else if verdicts.any(|verdict| matches!(verdict, Verdict::Undecided(_))) {
            Ending::Undecided
        } else {
            Ending::Kept
        }
    }

    /// All budgets with their scenarios.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (&ScenarioResult, &BudgetResult)> {
        self.scenarios.iter().flat_map(|scenario| {
            let budgets = scenario.outcome.iter().flatten();
            budgets.map(move |budget| (scenario, budget))
        })
    }
}

impl BudgetResult {
    /// One line about what is wrong; none if nothing is.
    pub(super) fn problem(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Kept { .. } => None,
            Verdict::Broken {
                value,
                limit,
                excess,
                ..
            } => Some(format!(
                "{}: {value}, {limit} is allowed ({excess})",
                self.text
            )),
            Verdict::Undecided(why) => Some(format!("{}: not decided: {why}", self.text)),
        }
    }
}

impl ScenarioResult {
    /// The command that shows the culprit.
    pub(super) fn command(&self, budget: &BudgetResult) -> Option<String> {
        let profile = self
            .artifacts
            .iter()
            .find(|path| path.extension().is_some_and(|ending| ending == "xhp"))?;
        let profile = crate::words::quoted(profile.as_os_str());
        let Verdict::Broken { culprits, .. } = &budget.verdict else {
            return None;
        };
        if budget.text.starts_with("spans.") {
            return Some(format!("xhprof report {profile} --spans"));
        }
        let function = culprits.function.as_ref()?;
        let function = crate::words::quoted(std::ffi::OsStr::new(function));
        Some(format!("xhprof report {profile} --callers {function}"))
    }
}
