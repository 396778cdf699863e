//! Parses classic rows into a profile, or into samples.
//!
//! Readers of every encoding (PHP's serialize, JSON) pass their entries to a
//! [`Builder`] one by one. Only at the end is it known which `@1` is a
//! recursion level and which is part of a name.
//!
//! **Invariant:** writing a profile that was read gives the same rows, in the
//! same order.

use super::entry_cost::EntryCost;
use super::error::{RowsError, beginning};
use super::labels::{Labels, NAMES};
use crate::php_serialize::{Key, Limits, Reader, Value};
use profile::classic::SEPARATOR;
use profile::{
    Body, Budget, Cost, Edge, EdgeTable, Meta, Metrics, Mode, NodeId, NumberMap, OverBudget,
    Profile, Sample, SamplesBuilder, Spans, Symbol, SymbolId, Table, Tree, TreeBuilder, WallUnit,
    allocated, make_name_safe,
};

/// Reads a classic array as PHP's `serialize()` writes it.
///
/// # Errors
///
/// [`RowsError`], for bytes that are not such an array.
pub(crate) fn read_serialized(
    input: &[u8],
    limits: Limits,
    budget: &Budget,
) -> Result<Profile, RowsError> {
    let mut reader = Reader::new(input, limits);
    if !reader.is_at_array() {
        reader.value()?;
        return Err(RowsError::NotAnArray);
    }
    let mut builder = Builder::within(budget);
    for _ in 0..reader.array_start()? {
        let key = reader.key()?;
        let digits;
        let key = match key {
            Key::String(key) => key,
            Key::Int(key) => {
                digits = key.to_string();
                digits.as_bytes()
            }
        };
        if !reader.is_at_array() {
            match reader.value()? {
                Value::String(stack) => builder.add_sample(key, stack)?,
                _ => return Err(RowsError::entry(key)),
            }
            continue;
        }
        let mut cost = EntryCost::default();
        for _ in 0..reader.array_start()? {
            let metric = reader.key()?;
            let value = reader.value()?;
            let Key::String(metric) = metric else {
                continue;
            };
            match value {
                Value::Int(value) => cost.set_int(metric, value),
                Value::Float(value) => cost.set_float(metric, value),
                Value::String(text) => cost.set_text(metric, text),
                _ => {}
            }
        }
        reader.array_end()?;
        builder.add_row(key, cost)?;
    }
    reader.array_end()?;
    reader.finish()?;
    builder.finish()
}

/// Collects the entries of a classic array.
#[derive(Debug)]
pub(crate) struct Builder {
    labels: Labels,
    /// Caller and callee as labels, each with its cost.
    rows: Vec<(u32, u32, Cost)>,
    /// PHP and JSON keep the last of two entries with the same key.
    row_of: NumberMap<(u32, u32), usize>,
    main: Option<(EntryCost, Cost)>,
    /// The first row without a caller.
    callerless: Option<Box<[u8]>>,
    /// The sum of all such rows.
    callerless_cost: Cost,
    /// The time and the stack of each sample: as labels, because no symbol is
    /// known yet.
    samples: Vec<(u64, NodeId)>,
    stacks: TreeBuilder,
    budget: Budget,
}

/// The noun in the budget's error message.
const ROWS: &str = "rows";

impl Default for Builder {
    fn default() -> Self {
        Self::within(&Budget::unlimited())
    }
}

