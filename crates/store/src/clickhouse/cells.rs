//! A row of hourly sums: read, changed, written.
//!
//! **Invariant:** a row has the sums of exactly the runs whose ids it has. Both are
//! written at once, in one row.

use std::collections::{BTreeSet, HashMap, HashSet};

use profile::Symbol;

use super::literal::{ids, text};
use super::rows::{RowReader, RowWriter};
use super::select::hour_number;
use crate::prepare::RunSums;
use crate::rollup::{Paths, Shape, Sign, Sketch, SpanSums, Spreads, Totals, decode, encode};
use crate::{Result, RunInfo};

/// The identity of a cell: a hash of its place.
pub(super) type Key = [u8; 16];

/// The columns of totals, in the order of [`read_totals`].
pub(super) const TOTALS: &str = "runs, failed, calls, wall, ln_wall, cpu_runs, cpu, peak_runs, \
     peak, memory, bucket, count";

/// Which cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellPlace {
    pub(super) app: String,
    pub(super) route: String,
    pub(super) release: String,
    pub(super) hour: i64,
    pub(super) shape: i8,
    pub(super) rate: f64,
}

impl CellPlace {
    /// The cell of a run; shape -1 is in none.
    pub(super) fn of(info: &RunInfo, shape: i8) -> Self {
        Self {
            app: info.app.clone(),
            route: info.route.clone(),
            release: info.release.clone(),
            hour: crate::rollup::hour_of(info.started_us),
            shape,
            rate: info.rate,
        }
    }

    pub(super) fn key(&self) -> Key {
        let mut hasher = blake3::Hasher::new();
        for text in [&self.app, &self.route, &self.release] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&self.hour.to_le_bytes());
        hasher.update(&self.shape.to_le_bytes());
        hasher.update(&self.rate.to_bits().to_le_bytes());
        let mut key = [0; 16];
        hasher.finalize_xof().fill(&mut key);
        key
    }

    /// The same place for the whole day: its first hour.
    pub(super) fn of_day(&self) -> Self {
        Self {
            hour: self.hour.div_euclid(24) * 24,
            ..self.clone()
        }
    }

    /// The key of the day's sums.
    pub(super) fn day_key(&self) -> Key {
        let mut hasher = blake3::Hasher::new_derive_key("xhprof store: sums of a day");
        hasher.update(&self.of_day().key());
        let mut key = [0; 16];
        hasher.finalize_xof().fill(&mut key);
        key
    }

    /// The columns of [`read`](Self::read).
    pub(super) const COLUMNS: &str = "app, route, release, hour, shape, rate";

    pub(super) fn read(answer: &mut RowReader<'_>) -> Result<Self> {
        Ok(Self {
            app: answer.text()?,
            route: answer.text()?,
            release: answer.text()?,
            hour: i64::from(answer.u32()?),
            shape: answer.i8()?,
            rate: answer.f64()?,
        })
    }
}

/// The sums of a cell, with its own names: its functions are numbers of `symbols`.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) place: CellPlace,
    pub(super) version: u64,
    pub(super) is_gone: bool,
    pub(super) ids: HashSet<[u8; 16]>,
    pub(super) totals: Totals,
    pub(super) symbols: Vec<Symbol>,
    numbers: HashMap<Box<[u8]>, u32>,
    pub(super) paths: Paths,
    pub(super) spans: SpanSums,
    pub(super) spreads: Spreads,
}

impl Cell {
    /// A cell without runs.
    pub(super) fn new(place: CellPlace) -> Self {
        let shape = Shape::from_number(i64::from(place.shape));
        Self {
            place,
            version: 0,
            is_gone: false,
            ids: HashSet::new(),
            totals: Totals::default(),
            symbols: Vec::new(),
            numbers: HashMap::new(),
            paths: Paths::new(shape),
            spans: SpanSums::default(),
            spreads: Spreads::default(),
        }
    }

    /// The columns of [`read`](Self::read).
    pub(super) fn columns() -> String {
        format!(
            "{}, version, gone, ids, {}",
            CellPlace::COLUMNS,
            Self::sum_columns()
        )
    }

    pub(super) fn read(answer: &mut RowReader<'_>) -> Result<Self> {
        let mut cell = Self::new(CellPlace::read(answer)?);
        cell.version = answer.u64()?;
        cell.is_gone = answer.u8()? != 0;
        cell.ids = answer.list(RowReader::fixed)?.into_iter().collect();
        cell.read_sums(answer)?;
        Ok(cell)
    }

