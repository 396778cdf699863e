//! The suite that every implementation of [`Store`] passes.
//!
//! Call [`check`] from a test of the implementation, with a function that makes
//! an empty store.

use profile::{Body, Meta, Profile, Span, SpanKind, Spans, SpansBuilder, SymbolId};

use crate::simulate::{At, Change, Shop};
use crate::{
    Basis, FunctionSort, NewRun, Policy, RunId, RunQuery, RunSort, Selection, Status, Store,
    TrendOf, TrendStep,
};

const HOUR: u64 = 3_600_000_000;
/// The beginning of a day: 1 November 2026.
const DAY: u64 = 1_793_491_200_000_000;

/// Runs every check, each on an empty store.
///
/// # Panics
///
/// If the store does not keep the contract.
pub fn check<S: Store>(empty: impl Fn() -> S) {
    for check in [
        a_run_is_stored_once,
        a_run_comes_back_as_it_was,
        lists_are_filtered_sorted_and_paged,
        invalid_questions_are_refused,
        sums_of_hours_are_those_of_the_runs,
        routes_have_shares_and_quantiles,
        rates_are_weighted,
        a_trend_shows_releases,
        functions_have_callers_and_routes,
        a_difference_finds_what_changed,
        spans_are_added_up,
        deleted_runs_leave_the_sums,
        the_policy_keeps_what_matters,
        a_label_protects_a_run,
        other_kinds_of_profiles_are_kept_apart,
        limits_of_texts_hold,
    ] {
        check(&empty());
    }
}

fn shop() -> Shop {
    Shop {
        routes: 3,
        paths: 60,
        releases: vec!["1".to_owned(), "2".to_owned()],
        changes: vec![Change::Slower {
            route: 1,
            release: 1,
            factor: 30.0,
        }],
        ..Shop::default()
    }
}

fn at(number: u64) -> At {
    At {
        number,
        route: usize::try_from(number % 3).unwrap(),
        release: usize::from(number >= 60),
        started_us: DAY + number * HOUR / 2,
    }
}

/// The first `count` runs of the shop, put into the store.
fn filled(store: &dyn Store, count: u64) -> Vec<(RunId, Profile)> {
    (0..count)
        .map(|number| {
            let profile = shop().run(at(number));
            (put(store, profile.clone()), profile)
        })
        .collect()
}

fn put(store: &dyn Store, profile: Profile) -> RunId {
    let stored = store.put(NewRun {
        profile,
        received: DAY,
    });
    stored.unwrap().id
}

fn everything() -> Selection {
    Selection::default()
}

fn route(name: &str) -> Selection {
    Selection {
        routes: vec![name.to_owned()],
        ..Selection::default()
    }
}

fn query(selection: Selection) -> RunQuery {
    RunQuery {
        selection,
        limit: 1000,
        ..RunQuery::default()
    }
}

fn ids(store: &dyn Store, query: &RunQuery) -> Vec<RunId> {
    let runs = store.runs(query).unwrap().runs;
    runs.iter().map(|run| run.id).collect()
}

fn a_run_is_stored_once(store: &dyn Store) {
    let profile = shop().run(at(1));
    let new = || NewRun {
        profile: profile.clone(),
        received: DAY,
    };
    let first = store.put(new()).unwrap();
    let second = store.put(new()).unwrap();
    assert!(first.is_new && !second.is_new);
    assert_eq!(first.id, second.id);
    assert_eq!(store.stats().unwrap().runs, 1);
    assert_eq!(store.routes(&everything()).unwrap()[0].runs, 1);
}

fn a_run_comes_back_as_it_was(store: &dyn Store) {
    for (id, profile) in filled(store, 5) {
        let run = store.run(&id).unwrap().unwrap();
        assert_eq!(run.info.id, id);
        assert_eq!(RunId::of(&run.file), id);
        let limits = profile::native::Limits::default();
        let read = profile::native::read(run.file.as_slice(), &limits).unwrap();
        assert_eq!(read, profile);
        assert_eq!(run.info.wall, profile.tree().unwrap().root_cost().wall);
        assert_eq!(run.info.app, "shop");
        assert_eq!(run.info.calls, profile.calls());
    }
    assert_eq!(store.run(&RunId([7; 16])).unwrap(), None);
}

