//! Walks over the cells of a selection: their totals, or a part of each.

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::sync::Arc;

use super::Inner;
use super::cell_cache::{Column, Known, PackedPart, SumHeader};
use super::cells::{Cell, CellHour, Key, read_symbols, rows_of_hours};
use super::function_lookup::FunctionLookup;
use super::rows::RowReader;
use super::select::Hours;
use super::sum_headers::{SumHeaders, Table, place_of};
use crate::Result;
use crate::answers::{Place, Resolution, Want, weight};
use crate::rollup::{FunctionSums, Totals};

/// How many parts are read at a time, and how many bytes are a reason to read fewer. While
/// some are visited, the next ones are read.
const MAX_CELLS: usize = 1000;
const CHUNK: usize = 32 << 20;

/// The same for large parts that are unpacked all at once, and how many of those are read
/// before their size is known.
const CHUNK_UNPACKED: usize = 4 << 20;
pub(super) const AT_FIRST: usize = 4;

/// Takes what a walk reads.
pub(super) trait Visitor {
    /// Takes parts of sums; none of sums that lack the wanted functions.
    fn parts(&mut self, walk: &Walk<'_>, parts: &[(&SumHeader, Option<&PackedPart>)])
    -> Result<()>;

    /// Takes sums of many routes with what a function has on each of these. Only a
    /// question about the calls of one function gets them.
    fn routes(&mut self, _walk: &Walk<'_>, _rows: &[Routes<'_>]) -> Result<()> {
        Ok(())
    }

    /// Takes a cell with changes. `names` are the numbers in this process of its
    /// functions.
    fn changed(&mut self, walk: &Walk<'_>, cell: Cell, names: &[u32]);
}

/// Sums of many routes that a question about one function reads.
pub(super) struct Routes<'a> {
    pub(super) sum: &'a SumHeader,
    /// Its paths; none if it lacks the function.
    pub(super) part: Option<&'a PackedPart>,
    /// The routes, with the sums of the function on those that called it.
    pub(super) routes: Vec<(Arc<SumHeader>, Option<FunctionSums>)>,
}

/// What is wanted of a walk, and the highest rate of its cells.
pub(super) struct Walk<'a> {
    pub(super) want: Want<'a>,
    pub(super) functions: FunctionLookup,
    highest: f64,
}

impl Walk<'_> {
    /// A place with its weight.
    pub(super) fn weighted(&self, place: &Place) -> Place {
        weighted(place, self.weight(place))
    }

    /// How often each run of a place counts.
    pub(super) fn weight(&self, place: &Place) -> u64 {
        weight(self.highest, place.rate)
    }
}