    /// Reads [`sum_columns`](Self::sum_columns).
    pub(super) fn read_sums(&mut self, answer: &mut RowReader<'_>) -> Result<()> {
        self.totals = read_totals(answer)?;
        self.symbols = read_symbols(answer)?;
        let names = (0..).zip(&self.symbols);
        self.numbers = names
            .map(|(number, symbol)| (symbol.name.clone(), number))
            .collect();
        if let Some(paths) = part::<Paths>(answer.bytes()?)? {
            self.paths = paths.indexed();
        }
        self.spans = part(answer.bytes()?)?.unwrap_or_default();
        self.spreads = part(answer.bytes()?)?.unwrap_or_default();
        Ok(())
    }

    /// Adds a run or takes it out. Does nothing if the cell is so already.
    pub(super) fn merge(&mut self, id: [u8; 16], part: RunSums, sign: Sign) {
        let is_change = match sign {
            Sign::Plus => self.ids.insert(id),
            Sign::Minus => self.ids.remove(&id),
        };
        if !is_change {
            return;
        }
        let names = self.numbers(&part.symbols);
        self.totals.merge(&part.totals, sign);
        self.paths.merge(&part.paths.renamed(&names), sign);
        self.spans.merge(&part.spans, sign);
        self.spreads.merge(&part.spreads.renamed(&names), sign);
    }

    /// Whether the sums are the same, if names have the same numbers.
    pub(super) fn has_sums_of(&self, other: &Self) -> bool {
        // The longest time of a span stays when its run is deleted.
        self.totals == other.totals
            && self.paths == other.paths
            && self.spans.rows.len() == other.spans.rows.len()
            && self.spreads == other.spreads
    }

    /// Adds the sums of another cell, without the ids of its runs.
    pub(super) fn add(&mut self, other: Self) {
        let names = self.numbers(&other.symbols);
        self.totals.merge(&other.totals, Sign::Plus);
        self.paths.merge(&other.paths.renamed(&names), Sign::Plus);
        self.spans.merge(&other.spans, Sign::Plus);
        self.spreads
            .merge(&other.spreads.renamed(&names), Sign::Plus);
    }

    /// Numbers names as another cell does.
    pub(super) fn adopt_names(&mut self, other: &Self) {
        self.symbols.clone_from(&other.symbols);
        self.numbers.clone_from(&other.numbers);
    }

    /// The numbers of functions, which may be new here.
    pub(super) fn numbers(&mut self, symbols: &[Symbol]) -> Vec<u32> {
        symbols.iter().map(|symbol| self.number(symbol)).collect()
    }

    fn number(&mut self, symbol: &Symbol) -> u32 {
        if let Some(&number) = self.numbers.get(&symbol.name) {
            return number;
        }
        let number = u32::try_from(self.symbols.len()).unwrap_or(0);
        self.symbols.push(symbol.clone());
        self.numbers.insert(symbol.name.clone(), number);
        number
    }

    /// The columns of [`write`](Self::write).
    pub(super) fn written_columns() -> String {
        format!("key, day, {}", Self::columns())
    }

    pub(super) fn write(&self, rows: &mut RowWriter) -> Result<()> {
        let place = &self.place;
        let hour = hour_number(place.hour);
        rows.fixed(place.key()).u32(hour / 24);
        rows.text(&place.app)
            .text(&place.route)
            .text(&place.release);
        rows.u32(hour).i8(place.shape).f64(place.rate);
        rows.u64(self.version).u8(u8::from(self.is_gone));
        rows.length(self.ids.len());
        for id in &self.ids {
            rows.fixed(id);
        }
        self.write_sums(rows)
    }

    /// The columns of [`write_sums`](Self::write_sums).
    pub(super) fn sum_columns() -> String {
        format!("{TOTALS}, name, file, line, internal, paths, spans, spreads")
    }

    /// Its sums, without the place and the runs.
    pub(super) fn write_sums(&self, rows: &mut RowWriter) -> Result<()> {
        write_totals(&self.totals, rows);
        rows.length(self.symbols.len());
        for symbol in &self.symbols {
            rows.text(&symbol.name);
        }
        rows.length(self.symbols.len());
        for symbol in &self.symbols {
            rows.text(symbol.file.as_deref().unwrap_or_default());
        }
        rows.length(self.symbols.len());
        for symbol in &self.symbols {
            rows.u32(symbol.line);
        }
        rows.length(self.symbols.len());
        for symbol in &self.symbols {
            rows.u8(u8::from(symbol.internal));
        }
        rows.text(encode(&self.paths)?);
        rows.text(if self.spans.rows.is_empty() {
            Vec::new()
        } else {
            encode(&self.spans)?
        });
        rows.text(encode(&self.spreads)?);
        Ok(())
    }
}

