//! The costs of source lines: what each sample's stack says of them.
//!
//! **Invariant:** a line that is in a stack several times is charged once with
//! the cost of that stack.

use profile::{Budget, FileId, Lines, LinesBuilder, Metric, NumberMap, SelfCost};

use super::locations::Locations;
use super::messages::Function;
use super::stacks::Stacks;
use super::types::Column;

/// The costs of all lines; empty if the file says no more than where functions
/// begin.
pub(super) fn lines<'a>(
    stacks: &Stacks,
    locations: &Locations,
    functions: &'a NumberMap<u64, Function>,
    columns: &[Column],
    string: impl Fn(i64) -> &'a [u8],
    budget: &Budget,
) -> Lines {
    let begin = |function: &Function| u32::try_from(function.start_line).unwrap_or(0);
    let is_known = locations.all_frames().any(|(function, _, line)| {
        let function = functions.get(&function);
        line > 0 && function.is_some_and(|function| begin(function) != line)
    });
    if !is_known {
        return Lines::default();
    }
    let mut builder = LinesBuilder::within(budget);
    let mut files: NumberMap<u64, Option<FileId>> = NumberMap::default();
    // One for each frame: equal lines of several frames have one place.
    let mut places = Vec::new();
    for (function, symbol, line) in locations.all_frames() {
        let file = *files.entry(function).or_insert_with(|| {
            let name = functions.get(&function).map(|function| function.filename);
            let name = name.map_or(&b""[..], &string);
            (!name.is_empty()).then(|| builder.file(name)).flatten()
        });
        if budget.room(&mut places, "source lines").is_err() {
            return Lines::default();
        }
        places.push(builder.line(symbol, file, line));
    }
    // The last stack that each line was charged for.
    let last = places.iter().flatten().map(|place| place.index()).max();
    let mut charged = vec![0_u64; last.map_or(0, |last| last + 1)];
    let mut number = 0;
    stacks.for_each_sampled(|stack, sums| {
        let own = cost(columns, sums);
        number += 1;
        let frames = stack.iter().flat_map(|place| locations.frames(*place));
        let mut is_innermost = true;
        for (depth, frame) in frames.enumerate() {
            let Some(place) = places.get(frame).copied().flatten() else {
                continue;
            };
            match charged.get_mut(place.index()) {
                Some(last) if *last != number => *last = number,
                _ => continue,
            }
            if depth == 0 {
                builder.add_own(place, own);
            } else {
                builder.add_calls(place, 0, own);
                if is_innermost {
                    builder.add_builtin(place, own);
                }
            }
            is_innermost = false;
        }
    });
    builder.finish()
}

fn cost(columns: &[Column], sums: &[i64]) -> SelfCost {
    let mut cost = SelfCost::default();
    for column in columns {
        let value = sums.get(column.index).copied().unwrap_or(0);
        let value = value.saturating_mul(column.times);
        match column.metric {
            Metric::Wall => cost.wall = value,
            Metric::Cpu => cost.cpu = value,
            Metric::Memory => cost.memory = value,
            Metric::Peak => cost.peak = value,
            Metric::Calls => {}
        }
    }
    cost
}
