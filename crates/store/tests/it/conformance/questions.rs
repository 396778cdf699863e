//! Trends, functions, differences.

use std::collections::BTreeMap;

use super::{DAY, HOUR, at, everything, filled, ids, put, query, route, shop};
use store::{CellHours, FunctionSort, HoursOf, Selection, Store, TrendOf, TrendPoint, TrendStep};

pub(super) fn a_trend_shows_releases(store: &dyn Store) {
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
    let mean = |point: &store::TrendPoint| point.own_wall as f64 / point.runs as f64;
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
    let cells = cells(store, all_hours("/cart"));
    assert_eq!(cells.iter().map(|cell| cell.runs).sum::<u64>(), 40);
    let own: i64 = cells
        .iter()
        .flat_map(|cell| &cell.paths)
        .map(|path| path.own_wall)
        .sum();
    let wall: u64 = cells.iter().map(|cell| cell.wall).sum();
    assert_eq!(own.unsigned_abs(), wall);
}

pub(super) fn a_series_has_the_sums_of_its_runs(store: &dyn Store) {
    filled(store, 120);
    let runs = store.runs(&query(route("/cart"))).unwrap().runs;
    let by_hosts = Selection {
        hosts: vec!["*".to_owned()],
        ..route("/cart")
    };
    // From the sums of hours, and from the runs.
    for selection in [route("/cart"), by_hosts] {
        let whole = store.requests(&selection).unwrap().unwrap();
        let all = store.series(&selection, TrendStep::All).unwrap();
        let [all] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!((all.runs, all.failed), (whole.runs, whole.failed));
        assert_eq!(
            (all.p50, all.p95, all.p99),
            (whole.p50, whole.p95, whole.p99)
        );
        assert_eq!((all.cpu, all.peak), (whole.mean_cpu, whole.mean_peak));
        assert_eq!(all.mean, whole.wall / whole.runs);
        let sql: u64 = runs.iter().map(|run| run.sql).sum();
        let expected = (sql > 0).then(|| sql as f64 / runs.len() as f64);
        assert_eq!(all.sql, expected);
        let days = store.series(&selection, TrendStep::Day).unwrap();
        let counts: Vec<u64> = days.iter().map(|day| day.runs).collect();
        assert_eq!(counts, [16, 16, 8]);
    }
    assert_eq!(store.series(&route("/none"), TrendStep::Day).unwrap(), []);
}

pub(super) fn the_whole_is_told_with_its_routes(store: &dyn Store) {
    filled(store, 120);
    let by_hosts = Selection {
        hosts: vec!["*".to_owned()],
        ..Selection::default()
    };
    for selection in [Selection::default(), by_hosts, route("/cart")] {
        let (whole, routes) = store.whole_and_routes(&selection).unwrap();
        assert_eq!(routes, store.routes(&selection).unwrap());
        let series = store.series(&selection, TrendStep::All).unwrap();
        assert_eq!(series, whole.into_iter().collect::<Vec<_>>());
    }
    let nothing = store.whole_and_routes(&route("/none")).unwrap();
    assert_eq!(nothing, (None, Vec::new()));
}

