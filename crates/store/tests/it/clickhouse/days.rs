//! Sums of days: made of those of hours, right at any time, and used.

use std::cell::RefCell;
use std::time::Duration;

use store::{ClickhouseStore, NewRun, RunId, Runs, Selection, SqliteStore, Store, Sums};

use super::{BEGIN_US, NEVER, Server, answers, database_of, run};

/// Both stores, with the same runs.
struct Both {
    sqlite: SqliteStore,
    clickhouse: ClickhouseStore,
    /// What the store in a folder answers, until its runs change.
    expected: RefCell<Vec<(String, String)>>,
}

impl Both {
    fn put(&self, new: impl Fn() -> NewRun) -> RunId {
        self.expected.borrow_mut().clear();
        let one = self.sqlite.put(new()).unwrap();
        assert_eq!(one, self.clickhouse.put(new()).unwrap());
        one.id
    }

    fn delete(&self, id: RunId) {
        self.expected.borrow_mut().clear();
        assert_eq!(self.sqlite.delete(&[id]).unwrap(), [id]);
        assert_eq!(self.clickhouse.delete(&[id]).unwrap(), [id]);
    }

    fn compare(&self, when: &str) {
        let mut expected = self.expected.borrow_mut();
        if expected.is_empty() {
            *expected = answers(&self.sqlite);
        }
        for (one, other) in expected.iter().zip(answers(&self.clickhouse)) {
            assert_eq!(*one, other, "{when}");
        }
    }
}

