//! Where in `xhprof.yaml` each budget stands: the reader of YAML does not tell.

use std::collections::HashMap;

use anyhow::{Result, anyhow};

use super::budget::Budget;
use super::mistakes;

/// A budget, and where it is in the file.
#[derive(Debug, Clone)]
pub(super) struct PlacedBudget {
    pub(super) budget: Budget,
    /// Line and column from one; zero for a budget of the command line.
    pub(super) line: u64,
    pub(super) column: u64,
}

/// The text of a file, and how many budgets of the same words were found in it so far.
pub(super) struct Places<'a> {
    text: &'a str,
    name: &'a str,
    found: HashMap<String, usize>,
}

impl<'a> Places<'a> {
    /// `name` is for errors.
    pub(super) fn new(text: &'a str, name: &'a str) -> Self {
        let found = HashMap::new();
        Self { text, name, found }
    }

    /// Reads a list of budgets; an error points to its line and column.
    pub(super) fn budgets(&mut self, list: &[String]) -> Result<Vec<PlacedBudget>> {
        list.iter().map(|budget| self.placed(budget)).collect()
    }

    fn placed(&mut self, words: &str) -> Result<PlacedBudget> {
        let before = self.found.entry(words.to_owned()).or_default();
        let place = places_of(words, self.text).nth(*before);
        *before += 1;
        match Budget::new(words) {
            Ok(budget) => {
                let (line, column) = place.unwrap_or_default();
                Ok(PlacedBudget {
                    budget,
                    line,
                    column,
                })
            }
            Err(error) => {
                let place = place.map(|(line, column)| (self.name, self.text, line, column));
                let pointed = mistakes::pointed(words, &error, place);
                Err(match place {
                    Some(_) => anyhow!(pointed),
                    None => anyhow!("{}: {pointed}", self.name),
                })
            }
        }
    }
}

/// Line and column, from one, of each item of a list that has these words: as they are, or
/// inside of quotation marks. An item of several lines is not found.
fn places_of<'t>(words: &'t str, text: &'t str) -> impl Iterator<Item = (u64, u64)> + 't {
    let spellings = [
        words.to_owned(),
        words.replace('\'', "''"),
        words.replace('\\', "\\\\").replace('"', "\\\""),
    ];
    text.lines().zip(1..).flat_map(move |(line, number)| {
        let mut columns: Vec<usize> = spellings
            .iter()
            .flat_map(|spelling| line.match_indices(spelling.as_str()))
            .filter(|(at, found)| {
                let before = line[..*at].trim_end_matches(['\'', '"']);
                let after = line[at + found.len()..].trim_start_matches(['\'', '"']);
                let is_comment = before.contains(" #") || before.trim_start().starts_with('#');
                let begins = before.trim_end().ends_with(['-', '[', ',']);
                let ends = after.trim_start();
                begins && !is_comment && (ends.is_empty() || ends.starts_with([',', ']', '#']))
            })
            .map(|(at, _)| line[..at].chars().count() + 1)
            .collect();
        columns.sort_unstable();
        columns.dedup();
        columns
            .into_iter()
            .map(move |column| (number, u64::try_from(column).unwrap_or(u64::MAX)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_found_where_it_stands_and_not_inside_of_another() {
        let text = "# - edges <= 1\nbudgets: [edges <= 12, \"edges <= 1\"]\na:\n  - edges <= 1 # so\n  - 'wall(\"it''s\") < 2'\n";
        let all = |words: &'static str| places_of(words, text).collect::<Vec<_>>();
        assert_eq!(all("edges <= 1"), [(2, 25), (4, 5)]);
        assert_eq!(all("edges <= 12"), [(2, 11)]);
        assert_eq!(all("wall(\"it's\") < 2"), [(5, 6)]);
        assert_eq!(all("edges"), []);
    }
}
