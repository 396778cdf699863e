//! What each function has on each route of sums of many routes, so that a question about
//! a function of all routes needs to read none of their sums.
//!
//! **Invariant:** a row belongs to the row of `app_daily` with its key and version, and is
//! written before it. A server that does not find it reads the sums of the routes: it was
//! written by an older server, or is not on this replica yet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::Inner;
use super::app_days::AppDays;
use super::cell_cache::{Column, Known, PackedPart, SumHeader};
use super::cells::{Cell, Key, rows_of_hours};
use super::rows::{RowReader, RowWriter};
use super::select::hour_number;
use super::sum_headers::Table;
use super::walk::{AT_FIRST, Routes, Visitor, Walk, cell_hour, next_length};
use crate::Result;
use crate::rollup::{FunctionParts, OfParts, OneFunction, decode_by, encode};

/// The table.
pub(super) const NAME: &str = "app_functions";

/// Rows of sums of many routes that are to be inserted, with those of their functions.
#[derive(Debug, Default)]
pub(super) struct AppRows {
    pub(super) sums: RowWriter,
    functions: RowWriter,
}

impl AppRows {
    /// Adds what the functions of a sum have on its routes; nothing of a sum of nothing.
    pub(super) fn add(&mut self, sum: &Cell, key: &Key, functions: &FunctionParts) -> Result<()> {
        let place = &sum.place;
        let hour = hour_number(place.hour);
        self.functions.fixed(key).u64(sum.version).u32(hour / 24);
        self.functions.u32(hour).text(&place.app).text(&place.route);
        self.functions.text(if functions.is_empty() {
            Vec::new()
        } else {
            encode(functions)?
        });
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.sums.bytes.clear();
        self.functions.bytes.clear();
    }
}

impl Inner {
    /// Inserts sums of many routes into their tables.
    pub(super) fn insert_app_rows(&self, rows: &mut AppRows) -> Result<()> {
        if !rows.functions.bytes.is_empty() {
            let columns = "key, version, day, hour, app, route, functions";
            let into = format!("{} ({columns})", self.all(NAME));
            self.client.insert(&into, &rows.functions.bytes)?;
            rows.functions.bytes.clear();
        }
        self.insert_sums(Table::AppDaily, &mut rows.sums)
    }

    /// The keys and versions of the rows that a condition selects.
    pub(super) fn function_rows(&self, condition: &str) -> Result<HashSet<(Key, u64)>> {
        let bytes = self.client.read(&format!(
            "SELECT key, version FROM {} WHERE {condition}",
            self.all(NAME)
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut rows = HashSet::new();
        while answer.has_more() {
            rows.insert((answer.fixed()?, answer.u64()?));
        }
        Ok(rows)
    }

    /// What the functions of these sums have on their routes, packed, by the keys of the
    /// sums. Sums without a row are not among them.
    pub(super) fn functions_of(&self, sums: &[&SumHeader]) -> Result<HashMap<Key, Arc<[u8]>>> {
        let mut functions = HashMap::with_capacity(sums.len());
        if sums.is_empty() {
            return Ok(functions);
        }
        let wanted: HashMap<Key, u64> = sums.iter().map(|sum| (sum.key, sum.version)).collect();
        let versions: HashSet<String> = wanted.values().map(u64::to_string).collect();
        let bytes = self.client.read(&format!(
            "SELECT key, version, functions FROM {} {}",
            self.all(NAME),
            rows_of_hours(
                sums.iter().map(|sum| cell_hour(sum)),
                &versions.into_iter().collect::<Vec<_>>()
            )
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let (key, version) = (answer.fixed()?, answer.u64()?);
            let packed = answer.bytes()?;
            if wanted.get(&key) == Some(&version) {
                functions.insert(key, packed.into());
            }
        }
        Ok(functions)
    }

    /// Visits the paths around a function in sums of many routes, and its sums on each of
    /// their routes. Returns the sums whose routes must be read instead.
    pub(super) fn walk_routes(
        &self,
        sums: &AppDays,
        walk: &mut Walk<'_>,
        visitor: &mut dyn Visitor,
    ) -> Result<Vec<Arc<SumHeader>>> {
        if walk.functions.hash().is_none() {
            return Ok(sums.rows.clone());
        }
        let mut lost = Vec::new();
        let (mut rest, mut length) = (sums.rows.as_slice(), AT_FIRST);
        while !rest.is_empty() {
            let (some, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let parts = self.parts(some, Table::AppDaily, Column::Paths, &walk.functions)?;
            length = next_length(&parts);
            walk.functions.learn(&self.names.all());
            let calling = some.iter().filter_map(|sum| {
                let part = parts.get(&sum.key)?.as_ref()?;
                Some((&**sum, part))
            });
            let functions = self.known_functions(&calling.collect::<Vec<_>>())?;
            let read: Vec<Result<Option<Routes<'_>>>> = some
                .par_iter()
                .map(|sum| {
                    let Some(part) = parts.get(&sum.key) else {
                        return Ok(None);
                    };
                    routes(walk, sums, sum, part.as_ref(), functions.get(&sum.key))
                })
                .collect();
            let mut found = Vec::with_capacity(some.len());
            for (sum, read) in some.iter().zip(read) {
                match read? {
                    Some(routes) => found.push(routes),
                    None => lost.push(Arc::clone(sum)),
                }
            }
            visitor.routes(walk, &found)?;
        }
        Ok(lost)
    }

    /// The same as [`functions_of`](Self::functions_of), read once by this process.
    fn known_functions(
        &self,
        sums: &[(&SumHeader, &PackedPart)],
    ) -> Result<HashMap<Key, Arc<[u8]>>> {
        let mut functions = HashMap::with_capacity(sums.len());
        let mut missing = Vec::new();
        for &(sum, part) in sums {
            match self.cells.part(sum, Column::Functions, None) {
                Known::Part(part) => {
                    functions.insert(sum.key, part.bytes);
                }
                _ => missing.push((sum, part)),
            }
        }
        let headers: Vec<&SumHeader> = missing.iter().map(|(sum, _)| *sum).collect();
        let mut read = self.functions_of(&headers)?;
        for (sum, part) in missing {
            let Some(bytes) = read.remove(&sum.key) else {
                continue;
            };
            let kept = PackedPart {
                names: Arc::clone(&part.names),
                bytes: Arc::clone(&bytes),
            };
            self.cells
                .keep_part(sum.key, sum.version, Column::Functions, Ok(&kept));
            functions.insert(sum.key, bytes);
        }
        Ok(functions)
    }
}

/// What the wanted function has on the routes of a sum; none if it must be read from these.
fn routes<'a>(
    walk: &Walk<'_>,
    sums: &AppDays,
    sum: &'a SumHeader,
    part: Option<&'a PackedPart>,
    packed: Option<&Arc<[u8]>>,
) -> Result<Option<Routes<'a>>> {
    let mut routes: Vec<_> = sums.routes_of(sum).collect();
    if let Some(part) = part {
        let Some(packed) = packed else {
            return Ok(None);
        };
        let found = walk.functions.in_cell(&part.names);
        let of_routes = match found.first() {
            Some(Some((function, _))) if !packed.is_empty() => {
                decode_by(packed, OneFunction(*function))?
            }
            _ => OfParts::new(),
        };
        for (number, of_route) in of_routes {
            if let Some((_, sums)) = routes.get_mut(number as usize) {
                *sums = Some(of_route);
            }
        }
    }
    Ok(Some(Routes { sum, part, routes }))
}