pub(super) fn facets_count_the_runs(store: &dyn Store) {
    for number in 0..90 {
        let mut profile = shop().run(at(number));
        profile.meta.host = Some(format!("web{}", number % 2));
        let branch = if number < 60 { "main" } else { "next" };
        profile.meta.set_tag("branch", branch);
        profile.meta.set_tag("trace_id", format!("{number:032x}"));
        put(store, profile);
    }
    let hosts = store.hosts(&everything()).unwrap().into_iter();
    let last = |number: u64| at(number).started_us;
    let expected = [("web0".to_owned(), last(88)), ("web1".to_owned(), last(89))];
    assert_eq!(hosts.collect::<Vec<_>>(), expected);
    let until = Selection {
        until_us: Some(last(7)),
        hosts: vec!["*1".to_owned()],
        ..route("/cart")
    };
    let of_route = store.runs(&query(until.clone())).unwrap().runs;
    let hosts: Vec<u64> = store.hosts(&until).unwrap().into_values().collect();
    assert_eq!(hosts, [of_route[0].started_us]);
    let facets = store.facets(&everything()).unwrap();
    assert_eq!(facets.runs, 90);
    let values = |values: &[store::FacetValue]| -> Vec<(String, u64)> {
        let values = values.iter();
        values.map(|of| (of.value.clone(), of.runs)).collect()
    };
    let pair = |value: &str, runs| (value.to_owned(), runs);
    assert_eq!(values(&facets.releases), [pair("1", 60), pair("2", 30)]);
    assert_eq!(values(&facets.hosts), [pair("web0", 45), pair("web1", 45)]);
    assert_eq!(facets.routes.len(), 3);
    let statuses: u64 = facets.statuses.iter().map(|of| of.runs).sum();
    assert_eq!(statuses, 90);
    // Each run has a trace of its own: there is nothing to choose from.
    assert!(facets.tags.iter().all(|tag| tag.name != "trace_id"));
    let of_trace = Selection {
        tags: vec![("trace_id".to_owned(), format!("{:032x}", 7))],
        ..everything()
    };
    assert_eq!(store.runs(&query(of_trace)).unwrap().runs.len(), 1);
    let branch = facets.tags.iter().find(|tag| tag.name == "branch").unwrap();
    assert_eq!(values(&branch.values), [pair("main", 60), pair("next", 30)]);
    let some = Selection {
        hosts: vec!["web1".to_owned()],
        tags: vec![("branch".to_owned(), "n*".to_owned())],
        ..route("/cart")
    };
    let some = store.facets(&some).unwrap();
    assert_eq!(values(&some.routes), [pair("/cart", some.runs)]);
    assert_eq!(
        values(&some.tags.first().unwrap().values),
        [pair("next", 5)]
    );
    assert_eq!(some.runs, 5);
}

/// The sums of some hours.
fn cells(store: &dyn Store, of: HoursOf<'_>) -> Vec<CellHours> {
    let mut cells = Vec::new();
    let mut visitor = |cell: &CellHours| cells.push(cell.clone());
    store.hours(&of, &mut visitor).unwrap();
    cells
}

fn all_hours(route: &str) -> HoursOf<'_> {
    HoursOf {
        app: "shop",
        route,
        hours: (0, i64::MAX),
        only: None,
    }
}

pub(super) fn hours_are_those_of_one_route_around_a_release(store: &dyn Store) {
    filled(store, 120);
    let all = cells(store, all_hours("/cart"));
    assert!(all.is_sorted_by_key(|cell| cell.hour));
    let released = all.iter().find(|cell| cell.release == "2").unwrap().hour;
    let hours = (released - 10, released + 10);
    let of = |only| {
        let of = HoursOf {
            hours,
            only,
            ..all_hours("/cart")
        };
        cells(store, of)
    };
    let is_inside = |cell: &&CellHours| (hours.0..hours.1).contains(&cell.hour);
    let inside: Vec<CellHours> = all.iter().filter(is_inside).cloned().collect();
    assert!(inside.len() < all.len());
    assert_eq!(of(None), inside);
    assert_eq!(of(Some((released, "2"))), inside);
    let before: Vec<CellHours> = inside
        .into_iter()
        .filter(|cell| cell.hour < released)
        .collect();
    assert!(!before.is_empty());
    assert_eq!(of(Some((released, "1"))), before);
    // No pattern, and no other application.
    assert_eq!(cells(store, all_hours("/c*")), []);
    let other = HoursOf {
        app: "other",
        ..all_hours("/cart")
    };
    assert_eq!(cells(store, other), []);
}

pub(super) fn hours_count_runs_as_they_are(store: &dyn Store) {
    for number in 0..40 {
        let mut profile = shop().run(at(number));
        let rate = if number % 2 == 0 { "0.01" } else { "1" };
        profile.meta.set_tag("rate", rate);
        put(store, profile);
    }
    for cell in cells(store, all_hours("/cart")) {
        assert_eq!(cell.runs, cell.paths[0].runs, "rate {}", cell.rate);
        let own: i64 = cell.paths.iter().map(|path| path.own_wall).sum();
        assert_eq!(own.unsigned_abs(), cell.wall, "rate {}", cell.rate);
    }
}