/// Where the rows of a cell are in the table, which is in the order of their places.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellHour<'a> {
    pub(super) app: &'a str,
    pub(super) route: &'a str,
    pub(super) hour: i64,
}

impl<'a> From<&'a CellPlace> for CellHour<'a> {
    fn from(place: &'a CellPlace) -> Self {
        Self {
            app: &place.app,
            route: &place.route,
            hour: place.hour,
        }
    }
}

/// The condition that finds cells quickly.
pub(super) fn these_cells<'a>(
    cells: impl Iterator<Item = (&'a Key, &'a CellPlace)> + Clone,
) -> String {
    let keys = ids(cells.clone().map(|(key, _)| key));
    format!(
        "{} AND key IN ({keys})",
        at(cells.map(|cell| cell.1.into()))
    )
}

/// The same for a question without `FINAL`, which gives all versions of the cells. Other
/// columns are read only where a key is.
pub(super) fn rows_of_cells<'a>(
    cells: impl Iterator<Item = (&'a Key, &'a CellPlace)> + Clone,
) -> String {
    rows_of_hours(cells.map(|(key, place)| (key, place.into())), &[])
}

/// The same with the versions, if they are known.
pub(super) fn rows_of_hours<'a>(
    cells: impl Iterator<Item = (&'a Key, CellHour<'a>)> + Clone,
    versions: &[String],
) -> String {
    let keys = ids(cells.clone().map(|(key, _)| key));
    let versions = if versions.is_empty() {
        String::new()
    } else {
        format!(" AND version IN ({})", versions.join(", "))
    };
    let places = at(cells.map(|(_, place)| place));
    format!("PREWHERE key IN ({keys}){versions} WHERE {places}")
}

fn at<'a>(places: impl Iterator<Item = CellHour<'a>>) -> String {
    let places = places.map(|CellHour { app, route, hour }| {
        format!("({}, {}, {})", text(app), text(route), hour_number(hour))
    });
    let places: BTreeSet<String> = places.collect();
    let places: Vec<String> = places.into_iter().collect();
    format!("(app, route, hour) IN ({})", places.join(", "))
}

/// Reads [`TOTALS`].
pub(super) fn read_totals(answer: &mut RowReader<'_>) -> Result<Totals> {
    Ok(Totals {
        runs: answer.u64()?,
        failed: answer.u64()?,
        calls: answer.u64()?,
        wall: answer.u64()?,
        ln_wall: answer.u64()?,
        cpu_runs: answer.u64()?,
        cpu: answer.u64()?,
        peak_runs: answer.u64()?,
        peak: answer.u64()?,
        memory: answer.i64()?,
        walls: {
            let buckets = answer.list(RowReader::u64)?;
            Sketch::of_buckets(buckets.into_iter().zip(answer.list(RowReader::u64)?))
        },
    })
}

fn write_totals(totals: &Totals, rows: &mut RowWriter) {
    let numbers = [
        totals.runs,
        totals.failed,
        totals.calls,
        totals.wall,
        totals.ln_wall,
        totals.cpu_runs,
        totals.cpu,
        totals.peak_runs,
        totals.peak,
    ];
    for number in numbers {
        rows.u64(number);
    }
    rows.i64(totals.memory);
    let buckets = totals.walls.bucket_list();
    rows.length(buckets.len());
    for (least, _) in buckets {
        rows.u64(*least);
    }
    rows.length(buckets.len());
    for (_, count) in buckets {
        rows.u64(*count);
    }
}

/// Reads `name, file, line, internal`.
pub(super) fn read_symbols(answer: &mut RowReader<'_>) -> Result<Vec<Symbol>> {
    let names = answer.list(|one| Ok(Box::<[u8]>::from(one.bytes()?)))?;
    let files = answer.list(|one| Ok(Box::<[u8]>::from(one.bytes()?)))?;
    let lines = answer.list(RowReader::u32)?;
    let internal = answer.list(RowReader::u8)?;
    let rest = files.into_iter().zip(lines).zip(internal);
    let symbol = |(name, ((file, line), internal)): (_, ((Box<[u8]>, _), u8))| Symbol {
        name,
        file: Some(file).filter(|file| !file.is_empty()).map(Into::into),
        line,
        internal: internal != 0,
    };
    Ok(names.into_iter().zip(rest).map(symbol).collect())
}

/// A part that is there.
pub(super) fn part<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<Option<T>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    decode(bytes).map(Some)
}
