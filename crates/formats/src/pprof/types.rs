//! The value types of samples: those that `xhprof` writes, and those of other
//! tools.

use profile::{Metric, Metrics, WallUnit};

use crate::shared::unit::Unit;

/// The types to write: metric, name and unit. Calls come first, because they
/// are counts, and the rest in the order in which tools show it. A `counted`
/// metric keeps the name that it was read with.
pub(super) fn written(metrics: Metrics, counted: &str) -> Vec<(Metric, &str, &'static str)> {
    let wall = match metrics.wall_unit {
        WallUnit::Nanoseconds => (Metric::Wall, "wall", "nanoseconds"),
        WallUnit::Samples => (Metric::Wall, counted, "count"),
    };
    [
        (Metric::Calls, "calls", "count"),
        wall,
        (Metric::Cpu, "cpu", "nanoseconds"),
        (Metric::Memory, "memory", "bytes"),
        (Metric::Peak, "peak", "bytes"),
    ]
    .into_iter()
    .filter(|(metric, ..)| metric.is_in(metrics))
    .collect()
}

/// A column of values, and its factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) index: usize,
    pub(crate) metric: Metric,
    pub(crate) times: i64,
}

/// The usable columns among `types`, names and units, and the metrics they
/// provide. `default` is the name of the type that the file would show first.
pub(crate) fn columns(types: &[(&[u8], &[u8])], default: &[u8]) -> (Vec<Column>, Metrics) {
    let find = |unit: Unit, names: &[&[u8]]| {
        // In the order of the names: the first describes the metric best.
        let places = names.iter().find_map(|name| {
            let mut types = types.iter();
            types.position(|(kind, of)| {
                kind == name && scale(of).is_some_and(|scale| scale.0 == unit)
            })
        });
        let index = places?;
        let (_, of) = types.get(index)?;
        Some((index, scale(of)?.1))
    };
    let mut metrics = Metrics {
        calls: false,
        ..Metrics::default()
    };
    let mut columns = Vec::new();
    let mut push = |metric, found: Option<(usize, i64)>| {
        if let Some((index, times)) = found {
            columns.push(Column {
                index,
                metric,
                times,
            });
        }
        found.is_some()
    };
    metrics.calls = push(Metric::Calls, find(Unit::Count, &[b"calls"]));
    let wall: [&[u8]; 5] = [b"wall", b"wall-time", b"wall_time", b"time", b"delay"];
    if !push(Metric::Wall, find(Unit::Nanoseconds, &wall)) {
        let samples: [&[u8]; 4] = [b"samples", b"sample", b"cpu-samples", b"count"];
        if push(Metric::Wall, find(Unit::Count, &samples)) {
            metrics.wall_unit = WallUnit::Samples;
        }
    }
    let cpu: [&[u8]; 3] = [b"cpu", b"cpu-time", b"cpu_time"];
    metrics.cpu = push(Metric::Cpu, find(Unit::Nanoseconds, &cpu));
    let memory: [&[u8]; 6] = [
        b"memory",
        b"alloc-size",
        b"alloc_space",
        b"alloc-space",
        b"inuse_space",
        b"space",
    ];
    // Go's heap profiles have two types, allocated and in use; the file says
    // which is the default.
    let shown = memory.iter().position(|name| *name == default);
    let memory = shown.map_or(&memory[..], |at| memory.get(at..=at).unwrap_or_default());
    metrics.memory = push(Metric::Memory, find(Unit::Bytes, memory));
    metrics.memory |= push(Metric::Peak, find(Unit::Bytes, &[b"peak"]));
    // A count of something else, if there are neither times nor sizes.
    if columns.iter().all(|column| column.metric == Metric::Calls)
        && let Some(index) = types
            .iter()
            .position(|&(kind, unit)| unit == b"count" && kind != b"calls")
    {
        metrics.wall_unit = WallUnit::Samples;
        columns.push(Column {
            index,
            metric: Metric::Wall,
            times: 1,
        });
    }
    (columns, metrics)
}

/// The unit of counts that are not samples, and the unused types.
pub(crate) fn names(
    types: &[(&[u8], &[u8])],
    columns: &[Column],
    metrics: Metrics,
) -> (Option<String>, Vec<String>) {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let wall = columns.iter().find(|column| column.metric == Metric::Wall);
    let wall = wall.filter(|_| metrics.wall_unit == WallUnit::Samples);
    let counted = wall.and_then(|column| types.get(column.index));
    let counted = counted.filter(|(kind, _)| !matches!(*kind, b"samples" | b"sample"));
    let is_used = |index: usize| columns.iter().any(|column| column.index == index);
    let unused = types
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_used(*index));
    (
        counted.map(|(kind, _)| text(kind)),
        unused.map(|(_, (kind, _))| text(kind)).collect(),
    )
}