fn lists_are_filtered_sorted_and_paged(store: &dyn Store) {
    let runs = filled(store, 30);
    let wall = |profile: &Profile| profile.tree().unwrap().root_cost().wall;
    // Filters: the same as by hand.
    let is_of = |profile: &Profile, name: &str| profile.meta.tag("route") == Some(name);
    let cart: Vec<RunId> = ids(store, &query(route("/cart")));
    let by_hand = runs.iter().filter(|(_, run)| is_of(run, "/cart"));
    assert_eq!(cart, by_hand.rev().map(|(id, _)| *id).collect::<Vec<_>>());
    assert_eq!(ids(store, &query(route("/c*"))).len(), 20);
    let limit = wall(&runs[10].1);
    let slow = Selection {
        min_wall: Some(limit),
        ..everything()
    };
    let by_hand = runs.iter().filter(|(_, run)| wall(run) >= limit).count();
    assert_eq!(ids(store, &query(slow)).len(), by_hand);
    let part = Selection {
        since_us: Some(DAY + 2 * HOUR),
        until_us: Some(DAY + 4 * HOUR),
        ..everything()
    };
    assert_eq!(ids(store, &query(part)).len(), 4);
    let hosts = Selection {
        hosts: vec!["web1".to_owned()],
        ..everything()
    };
    let by_hand = runs
        .iter()
        .filter(|(_, run)| run.meta.host.as_deref() == Some("web1"));
    assert_eq!(ids(store, &query(hosts)).len(), by_hand.count());
    let ok = Selection {
        statuses: vec![Status::Class('2')],
        ..everything()
    };
    let by_hand = runs
        .iter()
        .filter(|(_, run)| run.meta.tag("status") == Some("200"));
    assert_eq!(ids(store, &query(ok)).len(), by_hand.count());
    let others = Selection {
        app: Some("another".to_owned()),
        ..everything()
    };
    assert!(ids(store, &query(others)).is_empty());
    // Pages: all runs, each once, in the order asked for.
    for sort in [
        RunSort::Started,
        RunSort::Wall,
        RunSort::Calls,
        RunSort::Cpu,
    ] {
        for ascending in [false, true] {
            let mut query = RunQuery {
                sort,
                ascending,
                limit: 7,
                ..query(everything())
            };
            let mut walls = Vec::new();
            let mut seen = Vec::new();
            loop {
                let page = store.runs(&query).unwrap();
                assert!(page.runs.len() <= 7);
                walls.extend(page.runs.iter().map(|run| match sort {
                    RunSort::Started => run.started_us,
                    RunSort::Calls => run.calls,
                    RunSort::Cpu => run.cpu.unwrap(),
                    _ => run.wall,
                }));
                seen.extend(page.runs.iter().map(|run| run.id));
                query.cursor = page.next;
                if query.cursor.is_none() {
                    break;
                }
            }
            let mut sorted = walls.clone();
            sorted.sort_unstable();
            if !ascending {
                sorted.reverse();
            }
            assert_eq!(walls, sorted);
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 30);
        }
    }
    // Tags.
    let mut tagged = shop().run(at(31));
    tagged.meta.set_tag("branch", "fix/41");
    let id = put(store, tagged);
    let tag = |value: &str| Selection {
        tags: vec![("branch".to_owned(), value.to_owned())],
        ..everything()
    };
    assert_eq!(ids(store, &query(tag("fix/41"))), [id]);
    assert_eq!(ids(store, &query(tag("fix*"))), [id]);
    assert!(ids(store, &query(tag("fix"))).is_empty());
}