#[test]
fn answers_are_the_same_with_and_without_sums_of_days() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    let database = database_of(&address);
    let folder = tempfile::tempdir().unwrap();
    let both = Both {
        sqlite: SqliteStore::open(folder.path()).unwrap(),
        clickhouse: ClickhouseStore::open_with(address.clone(), NEVER).unwrap(),
        expected: RefCell::default(),
    };
    let ids: Vec<RunId> = (0..150).map(|number| both.put(|| run(number))).collect();
    let clickhouse = &both.clickhouse;
    clickhouse.fold().unwrap();
    assert_eq!(clickhouse.sum_days(Duration::from_secs(600)).unwrap(), 0);
    // Three routes and two releases, in two days, and hours of which a few have one run.
    let written = clickhouse.sum_days(Duration::ZERO).unwrap();
    let count = |table: &str| {
        let table = server.table(&database, table);
        let count = format!("SELECT countIf(notEmpty(part_key)) FROM {table} FINAL");
        server.statement(&count).trim().parse::<u64>().unwrap()
    };
    let (of_routes, of_apps) = (count("daily"), count("app_daily"));
    assert!((6..=12).contains(&of_routes), "{of_routes}");
    assert!((2..=4).contains(&of_apps), "{of_apps}");
    assert_eq!(written, of_routes + of_apps);
    assert_eq!(clickhouse.sum_days(Duration::ZERO).unwrap(), 0);
    both.compare("days are added up");

    // Runs that come late, before they are in their hours and after.
    for number in 150..160 {
        both.put(|| run(number));
    }
    both.delete(ids[7]);
    both.compare("runs are in no sums yet");
    clickhouse.fold().unwrap();
    both.compare("sums of hours have changed");
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    both.compare("days are added up again");

    // Another server adds up the same days, and another one has old answers in memory.
    let other = ClickhouseStore::open_with(address.clone(), NEVER).unwrap();
    assert_eq!(other.sum_days(Duration::ZERO).unwrap(), 0);
    let routes = other.routes(&Selection::default()).unwrap();
    both.delete(ids[8]);
    clickhouse.fold().unwrap();
    clickhouse.sum_days(Duration::ZERO).unwrap();
    assert_ne!(other.routes(&Selection::default()).unwrap(), routes);
    both.compare("another server has asked before");

    // They are what is read: a wrong row gives wrong answers, and is found and mended.
    assert_eq!(clickhouse.verify().unwrap().problems, []);
    let daily = server.table(&database, "daily");
    let rest = "day, hour, first, last, app, route, release, shape, rate, failed, calls, wall,
        ln_wall, cpu_runs, cpu, peak_runs, peak, memory, bucket, count, part_key, part_version,
        name, file, line, internal, paths, spans, spreads";
    server.statement(&format!(
        "INSERT INTO {daily} (key, version, runs, {rest})
         SELECT key, version + 1, runs + 1000, {rest} FROM {daily} FINAL
         WHERE notEmpty(part_key) AND route = '/cart'"
    ));
    let runs = |store: &dyn Store| store.requests(&Selection::default()).unwrap().unwrap().runs;
    assert!(runs(clickhouse) > runs(&both.sqlite) + 999);
    let problems = clickhouse.verify().unwrap().problems;
    let is_named = |text: &str| problems.iter().any(|problem| problem.item.contains(text));
    assert!(is_named("/cart in the day 2075"), "{problems:?}");
    assert!(!is_named("/checkout"), "{problems:?}");
    clickhouse.rebuild().unwrap();
    both.compare("wrong days do not count");
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    both.compare("wrong days are mended");
    assert_eq!(clickhouse.verify().unwrap().problems, []);

    // The same for the sums of many routes, which only some questions read.
    let app_daily = server.table(&database, "app_daily");
    server.statement(&format!(
        "INSERT INTO {app_daily} (key, version, runs, {rest}, moments)
         SELECT key, version + 1, runs + 1000, {rest}, moments FROM {app_daily} FINAL
         WHERE notEmpty(part_key)"
    ));
    let selected = |store: &dyn Store| store.tree(&Selection::default()).unwrap().selected;
    assert!(selected(clickhouse) > selected(&both.sqlite) + 1999);
    assert_eq!(runs(clickhouse), runs(&both.sqlite));
    let problems = clickhouse.verify().unwrap().problems;
    let is_of_app = |text: &str| text.contains("all routes of shop in the day 2075");
    assert!(
        problems.iter().any(|problem| is_of_app(&problem.item)),
        "{problems:?}"
    );
    clickhouse.rebuild().unwrap();
    both.compare("wrong sums of many routes do not count");
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    both.compare("wrong sums of many routes are mended");
    assert_eq!(clickhouse.verify().unwrap().problems, []);
    server.statement(&format!(
        "INSERT INTO {app_daily} (key, version, runs, {rest}, moments)
         SELECT key, version + 1, runs, {rest}, '' FROM {app_daily} FINAL
         WHERE notEmpty(part_key)"
    ));
    assert_ne!(clickhouse.verify().unwrap().problems, []);
    clickhouse.rebuild().unwrap();
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    both.compare("wrong moments of many routes are mended");
    assert_eq!(clickhouse.verify().unwrap().problems, []);

    // What functions have on each route: an older server writes none, and the function's
    // page is read without; a wrong one is found and mended.
    let app_functions = server.table(&database, "app_functions");
    server.clear(&database, "table = 'app_functions'");
    both.compare("no row has its functions");
    assert_eq!(clickhouse.verify().unwrap().problems, []);
    let newer = ClickhouseStore::open_with(address, NEVER).unwrap();
    assert!(newer.sum_days(Duration::ZERO).unwrap() > 0);
    assert_eq!(newer.sum_days(Duration::ZERO).unwrap(), 0);
    let with_functions = format!(
        "SELECT countIf(notEmpty(functions)) FROM {app_functions} FINAL
         WHERE (key, version) GLOBAL IN (SELECT key, version FROM {app_daily} FINAL)"
    );
    let with_functions = || server.statement(&with_functions).trim().to_owned();
    assert_eq!(with_functions(), count("app_daily").to_string());
    both.compare("functions are written again");
    for (table, rest) in [
        (&app_functions, "day, hour, app, route".to_owned()),
        (&app_daily, format!("runs, {rest}, moments")),
    ] {
        server.statement(&format!(
            "INSERT INTO {table} (key, version, {rest})
             SELECT key, version + 1, {rest} FROM {table} FINAL
             WHERE version GLOBAL IN (SELECT version FROM {app_daily} WHERE notEmpty(part_key))"
        ));
    }
    assert_eq!(with_functions(), "0");
    let problems = clickhouse.verify().unwrap().problems;
    assert!(
        problems.iter().any(|problem| is_of_app(&problem.item)),
        "{problems:?}"
    );
    clickhouse.rebuild().unwrap();
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    both.compare("wrong functions are mended");
    assert_eq!(clickhouse.verify().unwrap().problems, []);

    // Nothing of the runs stays in the sums of days.
    let all: Vec<RunId> = (0..160).map(|number| both.put(|| run(number))).collect();
    clickhouse.delete(&all).unwrap();
    clickhouse.fold().unwrap();
    assert!(clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    for table in [&daily, &app_daily] {
        let left = format!("SELECT sum(runs) + sum(length(spreads)) > 200 FROM {table} FINAL");
        assert_eq!(server.statement(&left).trim(), "0", "{table}");
    }
    assert_eq!(with_functions(), "0");
    assert_eq!(clickhouse.routes(&Selection::default()).unwrap(), []);
    assert_eq!(clickhouse.sum_days(Duration::ZERO).unwrap(), 0);
}

