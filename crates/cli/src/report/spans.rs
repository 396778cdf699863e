//! What the calls waited for: a few lines below the functions, or the whole
//! list with `--spans`.

use profile::{FlatTable, LeftOut, Metric, Profile, SpanGroup};
use serde_json::{Value, json};

use super::functions::total;
use super::json::{head, with};
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::TableArguments;
use crate::terminal::{Look, Style, printable};
use crate::units::{count, counted, percent, time};

/// How many texts stand below the functions.
const BELOW: usize = 10;
/// How many are shown unless said otherwise.
const LIMIT: usize = 25;

/// The spans of a profile, those that wait for the same as one.
pub(super) struct SpanTable<'p> {
    profile: &'p Profile,
    shown: Vec<SpanGroup<'p>>,
    /// Spans and their time, of all that match.
    spans: u64,
    time: u64,
    /// How many groups the limit left out, and their time.
    cut: (usize, u64),
    has_callers: bool,
}

impl<'p> SpanTable<'p> {
    /// For `--spans`.
    pub(super) fn new(
        profile: &'p Profile,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Self {
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        Self::of(profile, limit, pattern, true)
    }

    /// For the end of the usual report; none if there are no spans.
    pub(super) fn below(profile: &'p Profile, pattern: Option<&Pattern>) -> Option<Self> {
        let is_there = !profile.spans.is_empty() && pattern.is_none();
        is_there.then(|| Self::of(profile, BELOW, None, false))
    }

    fn of(
        profile: &'p Profile,
        limit: usize,
        pattern: Option<&Pattern>,
        has_callers: bool,
    ) -> Self {
        let mut shown = profile.spans.groups();
        shown.retain(|group| {
            let matches = |pattern: &Pattern| {
                pattern.matches(group.text) || pattern.matches(profile.name(group.symbol))
            };
            pattern.is_none_or(matches)
        });
        let sum = |groups: &[SpanGroup<'_>]| {
            let times = groups.iter().map(|group| group.total);
            times.fold(0, u64::saturating_add)
        };
        let spans = shown.iter().map(|group| group.calls).sum();
        let time = sum(&shown);
        let others = shown.split_off(shown.len().min(limit));
        Self {
            profile,
            shown,
            spans,
            time,
            cut: (others.len(), sum(&others)),
            has_callers,
        }
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look) -> String {
        let LeftOut { count, duration } = self.profile.spans.left_out;
        let mut facts = vec![counted(self.spans, "span"), nanoseconds(self.time)];
        if count > 0 {
            facts.push(format!(
                "{} more, {}, beyond a limit",
                crate::units::count(count),
                nanoseconds(duration)
            ));
        }
        let head = look.paint(Style::Bold, "waited for");
        let head = format!("{head}  {}\n\n", facts.join(" · "));
        if self.shown.is_empty() {
            return head + "no span matches\n";
        }
        head + &self.table().render(look)
    }

    fn table(&self) -> Table {
        let columns = vec![
            Column::new("calls").dispensable(1),
            Column::new("time   ").sorted_by(true),
            Column::new("%").dispensable(2),
            Column::new("longest").dispensable(3),
            Column::new("rows").dispensable(4),
        ];
        let whole = total(self.profile, Metric::Wall);
        let rows = self.shown.iter().map(|group| {
            let share = FlatTable::percent(signed(group.total), whole);
            let name = self.label(group);
            let caller = group.callers.first().filter(|_| self.has_callers);
            let caller = caller.map(|caller| {
                let others = group.callers.len().saturating_sub(1);
                let name = printable(self.profile.name(caller.symbol));
                if others > 0 {
                    format!("{name} +{others}")
                } else {
                    name
                }
            });
            let (name, callee) = match caller {
                Some(caller) => (caller, Some(name)),
                None => (name, None),
            };
            Row {
                cells: vec![
                    Cell::plain(count(group.calls)),
                    Cell::amount(time(signed(group.total))),
                    Cell::share(share),
                    Cell::amount(time(signed(group.max))),
                    Cell::plain(group.rows.map(count).unwrap_or_default()),
                ],
                depth: 0,
                name,
                callee,
            }
        });
        let (others, time) = self.cut;
        let note = (others > 0).then(|| {
            let share = percent(FlatTable::percent(signed(time), signed(self.time)));
            let more = counted(others as u64, "more text");
            let how = if self.has_callers {
                "--limit 0 shows"
            } else {
                "--spans lists"
            };
            format!("{more}, {share} of the time; {how} all")
        });
        Table {
            title: if self.has_callers {
                "caller → what for"
            } else {
                "what for"
            },
            columns,
            rows: rows.collect(),
            notes: note.into_iter().collect(),
        }
    }

    /// `sql SELECT …`; without a text, the function.
    fn label(&self, group: &SpanGroup<'_>) -> String {
        let text = if group.text.is_empty() {
            self.profile.name(group.symbol)
        } else {
            group.text
        };
        format!("{} {}", group.kind.name(), printable(text))
    }

    /// For programs.
    pub(super) fn json(&self, title: &str) -> Value {
        self.add_to(head(self.profile, title, Metric::Wall))
    }

    /// Adds what there is to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
        let spans = self.shown.iter().map(|group| {
            let callers = group.callers.iter().map(|caller| {
                json!({
                    "name": text(self.profile.name(caller.symbol)),
                    "calls": caller.calls,
                    "total_ns": caller.total,
                })
            });
            json!({
                "kind": group.kind.name(),
                "text": text(group.text),
                "function": text(self.profile.name(group.symbol)),
                "calls": group.calls,
                "total_ns": group.total,
                "max_ns": group.max,
                "rows": group.rows,
                "callers": callers.collect::<Vec<Value>>(),
            })
        });
        let left_out = self.profile.spans.left_out;
        let report = with(report, "spans", spans.collect::<Vec<Value>>().into());
        let left_out = json!({"count": left_out.count, "total_ns": left_out.duration});
        with(report, "spans_left_out", left_out)
    }
}

fn signed(nanoseconds: u64) -> i64 {
    i64::try_from(nanoseconds).unwrap_or(i64::MAX)
}

fn nanoseconds(value: u64) -> String {
    time(signed(value)).trim_end().to_owned()
}
