//! `xhprof check --update`: raises the limits of broken budgets in the file.
//!
//! Only numbers change: comments and order stay.

use std::path::Path;

use anyhow::Result;

use super::budget::{Budget, Verdict};
use super::config::Config;
use super::result::Results;
use crate::terminal::say;

/// Writes the file with new limits, and says each of them. Returns whether all broken
/// budgets have one.
pub(super) fn run(path: &Path, text: &str, config: &Config, results: &Results) -> Result<bool> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let (mut changed, mut stay) = (0, 0);
    for (scenario, result) in results.verdicts() {
        let Verdict::Broken { measured, .. } = &result.verdict else {
            continue;
        };
        let budgets = config
            .scenarios
            .iter()
            .flat_map(|scenario| &scenario.budgets);
        let budget = budgets
            .map(|placed| &placed.budget)
            .find(|budget| budget.text == result.text);
        let new = budget.and_then(|budget| budget.with_limit(*measured));
        let place = (result.line, result.column);
        match new.filter(|new| replaced(&mut lines, place, &result.text, new)) {
            Some(new) => {
                say(&format!("{}: {} is now {new}", scenario.name, result.text));
                changed += 1;
            }
            None => {
                stay += 1;
                say(&format!(
                    "{}: {} stays: its limit is no number, or it is written over several lines",
                    scenario.name, result.text
                ));
            }
        }
    }
    if changed > 0 {
        crate::output::save_public(path, lines.join("\n").as_bytes())?;
        crate::output::say_written(path);
    }
    Ok(stay == 0)
}

/// Replaces a budget at its place, or returns false if the file has other text
/// there. A budget for several scenarios gets the largest of their limits.
fn replaced(lines: &mut [String], (line, column): (u64, u64), old: &str, new: &str) -> bool {
    let index = |number: u64| usize::try_from(number).unwrap_or_default().checked_sub(1);
    let (Some(line), Some(column)) = (index(line), index(column)) else {
        return false;
    };
    let Some(source) = lines.get_mut(line) else {
        return false;
    };
    let Some(start) = source.char_indices().map(|(start, _)| start).nth(column) else {
        return false;
    };
    // With or without a quotation mark before it.
    for start in [start, start + 1] {
        let rest = source.get(start..).unwrap_or_default();
        if rest.starts_with(old) {
            source.replace_range(start..start + old.len(), new);
            return true;
        }
    }
    // Another scenario has raised it: is that enough?
    let limit = |text: &str| {
        let number = Budget::new(text).ok()?;
        number.limit_value()
    };
    let (common, _) = old.rsplit_once(' ').unwrap_or((old, ""));
    let rest = source
        .get(start..)
        .unwrap_or_default()
        .trim_start_matches(['"', '\'']);
    let current = rest
        .starts_with(common)
        .then(|| rest.trim_end().trim_end_matches(['"', '\'']).to_owned());
    let Some(current) = current else {
        return false;
    };
    match (limit(&current), limit(new)) {
        (Some(there), Some(wanted)) if wanted > there => {
            *source = source.replacen(&current, new, 1);
            true
        }
        (Some(_), Some(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_at_the_place_changes() {
        let mut lines = vec![
            "  - edges <= 3 # few".to_owned(),
            "  - 'edges <= 3'".to_owned(),
        ];
        assert!(replaced(&mut lines, (1, 5), "edges <= 3", "edges <= 9"));
        assert!(replaced(&mut lines, (2, 5), "edges <= 3", "edges <= 7"));
        assert_eq!(lines, ["  - edges <= 9 # few", "  - 'edges <= 7'"]);
        assert!(!replaced(&mut lines, (2, 5), "calls <= 3", "calls <= 7"));
        assert!(!replaced(&mut lines, (9, 1), "edges <= 3", "edges <= 9"));
    }

    #[test]
    fn a_budget_of_several_scenarios_gets_the_largest_limit() {
        let mut lines = vec!["- edges <= 3".to_owned()];
        assert!(replaced(&mut lines, (1, 3), "edges <= 3", "edges <= 9"));
        assert!(replaced(&mut lines, (1, 3), "edges <= 3", "edges <= 5"));
        assert_eq!(lines, ["- edges <= 9"]);
        assert!(replaced(&mut lines, (1, 3), "edges <= 3", "edges <= 12"));
        assert_eq!(lines, ["- edges <= 12"]);
    }
}
