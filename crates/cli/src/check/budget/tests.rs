//! Which runs keep a budget, which break it, and what is said about it.

use profile::{Activation, Cost, Edge, EdgeTable, Symbol, SymbolId};

use super::*;

/// A profile in which `main()` calls `f` so many times, in so many
/// nanoseconds.
fn profile(calls: u64, wall: u64) -> Profile {
    let mut profile = Profile::empty();
    profile.symbols.push(Symbol::new(&b"f"[..]));
    let cost = Cost {
        calls,
        wall,
        ..Cost::default()
    };
    let root = Cost {
        calls: 1,
        wall,
        ..Cost::default()
    };
    let activation = |symbol| Activation {
        symbol: SymbolId(symbol),
        level: 0,
    };
    let edge = Edge {
        caller: activation(0),
        callee: activation(1),
        cost,
    };
    profile.body = profile::Body::Edges(EdgeTable {
        edges: vec![edge],
        root,
    });
    profile.metrics.calls = true;
    profile
}

fn verdict(budget: &str, runs: &[Profile], base: &[Profile]) -> Verdict {
    Budget::new(budget).unwrap().verdict(runs, base, 0.1)
}

fn is_kept(budget: &str, runs: &[Profile], base: &[Profile]) -> bool {
    matches!(verdict(budget, runs, base), Verdict::Kept { .. })
}

#[test]
fn the_worst_run_decides_a_count_and_the_median_a_time() {
    let runs = [profile(3, 10), profile(5, 1_000), profile(4, 20)];
    assert!(is_kept("calls(\"f\") <= 5", &runs, &[]));
    assert!(!is_kept("calls(\"f\") <= 4", &runs, &[]));
    assert!(is_kept("calls(\"f\") >= 3", &runs, &[]));
    assert!(!is_kept("calls(\"f\") == 3", &runs, &[]));
    assert!(is_kept("wall <= 20ns", &runs, &[]));
    assert!(!is_kept("wall < 20ns", &runs, &[]));
    assert!(is_kept("no_call(\"g\")", &runs, &[]));
    assert!(!is_kept("no_call(\"g\", \"F\")", &runs, &[]));
    assert!(is_kept("calls(\"f\") <= calls * 2", &runs, &[]));
}

#[test]
fn a_broken_budget_says_by_how_much() {
    for (budget, expected) in [
        ("calls(*) <= 3", ["5", "at most 3", "2 more"]),
        ("calls(*) == 6", ["5", "exactly 6", "1 less"]),
        ("calls(*) < 5", ["5", "less than 5", "equal"]),
    ] {
        let Verdict::Broken {
            value,
            limit,
            excess,
            ..
        } = verdict(budget, &[profile(5, 1)], &[])
        else {
            panic!("kept")
        };
        assert_eq!([value, limit, excess], expected);
    }
}

#[test]
fn times_against_a_base_need_runs_that_agree() {
    let times = |walls: &[u64]| {
        walls
            .iter()
            .map(|wall| profile(1, *wall))
            .collect::<Vec<_>>()
    };
    let base = times(&[1_000, 1_010, 990, 1_005]);
    assert!(is_kept(
        "wall <= base + noise",
        &times(&[1_001, 1_008, 995]),
        &base
    ));
    let slower = verdict(
        "wall <= base + noise",
        &times(&[1_200, 1_210, 1_190]),
        &base,
    );
    assert!(matches!(slower, Verdict::Broken { .. }), "{slower:?}");
    let Verdict::Undecided(why) = verdict("wall <= base + noise", &times(&[1_000]), &base) else {
        panic!("decided by one run")
    };
    assert!(why.contains("3 runs"), "{why}");
    let Verdict::Undecided(why) =
        verdict("wall <= base + noise", &times(&[500, 1_000, 1_700]), &base)
    else {
        panic!("decided by runs that differ by a factor")
    };
    assert!(
        why.contains("too noisy") && why.contains("runs a side would do"),
        "{why}"
    );
    let Verdict::Undecided(why) = verdict("calls(*) <= base", &times(&[1]), &[]) else {
        panic!("decided without a base")
    };
    assert!(why.contains("--base"), "{why}");
    assert!(is_kept("calls(*) <= base", &times(&[1]), &times(&[9])));
}

#[test]
fn units_must_fit_and_the_error_points_there() {
    let error = |text: &str| Budget::new(text).unwrap_err();
    assert_eq!(error("wall <= 5").column, 8);
    assert_eq!(
        error("calls <= 5ms").message,
        "the left side is a count, this is a time, such as 20ms"
    );
    assert_eq!(error("wall <= base + 5").column, 8);
    assert_eq!(
        error("base <= 5").message,
        "base and noise are for the right side"
    );
    assert_eq!(error("5 <= calls").column, 0);
    assert_eq!(error("calls(\"f\")").column, 10);
    assert_eq!(error("wall * wall <= 5ms").column, 5);
}

#[test]
fn a_new_limit_keeps_the_unit() {
    let budget = |text: &str| Budget::new(text).unwrap();
    assert_eq!(
        budget("calls(*) <= 12").with_limit(41.0).unwrap(),
        "calls(*) <= 41"
    );
    assert_eq!(
        budget("memory.peak <= 32MB")
            .with_limit(40_500_000.0)
            .unwrap(),
        "memory.peak <= 41MB"
    );
    assert_eq!(
        budget("calls(*) < 12").with_limit(41.0).unwrap(),
        "calls(*) < 42"
    );
    assert_eq!(
        budget("calls(*) >= 12").with_limit(3.0).unwrap(),
        "calls(*) >= 3"
    );
    assert_eq!(budget("wall <= base").with_limit(3.0), None);
}
