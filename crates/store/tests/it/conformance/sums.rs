//! Sums of runs, and of their spans.

use profile::{Body, Meta, Profile, Span, SpanKind, Spans, SpansBuilder, SymbolId};

use super::{DAY, HOUR, at, canonical, everything, filled, put, query, route, shop};
use simulate::RunAt;
use store::{Basis, FunctionSort, Selection, Store, TrendStep};

pub(super) fn sums_of_hours_are_those_of_the_runs(store: &dyn Store) {
    let runs = filled(store, 90);
    let all = store.tree(&route("/cart")).unwrap();
    assert_eq!(all.basis, Basis::Hours);
    assert_eq!((all.runs, all.selected), (30, 30));
    let of_route = runs
        .iter()
        .map(|(_, run)| run)
        .filter(|run| run.meta.tag("route") == Some("/cart"));
    let merged = profile::merge(of_route).unwrap();
    assert_eq!(canonical(&all.profile), canonical(&merged));
    // Another way to the same runs reads the runs.
    let by_runs = Selection {
        min_wall: Some(0),
        ..route("/cart")
    };
    let by_runs = store.tree(&by_runs).unwrap();
    assert_eq!(by_runs.basis, Basis::Runs);
    assert_eq!(canonical(&by_runs.profile), canonical(&merged));
    // Functions: the same from hours and from runs, with their spread.
    let top = |selection: &Selection| store.top(selection, FunctionSort::Wall, 500).unwrap();
    let from_runs = Selection {
        min_wall: Some(0),
        ..route("/cart")
    };
    assert_eq!(sorted(top(&route("/cart"))), sorted(top(&from_runs)));
    let main = &top(&route("/cart"))[0];
    assert_eq!((main.name.as_str(), main.runs), ("main()", Some(30)));
    // Not of whole days: sums, and no spread.
    let hours = Selection {
        since_us: Some(DAY + HOUR),
        ..route("/cart")
    };
    assert_eq!(top(&hours)[0].runs, None);
    assert!(top(&hours)[0].wall < main.wall);
    assert_eq!(store.verify().unwrap().problems, []);
}

fn sorted(mut rows: Vec<store::FunctionTotal>) -> Vec<store::FunctionTotal> {
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows
}