fn invalid_questions_are_refused(store: &dyn Store) {
    filled(store, 1);
    for cursor in ["", "x", "1", "1.x", "9999999999999999999999.1"] {
        let query = RunQuery {
            cursor: Some(cursor.to_owned()),
            ..query(everything())
        };
        assert!(store.runs(&query).is_err(), "{cursor}");
    }
    // Patterns and names are never part of a statement.
    for text in ["'", "\" OR 1=1 --", "%", "_", "[", "*'", "\0"] {
        assert!(ids(store, &query(route(text))).is_empty(), "{text}");
        let selection = Selection {
            title: Some(text.to_owned()),
            ..everything()
        };
        assert!(ids(store, &query(selection)).is_empty(), "{text}");
    }
}

fn sums_of_hours_are_those_of_the_runs(store: &dyn Store) {
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

fn sorted(mut rows: Vec<crate::FunctionTotal>) -> Vec<crate::FunctionTotal> {
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows
}

/// Only the calls, in one order.
fn canonical(profile: &Profile) -> (Vec<Vec<u8>>, Body) {
    let plain = Profile {
        meta: Meta::default(),
        spans: Spans::default(),
        symbols: profile
            .symbols
            .iter()
            .map(|symbol| profile::Symbol {
                file: None,
                line: 0,
                ..symbol.clone()
            })
            .collect(),
        ..profile.clone()
    };
    let plain = plain.canonical();
    let names = plain.symbols.iter().map(|symbol| symbol.name.to_vec());
    (names.collect(), plain.body)
}

fn routes_have_shares_and_quantiles(store: &dyn Store) {
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
    assert_eq!(store.apps().unwrap()[0].runs, 60);
    let days = store.days(&everything()).unwrap();
    assert_eq!(
        days.iter().map(|day| day.runs).collect::<Vec<_>>(),
        [48, 12]
    );
}

fn rates_are_weighted(store: &dyn Store) {
    // Every hundredth request of one kind, every request of another.
    for number in 0..40 {
        let mut profile = shop().run(At {
            number,
            route: 0,
            release: 0,
            started_us: DAY,
        });
        let rate = if number % 2 == 0 { "0.01" } else { "1" };
        profile.meta.set_tag("rate", rate);
        put(store, profile);
    }
    let rows = store.routes(&everything()).unwrap();
    assert_eq!(rows[0].runs, 40);
    assert!((rows[0].requests - 2020.0).abs() < 1e-6);
    let tree = store.tree(&everything()).unwrap();
    assert!((tree.requests - 2020.0).abs() < 1e-6);
    assert_eq!(tree.runs, 40);
    assert_eq!(tree.profile.meta.tag("runs"), Some("2020"));
    assert_eq!(tree.profile.tree().unwrap().root_cost().calls, 2020);
}

fn a_trend_shows_releases(store: &dyn Store) {
    filled(store, 120);
    let trend = store
        .trend(&route("/cart"), &TrendOf::Requests, TrendStep::Day)
        .unwrap();
    let steps: Vec<_> = trend
        .iter()
        .map(|point| (point.release.as_str(), point.runs))
        .collect();
    assert_eq!(steps, [("1", 16), ("1", 4), ("2", 12), ("2", 8)]);
    assert_eq!(trend[0].time_s, i64::try_from(DAY / 1_000_000).unwrap());
    let of = TrendOf::Function("Repository::find".to_owned());
    let all = store.trend(&route("/cart"), &of, TrendStep::All).unwrap();
    assert_eq!(all.len(), 2);
    let mean = |point: &crate::TrendPoint| point.own_wall as f64 / point.runs as f64;
    assert!(mean(&all[1]) > 2.0 * mean(&all[0]), "{all:?}");
    assert!(all[0].p95.unwrap() >= all[0].p50.unwrap());
    // By hour there are sums only.
    let hours = store.trend(&route("/cart"), &of, TrendStep::Hour).unwrap();
    assert_eq!(
        hours.iter().map(|point| point.own_wall).sum::<i64>(),
        all.iter().map(|point| point.own_wall).sum::<i64>()
    );
    assert!(hours.iter().all(|point| point.p50.is_none()));
    let none = TrendOf::Function("no::such".to_owned());
    assert!(
        store
            .trend(&everything(), &none, TrendStep::Day)
            .unwrap()
            .is_empty()
    );
    let releases = store.releases(&everything()).unwrap();
    assert_eq!(
        releases
            .iter()
            .map(|one| (one.release.as_str(), one.runs))
            .collect::<Vec<_>>(),
        [("1", 60), ("2", 60)]
    );
    // What finds regressions gets the same sums.
    let cells = store.hours("shop", "/cart", 0).unwrap();
    assert_eq!(cells.iter().map(|cell| cell.runs).sum::<u64>(), 40);
    let own: i64 = cells
        .iter()
        .flat_map(|cell| &cell.paths)
        .map(|path| path.own_wall)
        .sum();
    let wall: u64 = cells.iter().map(|cell| cell.wall).sum();
    assert_eq!(own.unsigned_abs(), wall);
}

fn functions_have_callers_and_routes(store: &dyn Store) {
    filled(store, 30);
    let found = store
        .function(&everything(), "Repository::find")
        .unwrap()
        .unwrap();
    assert_eq!(found.routes.len(), 3);
    assert!(!found.callers.is_empty());
    let calls: u64 = found.callers.iter().map(|caller| caller.calls).sum();
    assert_eq!(calls, found.total.calls);
    assert_eq!(
        found
            .routes
            .iter()
            .map(|one| one.total.own_wall)
            .sum::<i64>(),
        found.total.own_wall
    );
    // The same sums from the flat table of the tree.
    let top = store
        .top(&everything(), FunctionSort::OwnWall, 1000)
        .unwrap();
    let row = top
        .iter()
        .find(|row| row.name == "Repository::find")
        .unwrap();
    assert_eq!(row, &found.total);
    assert_eq!(store.function(&everything(), "no::such").unwrap(), None);
}

fn a_difference_finds_what_changed(store: &dyn Store) {
    filled(store, 120);
    let release = |name: &str| Selection {
        releases: vec![name.to_owned()],
        ..route("/cart")
    };
    let found = store.diff(&release("1"), &release("2")).unwrap();
    assert_eq!((found.before.runs, found.after.runs), (20, 20));
    let first = &found.functions[0];
    assert_eq!(first.name, "Repository::find");
    assert!(first.own_after > 2.0 * first.own_before);
    assert!((first.calls_after - first.calls_before).abs() < 0.01);
    assert!(first.by_calls.abs() < first.own_before * 0.01);
    assert!(first.z.unwrap() > 5.0, "{first:?}");
    let same = store.diff(&release("1"), &release("1")).unwrap();
    assert!(
        same.functions
            .iter()
            .all(|row| (row.own_after - row.own_before).abs() < 1e-9)
    );
    let nothing = store.diff(&release("1"), &release("none")).unwrap();
    assert_eq!(nothing.after.runs, 0);
}

fn spans_are_added_up(store: &dyn Store) {
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

fn deleted_runs_leave_the_sums(store: &dyn Store) {
    let runs = filled(store, 30);
    let deleted: Vec<RunId> = runs.iter().take(29).map(|(id, _)| *id).collect();
    let mut asked = deleted.clone();
    asked.push(RunId([9; 16]));
    assert_eq!(store.delete(&asked).unwrap(), deleted);
    let left = store.routes(&everything()).unwrap();
    assert_eq!(left.iter().map(|row| row.runs).sum::<u64>(), 1);
    let tree = store.tree(&everything()).unwrap();
    assert_eq!(canonical(&tree.profile), canonical(&runs[29].1));
    assert_eq!(store.verify().unwrap().problems, []);
    // A deleted run may come again.
    assert!(
        store
            .put(NewRun {
                profile: runs[0].1.clone(),
                received: DAY
            })
            .unwrap()
            .is_new
    );
}

fn the_policy_keeps_what_matters(store: &dyn Store) {
    let runs = filled(store, 90);
    let now = DAY + 40 * 24 * HOUR;
    let policy = Policy {
        days: Some(30),
        notable: 2,
        keep_notable_days: 60,
        bytes: None,
        ..Policy::default()
    };
    let before = store.routes(&everything()).unwrap();
    let removed = store.retain("shop", &policy, now).unwrap();
    let kept = ids(store, &query(everything()));
    assert_eq!(removed.runs + kept.len() as u64, 90);
    // The two slowest and the latest two failed ones of each of three routes.
    assert!((6..=12).contains(&kept.len()), "{}", kept.len());
    for name in ["/", "/cart", "/checkout"] {
        let mut of_route: Vec<_> = runs
            .iter()
            .filter(|(_, run)| run.meta.tag("route") == Some(name))
            .collect();
        of_route.sort_by_key(|(_, run)| std::cmp::Reverse(run.tree().unwrap().root_cost().wall));
        assert!(
            kept.contains(&of_route[0].0) && kept.contains(&of_route[1].0),
            "{name}"
        );
    }
    // Their sums stay, and they do not come again.
    assert_eq!(store.routes(&everything()).unwrap(), before);
    for (_, profile) in &runs {
        assert!(
            !store
                .put(NewRun {
                    profile: profile.clone(),
                    received: DAY
                })
                .unwrap()
                .is_new
        );
    }
    assert_eq!(store.verify().unwrap().problems, []);
    // Notable runs have an age limit, too.
    let later = now + 30 * 24 * HOUR;
    store.retain("shop", &policy, later).unwrap();
    assert!(ids(store, &query(everything())).is_empty());
    assert_eq!(store.routes(&everything()).unwrap(), before);
    // At last the sums go.
    let removed = store
        .retain("shop", &policy, now + 900 * 24 * HOUR)
        .unwrap();
    assert!(removed.cells > 0);
    assert!(store.routes(&everything()).unwrap().is_empty());
    assert_eq!(store.retain("no such", &policy, now).unwrap().runs, 0);
}

fn a_label_protects_a_run(store: &dyn Store) {
    let runs = filled(store, 20);
    let id = runs[3].0;
    assert!(store.label(&id, "before the fix").unwrap());
    assert!(!store.label(&RunId([1; 16]), "x").unwrap());
    assert!(store.label(&id, &"x".repeat(300)).is_err());
    let labelled = Selection {
        label: Some("before*".to_owned()),
        ..everything()
    };
    assert_eq!(ids(store, &query(labelled)), [id]);
    let policy = Policy {
        days: None,
        runs: Some(1),
        bytes: None,
        notable: 0,
        ..Policy::default()
    };
    store.retain("shop", &policy, DAY + 10 * HOUR).unwrap();
    assert_eq!(ids(store, &query(everything())), [id]);
}

fn other_kinds_of_profiles_are_kept_apart(store: &dyn Store) {
    let tree = shop().run(at(0));
    let mut edges = shop().run(At {
        number: 300,
        ..at(0)
    });
    edges.body = Body::Edges(edges.edges().into_owned());
    let mut other_unit = shop().run(At {
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

fn limits_of_texts_hold(store: &dyn Store) {
    let mut profile = shop().run(at(0));
    let long = "é".repeat(100_000);
    profile.meta.title = Some(long.clone());
    profile.meta.host = Some(long.clone());
    for name in ["app", "route", "release", "custom"] {
        profile.meta.set_tag(name, long.clone());
    }
    for number in 0..200 {
        profile.meta.set_tag(&format!("tag{number}"), "x");
    }
    let id = put(store, profile);
    let info = store.run(&id).unwrap().unwrap().info;
    for text in [
        &info.title,
        &info.host,
        &info.app,
        &info.route,
        &info.release,
    ] {
        assert!(text.len() <= 1024 && text.starts_with('é'));
    }
    assert!(info.tags.len() <= 64);
}