pub(super) fn days_are_those_of_the_trends(store: &dyn Store) {
    filled(store, 120);
    let all = store.requests(&everything()).unwrap().unwrap();
    let routes = store.routes(&everything()).unwrap();
    assert_eq!(all.runs, 120);
    assert_eq!(all.wall, routes.iter().map(|row| row.wall).sum::<u64>());
    let cart = store.requests(&route("/cart")).unwrap().unwrap();
    let row = routes.iter().find(|row| row.route == "/cart").unwrap();
    assert_eq!((cart.p95, cart.runs), (row.p95, row.runs));
    assert_eq!(store.requests(&route("/no")).unwrap(), None);
    let days = store.route_days(&everything()).unwrap();
    assert_eq!(days.len(), routes.len());
    let days = &days.iter().find(|days| days.route == "/cart").unwrap().days;
    assert_eq!(days.iter().map(|day| day.runs).sum::<u64>(), row.runs);
    assert_eq!(
        days.iter().map(|day| day.wall).sum::<i64>().unsigned_abs(),
        row.wall
    );
    assert!(days.is_sorted_by_key(|day| day.day_s) && days.len() > 1);
    let releases = store.route_releases(&everything()).unwrap();
    assert_eq!(releases.len(), 2 * routes.len());
    for of in &releases {
        let of_release = Selection {
            routes: vec![of.route.clone()],
            ..release(&of.release)
        };
        let sum = store.requests(&of_release).unwrap().unwrap();
        assert_eq!((sum.runs, sum.wall), (of.runs, of.wall), "{of:?}");
    }
    let names = ["Repository::find", "no::such"].map(str::to_owned);
    // By hours, and by the runs themselves.
    let of_runs = Selection {
        min_wall: Some(0),
        ..route("/cart")
    };
    for selection in [route("/cart"), of_runs] {
        let found = store.function_days(&selection, &names).unwrap();
        let of = TrendOf::Function("Repository::find".to_owned());
        let trend = store.trend(&selection, &of, TrendStep::Day).unwrap();
        let own: i64 = trend.iter().map(|point| point.own_wall).sum();
        let calls: u64 = trend.iter().map(|point| point.calls).sum();
        assert_eq!(found[0].name, "Repository::find");
        assert_eq!(found[0].days.iter().map(|day| day.wall).sum::<i64>(), own);
        assert_eq!(
            found[0].days.iter().map(|day| day.calls).sum::<u64>(),
            calls
        );
        assert_eq!(found[0].days.iter().map(|day| day.runs).sum::<u64>(), 40);
        assert!(found[1].days.iter().all(|day| day.calls == 0));
    }
}