impl Inner {
    /// Visits the totals of the cells of a selection, which has these heads.
    pub(super) fn walk_totals(
        &self,
        headers: &SumHeaders,
        each: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let changed = self.changed_totals(&headers.changes)?;
        let rates = changed.iter().map(|(place, _)| place.rate);
        let highest = rates.fold(headers.highest_rate(), f64::max);
        for header in headers.days.iter().chain(&headers.hours) {
            match weight(highest, header.place.rate) {
                1 => each(&header.place, &header.totals),
                weight => each(&weighted(&header.place, weight), &header.totals),
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

    /// Visits the cells of a selection, which has these heads, with the parts that are
    /// wanted.
    pub(super) fn walk(
        &self,
        of: &Hours,
        step: Resolution,
        mut headers: SumHeaders,
        want: Want<'_>,
        visitor: &mut dyn Visitor,
    ) -> Result<()> {
        let condition = &of.condition();
        let mut walk = Walk {
            want,
            functions: FunctionLookup::of(want),
            highest: headers.highest_rate(),
        };
        if step == Resolution::Day && of.is_all_routes {
            let sums = self.app_days(condition, &mut headers)?;
            let lost = if want.is_of_all_routes() {
                self.walk_parts(&sums.rows, Table::AppDaily, &mut walk, visitor)?
            } else {
                self.walk_routes(&sums, &mut walk, visitor)?
            };
            sums.give_back(&lost, &mut headers);
        }
        let lost = self.walk_parts(&headers.days, Table::Daily, &mut walk, visitor)?;
        // They were written anew, or are no more. Their hours are read in place of them.
        let hours = lost.iter().flat_map(|day| day.cells.iter().copied());
        self.add_hours(condition, hours.collect(), &mut headers)?;
        let lost = self.walk_parts(&headers.hours, Table::Cell, &mut walk, visitor)?;
        let mut changes = headers.changes;
        self.add_superseded(condition, &lost, &mut changes)?;
        self.each_changed_cell(&changes, &mut |cells| {
            for cell in cells.into_iter().filter(|cell| cell.totals.runs > 0) {
                let names = self.names.numbers(&cell.symbols);
                walk.functions.learn(&self.names.all());
                visitor.changed(&walk, cell, &names);
            }
            Ok(())
        })
    }

    /// Visits the parts of cells of a table, some at a time. Returns those that have
    /// another version by now.
    fn walk_parts(
        &self,
        headers: &[Arc<SumHeader>],
        table: Table,
        walk: &mut Walk<'_>,
        visitor: &mut dyn Visitor,
    ) -> Result<Vec<Arc<SumHeader>>> {
        let mut lost = Vec::new();
        let (mut length, chunk) = match (table, column(walk.want, table)) {
            (Table::Cell | Table::Daily, _) => (100, CHUNK),
            (Table::AppDaily, Column::Spreads | Column::Moments) => (16, CHUNK),
            (Table::AppDaily, _) => (AT_FIRST, CHUNK_UNPACKED),
        };
        let column = column(walk.want, table);
        let (mut some, mut rest) = headers.split_at(length.min(headers.len()));
        let mut parts = self.parts(some, table, column, &walk.functions)?;
        while !some.is_empty() {
            length = length_for(chunk, &parts);
            walk.functions.learn(&self.names.all());
            let mut found = Vec::with_capacity(some.len());
            for header in some {
                match parts.get(&header.key) {
                    Some(part) => found.push((&**header, part.as_ref())),
                    None => lost.push(Arc::clone(header)),
                }
            }
            let next;
            (next, rest) = rest.split_at(length.min(rest.len()));
            // To read is to wait for ClickHouse, and to visit is work in this process.
            let walk = &*walk;
            parts = std::thread::scope(|scope| {
                let read = || self.parts(next, table, column, &walk.functions);
                let reading = (!next.is_empty()).then(|| scope.spawn(read));
                visitor.parts(walk, &found)?;
                reading.map_or(Ok(HashMap::new()), |reading| {
                    reading.join().unwrap_or_else(|panic| resume_unwind(panic))
                })
            })?;
            some = next;
        }
        Ok(lost)
    }

    /// Parts of cells by their keys; none of cells that do not have the wanted functions.
    /// Cells that have another version by now are not among them.
    pub(super) fn parts(
        &self,
        some: &[Arc<SumHeader>],
        table: Table,
        column: Column,
        functions: &FunctionLookup,
    ) -> Result<HashMap<Key, Option<PackedPart>>> {
        let hash = functions.hash();
        let mut parts = HashMap::with_capacity(some.len());
        let mut missing = Vec::new();
        for header in some {
            match self.cells.part(header, column, hash) {
                Known::Part(part) => {
                    parts.insert(header.key, Some(part));
                }
                Known::Lacks => {
                    parts.insert(header.key, None);
                }
                Known::Unknown => missing.push(header),
            }
        }
        if missing.is_empty() {
            return Ok(parts);
        }
        let versions: HashMap<Key, u64> = missing
            .iter()
            .map(|header| (header.key, header.version))
            .collect();
        let called = functions.called();
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
            rows_of_hours(missing.iter().map(|header| cell_hour(header)), &numbers)
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let (key, version) = (answer.fixed()?, answer.u64()?);
            let is_called = answer.u8()? != 0;
            let symbols = read_symbols(&mut answer)?;
            let bytes = answer.bytes()?;
            if versions.get(&key) != Some(&version) || parts.contains_key(&key) {
                continue;
            }
            let part = is_called.then(|| PackedPart {
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

/// How many parts to read next, if these were the last.
fn length_for(chunk: usize, parts: &HashMap<Key, Option<PackedPart>>) -> usize {
    let bytes: usize = parts.values().flatten().map(|part| part.bytes.len()).sum();
    // The next ones may be larger, above all if these lack the wanted functions.
    let most = (8 * parts.len()).clamp(1, MAX_CELLS);
    (chunk * parts.len() / bytes.max(1)).clamp(1, most)
}

/// The same for parts that are unpacked all at once.
pub(super) fn next_length(parts: &HashMap<Key, Option<PackedPart>>) -> usize {
    length_for(CHUNK_UNPACKED, parts)
}

/// The column of a table with the part that is wanted.
pub(super) fn column(want: Want<'_>, table: Table) -> Column {
    match want {
        Want::Moments if table == Table::AppDaily => Column::Moments,
        Want::Spans => Column::Spans,
        Want::Spreads | Want::Moments | Want::Spread(_) => Column::Spreads,
        Want::Paths | Want::Functions(_) | Want::Calls(_) => Column::Paths,
    }
}

pub(super) fn cell_hour(header: &SumHeader) -> (&Key, CellHour<'_>) {
    let hour = CellHour {
        app: &header.place.app,
        route: &header.place.route,
        hour: header.place.hour,
    };
    (&header.key, hour)
}

fn weighted(place: &Place, weight: u64) -> Place {
    Place {
        weight,
        ..place.clone()
    }
}
