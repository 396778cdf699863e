//! Blackfire's text profile: `caller==>callee//calls costs…`, with the rows and
//! units of XHProf.
//!
//! Twig's dumper and Blackfire's probes write it. The format has no escapes:
//! the reader parses a line from its end, costs first, and the writer replaces
//! separators in names.
//!
//! **Invariant:** the reader returns the rows that the writer wrote; the root
//! comes first, then callers before callees.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufRead, BufWriter, Write};

use profile::classic::{self, ClassicCost, SEPARATOR};
use profile::{Body, Budget, Meta, Mode, Profile, Symbol, allocated};

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::rows::{Builder, EntryCost};
use crate::shared::lines::Lines;
use crate::shared::recursion;
use crate::shared::text::lossy;
use crate::shared::unit::needs_time;
use crate::{ReadError, WriteError, WriteOptions};

/// Blackfire's text profile.
pub const BLACKFIRE: Format = Format {
    id: "blackfire",
    name: "Blackfire",
    endings: &["bf"],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: Some(Writes::new(Holds::Edges, write).all_metrics()),
};

const MAGIC: &[u8] = b"file-format: BlackfireProbe";

/// The maximum number of headers that are kept.
const MAX_HEADERS: usize = 64;

fn detect(head: &[u8]) -> Detection {
    Detection::by_first_bytes(head, MAGIC)
}

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut lines = Lines::new(input, "Blackfire profile");
    let mut reader = Reader::within(budget);
    while let Some(line) = lines.next()? {
        if let Err(reason) = reader.line(line) {
            budget.check()?;
            return Err(lines.error(reason));
        }
    }
    if reader.rows.is_empty() && reader.meta.creator.is_none() {
        return Err(lines.error("the input ends in its headers"));
    }
    reader.finish()
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    needs_time(profile, BLACKFIRE.name)?;
    let mut rows: Vec<(Vec<u8>, ClassicCost)> = Vec::new();
    classic::for_each_row(profile, |key, cost| rows.push((key.to_vec(), *cost)));
    let mut out = BufWriter::new(out);
    out.write_all(MAGIC)?;
    let dimensions: Vec<_> = rows.last().map_or_else(Vec::new, |(_, cost)| {
        cost.metrics().map(|(name, _)| name).skip(1).collect()
    });
    write!(out, "\ncost-dimensions: {}\n", dimensions.join(" "))?;
    let meta = &profile.meta;
    if let Some(started) = meta.started_unix_us {
        let (seconds, rest) = (started / 1_000_000, started % 1_000_000);
        writeln!(out, "request-start: {seconds}.{rest:06}")?;
    }
    let title = options.title.as_deref().or(meta.title.as_deref());
    if let Some(title) = title {
        writeln!(out, "profile-title: {}", lossy(title.as_bytes()))?;
    }
    for (name, value) in headers(meta) {
        writeln!(out, "{name}: {}", lossy(value.as_bytes()))?;
    }
    out.write_all(b"\n")?;
    // Rows come in the order in which calls end; callers end last.
    for (key, cost) in rows.iter().rev() {
        write!(out, "{}//{}", without_separators(key), cost.calls)?;
        for (_, value) in cost.metrics().skip(1) {
            write!(out, " {}", value.max(0))?;
        }
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Only the tags that the probes have headers for: the file may be sent to
/// others.
fn headers(meta: &Meta) -> impl Iterator<Item = (&str, &str)> {
    let known = |(name, _): &&(String, String)| {
        let name = name.to_ascii_lowercase();
        name.starts_with("probe") || name == "request-end" || name == "context"
    };
    let tags = meta.tags.iter().filter(known);
    tags.map(|(name, value)| (name.as_str(), value.as_str()))
}

/// A row's key with every separator in it replaced.
fn without_separators(key: &[u8]) -> String {
    let mut text = lossy(key).into_owned();
    while text.contains("//") {
        text = text.replace("//", "/ /");
    }
    text
}

#[derive(Debug)]
struct Reader {
    meta: Meta,
    has_magic: bool,
    is_in_body: bool,
    /// XHProf's keys for the costs of a row, in order.
    dimensions: Vec<Vec<u8>>,
    root: Option<Vec<u8>>,
    rows: Vec<Row>,
    places: HashMap<Box<[u8]>, usize>,
    budget: Budget,
}

#[derive(Debug)]
struct Row {
    /// None for the root.
    caller: Option<Box<[u8]>>,
    callee: Box<[u8]>,
    calls: i64,
    costs: Vec<i64>,
}

type Reason = &'static str;

/// The noun in the budget's error message.
const ROWS: &str = "rows";

/// The reason if the budget has no memory for a line; the budget itself reports
/// the details.
const NO_MEMORY: Reason = "too much for the memory";

impl Reader {
    fn within(budget: &Budget) -> Self {
        Self {
            meta: Meta::default(),
            has_magic: false,
            is_in_body: false,
            dimensions: Vec::new(),
            root: None,
            rows: Vec::new(),
            places: HashMap::new(),
            budget: budget.clone(),
        }
    }

    /// Whether there is memory for one more row, with its key and its parts.
    fn has_room(&mut self, key: &[u8]) -> bool {
        let bytes = 2 * allocated(key.len()) + allocated(8 * self.dimensions.len()) + 32;
        let outcome = (self.budget.take(bytes, ROWS))
            .and_then(|()| self.budget.room(&mut self.rows, ROWS))
            .and_then(|()| self.budget.room_in_map(&mut self.places, ROWS));
        outcome.is_ok()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Reason> {
        if !self.has_magic {
            self.has_magic = line.starts_with(MAGIC);
            return if self.has_magic {
                Ok(())
            } else {
                Err("not the first line")
            };
        }
        if line.is_empty() {
            self.is_in_body = true;
            return Ok(());
        }
        if is_timeline(line) {
            return Ok(());
        }
        if self.is_in_body {
            self.row(line)
        } else {
            self.header(line)
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Reason> {
        let colon = line.iter().position(|&byte| byte == b':');
        let (name, value) = colon
            .and_then(|at| line.split_at_checked(at))
            .ok_or("a header without a colon")?;
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let text = lossy(value);
        match name.to_ascii_lowercase().as_slice() {
            b"cost-dimensions" => {
                let words = value.split(|&byte| byte == b' ');
                self.dimensions = words
                    .filter(|word| !word.is_empty())
                    .map(Into::into)
                    .collect();
            }
            b"request-start" => self.meta.started_unix_us = unix_us(&text),
            b"profile-title" => self.meta.title = Some(title(&text)),
            b"graph-root-id" => self.root = Some(value.to_vec()),
            _ if self.meta.tags.len() < MAX_HEADERS => {
                self.meta.set_tag(&lossy(name), text);
            }
            _ => {}
        }
        Ok(())
    }

    /// From the end: costs, the number of calls, the key.
    fn row(&mut self, line: &[u8]) -> Result<(), Reason> {
        let at = line.windows(2).rposition(|two| two == b"//");
        let (key, rest) = at
            .and_then(|at| line.split_at_checked(at))
            .ok_or("neither a call nor a header")?;
        let mut numbers = rest
            .get(2..)
            .unwrap_or_default()
            .split(|&byte| byte == b' ');
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<i64>().ok();
        let calls = numbers
            .next()
            .and_then(number)
            .ok_or("the number of calls is not a number")?;
        let costs: Option<Vec<i64>> = numbers.map(number).collect();
        let costs = costs.ok_or("a cost is not a number")?;
        if costs.len() != self.dimensions.len() {
            return Err("not as many costs as there are dimensions");
        }
        if !self.places.contains_key(key) && !self.has_room(key) {
            return Err(NO_MEMORY);
        }
        match self.places.entry(key.into()) {
            Entry::Occupied(place) => {
                // One probe writes a line for each sample.
                let row = &mut self.rows[*place.get()];
                row.calls = row.calls.saturating_add(calls);
                for (sum, cost) in row.costs.iter_mut().zip(costs) {
                    *sum = sum.saturating_add(cost);
                }
            }
            Entry::Vacant(place) => {
                place.insert(self.rows.len());
                let separator = key
                    .windows(SEPARATOR.len())
                    .position(|window| window == SEPARATOR);
                let ends = separator.and_then(|at| key.split_at_checked(at));
                let (caller, callee) = match ends {
                    Some(([], callee)) => (None, callee.get(SEPARATOR.len()..)),
                    Some((caller, callee)) => (Some(caller.into()), callee.get(SEPARATOR.len()..)),
                    None => (None, Some(key)),
                };
                let callee: Box<[u8]> = callee.unwrap_or_default().into();
                if caller.is_none() && self.root.is_none() {
                    self.root = Some(Vec::from(&*callee));
                }
                self.rows.push(Row {
                    caller,
                    callee,
                    calls,
                    costs,
                });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Profile, ReadError> {
        let root = self.root.as_deref().unwrap_or(Symbol::MAIN);
        let has_wall = self.dimensions.iter().any(|dimension| dimension == b"wt");
        let mut builder = Builder::within(&self.budget);
        // Callers come before callees here; edges are in the order in which
        // they completed.
        for row in self.rows.iter().rev() {
            let mut cost = EntryCost::default();
            cost.set_int(b"ct", row.calls);
            for (name, value) in self.dimensions.iter().zip(&row.costs) {
                // A probe without wall time shows its first dimension.
                if name == b"cpu" && !has_wall {
                    cost.set_int(b"wt", *value);
                }
                cost.set_int(name, *value);
            }
            let named = |name| if name == root { Symbol::MAIN } else { name };
            let callee = named(&row.callee);
            match &row.caller {
                None => builder.add_row(callee, cost)?,
                Some(_) if callee == Symbol::MAIN => {}
                Some(caller) => {
                    let key = [named(caller), SEPARATOR, callee].concat();
                    builder.add_row(&key, cost)?;
                }
            }
        }
        let mut profile = builder.finish()?;
        profile.meta = Meta {
            mode: Mode::Traced,
            ..self.meta
        };
        let symbols = profile.symbols.len();
        if let Body::Edges(table) = &mut profile.body
            && table
                .edges
                .iter()
                .all(|edge| edge.caller.level == 0 && edge.callee.level == 0)
        {
            // Twig has no recursion levels: its recursion is an edge back to a
            // caller.
            recursion::mark(symbols, table);
        }
        Ok(profile)
    }
}

/// Whether a line belongs to a timeline, which probes write before or after the
/// rows.
fn is_timeline(line: &[u8]) -> bool {
    if line.starts_with(b"span-") {
        return true;
    }
    let rest = line.strip_prefix(b"Threshold-");
    let Some(rest) = rest.or_else(|| line.strip_prefix(b"Timespan-")) else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..).unwrap_or_default();
    digits > 0 && (rest.starts_with(b"-start: ") || rest.starts_with(b"-end: "))
}

/// The title, or the one in the JSON that a probe writes.
fn title(text: &str) -> String {
    let inner = || {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        let title = json.get("blackfire-metadata")?.get("title")?;
        Some(title.as_str()?.to_owned())
    };
    inner().unwrap_or_else(|| text.to_owned())
}

/// `1700000000.25` in microseconds.
fn unix_us(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let seconds: u64 = seconds.parse().ok()?;
    seconds
        .checked_mul(1_000_000)?
        .checked_add(fraction.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::FlatTable;

    fn read(rows: &str) -> Result<Profile, ReadError> {
        let file = format!("file-format: BlackfireProbe\n{rows}");
        BLACKFIRE.read(&mut file.as_bytes(), &Budget::default())
    }

    fn flat(profile: &Profile) -> Vec<(String, u64, u64, i64)> {
        let table = FlatTable::new(profile);
        let row = |row: &profile::FlatRow| {
            let name = String::from_utf8_lossy(profile.name(row.symbol)).into_owned();
            (
                name,
                row.inclusive.calls,
                row.inclusive.wall / 1_000,
                row.own.wall / 1_000,
            )
        };
        let mut rows: Vec<_> = table.rows.iter().map(row).collect();
        rows.sort();
        rows
    }

    fn is(name: &str, calls: u64, wall: u64, own: i64) -> (String, u64, u64, i64) {
        (name.into(), calls, wall, own)
    }

    #[test]
    fn edges_that_lead_back_are_recursion() {
        let profile = read(
            "cost-dimensions: wt mu pmu\nrequest-start: 1700000000.5\n\n\
             main()//1 100 0 0\nmain()==>a//1 60 0 0\na==>a//2 20 0 0\na==>b//1 5 0 0\n",
        )
        .unwrap();
        assert_eq!(profile.meta.started_unix_us, Some(1_700_000_000_500_000));
        assert_eq!(
            flat(&profile),
            [
                is("a", 3, 60, 55),
                is("b", 1, 5, 5),
                is("main()", 1, 100, 40)
            ]
        );
    }

    #[test]
    fn a_probe_may_name_its_root_and_repeat_its_edges() {
        let profile = read(
            "Cost-Dimensions: cpu pmu\ngraph-root-id: go\n\
             profile-title: {\"blackfire-metadata\":{\"title\":\"t\"}}\n\
             Threshold-1-start: x//1 2\n\n\
             go==>f//1 10 0\ngo==>f//1 20 0\n==>go//1 50 0\n\nspan-1: name=x\n",
        )
        .unwrap();
        assert_eq!(profile.meta.title.as_deref(), Some("t"));
        assert!(profile.metrics.cpu);
        assert_eq!(
            flat(&profile),
            [is("f", 2, 30, 30), is("main()", 1, 50, 20)]
        );
    }

    #[test]
    fn a_row_is_read_from_its_end() {
        let profile = read("cost-dimensions: wt\n\nmain()//1 9\nmain()==>get?u=http://x//2 4\n");
        assert_eq!(flat(&profile.unwrap())[0], is("get?u=http://x", 2, 4, 4));
    }

    #[test]
    fn broken_rows_are_refused_with_their_line() {
        let reason = |rows: &str| read(rows).unwrap_err().to_string();
        let broken = "broken Blackfire profile, line";
        assert_eq!(
            reason("cost-dimensions: wt\n\nmain()//1 2 3\n"),
            format!("{broken} 4: not as many costs as there are dimensions")
        );
        assert_eq!(
            reason("cost-dimensions: wt\n\nmain() 3\n"),
            format!("{broken} 4: neither a call nor a header")
        );
        assert_eq!(
            reason("x\n"),
            format!("{broken} 2: a header without a colon")
        );
    }

    #[test]
    fn names_are_made_harmless() {
        assert_eq!(
            without_separators(b"a==>http:///b\n\xff"),
            "a==>http:/ / /b \u{fffd}"
        );
    }
}
