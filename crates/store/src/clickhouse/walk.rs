//! Walks over the cells of a selection: their totals, or a part of each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use profile::Symbol;

use super::Inner;
use super::cell_cache::{Column, Head, Known, Part};
use super::cells::{Key, Place as Spot, part, read_symbols, rows_of_spots};
use super::heads::{Table, place_of};
use super::literal::text;
use super::rows::Answer;
use super::select::Hours;
use crate::answers::{Place, Resolution, Want, weight};
use crate::rollup::{Moments, OneSpread, Paths, Shape, SpanSums, Spreads, Totals, decode_by};
use crate::{Result, RunId};

/// How many parts are read at a time, and how many bytes are a reason to read fewer.
const MOST_CELLS: usize = 1000;
const CHUNK: usize = 32 << 20;

/// A part of a cell. Its functions have numbers of the cell.
pub(super) enum Piece {
    Paths(Paths),
    Spans(SpanSums),
    Spreads(Spreads),
}

/// What is visited of a cell.
pub(super) struct Visit<'a> {
    pub(super) place: &'a Place,
    pub(super) totals: &'a Totals,
    /// The numbers in this process of its functions.
    pub(super) names: &'a [u32],
    /// The numbers in this process of the functions that are wanted.
    pub(super) wanted: &'a [Option<u32>],
    pub(super) piece: Piece,
}

/// What is wanted of a walk, and the highest rate of its cells.
struct Walk<'a> {
    want: Want<'a>,
    highest: f64,
}

impl Walk<'_> {
    fn weighted(&self, place: &Place) -> Place {
        weighted(place, weight(self.highest, place.rate))
    }
}

/// The functions that a question names.
struct Wanted {
    names: Vec<String>,
    /// Which of them a number of this process is.
    numbers: HashMap<u32, Vec<usize>>,
    /// How many names of this process were looked at.
    seen: usize,
}

impl Wanted {
    fn of(want: Want<'_>) -> Self {
        let names = match want {
            Want::Functions(names) => names.to_vec(),
            Want::Calls(name) | Want::Spread(name) => vec![name.to_owned()],
            Want::Paths | Want::Spans | Want::Spreads | Want::Moments => Vec::new(),
        };
        Self {
            names,
            numbers: HashMap::new(),
            seen: 0,
        }
    }

    /// Learns the names that this process has met since.
    fn learn(&mut self, all: &[Symbol]) {
        if self.names.is_empty() {
            return;
        }
        for (number, symbol) in (0..).zip(all).skip(self.seen) {
            let text = String::from_utf8_lossy(&symbol.name);
            let places = (0..self.names.len()).filter(|place| self.names[*place] == text);
            let places: Vec<usize> = places.collect();
            if !places.is_empty() {
                self.numbers.insert(number, places);
            }
        }
        self.seen = all.len();
    }

    /// The numbers of the wanted functions in a cell, and in this process.
    fn in_cell(&self, names: &[u32]) -> Vec<Option<(u32, u32)>> {
        let mut found = vec![None; self.names.len()];
        if found.is_empty() {
            return found;
        }
        for (local, number) in (0..).zip(names) {
            for place in self.numbers.get(number).into_iter().flatten() {
                let found = &mut found[*place];
                *found = found.or(Some((local, *number)));
            }
        }
        found
    }

    /// Their hash; none if the question names none, or one that is not UTF-8: it was made
    /// readable, and ClickHouse does not find it so.
    fn hash(&self) -> Option<u64> {
        let is_readable = |name: &String| !name.contains('\u{FFFD}');
        if self.names.is_empty() || !self.names.iter().all(is_readable) {
            return None;
        }
        let id = RunId::of(self.names.join("\0").as_bytes()).0;
        let (first, _) = id.split_first_chunk().unwrap_or((&[0; 8], &[]));
        Some(u64::from_le_bytes(*first))
    }

    /// Whether a cell has one of them, as SQL.
    fn called(&self) -> String {
        if self.hash().is_none() {
            return "1".to_owned();
        }
        let has = |name: &String| format!("has(name, {})", text(name));
        let has: Vec<String> = self.names.iter().map(has).collect();
        format!("({})", has.join(" OR "))
    }
}