impl Builder {
    /// No entries yet, and room for as many as the budget allows.
    #[must_use]
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            labels: Labels::within(budget),
            rows: Vec::new(),
            row_of: NumberMap::default(),
            main: None,
            callerless: None,
            callerless_cost: Cost::default(),
            samples: Vec::new(),
            stacks: TreeBuilder::within(budget),
            budget: budget.clone(),
        }
    }

    /// Adds a row of costs.
    ///
    /// # Errors
    ///
    /// [`RowsError`] for an invalid key or cost.
    pub(crate) fn add_row(&mut self, key: &[u8], entry: EntryCost) -> Result<(), RowsError> {
        if !self.samples.is_empty() {
            return Err(RowsError::entry(key));
        }
        let cost = entry.cost(key)?;
        if key == Symbol::MAIN {
            self.main = Some((entry, cost));
            return Ok(());
        }
        let Some((caller, callee)) = split(key) else {
            // Tideways on PHP 8 ends `main()` at once, and then writes rows
            // without a caller.
            self.callerless.get_or_insert_with(|| beginning(key));
            self.callerless_cost += cost;
            return self.add_edge(Symbol::MAIN, key, cost);
        };
        if callee == Symbol::MAIN {
            return Err(RowsError::Key {
                key: beginning(key),
            });
        }
        // Another separator is part of the callee's name, from a writer that
        // did not replace it.
        let copied = allocated(callee.len());
        self.budget.take(copied, NAMES)?;
        let mut callee = callee.to_vec();
        make_name_safe(&mut callee);
        self.add_edge(caller, &callee, cost)?;
        self.budget.give_back(copied);
        Ok(())
    }

    fn add_edge(&mut self, caller: &[u8], callee: &[u8], cost: Cost) -> Result<(), RowsError> {
        let (caller, callee) = (self.number(caller)?, self.number(callee)?);
        self.budget.room_in_map(&mut self.row_of, ROWS)?;
        self.budget.room(&mut self.rows, ROWS)?;
        match self.row_of.entry((caller, callee)) {
            std::collections::hash_map::Entry::Occupied(place) => {
                if let Some(row) = self.rows.get_mut(*place.get()) {
                    row.2 = cost;
                }
            }
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(self.rows.len());
                self.rows.push((caller, callee, cost));
            }
        }
        Ok(())
    }

    /// Adds a sample: its time and its stack.
    ///
    /// # Errors
    ///
    /// [`RowsError`] for a key that is not a time.
    pub(crate) fn add_sample(&mut self, time: &[u8], stack: &[u8]) -> Result<(), RowsError> {
        let taken_unix_us = unix_us(time).ok_or(RowsError::entry(time))?;
        if self.main.is_some() || !self.rows.is_empty() {
            return Err(RowsError::entry(time));
        }
        let mut node = NodeId::ROOT;
        let mut rest = stack;
        while let Some((frame, inner)) = split(rest) {
            let frame = self.number(frame)?;
            node = self.stacks.child(node, SymbolId(frame));
            rest = inner;
        }
        let top = self.number(rest)?;
        node = self.stacks.child(node, SymbolId(top));
        self.budget.room(&mut self.samples, "samples")?;
        self.samples.push((taken_unix_us, node));
        Ok(self.budget.check()?)
    }

    fn number(&mut self, label: &[u8]) -> Result<u32, RowsError> {
        self.labels.number(label)?.ok_or(RowsError::TooMany)
    }

    /// Makes a profile from the rows, or samples from the stacks. An empty
    /// array is the empty profile, which PHP writes if nothing ran.
    ///
    /// # Errors
    ///
    /// [`RowsError`] if there are rows, but no `main()` with a wall time.
    pub(crate) fn finish(self) -> Result<Profile, RowsError> {
        self.budget.check()?;
        let resolved = self.labels.resolve();
        let activation = |label: u32| resolved.activations[label];
        if !self.samples.is_empty() {
            let symbol = |label: SymbolId| activation(label.0).symbol;
            let stacks = self.stacks.finish();
            let profile = sampled(
                self.samples,
                &stacks,
                symbol,
                resolved.symbols,
                &self.budget,
            )?;
            self.budget.check()?;
            return Ok(profile);
        }
        let Some((entry, mut root)) = self.main else {
            if self.rows.is_empty() {
                return Ok(Profile::empty());
            }
            return Err(match self.callerless {
                Some(key) => RowsError::Key { key },
                None => RowsError::NoMain,
            });
        };
        if !entry.has_wall() {
            return Err(RowsError::NoWallTime);
        }
        let from_main = self.rows.iter().filter(|(caller, ..)| *caller == 0);
        let walls = from_main.map(|(_, _, cost)| cost.wall);
        if walls.fold(0, u64::saturating_add) > root.wall {
            let calls = root.calls;
            root += self.callerless_cost;
            root.calls = calls;
        }
        let edge = |(caller, callee, cost): (u32, u32, Cost)| Edge {
            caller: activation(caller),
            callee: activation(callee),
            cost,
        };
        Ok(Profile {
            body: Body::Edges(EdgeTable {
                root,
                edges: self.rows.into_iter().map(edge).collect(),
            }),
            // As in the original library: the metrics of `main()` are the
            // measured ones.
            metrics: entry.metrics(),
            symbols: resolved.symbols,
            ..Profile::empty()
        })
    }
}