pub(super) fn functions_have_callers_and_routes(store: &dyn Store) {
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

pub(super) fn a_function_is_as_the_tree_has_it(store: &dyn Store) {
    filled(store, 30);
    // From sums, and from the runs, which a limit on their time makes necessary.
    let of_runs = Selection {
        max_wall: Some(u64::MAX >> 1),
        ..everything()
    };
    for selection in [everything(), of_runs] {
        let tree = store.tree(&selection).unwrap().profile;
        let edges = tree.edges();
        let named = |rows: &[profile::Neighbour]| -> BTreeMap<String, (u64, u64)> {
            let rows = rows.iter().map(|row| {
                let name = String::from_utf8_lossy(tree.name(row.symbol)).into_owned();
                (name, (row.cost.calls, row.cost.wall))
            });
            rows.collect()
        };
        let of = |rows: &[store::Neighbour]| -> BTreeMap<String, (u64, u64)> {
            let rows = rows.iter();
            rows.map(|row| (row.name.clone(), (row.calls, row.wall)))
                .collect()
        };
        let top = store.top(&selection, FunctionSort::OwnWall, 1000).unwrap();
        assert!(top.len() > 10);
        for row in top {
            let found = store.function(&selection, &row.name).unwrap().unwrap();
            assert_eq!(found.total, row);
            let is_it = |symbol: &profile::Symbol| *symbol.name == *row.name.as_bytes();
            let symbol = tree.symbols.iter().position(is_it).unwrap();
            let symbol = profile::SymbolId(u32::try_from(symbol).unwrap());
            let neighbours = profile::Neighbours::new(&edges, symbol);
            assert_eq!(
                of(&found.callers),
                named(&neighbours.callers),
                "{}",
                row.name
            );
            assert_eq!(
                of(&found.callees),
                named(&neighbours.callees),
                "{}",
                row.name
            );
            let trend = TrendOf::Function(row.name.clone());
            let days = store.trend(&selection, &trend, TrendStep::Day).unwrap();
            assert_eq!(found.days, days, "{}", row.name);
        }
    }
}

pub(super) fn a_difference_finds_what_changed(store: &dyn Store) {
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
    assert!(first.ln_change.unwrap() > 0.7, "{first:?}");
    assert_eq!(
        (first.called_before, first.called_after),
        (Some(20), Some(20))
    );
    let same = store.diff(&release("1"), &release("1")).unwrap();
    assert!(
        same.functions
            .iter()
            .all(|row| (row.own_after - row.own_before).abs() < 1e-9)
    );
    let nothing = store.diff(&release("1"), &release("none")).unwrap();
    assert_eq!(nothing.after.runs, 0);
}

pub(super) fn questions_that_belong_together_have_the_same_answers(store: &dyn Store) {
    filled(store, 90);
    let Some(together) = store.query_session() else {
        return;
    };
    let requests = |store: &dyn Store| store.requests(&everything()).unwrap().unwrap().runs;
    let answers = |store: &dyn Store| {
        let (before, after) = (release("1"), release("2"));
        let difference = store.diff(&before, &after).unwrap();
        [
            format!("{:?}", store.routes(&everything()).unwrap()),
            format!("{:?}", store.requests(&route("/cart")).unwrap()),
            format!("{:?}", store.releases(&everything()).unwrap()),
            format!("{:?}", store.top(&before, FunctionSort::Wall, 500).unwrap()),
            format!("{:?}", difference.functions),
            format!("{:?}", store.spans(&after, 100).unwrap()),
        ]
    };
    let expected = answers(store);
    // The second time they are known.
    assert_eq!(answers(&*together), expected);
    assert_eq!(answers(&*together), expected);
    assert_eq!(requests(&*together), 90);
    // So are the runs of a list.
    let mut listed = ids(&*together, &query(route("/cart")));
    listed.extend(listed.clone());
    let chosen = Selection {
        ids: listed,
        since_us: Some(DAY + 5 * HOUR),
        until_us: Some(DAY + 20 * HOUR),
        ..Selection::default()
    };
    let top = |store: &dyn Store| store.top(&chosen, FunctionSort::Wall, 500).unwrap();
    assert_eq!(top(&*together)[0].runs, Some(10));
    assert_eq!(top(&*together), top(store));
    // What it stores and deletes itself counts at once.
    let id = put(&*together, shop().run(at(90)));
    assert_eq!((requests(&*together), requests(store)), (91, 91));
    assert_eq!(together.delete(&[id]).unwrap(), [id]);
    assert_eq!((requests(&*together), requests(store)), (90, 90));
    assert_eq!(answers(&*together), expected);
    // What others store counts in other questions.
    put(store, shop().run(at(91)));
    assert_eq!(requests(store), 91);
    let total = |runs: &[TrendPoint]| runs.iter().map(|point| point.runs).sum::<u64>();
    let trend = together.trend(&everything(), &TrendOf::Requests, TrendStep::Day);
    assert_eq!(total(&trend.unwrap()), requests(&*together));
}

fn release(name: &str) -> Selection {
    Selection {
        releases: vec![name.to_owned()],
        ..Selection::default()
    }
}
