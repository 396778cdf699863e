//! What lines cost, derived from samples: a line counts once for a sample.

use std::collections::BTreeMap;

use crate::amount::cases;
use profile::{Body, Profile, merge};
use proptest::prelude::*;

use crate::strategies::{samples_body, with_body};

/// A file, a line and a function.
type Key = (Option<Vec<u8>>, u32, Vec<u8>);

/// By file, line and function: its own cost, that of what it calls, and of the latter that of functions without
/// lines.
type Costs = BTreeMap<Key, [i64; 3]>;

/// By the definition: each sample on its own.
fn expected(profile: &Profile) -> Costs {
    let Body::Samples(samples) = &profile.body else {
        return Costs::new();
    };
    let mut costs = Costs::new();
    for sample in &samples.samples {
        let weight = i64::try_from(sample.weight).unwrap_or(i64::MAX);
        let mut innermost = None;
        let mut outermost = BTreeMap::new();
        for (depth, (_, frame)) in samples.lined.frames(sample.lined).enumerate() {
            let symbol = profile.symbol(samples[frame.stack].symbol);
            let file = samples.lined.file(frame, symbol).map(<[u8]>::to_vec);
            if frame.line == 0 {
                continue;
            }
            let key = (file.clone(), frame.line, symbol.name.to_vec());
            if depth == 0 {
                costs.entry(key.clone()).or_default()[0] += weight;
            } else {
                outermost.insert((file, frame.line), key.clone());
            }
            if innermost.is_none() {
                if depth > 0 {
                    costs.entry(key.clone()).or_default()[2] += weight;
                }
                innermost = Some((depth, key));
            }
        }
        for (_, key) in outermost {
            let is_own =
                |(depth, own): &(usize, Key)| *depth == 0 && (&own.0, own.1) == (&key.0, key.1);
            if !innermost.as_ref().is_some_and(is_own) {
                costs.entry(key).or_default()[1] += weight;
            }
        }
    }
    costs
}

fn found(profile: &Profile) -> Costs {
    let costs = profile.lines.list.iter().map(|line| {
        let file = profile.lines.file(line.file).map(<[u8]>::to_vec);
        let name = profile.name(line.symbol).to_vec();
        let cost = [line.own, line.callees, line.builtin].map(|cost| cost.wall);
        ((file, line.line, name), cost)
    });
    costs.collect()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_line_counts_once_for_a_sample(profile in with_body(samples_body())) {
        // Stacks without a sample have lines without costs.
        let mut found = found(&profile);
        found.retain(|_, cost| *cost != [0; 3]);
        prop_assert_eq!(found, expected(&profile));
    }

    #[test]
    fn merged_samples_keep_their_lines(profile in with_body(samples_body())) {
        let twice = merge([&profile, &profile]).unwrap();
        let double = |costs: Costs| -> Costs {
            let twice = |cost: [i64; 3]| cost.map(|cost| 2 * cost);
            costs.into_iter().map(|(key, cost)| (key, twice(cost))).collect()
        };
        prop_assert_eq!(found(&twice), double(found(&profile)));
        let Body::Samples(samples) = &twice.body else {
            panic!("not samples");
        };
        let lines = samples.lines(&twice.symbols, &profile::Budget::unlimited());
        prop_assert_eq!(found(&Profile { lines, ..twice.clone() }), found(&twice));
    }
}
