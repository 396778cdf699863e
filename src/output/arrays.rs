//! The result of `xhprof_disable()`: a profile as a PHP array.

use std::collections::HashMap;

use ext_php_rs::types::Zval;
use profile::{Body, Edges, Metrics, Profile, Symbol, SymbolId, classic};
use recorder::slots;

use crate::session::Recorded;
use crate::zend::Prefault;
use crate::zend::array::{Array, IntArray};

/// Sets `result` to XHProf's array.
pub(crate) fn return_array(recorded: &Recorded, result: &mut Zval) {
    match recorded {
        Recorded::Edges(traced) => {
            rows_array(&traced.symbols, traced.metrics, &traced.edges).return_in(result);
        }
        Recorded::Tree(profile) => {
            rows_array(&profile.symbols, profile.metrics, &*profile.edges()).return_in(result);
        }
        Recorded::Samples(profile) => samples_array(profile).return_in(result),
        Recorded::Events => {}
    }
}

fn rows_array(symbols: &[Symbol], metrics: Metrics, edges: &impl Edges) -> Array {
    let rows = edges.len() + 1;
    let mut array = Array::with_capacity(rows);
    let mut prefault = Prefault::for_bytes(Array::size_of_rows(rows));
    let mut first: Option<IntArray> = None;
    classic::visit_rows(symbols, metrics, edges, |key, row| {
        let is_first = first.is_none();
        // All rows have the same keys.
        let first = first.get_or_insert_with(|| IntArray::new(row.metrics()));
        let row = first.with(&row.values());
        prefault.array_made(&row);
        array.set_array(key, row);
        if is_first {
            prefault.storage_made(&array, Array::size_of_entries(rows));
        }
    });
    array
}

/// XHProf's sampled array, with an entry for each time slot: a sample that stands
/// for more time has more slots.
fn samples_array(profile: &Profile) -> Array {
    let Body::Samples(samples) = &profile.body else {
        return Array::with_capacity(0);
    };
    let started = profile.meta.started_unix_us.unwrap_or(0);
    let interval_us = profile.meta.interval_ns.unwrap_or(0) / 1_000;
    let mut array = Array::with_capacity(samples.samples.len());
    let mut written = None;
    let mut text = Vec::new();
    for (slot_us, stack) in slots(&samples.samples, started, interval_us) {
        if written.replace(stack) != Some(stack) {
            write_stack(profile, &samples.path(stack), &mut text);
        }
        let key = format!("{}.{:06}", slot_us / 1_000_000, slot_us % 1_000_000);
        array.set_bytes(key.as_bytes(), &text);
    }
    array
}

/// Writes `main()==>a==>b==>a@1`.
fn write_stack(profile: &Profile, stack: &[SymbolId], text: &mut Vec<u8>) {
    text.clear();
    let mut open: HashMap<SymbolId, u32> = HashMap::new();
    for (depth, &symbol) in stack.iter().enumerate() {
        if depth > 0 {
            text.extend_from_slice(b"==>");
        }
        text.extend_from_slice(profile.name(symbol));
        let level = open.entry(symbol).or_insert(0);
        if *level > 0 {
            text.extend_from_slice(format!("@{level}").as_bytes());
        }
        *level += 1;
    }
}