impl Inner {
    /// Visits the totals of the cells of a selection, of days where these are
    /// exact enough.
    pub(super) fn walk_totals(
        &self,
        of: &Hours,
        step: Resolution,
        each: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let heads = self.heads(of, step)?;
        let changed = self.changed_totals(&heads.changes)?;
        let rates = changed.iter().map(|(place, _)| place.rate);
        let highest = rates.fold(heads.highest_rate(), f64::max);
        for head in heads.days.iter().chain(&heads.hours) {
            match weight(highest, head.place.rate) {
                1 => each(&head.place, &head.totals),
                weight => each(&weighted(&head.place, weight), &head.totals),
            }
        }
        for (place, totals) in &changed {
            each(
                &weighted(&place_of(place), weight(highest, place.rate)),
                totals,
            );
        }
        Ok(())
    }

    /// Visits the cells of a selection, with the parts that are wanted, of days
    /// where these are exact enough.
    pub(super) fn walk(
        &self,
        of: &Hours,
        step: Resolution,
        want: Want<'_>,
        each: &mut dyn FnMut(Visit<'_>),
    ) -> Result<()> {
        let condition = &of.condition();
        let mut heads = self.heads(of, step)?;
        let mut wanted = Wanted::of(want);
        let walk = Walk {
            want,
            highest: heads.highest_rate(),
        };
        let lost = self.walk_parts(&heads.days, Table::Daily, &walk, &mut wanted, each)?;
        // They were written anew, or are no more. Their hours are read in place of them.
        let hours = lost.iter().flat_map(|day| day.cells.iter().copied());
        self.add_hours(condition, hours.collect(), &mut heads)?;
        let lost = self.walk_parts(&heads.hours, Table::Cell, &walk, &mut wanted, each)?;
        let mut changes = heads.changes;
        self.add_superseded(condition, &lost, &mut changes)?;
        self.each_changed_cell(&changes, &mut |cells| {
            for cell in cells.into_iter().filter(|cell| cell.totals.runs > 0) {
                let names = self.names.numbers(&cell.symbols);
                wanted.learn(&self.names.all());
                let place = place_of(&cell.place);
                each(Visit {
                    place: &walk.weighted(&place),
                    totals: &cell.totals,
                    names: &names,
                    wanted: &numbers(&wanted.in_cell(&names)),
                    piece: match column(want) {
                        Column::Paths => Piece::Paths(cell.paths),
                        Column::Spans => Piece::Spans(cell.spans),
                        Column::Spreads => Piece::Spreads(cell.spreads),
                    },
                });
            }
            Ok(())
        })
    }

    /// Visits the parts of cells of a table, some at a time. Returns those that have
    /// another version by now.
    fn walk_parts(
        &self,
        heads: &[Arc<Head>],
        table: Table,
        walk: &Walk<'_>,
        wanted: &mut Wanted,
        each: &mut dyn FnMut(Visit<'_>),
    ) -> Result<Vec<Arc<Head>>> {
        let mut lost = Vec::new();
        let (mut rest, mut length) = (heads, 100);
        while !rest.is_empty() {
            let (some, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let mut parts = self.parts(some, table, column(walk.want), wanted)?;
            let bytes: usize = parts.values().flatten().map(|part| part.bytes.len()).sum();
            length = (CHUNK * some.len() / bytes.max(1)).clamp(1, MOST_CELLS);
            wanted.learn(&self.names.all());
            for head in some {
                let Some(part) = parts.remove(&head.key) else {
                    lost.push(Arc::clone(head));
                    continue;
                };
                let names = part.as_ref().map_or(&[][..], |part| &part.names);
                let found = wanted.in_cell(names);
                each(Visit {
                    place: &walk.weighted(&head.place),
                    totals: &head.totals,
                    names,
                    wanted: &numbers(&found),
                    piece: piece(walk.want, head.shape, part.as_ref(), &found)?,
                });
            }
        }
        Ok(lost)
    }

    /// Parts of cells by their keys; none of cells that do not have the wanted functions.
    /// Cells that have another version by now are not among them.
    fn parts(
        &self,
        some: &[Arc<Head>],
        table: Table,
        column: Column,
        wanted: &Wanted,
    ) -> Result<HashMap<Key, Option<Part>>> {
        let hash = wanted.hash();
        let mut parts = HashMap::with_capacity(some.len());
        let mut missing = Vec::new();
        for head in some {
            match self.cells.part(head, column, hash) {
                Known::Part(part) => {
                    parts.insert(head.key, Some(part));
                }
                Known::Lacks => {
                    parts.insert(head.key, None);
                }
                Known::Unknown => missing.push(head),
            }
        }
        if missing.is_empty() {
            return Ok(parts);
        }
        let versions: HashMap<Key, u64> = missing
            .iter()
            .map(|head| (head.key, head.version))
            .collect();
        let called = wanted.called();
        let array = |name: &str, kind: &str| format!("if({called}, {name}, emptyArray{kind}())");
        let numbers: HashSet<String> = versions.values().map(u64::to_string).collect();
        let numbers: Vec<String> = numbers.into_iter().collect();
        let bytes = self.client.read(&format!(
            "SELECT key, version, toUInt8({called}), {}, {}, {}, {}, if({called}, {}, '') FROM {} {}",
            array("name", "String"),
            array("file", "String"),
            array("line", "UInt32"),
            array("internal", "UInt8"),
            column.name(),
            self.all(table.name()),
            rows_of_spots(missing.iter().map(|head| spot(head)), &numbers)
        ))?;
        let mut answer = Answer::new(&bytes);
        while answer.has_more() {
            let (key, version) = (answer.fixed()?, answer.u64()?);
            let is_called = answer.u8()? != 0;
            let symbols = read_symbols(&mut answer)?;
            let bytes = answer.bytes()?;
            if versions.get(&key) != Some(&version) || parts.contains_key(&key) {
                continue;
            }
            let part = is_called.then(|| Part {
                names: self.names.numbers(&symbols).into(),
                bytes: bytes.into(),
            });
            let known = part.as_ref().ok_or(hash.unwrap_or_default());
            self.cells.keep_part(key, version, column, known);
            parts.insert(key, part);
        }
        Ok(parts)
    }
}

/// The column of the part that is wanted.
fn column(want: Want<'_>) -> Column {
    match want {
        Want::Spans => Column::Spans,
        Want::Spreads | Want::Moments | Want::Spread(_) => Column::Spreads,
        Want::Paths | Want::Functions(_) | Want::Calls(_) => Column::Paths,
    }
}

/// Unpacks a part.
fn piece(
    want: Want<'_>,
    shape: i8,
    of: Option<&Part>,
    wanted: &[Option<(u32, u32)>],
) -> Result<Piece> {
    let bytes = of.map_or(&[][..], |of| &of.bytes);
    Ok(match want {
        Want::Spans => Piece::Spans(part::<SpanSums>(bytes)?.unwrap_or_default()),
        Want::Paths | Want::Functions(_) | Want::Calls(_) => {
            let shape = Shape::from_number(i64::from(shape));
            Piece::Paths(part::<Paths>(bytes)?.unwrap_or_else(|| Paths::new(shape)))
        }
        _ if bytes.is_empty() => Piece::Spreads(Spreads::default()),
        Want::Spreads => Piece::Spreads(part::<Spreads>(bytes)?.unwrap_or_default()),
        Want::Moments => Piece::Spreads(decode_by(bytes, Moments)?),
        Want::Spread(_) => {
            let mut spreads = Spreads::default();
            if let Some(Some((number, _))) = wanted.first() {
                let spread = decode_by(bytes, OneSpread(*number))?;
                spreads.rows.extend(spread.map(|spread| (*number, spread)));
            }
            Piece::Spreads(spreads)
        }
    })
}

fn numbers(found: &[Option<(u32, u32)>]) -> Vec<Option<u32>> {
    found.iter().map(|found| Some((*found)?.1)).collect()
}

fn spot(head: &Head) -> (&Key, Spot<'_>) {
    let spot = Spot {
        app: &head.place.app,
        route: &head.place.route,
        hour: head.place.hour,
    };
    (&head.key, spot)
}

fn weighted(place: &Place, weight: u64) -> Place {
    Place {
        weight,
        ..place.clone()
    }
}
