//! Walks over the sums of a selection: its cells, and the runs that are not in
//! them yet.

use profile::Symbol;

use super::Inner;
use super::cells::{Cell, Key, SUMS, TOTALS, Where, part, read_symbols, read_totals, these_cells};
use super::changes::ByCell;
use super::literal::{ids, text};
use super::rows::Answer;
use super::select::{of_days, of_hours};
use crate::answers::{
    Grouping, Place, Resolution, Source, Sums, Visited, Want, requests_of, weight,
};
use crate::rollup::{Moments, OneSpread, Paths, Shape, SpanSums, Spreads, Totals, decode_by};
use crate::{Basis, Result, RunInfo, Selection, TrendStep};

/// More runs than these that are in no cell are first folded into theirs.
const MOST_CHANGED: usize = 1000;

/// How many bytes of cells are read at a time.
const CHUNK: u64 = 32 << 20;

/// A cell of a selection, and the size of its part.
struct Found {
    key: Key,
    place: Where,
    bytes: u64,
}

impl Source for Inner {
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let condition = of_hours(selection)?;
        let changes = self.few_changes(&condition)?;
        let column = |is_told: bool, name: &'static str| if is_told { name } else { "''" };
        let hour = match grouping.step {
            TrendStep::Hour => "hour",
            TrendStep::Day => "toUInt32(intDiv(hour, 24) * 24)",
            TrendStep::All => "toUInt32(0)",
        };
        let bytes = self.client.read(&format!(
            "SELECT {} AS of_app, {} AS of_route, {} AS of_release, {hour} AS of_hour, rate,
                min(hour), max(hour), {SUMS}
             FROM {} FINAL WHERE {condition} AND gone = 0 AND {}
             GROUP BY of_app, of_route, of_release, of_hour, rate",
            column(grouping.app, "app"),
            column(grouping.route, "route"),
            column(grouping.release, "release"),
            self.all("cell"),
            without(&changes)
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut all = Vec::new();
        while answer.has_more() {
            let place = Place {
                app: answer.text()?,
                route: answer.text()?,
                release: answer.text()?,
                hour: i64::from(answer.u32()?),
                rate: answer.f64()?,
                hours: (i64::from(answer.u32()?), i64::from(answer.u32()?)),
                weight: 1,
            };
            all.push((place, read_totals(&mut answer)?));
        }
        let changed = self.changed_totals(&changes)?;
        all.extend(
            changed
                .into_iter()
                .map(|(place, totals)| (place_of(&place), totals)),
        );
        let highest = all.iter().map(|(place, _)| place.rate).fold(0.0, f64::max);
        for (place, totals) in &mut all {
            place.weight = weight(highest, place.rate);
            visitor(place, totals);
        }
        Ok(())
    }

    fn cells(
        &self,
        selection: &Selection,
        want: Want<'_>,
        _: Resolution,
        visitor: &mut dyn FnMut(&Place, &Totals, Sums),
    ) -> Result<Visited> {
        let (mut runs, mut sum) = (0, 0.0);
        self.walk(&of_hours(selection)?, want, &mut |place, cell| {
            runs += cell.totals.runs;
            sum += requests_of(cell.totals.runs, place.rate);
            let sums = if want == Want::Spans {
                if cell.spans.rows.is_empty() {
                    return Ok(());
                }
                Sums::Spans(cell.spans.times(place.weight))
            } else {
                let (names, numbers) = self.numbers(want, &cell.symbols);
                want.of_paths(cell.paths.renamed(&names).times(place.weight), &numbers)
            };
            visitor(place, &cell.totals, sums);
            Ok(())
        })?;
        Ok(Visited {
            names: self.names.all(),
            basis: Basis::Hours,
            selected: runs,
            requests: sum,
        })
    }

    fn days(
        &self,
        selection: &Selection,
        want: Want<'_>,
        visitor: &mut dyn FnMut(&Place, &Totals, Sums),
    ) -> Result<Visited> {
        let nothing = Totals::default();
        self.walk(&of_days(selection)?, want, &mut |place, cell| {
            let (names, numbers) = self.numbers(want, &cell.symbols);
            let spreads = cell.spreads.renamed(&names).times(place.weight);
            visitor(place, &nothing, want.of_spreads(spreads, &numbers));
            Ok(())
        })?;
        Ok(Visited {
            names: self.names.all(),
            basis: Basis::Hours,
            selected: 0,
            requests: 0.0,
        })
    }

    fn count(&self, selection: &Selection) -> Result<(u64, f64)> {
        Self::count(self, selection)
    }

    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        Self::infos(self, selection, most)
    }

    fn files(
        &self,
        selection: &Selection,
        most: usize,
        each: &mut dyn FnMut(RunInfo, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        self.each_file(&Self::infos(self, selection, most)?, each)
    }
}

impl Inner {
    /// The changes that a condition selects. Many are folded into their cells first.
    pub(super) fn few_changes(&self, condition: &str) -> Result<ByCell> {
        let changes = self.changes(condition)?;
        let count: usize = changes.values().map(|(_, runs)| runs.len()).sum();
        if count <= MOST_CHANGED {
            return Ok(changes);
        }
        self.fold_changes(&changes)?;
        self.changes(condition)
    }