pub(super) fn routes_have_shares_and_quantiles(store: &dyn Store) {
    let runs = filled(store, 60);
    let rows = store.routes(&everything()).unwrap();
    assert_eq!(rows.len(), 3);
    assert!((rows.iter().map(|row| row.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(rows.is_sorted_by(|one, other| one.wall >= other.wall));
    for row in &rows {
        let mut walls: Vec<u64> = runs
            .iter()
            .filter(|(_, run)| run.meta.tag("route") == Some(row.route.as_str()))
            .map(|(_, run)| run.tree().unwrap().root_cost().wall)
            .collect();
        walls.sort_unstable();
        assert_eq!(row.runs, walls.len() as u64);
        assert_eq!(row.wall, walls.iter().sum::<u64>());
        for (found, exact) in [
            (row.p50, walls[9]),
            (row.p95, walls[18]),
            (row.p99, walls[19]),
        ] {
            assert!(found.abs_diff(exact) * 200 <= exact, "{found} for {exact}");
        }
    }
    let apps = store.apps().unwrap();
    assert_eq!(apps[0].runs, 60);
    assert_eq!(apps[0].bytes, store.stats().unwrap().run_bytes);
    assert!(apps[0].bytes > 60 * 100);
    let days = store.days(&everything()).unwrap();
    assert_eq!(
        days.iter().map(|day| day.runs).collect::<Vec<_>>(),
        [48, 12]
    );
}

pub(super) fn rates_are_weighted(store: &dyn Store) {
    // Every hundredth request of one kind, every request of another.
    for number in 0..40 {
        let mut profile = shop().run(RunAt {
            number,
            route: 0,
            release: 0,
            started_us: DAY,
        });
        let rate = if number % 2 == 0 { "0.01" } else { "1" };
        profile.meta.set_tag("rate", rate);
        profile.spans = statements(if number % 2 == 0 { 3 } else { 1 });
        put(store, profile);
    }
    let rows = store.routes(&everything()).unwrap();
    assert_eq!(rows[0].runs, 40);
    assert!((rows[0].requests - 2020.0).abs() < 1e-6);
    // From the sums of hours, and from the runs.
    let by_hosts = Selection {
        hosts: vec!["*".to_owned()],
        ..everything()
    };
    for selection in [everything(), by_hosts] {
        let series = store.series(&selection, TrendStep::All).unwrap();
        let sql = series[0].sql.unwrap();
        assert!((sql - 6020.0 / 2020.0).abs() < 1e-6, "{sql}");
    }
    let tree = store.tree(&everything()).unwrap();
    assert!((tree.requests - 2020.0).abs() < 1e-6);
    assert_eq!(tree.runs, 40);
    assert_eq!(tree.profile.meta.tag("runs"), Some("2020"));
    assert_eq!(tree.profile.tree().unwrap().root_cost().calls, 2020);
}

/// The spans of a run with so many statements.
fn statements(count: u64) -> Spans {
    let mut spans = SpansBuilder::new(100);
    let text = spans.text(b"SELECT 1");
    for _ in 0..count {
        spans.push(Span {
            kind: SpanKind::Sql,
            text: Some(text),
            symbol: SymbolId::ROOT,
            caller: SymbolId::ROOT,
            start: 0,
            duration: 100,
            rows: None,
        });
    }
    spans.finish()
}

pub(super) fn spans_are_added_up(store: &dyn Store) {
    for number in 0..3 {
        let mut profile = shop().run(at(number * 3));
        let mut spans = SpansBuilder::new(100);
        let text = spans.text(b"SELECT 1");
        for duration in [100, 300] {
            spans.push(Span {
                kind: SpanKind::Sql,
                text: Some(text),
                symbol: SymbolId::ROOT,
                caller: SymbolId::ROOT,
                start: 0,
                duration,
                rows: Some(2),
            });
        }
        profile.spans = spans.finish();
        put(store, profile);
    }
    for selection in [
        everything(),
        Selection {
            min_wall: Some(0),
            ..everything()
        },
    ] {
        let spans = store.spans(&selection, 10).unwrap();
        assert_eq!(spans.len(), 1);
        let row = &spans[0];
        assert_eq!((row.kind.as_str(), row.text.as_str()), ("sql", "SELECT 1"));
        assert_eq!(
            (row.runs, row.calls, row.wall, row.max, row.rows),
            (3, 6, 1200, 300, 12)
        );
    }
    let listed = store.runs(&query(everything())).unwrap().runs;
    assert!(listed.iter().all(|run| run.sql == 2 && run.spans == 2));
}

pub(super) fn other_kinds_of_profiles_are_kept_apart(store: &dyn Store) {
    let tree = shop().run(at(0));
    let mut edges = shop().run(RunAt {
        number: 300,
        ..at(0)
    });
    edges.body = Body::Edges(edges.edges().into_owned());
    let mut other_unit = shop().run(RunAt {
        number: 400,
        ..at(0)
    });
    other_unit.meta.counts = Some("Ir".to_owned());
    other_unit.metrics.wall_unit = profile::WallUnit::Samples;
    let edges_id = put(store, edges.clone());
    put(store, tree);
    put(
        store,
        Profile {
            meta: Meta {
                started_unix_us: Some(DAY),
                ..Meta::default()
            },
            ..Profile::empty()
        },
    );
    put(store, other_unit);
    assert_eq!(store.stats().unwrap().runs, 4);
    // What does not count time is listed, and in no sum.
    let rows = store
        .routes(&Selection {
            app: Some("shop".to_owned()),
            ..everything()
        })
        .unwrap();
    assert_eq!(rows[0].runs, 2);
    let only = Selection {
        ids: vec![edges_id],
        ..everything()
    };
    let sum = store.tree(&only).unwrap();
    assert_eq!(canonical(&sum.profile), canonical(&edges));
    assert_eq!(store.verify().unwrap().problems, []);
}
