//! Hints: a few lines below the functions, or all of them with `--hints`.

use profile::{Profile, SymbolId};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;
use view::{Evidence, EvidenceValue, Hint};

use super::json::with;
use super::pattern::Pattern;
use crate::terminal::{Look, Style, printable};
use crate::units::{counted, percent};

/// How many hints are printed below the functions.
const BELOW: usize = 3;
/// The columns before a hint's lines: its share and two blanks.
const INDENT: usize = 8;

/// The hints on a profile.
pub(super) struct HintList<'p> {
    profile: &'p Profile,
    hints: Vec<&'p Hint>,
}

impl<'p> HintList<'p> {
    /// Those about functions that match the pattern.
    pub(super) fn new(profile: &'p Profile, hints: &'p [Hint], pattern: Option<&Pattern>) -> Self {
        let mut hints: Vec<&Hint> = hints.iter().collect();
        if let Some(pattern) = pattern {
            hints.retain(|hint| {
                let texts = hint.evidence.iter().filter_map(|item| match &item.value {
                    EvidenceValue::Text(text) => Some(text.as_bytes()),
                    _ => None,
                });
                let function = function(profile, hint).into_iter();
                function.chain(texts).any(|name| pattern.matches(name))
            });
        }
        Self { profile, hints }
    }

    /// The first ones, for the end of the usual report; empty if there are none.
    pub(super) fn render_below(&self, look: Look) -> String {
        if self.hints.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n\n", look.paint(Style::Bold, "hints"));
        for hint in self.hints.iter().take(BELOW) {
            text.push_str(&lines(hint, look));
        }
        let others = self.hints.len().saturating_sub(BELOW);
        let note = if others > 0 {
            format!(
                "… {}; --hints lists all",
                counted(others as u64, "more hint")
            )
        } else {
            "… --hints says what to do".to_owned()
        };
        text.push_str(&look.paint(Style::Faint, &note));
        text.push('\n');
        text
    }

    /// All hints with their advice: for `--hints`.
    pub(super) fn render(&self, look: Look) -> String {
        if self.hints.is_empty() {
            return "no hints\n".to_owned();
        }
        let mut text = format!("{}\n\n", look.paint(Style::Bold, "hints"));
        for hint in &self.hints {
            text.push_str(&lines(hint, look));
            let advice = hint.text.split(' ').map(str::to_owned);
            let advice = wrapped(advice.collect(), " ", look);
            let rule = look.paint(Style::Faint, &format!("docs/hints.md: {}", hint.id));
            text.push_str(&format!("{advice}{:INDENT$}{rule}\n\n", ""));
        }
        text.pop();
        text
    }

    /// Adds the hints to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let hints = self.rows().map(|(_, value)| value);
        with(report, "hints", hints.collect::<Vec<Value>>().into())
    }

    /// Each hint, and as JSON.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'p Hint, Value)> {
        self.hints.iter().map(|hint| {
            let function = function(self.profile, hint).map(String::from_utf8_lossy);
            let evidence = hint.evidence.iter().map(|evidence| {
                json!({
                    "label": evidence.label,
                    "value": evidence.value,
                    "unit": evidence.unit,
                })
            });
            let value = json!({
                "id": hint.id,
                "title": hint.title,
                "text": hint.text,
                "function": function,
                "share": hint.share,
                "evidence": evidence.collect::<Vec<Value>>(),
            });
            (*hint, value)
        })
    }
}

/// The name of the function to look at.
fn function<'p>(profile: &'p Profile, hint: &Hint) -> Option<&'p [u8]> {
    Some(profile.name(SymbolId(hint.function?)))
}

/// The title with its share, and the evidence below.
fn lines(hint: &Hint, look: Look) -> String {
    let share = match hint.share {
        Some(share) => percent(share * 100.0),
        None => "all".to_owned(),
    };
    let title = hint.title.split(' ').map(printed).collect();
    let title = wrapped(title, " ", look);
    let title = title.trim_start();
    let evidence = hint.evidence.iter().map(Evidence::said).collect();
    let evidence = wrapped(evidence, " · ", look);
    format!("{share:>6}  {title}{evidence}")
}

fn printed(text: &str) -> String {
    printable(text.as_bytes())
}

/// Indented lines that fit the terminal. A word longer than a line is not cut.
fn wrapped(parts: Vec<String>, separator: &str, look: Look) -> String {
    let room = look.width.saturating_sub(INDENT);
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + separator.width() + part.width() <= room => {
                line.push_str(separator);
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    let lines = lines.iter().map(|line| format!("{:INDENT$}{line}\n", ""));
    lines.collect()
}