/// A profile of classic samples, each with a weight of one.
fn sampled(
    mut samples: Vec<(u64, NodeId)>,
    stacks: &Tree,
    symbol: impl Fn(SymbolId) -> SymbolId,
    symbols: Vec<Symbol>,
    budget: &Budget,
) -> Result<Profile, OverBudget> {
    let started_unix_us = samples.iter().map(|(taken, _)| *taken).min();
    samples.sort_by_key(|(taken, _)| *taken);
    let mut builder = SamplesBuilder::within(budget);
    // Two labels may become one symbol, so the stacks are built again.
    budget.take(stacks.nodes.len() * size_of::<NodeId>(), "call paths")?;
    let mut nodes = Table::new(NodeId::ROOT, stacks.nodes.len());
    for (number, node) in stacks.numbered().skip(1) {
        // `main()` is the root, with or without it in the stack.
        let is_root = node.parent == NodeId::ROOT && symbol(node.symbol) == SymbolId::ROOT;
        let stack = if is_root {
            NodeId::ROOT
        } else {
            builder.push(nodes[node.parent], symbol(node.symbol))
        };
        nodes[number] = stack;
    }
    for (taken, stack) in samples {
        let stack = nodes[stack];
        let since_start = taken - started_unix_us.unwrap_or(taken);
        builder.add(Sample::new(since_start.saturating_mul(1_000), 1, stack));
    }
    Ok(Profile {
        symbols,
        body: Body::Samples(builder.finish()),
        metrics: Metrics {
            calls: false,
            wall_unit: WallUnit::Samples,
            ..Metrics::default()
        },
        meta: Meta {
            started_unix_us,
            mode: Mode::Sampled,
            ..Meta::default()
        },
        spans: Spans::default(),
        lines: profile::Lines::default(),
    })
}

/// Splits at the first separator.
fn split(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = key
        .windows(SEPARATOR.len())
        .position(|window| window == SEPARATOR)?;
    Some((key.get(..at)?, key.get(at + SEPARATOR.len()..)?))
}

