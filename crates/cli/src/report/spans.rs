//! Calls that waited: a few lines below the functions, or the whole list with
//! `--spans`.

use anyhow::Result;
use profile::{FlatTable, LeftOut, Profile, Repeat, SpanGroup, SymbolId, repeats};
use serde_json::{Value, json};
use view::Document;
use view::markdown::is_of;

use super::json::with;
use super::pattern::Pattern;
use super::table::{Cell, Column, Row, Table};
use crate::args::TableArguments;
use crate::terminal::{Look, Style, printable, shortened};
use crate::units::{count, counted, percent, time};

/// How many texts are printed below the functions.
const BELOW: usize = 10;
/// How many repeated statements are printed below the functions.
const REPEATS: usize = 3;
/// How many are shown by default.
const LIMIT: usize = 25;

/// The spans of a profile, grouped by text.
pub(super) struct SpanTable<'p> {
    profile: &'p Profile,
    /// What the profile cost, for shares.
    whole: i64,
    shown: Vec<SpanGroup<'p>>,
    /// The number and the time of all matching spans.
    spans: u64,
    time: u64,
    /// How many groups the limit left out, and their time.
    cut: (usize, u64),
    has_callers: bool,
    /// The statements that one call repeated (N+1).
    repeats: Vec<Repeat>,
}

impl<'p> SpanTable<'p> {
    /// For `--spans`.
    pub(super) fn new(
        document: &'p Document,
        arguments: &TableArguments,
        limit: Option<usize>,
        pattern: Option<&Pattern>,
    ) -> Self {
        let limit = limit.unwrap_or_else(|| arguments.limit_or(LIMIT));
        Self::of(document, limit, pattern, true)
    }

    /// For the end of the usual report; none if there are no spans.
    pub(super) fn below(document: &'p Document, pattern: Option<&Pattern>) -> Option<Self> {
        let is_there = !document.profile().spans.is_empty() && pattern.is_none();
        is_there.then(|| Self::of(document, BELOW, None, false))
    }

