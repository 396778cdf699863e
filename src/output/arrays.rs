//! What `xhprof_disable()` returns: a profile as a PHP array.

use ext_php_rs::types::Zval;
use profile::{Body, Profile, Symbol, SymbolId, classic};

use crate::session::{Recorded, Samples};
use crate::zend::array::Array;

/// Makes `result` the array that XHProf returns.
pub(crate) fn return_array(recorded: &Recorded, result: &mut Zval) {
    match recorded {
        Recorded::Trace(profile) => trace_array(profile).return_in(result),
        Recorded::Samples(samples) => samples_array(samples).return_in(result),
        Recorded::Events => {}
    }
}

fn trace_array(profile: &Profile) -> Array {
    let mut array = Array::with_capacity(match &profile.body {
        Body::Edges(table) => table.edges.len() + 1,
        _ => profile.symbols.len(),
    });
    let mut first: Option<Array> = None;
    classic::for_each_row(profile, |key, row| {
        // All rows have the same keys.
        let first = first.get_or_insert_with(|| {
            let mut cost = Array::with_capacity(5);
            for (name, value) in row.metrics() {
                cost.set_int(name.as_bytes(), value);
            }
            cost
        });
        array.set_array(key, first.with_ints(row.metrics().map(|(_, value)| value)));
    });
    array
}

fn samples_array(samples: &Samples) -> Array {
    let mut array = Array::with_capacity(samples.samples.len());
    let mut text = Vec::new();
    for sample in &samples.samples {
        let key = format!(
            "{}.{:06}",
            sample.slot_us / 1_000_000,
            sample.slot_us % 1_000_000
        );
        write_stack(&samples.symbols, &sample.stack, &mut text);
        array.set_bytes(key.as_bytes(), &text);
    }
    array
}

/// Writes `main()==>a==>b@1`.
fn write_stack(symbols: &[Symbol], stack: &[SymbolId], text: &mut Vec<u8>) {
    text.clear();
    text.extend_from_slice(b"main()");
    for (depth, symbol) in stack.iter().enumerate() {
        text.extend_from_slice(b"==>");
        let name = symbols
            .get(symbol.index())
            .map_or(&b"?"[..], |symbol| &symbol.name);
        text.extend_from_slice(name);
        let level = stack.iter().take(depth).filter(|it| *it == symbol).count();
        if level > 0 {
            text.extend_from_slice(format!("@{level}").as_bytes());
        }
    }
}