    /// Visits the cells that a condition selects, with the parts that are wanted.
    fn walk(
        &self,
        condition: &str,
        want: Want<'_>,
        each: &mut dyn FnMut(&Place, Cell) -> Result<()>,
    ) -> Result<()> {
        let changes = self.few_changes(condition)?;
        let found = self.found(condition, want, &changes)?;
        let rates = found.iter().map(|found| found.place.rate);
        let rates = rates.chain(changes.values().map(|(place, _)| place.rate));
        let highest = rates.fold(0.0, f64::max);
        let mut visit = |cell: Cell| {
            let mut place = place_of(&cell.place);
            place.weight = weight(highest, place.rate);
            each(&place, cell)
        };
        let mut rest = found.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let length = rest.iter().take(1000).take_while(|found| {
                let is_first = bytes == 0;
                bytes += found.bytes + 1;
                is_first || bytes <= CHUNK
            });
            let (some, after) = rest.split_at(length.count().max(1));
            rest = after;
            self.parts(some, want, &mut visit)?;
        }
        self.each_changed_cell(&changes, &mut |cells| {
            let cells = cells.into_iter().filter(|cell| cell.totals.runs > 0);
            cells.into_iter().try_for_each(&mut visit)
        })
    }

    /// The cells that a condition selects and that have no changes.
    fn found(&self, condition: &str, want: Want<'_>, changes: &ByCell) -> Result<Vec<Found>> {
        let bytes = self.client.read(&format!(
            "SELECT key, {}, toUInt64(length({})) FROM {} FINAL
             WHERE {condition} AND gone = 0 AND {} ORDER BY app, route, hour, key",
            Where::COLUMNS,
            column(want),
            self.all("cell"),
            without(changes)
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut found = Vec::new();
        while answer.has_more() {
            found.push(Found {
                key: answer.fixed()?,
                place: Where::read(&mut answer)?,
                bytes: answer.u64()?,
            });
        }
        Ok(found)
    }

    /// Reads the wanted parts of some cells.
    fn parts(
        &self,
        some: &[Found],
        want: Want<'_>,
        each: &mut dyn FnMut(Cell) -> Result<()>,
    ) -> Result<()> {
        let column = column(want);
        // Where a function was not called, nothing of it is to be read.
        let called = called(want);
        let array = |name: &str, kind: &str| format!("if({called}, {name}, emptyArray{kind}())");
        let bytes = self.client.read(&format!(
            "SELECT {}, {TOTALS}, {}, {}, {}, {}, if({called}, {column}, '')
             FROM {} FINAL WHERE {} ORDER BY app, route, hour, key",
            Where::COLUMNS,
            array("name", "String"),
            array("file", "String"),
            array("line", "UInt32"),
            array("internal", "UInt8"),
            self.all("cell"),
            these_cells(some.iter().map(|found| (&found.key, &found.place)))
        ))?;
        let mut answer = Answer::new(&bytes);
        while answer.has_more() {
            let mut cell = Cell::new(Where::read(&mut answer)?);
            cell.totals = read_totals(&mut answer)?;
            cell.symbols = read_symbols(&mut answer)?;
            let bytes = answer.bytes()?;
            match want {
                Want::Spans => cell.spans = part::<SpanSums>(bytes)?.unwrap_or_default(),
                _ if bytes.is_empty() => {}
                Want::Spreads => cell.spreads = part::<Spreads>(bytes)?.unwrap_or_default(),
                Want::Moments => cell.spreads = decode_by(bytes, Moments)?,
                Want::Spread(_) => {
                    if let Some(Some(number)) = want.numbers(&cell.symbols).first() {
                        let spread = decode_by(bytes, OneSpread(*number))?;
                        let rows = spread.map(|spread| (*number, spread)).into_iter();
                        cell.spreads.rows = rows.collect();
                    }
                }
                Want::Paths | Want::Functions(_) | Want::Calls(_) => {
                    let shape = Shape::from_number(i64::from(cell.place.shape));
                    let paths = part::<Paths>(bytes)?;
                    cell.paths = paths.unwrap_or_else(|| Paths::new(shape));
                }
            }
            each(cell)?;
        }
        Ok(())
    }

    /// The numbers of a cell's names in this process, and of those that are wanted.
    fn numbers(&self, want: Want<'_>, symbols: &[Symbol]) -> (Vec<u32>, Vec<Option<u32>>) {
        let names = self.names.numbers(symbols);
        let wanted = want.numbers(symbols).into_iter();
        let wanted = wanted.map(|number| names.get(number? as usize).copied());
        let wanted = wanted.collect();
        (names, wanted)
    }
}

/// The column of the part that is wanted.
fn column(want: Want<'_>) -> &'static str {
    match want {
        Want::Spans => "spans",
        Want::Spreads | Want::Moments | Want::Spread(_) => "spreads",
        Want::Paths | Want::Functions(_) | Want::Calls(_) => "paths",
    }
}

/// Whether a cell has one of the wanted functions.
fn called(want: Want<'_>) -> String {
    let names: Vec<&str> = match want {
        Want::Functions(names) => names.iter().map(String::as_str).collect(),
        Want::Calls(name) | Want::Spread(name) => vec![name],
        Want::Paths | Want::Spans | Want::Spreads | Want::Moments => return "1".to_owned(),
    };
    // A name that is not UTF-8 was made readable, and is not found so.
    if names.is_empty() || names.iter().any(|name| name.contains('\u{FFFD}')) {
        return "1".to_owned();
    }
    let has = names.iter().map(|one| format!("has(name, {})", text(one)));
    format!("({})", has.collect::<Vec<_>>().join(" OR "))
}

/// The condition that leaves out cells with changes.
fn without(changes: &ByCell) -> String {
    if changes.is_empty() {
        return "1".to_owned();
    }
    format!("key NOT IN ({})", ids(changes.keys()))
}

fn place_of(place: &Where) -> Place {
    Place {
        app: place.app.clone(),
        route: place.route.clone(),
        release: place.release.clone(),
        hour: place.hour,
        hours: (place.hour, place.hour),
        rate: place.rate,
        weight: 1,
    }
}