    fn of(
        document: &'p Document,
        limit: usize,
        pattern: Option<&Pattern>,
        has_callers: bool,
    ) -> Self {
        let profile = document.profile();
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
        let mut repeats = repeats(profile);
        repeats.retain(|repeat| shown.iter().any(|group| is_of(profile, repeat, group)));
        let spans = shown.iter().map(|group| group.calls).sum();
        let time = sum(&shown);
        let others = shown.split_off(shown.len().min(limit));
        Self {
            profile,
            whole: document.summary().total.wall,
            shown,
            spans,
            time,
            cut: (others.len(), sum(&others)),
            has_callers,
            repeats,
        }
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look, columns: &[String]) -> Result<String> {
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
            return Ok(head + "no span matches\n");
        }
        let table = self.table().with_columns(columns)?.render(look);
        Ok(head + &table + &self.repeated(look))
    }

    /// The repeated statements, below the table.
    fn repeated(&self, look: Look) -> String {
        if self.repeats.is_empty() {
            return String::new();
        }
        let shown = if self.has_callers {
            usize::MAX
        } else {
            REPEATS
        };
        let head = look.paint(Style::Bold, "N+1");
        let what = "the same statement made again and again in one call";
        let mut text = format!("\n{head}  {what}\n\n");
        for repeat in self.repeats.iter().take(shown) {
            let name = |symbol| printable(self.profile.name(symbol));
            let statement = printable(self.profile.spans.text_of(Some(repeat.text)));
            let statement = format!("{} {statement}", repeat.kind.name());
            let parents: Vec<String> = repeat.parents.iter().map(|parent| name(*parent)).collect();
            let in_one_call = if repeat.calls == repeat.at_least {
                String::new()
            } else {
                format!("{} or more of them ", count(repeat.at_least))
            };
            text.push_str(&format!(
                "{}× {}  {}\n    by {}, {in_one_call}in one call of {}\n",
                count(repeat.calls),
                nanoseconds(repeat.total),
                shortened(&statement, look.width),
                name(repeat.caller),
                parents.join(" or "),
            ));
        }
        let others = self.repeats.len().saturating_sub(shown);
        if others > 0 {
            let more = counted(others as u64, "more statement");
            let note = format!("… {more}; --spans lists all");
            text.push_str(&look.paint(Style::Faint, &note));
            text.push('\n');
        }
        text
    }

    /// How many groups the limit left out.
    pub(super) fn others(&self) -> usize {
        self.cut.0
    }

    /// A line for each group, with its caller.
    pub(super) fn markdown_rows(&self) -> Vec<String> {
        let line = |group| view::markdown::span(self.profile, group, &self.repeats);
        self.shown.iter().map(line).collect()
    }

    fn table(&self) -> Table {
        let columns = vec![
            Column::new("calls", "calls").dispensable(1),
            Column::new("time", "time   ").sorted_by(true),
            Column::new("time%", "%").dispensable(2),
            Column::new("longest", "longest").dispensable(3),
            Column::new("rows", "rows").dispensable(4),
        ];
        let rows = self.shown.iter().map(|group| {
            let share = FlatTable::percent(signed(group.total), self.whole);
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
            chosen: None,
        }
    }

    /// `sql SELECT …`; without a text, the function.
    fn label(&self, group: &SpanGroup<'_>) -> String {
        let text = if group.text.is_empty() {
            self.profile.name(group.symbol)
        } else {
            group.text
        };
        let is_repeated = self
            .repeats
            .iter()
            .any(|repeat| is_of(self.profile, repeat, group));
        let mark = if is_repeated { "N+1 " } else { "" };
        format!("{mark}{} {}", group.kind.name(), printable(text))
    }

    /// Adds the spans to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let left_out = self.profile.spans.left_out;
        let report = with(report, "spans", self.json_rows().into());
        let left_out = json!({"count": left_out.count, "total_ns": left_out.duration});
        with(report, "spans_left_out", left_out)
    }

    /// A value for each group.
    pub(super) fn json_rows(&self) -> Vec<Value> {
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
        let spans = self.shown.iter().map(|group| {
            let callers = group.callers.iter().map(|caller| {
                json!({
                    "name": text(self.profile.name(caller.symbol)),
                    "calls": caller.calls,
                    "total_ns": caller.total,
                })
            });
            let repeats = self
                .repeats
                .iter()
                .filter(|repeat| is_of(self.profile, repeat, group));
            let repeats = repeats.map(|repeat| {
                let name = |symbol: &SymbolId| text(self.profile.name(*symbol));
                json!({
                    "caller": name(&repeat.caller),
                    "calls": repeat.calls,
                    "total_ns": repeat.total,
                    "parents": repeat.parents.iter().map(name).collect::<Vec<Value>>(),
                    "at_least_in_one_call": repeat.at_least,
                })
            });
            json!({
                "n_plus_one": repeats.collect::<Vec<Value>>(),
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
        spans.collect()
    }
}

fn signed(nanoseconds: u64) -> i64 {
    i64::try_from(nanoseconds).unwrap_or(i64::MAX)
}

fn nanoseconds(value: u64) -> String {
    time(signed(value)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Body, NodeId, Span, SpanKind, SpansBuilder, Symbol, TreeBuilder};

    /// `render` calls `load` nine times, which makes the same statement each time.
    fn looping() -> Profile {
        let names = ["main()", "render", "load", "PDO::query"];
        let mut tree = TreeBuilder::new();
        tree.cost(NodeId::ROOT).calls = 1;
        let mut node = NodeId::ROOT;
        for (symbol, calls) in [(1, 1), (2, 9), (3, 10)] {
            node = tree.child(node, SymbolId(symbol));
            tree.cost(node).calls = calls;
        }
        let mut spans = SpansBuilder::new(100);
        for number in 0..10 {
            let statement = if number == 0 {
                "BEGIN"
            } else {
                "SELECT a FROM b WHERE c = ?"
            };
            let text = Some(spans.text(statement.as_bytes()));
            spans.push(Span {
                kind: SpanKind::Sql,
                text,
                symbol: SymbolId(3),
                caller: SymbolId(2),
                start: number,
                duration: 1_000,
                rows: None,
            });
        }
        Profile {
            symbols: names.map(|name| Symbol::new(name.as_bytes())).into(),
            body: Body::Tree(tree.finish()),
            spans: spans.finish(),
            ..Profile::empty()
        }
    }

    #[test]
    fn a_statement_in_a_loop_is_marked_with_its_caller_and_the_loop() {
        let document = Document::of_costs(looping(), vec![]);
        let spans = SpanTable::of(&document, 25, None, true);
        let text = spans.render(Look::plain(), &[]).unwrap();
        assert!(
            text.contains("load → N+1 sql SELECT a FROM b WHERE c = ?\n"),
            "{text}"
        );
        assert!(text.contains("load → sql BEGIN\n"), "{text}");
        let loops =
            "\n9× 9.00 µs  sql SELECT a FROM b WHERE c = ?\n    by load, in one call of render\n";
        assert!(text.ends_with(loops), "{text}");
        let json = spans.add_to(json!({}));
        let expected = json!([{
            "caller": "load",
            "calls": 9,
            "total_ns": 9_000,
            "parents": ["render"],
            "at_least_in_one_call": 9,
        }]);
        assert_eq!(json["spans"][0]["n_plus_one"], expected);
        assert_eq!(json["spans"][1]["n_plus_one"], json!([]));
    }
}
