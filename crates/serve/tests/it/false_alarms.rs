//! How often a comparison calls a change sure or likely when nothing changed, and
//! whether it does when something did.
//!
//! Both sides are runs of one distribution, on a day each. `COMPARISONS=20`
//! compares so often for each noise and size, and `--nocapture` shows the table. The
//! sizes that take long are compared with `XHPROF_TEST_WHOLE=1`.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "times of a simulation, in a test"
)]

use profile::{
    Body, Meta, Metrics, Mode, NodeId, Profile, SelfCost, Symbol, SymbolId, TreeBuilder,
};
use regressions::significance::{Confidence, Sides};
use serve::{Comparison, judge};
use simulate::Random;
use store::{FunctionChange, NewRun, Runs, Selection, SqliteStore};

const BEGIN_US: u64 = 1_793_491_200_000_000;
const DAY_US: u64 = 86_400_000_000;

/// The functions of each run, beside the root.
const FUNCTIONS: u32 = 60;

/// The route whose function 7 takes longer on the second day.
const SLOWER: &str = "/slower";

/// The runs of each side.
const SIZES: [u64; 6] = [5, 10, 30, 100, 300, 1000];

/// How runs differ. The spreads are those of the logarithm of the time.
struct Noise {
    name: &'static str,
    /// Of each function in each run.
    function: f64,
    /// Of all functions of a run together: the load of its host.
    run: f64,
    /// Of each function from day to day, which `significance` expects.
    day: f64,
    /// Of how many calls one takes 30 times as long; 0 for none.
    slow: u64,
}

const NOISES: [Noise; 5] = [
    Noise {
        name: "quiet",
        function: 0.05,
        run: 0.0,
        day: 0.0,
        slow: 0,
    },
    Noise {
        name: "usual",
        function: 0.4,
        run: 0.2,
        day: 0.0,
        slow: 2000,
    },
    Noise {
        name: "days differ",
        function: 0.4,
        run: 0.2,
        day: 0.04,
        slow: 2000,
    },
    Noise {
        name: "loud",
        function: 1.0,
        run: 0.4,
        day: 0.04,
        slow: 200,
    },
    Noise {
        name: "slow calls",
        function: 0.2,
        run: 0.1,
        day: 0.0,
        slow: 20,
    },
];

fn normal(random: &mut Random) -> f64 {
    let mut uniform = || random.below(1 << 52) as f64 / (1_u64 << 52) as f64;
    (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}

fn run(noise: &Noise, route: &str, day: u64, number: u64) -> Profile {
    let seeded = |text: &str| {
        let hash = blake3::hash(text.as_bytes());
        let first = hash.as_bytes().first_chunk().copied().unwrap_or_default();
        Random::new(1, u64::from_le_bytes(first))
    };
    let mut of_run = seeded(&format!("{route} {day} {number}"));
    let mut of_day = seeded(&format!("{route} {day}"));
    let mut fixed = seeded(noise.name);
    let load = noise.run * normal(&mut of_run);
    let mut symbols = vec![Symbol::new(Symbol::MAIN)];
    let mut builder = TreeBuilder::new();
    builder.cost(NodeId::ROOT).calls = 1;
    for function in 1..=FUNCTIONS {
        symbols.push(Symbol::new(format!("f{function}").into_bytes()));
        let node = builder.child(NodeId::ROOT, SymbolId(function));
        builder.cost(node).calls += 1;
        let usual = 1.5 * normal(&mut fixed) + noise.day * normal(&mut of_day);
        let mut time = 100_000.0 * (usual + load + noise.function * normal(&mut of_run)).exp();
        if route == SLOWER && day == 1 && function == 7 {
            time *= 1.6;
        }
        if noise.slow > 0 && of_run.below(noise.slow) == 0 {
            time *= 30.0;
        }
        let wall = time as i64;
        let cost = SelfCost {
            wall,
            ..SelfCost::default()
        };
        builder.add_self(node, cost);
    }
    let mut meta = Meta {
        started_unix_us: Some(BEGIN_US + day * DAY_US + number * 1_000_000),
        mode: Mode::Traced,
        ..Meta::default()
    };
    meta.set_tag("app", "shop");
    meta.set_tag("route", route.to_owned());
    Profile {
        symbols,
        body: Body::Tree(builder.finish_signed_self_costs()),
        metrics: Metrics::default(),
        meta,
        ..Profile::empty()
    }
}

/// Stores the runs of both days.
fn fill(store: &SqliteStore, noise: &Noise, route: &str, size: u64) {
    // Many at a time: the store waits for the disk once for all of them.
    std::thread::scope(|scope| {
        for thread in 0..16 {
            scope.spawn(move || {
                for number in (0..2 * size).filter(|number| number % 16 == thread) {
                    let profile = run(noise, route, number % 2, number);
                    let received = BEGIN_US;
                    store.put(NewRun { profile, received }).unwrap();
                }
            });
        }
    });
}

/// The changes that are judged, and those that are called likely or sure.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    judged: u32,
    likely: u32,
    sure: u32,
}