/// `1700000000.100000` as microseconds.
fn unix_us(time: &[u8]) -> Option<u64> {
    let (seconds, fraction) = std::str::from_utf8(time).ok()?.split_once('.')?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(seconds) || !is_digits(fraction) || fraction.len() > 6 {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
    seconds
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::Metrics;

    fn profile(input: &str) -> Profile {
        read_serialized(input.as_bytes(), Limits::PROFILE, &Budget::unlimited()).unwrap()
    }

    fn error(input: &str) -> RowsError {
        read_serialized(input.as_bytes(), Limits::PROFILE, &Budget::unlimited()).unwrap_err()
    }

    fn rows(rows: &[(&str, &str)]) -> String {
        let row = |(key, value): &(&str, &str)| format!("s:{}:\"{key}\";{value}", key.len());
        format!(
            "a:{}:{{{}}}",
            rows.len(),
            rows.iter().map(row).collect::<String>()
        )
    }

    const WT: &str = "a:1:{s:2:\"wt\";i:7;}";

    #[test]
    fn averages_with_fractions_are_read() {
        let main = "a:3:{s:2:\"ct\";d:1.5;s:2:\"wt\";d:2.25;s:3:\"cpu\";d:0.0004;}";
        let profile = profile(&rows(&[("main()", main)]));
        assert_eq!(
            {
                let root = profile.edges().root;
                (root.calls, root.wall, root.cpu)
            },
            (2, 2_250, 0)
        );
        assert_eq!(
            profile.metrics,
            Metrics {
                cpu: true,
                ..Metrics::default()
            }
        );
    }

    #[test]
    fn numbers_may_be_texts() {
        let texts = "a:2:{s:2:\"ct\";s:1:\"2\";s:2:\"wt\";s:3:\"7.5\";}";
        let numbers = "a:2:{s:2:\"ct\";i:2;s:2:\"wt\";d:7.5;}";
        let of_texts = profile(&rows(&[("main()", texts)]));
        assert_eq!(of_texts, profile(&rows(&[("main()", numbers)])));
    }

    #[test]
    fn metrics_missing_from_a_row_are_zero() {
        let profile = profile(&rows(&[("main()==>f", "a:0:{}"), ("main()", WT)]));
        assert_eq!(profile.edges().edges[0].cost, Cost::default());
    }

    #[test]
    fn a_time_below_zero_comes_off_its_caller() {
        let below = "a:3:{s:2:\"ct\";i:-1;s:2:\"wt\";i:-3;s:3:\"cpu\";i:-9;}";
        let profile = profile(&rows(&[
            ("f==>g", below),
            ("main()==>f", WT),
            ("main()", WT),
        ]));
        assert_eq!(profile.edges().edges[0].cost, Cost::default());
        let table = profile::FlatTable::new(&profile);
        let own: i64 = table.rows.iter().map(|row| row.own.wall).sum();
        assert_eq!(own.unsigned_abs(), profile.edges().root.wall);
    }

    #[test]
    fn an_integer_key_is_a_name() {
        assert_eq!(
            error("a:1:{i:123;a:0:{}}"),
            RowsError::Key {
                key: (*b"123").into()
            }
        );
        let sampled = profile(r#"a:1:{s:17:"1700000000.100000";s:11:"main()==>12";}"#);
        assert_eq!(sampled.meta.started_unix_us, Some(1_700_000_000_100_000));
        assert_eq!(*sampled.symbols[1].name, *b"12");
        let Body::Samples(samples) = &sampled.body else {
            panic!("not sampled");
        };
        let stack = samples.samples[0].stack;
        assert_eq!(samples.path(stack), [SymbolId(0), SymbolId(1)]);
    }

    #[test]
    fn what_has_no_caller_is_called_from_main() {
        // `main()` ended before the other rows began, as in Tideways' files.
        let one = "a:1:{s:2:\"wt\";i:1;}";
        let ended = profile(&rows(&[("f", WT), ("f==>g", WT), ("main()", one)]));
        assert_eq!(ended.edges().root.wall, 8_000);
        assert_eq!(ended.edges().edges[0].caller, EdgeTable::ROOT);
        // Or its time contains them already.
        let eight = "a:1:{s:2:\"wt\";i:8;}";
        let open = profile(&rows(&[("f", WT), ("main()", eight)]));
        assert_eq!(open.edges().root.wall, 8_000);
    }

    #[test]
    fn the_last_of_two_equal_keys_counts_as_in_php() {
        let eight = "a:1:{s:2:\"wt\";i:8;}";
        let profile = profile(&rows(&[
            ("main()==>f", WT),
            ("main()==>f", eight),
            ("main()", eight),
        ]));
        assert_eq!(profile.edges().edges.len(), 1);
        assert_eq!(profile.edges().edges[0].cost.wall, 8_000);
    }

    #[test]
    fn a_separator_left_in_a_callee_is_shortened() {
        let profile = profile(&rows(&[("main()==>f#a==>b", WT), ("main()", WT)]));
        assert_eq!(*profile.symbols[1].name, *b"f#a=>b");
    }

    #[test]
    fn what_is_no_profile_is_refused_with_a_reason() {
        assert_eq!(error("i:1;"), RowsError::NotAnArray);
        assert_eq!(error(&rows(&[("main()==>f", WT)])), RowsError::NoMain);
        assert_eq!(error(&rows(&[("main()", "a:0:{}")])), RowsError::NoWallTime);
        assert_eq!(
            error(&rows(&[("f", WT)])),
            RowsError::Key {
                key: (*b"f").into()
            }
        );
        assert_eq!(
            error(&rows(&[("f==>main()", WT)])),
            RowsError::Key {
                key: (*b"f==>main()").into()
            }
        );
        assert_eq!(
            error(&rows(&[("main()", "i:1;")])),
            RowsError::Entry {
                key: (*b"main()").into()
            }
        );
        let endless = "a:1:{s:2:\"wt\";d:INF;}";
        assert_eq!(
            error(&rows(&[("main()", endless)])).to_string(),
            "`main()` has an impossible `wt`"
        );
        let mixed = rows(&[("1700000000.1", "s:6:\"main()\";"), ("main()", WT)]);
        assert_eq!(
            error(&mixed),
            RowsError::Entry {
                key: (*b"main()").into()
            }
        );
    }

    #[test]
    fn nothing_recorded_is_an_empty_profile() {
        assert_eq!(profile("a:0:{}"), Profile::empty());
    }

    #[test]
    fn a_fraction_of_a_second_may_be_short() {
        assert_eq!(unix_us(b"7.5"), Some(7_500_000));
        for bad in [
            "7",
            ".5",
            "7.",
            "7.1234567",
            "a.5",
            "-7.5",
            "99999999999999999999.0",
        ] {
            assert_eq!(unix_us(bad.as_bytes()), None, "{bad}");
        }
    }
}