/// A run in which `Repository::find` has another name.
fn run_with_another_function(number: u64, is_tree: bool) -> NewRun {
    let mut new = run(number);
    for symbol in &mut new.profile.symbols {
        if *symbol.name == *b"Repository::find" {
            symbol.name = (*b"Repository::other").into();
        }
    }
    if !is_tree {
        new.profile.body = profile::Body::Edges(new.profile.edges().into_owned());
    }
    new
}

#[test]
fn a_function_has_the_neighbours_of_the_kind_of_calls_that_most_of_its_runs_have() {
    let Some(server) = Server::named() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let both = Both {
        sqlite: SqliteStore::open(folder.path()).unwrap(),
        clickhouse: ClickhouseStore::open_with(server.address(), NEVER).unwrap(),
        expected: RefCell::default(),
    };
    // Of the trees two have the function, on one of three routes; of the edges five.
    for number in (0..90).filter(|number| number % 3 != 1) {
        both.put(|| run(number));
    }
    for number in [1, 4] {
        both.put(|| run_with_another_function(number, true));
    }
    for number in [10, 13, 16, 19, 22] {
        both.put(|| run_with_another_function(number, false));
    }
    both.clickhouse.fold().unwrap();
    assert!(both.clickhouse.sum_days(Duration::ZERO).unwrap() > 0);
    let function = |store: &dyn Store| {
        let found = store.function(&Selection::default(), "Repository::other");
        let mut function = found.unwrap().unwrap();
        for neighbours in [&mut function.callers, &mut function.callees] {
            neighbours.sort_by(|one, other| one.name.cmp(&other.name));
        }
        function
    };
    let expected = function(&both.sqlite);
    // Edges: the calls of five runs, not of two.
    let calls: u64 = expected.callers.iter().map(|caller| caller.calls).sum();
    assert!(calls * 3 > expected.total.calls * 2, "{expected:?}");
    assert!(calls < expected.total.calls, "{expected:?}");
    assert_eq!(function(&both.clickhouse), expected);
}

#[test]
fn servers_that_add_up_days_at_once_count_each_run_once() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    drop(ClickhouseStore::open_with(address.clone(), NEVER).unwrap());
    let expected = std::thread::scope(|scope| {
        for thread in 0..2_u64 {
            let address = &address;
            scope.spawn(move || {
                let store = ClickhouseStore::open_with(address.clone(), NEVER).unwrap();
                for number in 0..40 {
                    store.put(run(thread * 40 + number)).unwrap();
                    if number % 5 == thread {
                        store.fold().unwrap();
                        store.sum_days(Duration::ZERO).unwrap();
                    }
                }
            });
        }
        let reader = ClickhouseStore::open_with(address.clone(), NEVER).unwrap();
        let mut before = 0;
        while before < 80 {
            let requests = reader.requests(&Selection::default()).unwrap();
            let runs = requests.map_or(0, |requests| requests.runs);
            assert!((before..=80).contains(&runs), "{runs} after {before}");
            before = runs;
        }
        reader.requests(&Selection::default()).unwrap()
    });
    let store = ClickhouseStore::open_with(address, NEVER).unwrap();
    store.fold().unwrap();
    store.sum_days(Duration::ZERO).unwrap();
    assert_eq!(store.requests(&Selection::default()).unwrap(), expected);
    let day = Selection {
        since_us: Some(BEGIN_US),
        until_us: Some(BEGIN_US + 86_400_000_000),
        ..Selection::default()
    };
    let first = store.requests(&day).unwrap().unwrap().runs;
    let rest = Selection {
        since_us: day.until_us,
        ..Selection::default()
    };
    let second = store.requests(&rest).unwrap().unwrap().runs;
    assert_eq!(
        (first + second, store.verify().unwrap().problems),
        (80, vec![])
    );
}