/// A unit, and the factor to this crate's unit.
fn scale(unit: &[u8]) -> Option<(Unit, i64)> {
    Some(match unit {
        b"count" | b"" => (Unit::Count, 1),
        b"nanoseconds" | b"nanosecond" | b"ns" => (Unit::Nanoseconds, 1),
        b"microseconds" | b"microsecond" | b"us" => (Unit::Nanoseconds, 1_000),
        b"milliseconds" | b"millisecond" | b"ms" => (Unit::Nanoseconds, 1_000_000),
        b"seconds" | b"second" | b"s" => (Unit::Nanoseconds, 1_000_000_000),
        b"bytes" | b"byte" => (Unit::Bytes, 1),
        b"kilobytes" | b"kb" => (Unit::Bytes, 1 << 10),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(types: &[(&str, &str)]) -> (Vec<(usize, Metric, i64)>, Metrics) {
        found_with(types, "")
    }

    fn found_with(types: &[(&str, &str)], default: &str) -> (Vec<(usize, Metric, i64)>, Metrics) {
        let types: Vec<_> = types
            .iter()
            .map(|(kind, unit)| (kind.as_bytes(), unit.as_bytes()))
            .collect();
        let (columns, metrics) = columns(&types, default.as_bytes());
        let columns = columns
            .iter()
            .map(|column| (column.index, column.metric, column.times));
        (columns.collect(), metrics)
    }

    #[test]
    fn what_is_written_is_found_again() {
        for wall_unit in [WallUnit::Nanoseconds, WallUnit::Samples] {
            let metrics = Metrics {
                calls: wall_unit == WallUnit::Nanoseconds,
                wall_unit,
                cpu: true,
                memory: true,
            };
            let types = written(metrics, "samples");
            let named: Vec<_> = types.iter().map(|&(_, kind, unit)| (kind, unit)).collect();
            let (columns, read) = found(&named);
            assert_eq!(read, metrics);
            let metrics: Vec<_> = types.iter().map(|column| column.0).collect();
            let columns: Vec<_> = columns.iter().map(|column| column.1).collect();
            assert_eq!(columns, metrics);
        }
    }

    #[test]
    fn types_of_others_are_known() {
        let go = [("samples", "count"), ("cpu", "nanoseconds")];
        let (columns, metrics) = found(&go);
        assert_eq!(columns, [(0, Metric::Wall, 1), (1, Metric::Cpu, 1)]);
        assert_eq!(metrics.wall_unit, WallUnit::Samples);
        let php = [
            ("sample", "count"),
            ("wall-time", "microseconds"),
            ("alloc-samples", "count"),
            ("alloc-size", "bytes"),
        ];
        let (columns, metrics) = found(&php);
        assert_eq!(columns, [(1, Metric::Wall, 1_000), (3, Metric::Memory, 1)]);
        assert_eq!(metrics.wall_unit, WallUnit::Nanoseconds);
        let heap = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        assert_eq!(found(&heap).0, [(1, Metric::Memory, 1)]);
        assert_eq!(found_with(&heap, "inuse_space").0, [(3, Metric::Memory, 1)]);
        let (columns, metrics) = found(&[("goroutine", "count")]);
        assert_eq!(columns, [(0, Metric::Wall, 1)]);
        assert_eq!(metrics.wall_unit, WallUnit::Samples);
        assert_eq!(found(&[("apples", "crates")]).0, []);
    }

    #[test]
    fn what_is_counted_and_what_is_not_read_are_named() {
        let named = |types: &[(&str, &str)]| {
            let types: Vec<_> = types
                .iter()
                .map(|(kind, unit)| (kind.as_bytes(), unit.as_bytes()))
                .collect();
            let (columns, metrics) = columns(&types, b"");
            names(&types, &columns, metrics)
        };
        let text = str::to_owned;
        let ir = [("Ir", "count"), ("Dr", "count")];
        assert_eq!(named(&ir), (Some(text("Ir")), vec![text("Dr")]));
        let heap = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_space", "bytes"),
        ];
        let unused = vec![text("alloc_objects"), text("inuse_space")];
        assert_eq!(named(&heap), (None, unused));
        assert_eq!(named(&[("samples", "count")]), (None, Vec::new()));
    }
}