impl Count {
    fn add(&mut self, rows: &[FunctionChange], sides: Sides) {
        for confidence in judge(rows, sides).1 {
            match confidence {
                Confidence::Sure => self.sure += 1,
                Confidence::Likely => self.likely += 1,
                Confidence::Noise => {}
                Confidence::Unknown => continue,
            }
            self.judged += 1;
        }
    }
}

/// Compares the days of a route.
fn compared(store: &SqliteStore, route: &str) -> Comparison {
    let selections = [0, 1].map(|day| Selection {
        routes: vec![route.to_owned()],
        since_us: Some(BEGIN_US + day * DAY_US),
        until_us: Some(BEGIN_US + (day + 1) * DAY_US),
        ..Selection::default()
    });
    Comparison::of(store, &selections).unwrap().unwrap()
}

#[test]
fn a_function_that_became_slower_is_the_only_sure_change() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    fill(&store, &NOISES[1], SLOWER, 400);
    let answer = compared(&store, SLOWER);
    let rows = &answer.mean.functions;
    let (common, confidences) = judge(rows, answer.sides);
    let sure = rows.iter().zip(confidences);
    let sure = sure.filter(|(_, confidence)| *confidence == Confidence::Sure);
    let sure: Vec<&str> = sure.map(|(row, _)| row.name.as_str()).collect();
    assert_eq!(sure, ["f7"], "{common:?}");
}

#[test]
fn equal_runs_have_no_sure_change() {
    let times: u64 = std::env::var("COMPARISONS").map_or(2, |times| times.parse().unwrap());
    let is_whole = std::env::var_os("XHPROF_TEST_WHOLE").is_some();
    let sizes = if is_whole { &SIZES[..] } else { &SIZES[1..4] };
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    let (mut all, mut all_near) = (Count::default(), Count::default());
    for noise in &NOISES {
        for &size in sizes {
            let (mut mean, mut near) = (Count::default(), Count::default());
            for time in 0..times {
                let route = format!("/{} {size} {time}", noise.name);
                fill(&store, noise, &route, size);
                let answer = compared(&store, &route);
                assert_eq!(answer.sides.runs, [size; 2]);
                mean.add(&answer.mean.functions, answer.sides);
                if let Some(of_p95) = &answer.near_p95 {
                    near.add(&of_p95.difference.functions, of_p95.sides);
                }
            }
            println!(
                "{:12} {size:5} runs: mean {mean:?}, p95 {near:?}",
                noise.name
            );
            for (sum, more) in [(&mut all, mean), (&mut all_near, near)] {
                sum.judged += more.judged;
                sum.likely += more.likely;
                sum.sure += more.sure;
            }
        }
    }
    println!("all: mean {all:?}, p95 {all_near:?}");
    let least = if is_whole { 5 * 4 } else { 5 } * FUNCTIONS;
    assert!(all.judged > least, "{all:?}");
    for count in [all, all_near] {
        assert_eq!(count.sure, 0, "{count:?}");
        assert!(count.likely * 400 <= count.judged, "{count:?}");
    }
}
