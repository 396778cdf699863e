//! What policies remove, and the days that are dropped when no run is left of them.

use std::time::Duration;

use store::{
    ClickhouseStore, Error, NewRun, Policy, Removed, Retention, RunId, RunInfo, RunQuery, Runs,
    Selection, SqliteStore, Store, Sums,
};

use super::{BEGIN_US, NEVER, Server, database_of, run};

const HOUR: u64 = 3_600_000_000;
const DAY: u64 = 24 * HOUR;

struct Case {
    server: Server,
    database: String,
    store: ClickhouseStore,
}

impl Case {
    fn new() -> Option<Self> {
        let server = Server::named()?;
        let address = server.address();
        let database = database_of(&address);
        let store = ClickhouseStore::open_with(address, NEVER).unwrap();
        Some(Self {
            server,
            database,
            store,
        })
    }

    fn table(&self, name: &str) -> String {
        self.server.table(&self.database, name)
    }

    fn number(&self, what: &str, table: &str) -> u64 {
        let select = format!("SELECT {what} FROM {}", self.table(table));
        self.server.statement(&select).trim().parse().unwrap()
    }

    /// As if the runs had come hours ago.
    fn forget_changes(&self) {
        self.server.clear(&self.database, "table = 'changed'");
    }

    /// One look for days to drop, with no time to wait.
    fn drop_days(&self) {
        self.store.drop_days(Duration::ZERO).unwrap();
    }

    fn routes(&self) -> String {
        format!("{:?}", self.store.routes(&Selection::default()).unwrap())
    }
}

fn everything(days: u32) -> Policy {
    Policy {
        days: Some(days),
        notable: 0,
        bytes: None,
        ..Policy::default()
    }
}

/// A run of no hourly sums, as it does not count time.
fn without_sums() -> NewRun {
    let mut new = run(7);
    new.profile.meta.counts = Some("Ir".to_owned());
    new.profile.metrics.wall_unit = profile::WallUnit::Samples;
    new
}

/// A run that does not say when it began.
fn without_start(received: u64) -> NewRun {
    let mut new = run(8);
    new.profile.meta.started_unix_us = None;
    NewRun { received, ..new }
}

#[test]
fn the_runs_of_a_dropped_day_count_once_and_do_not_come_again() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = &case.store;
    let mut all: Vec<NewRun> = (0..40).map(run).collect();
    all.push(without_sums());
    all.push(without_start(BEGIN_US));
    let deleted = store.put(run(41)).unwrap().id;
    for stored in store.put_all(all.clone()) {
        assert!(stored.unwrap().is_new);
    }
    store.fold().unwrap();
    assert_eq!(store.delete(&[deleted]).unwrap(), [deleted]);
    let routes = case.routes();
    let removed = store.retain("shop", &everything(30), BEGIN_US + 40 * DAY);
    assert_eq!(removed.unwrap().runs, 42);
    // They may still be written into sums.
    case.drop_days();
    assert_eq!(case.number("count()", "closed"), 0);
    case.forget_changes();
    case.drop_days();
    assert_eq!(case.number("sum(is_closed)", "closed FINAL"), 2);
    // What is known is told; what is new has to wait.
    assert!(!store.put(run(3)).unwrap().is_new);
    for new in [run(41), run(100)] {
        let error = store.put(new).unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
    }
    case.drop_days();
    assert_eq!(case.number("count()", "run"), 0);
    assert!(store.put(run(100)).is_err(), "an insert may be on its way");
    assert!(!store.put(run(3)).unwrap().is_new);
    case.drop_days();
    assert_eq!(case.number("sum(is_closed)", "closed FINAL"), 0);
    assert_eq!(case.routes(), routes);
    // Another day, as it does not say which.
    all.pop();
    all.push(without_start(BEGIN_US + 10 * DAY));
    for stored in store.put_all(all) {
        assert!(!stored.unwrap().is_new);
    }
    store.fold().unwrap();
    assert_eq!(case.routes(), routes);
    assert_eq!(store.stats().unwrap().runs, 0);
    let runs = |store: &dyn Store| store.requests(&Selection::default()).unwrap().unwrap().runs;
    let before = runs(store);
    // What was deleted, or never came, may come.
    for new in [run(41), run(100)] {
        assert!(store.put(new).unwrap().is_new);
    }
    assert_eq!(store.stats().unwrap().runs, 2);
    assert_eq!(runs(store), before + 2);
    store.fold().unwrap();
    assert_eq!(runs(store), before + 2);
    assert_eq!(store.verify().unwrap().problems, []);
    // The day is not closed while they are there.
    case.forget_changes();
    case.drop_days();
    assert_eq!(case.number("sum(is_closed)", "closed FINAL"), 0);
    assert_eq!(case.number("sum(is_dropped)", "closed FINAL"), 2);
}

#[test]
fn a_closed_day_is_opened_if_a_run_came_after_all() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = &case.store;
    let id = store.put(run(1)).unwrap().id;
    store.fold().unwrap();
    store
        .retain("shop", &everything(30), BEGIN_US + 40 * DAY)
        .unwrap();
    case.forget_changes();
    case.drop_days();
    assert_eq!(case.number("sum(is_closed)", "closed FINAL"), 1);
    // A server of an older version does not know that the day is closed.
    const REST: &str = "key, day, app, route, release, title, started, host, method, status,
        failed, shape, rate, unit, body, wall, cpu, peak, memory, calls, spans, sql, size, label,
        stored, tag_name, tag_value, dictionary, file";
    let run_table = case.table("run");
    case.server.statement(&format!(
        "INSERT INTO {run_table} (id, version, state, {REST})
         SELECT id, version + 1, 0, {REST} FROM {run_table} FINAL"
    ));
    case.drop_days();
    assert_eq!(case.number("sum(is_closed)", "closed FINAL"), 0);
    assert_eq!(store.stats().unwrap().runs, 1);
    assert_eq!(store.runs(&RunQuery::default()).unwrap().runs[0].id, id);
    assert!(store.put(run(100)).unwrap().is_new);
}

#[test]
fn sums_that_were_removed_are_dropped() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = &case.store;
    store.put_all((0..10).map(run).collect());
    store.fold().unwrap();
    let removed = store.retain("shop", &everything(30), BEGIN_US + 900 * DAY);
    let removed = removed.unwrap();
    assert_eq!(removed.runs, 10);
    assert!(removed.cells > 0);
    case.drop_days();
    assert!(case.number("count()", "cell") > 0, "they may be written");
    case.forget_changes();
    for _ in 0..3 {
        case.drop_days();
    }
    assert_eq!(case.number("count()", "cell"), 0);
    assert_eq!(case.number("count()", "run"), 0);
    assert_eq!(store.stats().unwrap().cells, 0);
    // Nothing counts it any more.
    assert!(store.put(run(1)).unwrap().is_new);
    let routes = store.routes(&Selection::default()).unwrap();
    assert_eq!(routes.iter().map(|row| row.runs).sum::<u64>(), 1);
    assert_eq!(store.verify().unwrap().problems, []);
}

/// Runs that came at several times, of which two have a label.
fn filled(store: &dyn Store) -> Vec<RunId> {
    let new = |number| NewRun {
        received: BEGIN_US - number % 7 * 3 * DAY,
        ..run(number)
    };
    let stored = store.put_all((0..120).map(new).collect());
    let ids: Vec<RunId> = stored.into_iter().map(|run| run.unwrap().id).collect();
    assert!(store.label(&ids[5], "kept").unwrap());
    assert!(store.label(&ids[77], "kept").unwrap());
    ids
}

/// The runs that are there, the latest first.
fn listed(store: &dyn Store) -> Vec<RunInfo> {
    let runs = store.runs(&RunQuery {
        limit: 1000,
        ..RunQuery::default()
    });
    runs.unwrap().runs
}

const NOW: u64 = BEGIN_US + 40 * DAY;

/// Policies by days, notable runs, their days, and runs. Each removes less than the next.
const POLICIES: [(Option<u32>, u32, u32, Option<u64>); 7] = [
    (None, 0, 0, Some(117)),
    (Some(57), 3, 180, None),
    (Some(54), 2, 56, Some(95)),
    (None, 3, 180, Some(70)),
    (Some(48), 4, 53, Some(55)),
    (Some(20), 5, 45, Some(12)),
    (Some(1), 0, 1, None),
];

fn policy(
    (days, notable, keep_notable_days, runs): (Option<u32>, u32, u32, Option<u64>),
) -> Policy {
    Policy {
        days,
        runs,
        bytes: None,
        notable,
        keep_notable_days,
        ..Policy::default()
    }
}

#[test]
fn the_same_runs_go_as_in_the_store_in_a_folder() {
    let Some(case) = Case::new() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path()).unwrap();
    let clickhouse = &case.store;
    assert_eq!(filled(&sqlite), filled(clickhouse));
    clickhouse.fold().unwrap();
    let kept = |store: &dyn Store| listed(store).iter().map(|run| run.id).collect::<Vec<_>>();
    // Each store packs files by dictionaries of its own.
    let without_size = |removed: Removed| Removed {
        bytes: 0,
        ..removed
    };
    let mut count = 120;
    for policy in POLICIES.map(policy) {
        let expected = without_size(sqlite.removable("shop", &policy, NOW).unwrap());
        let removable = clickhouse.removable("shop", &policy, NOW).unwrap();
        assert_eq!(without_size(removable), expected, "{policy:?}");
        assert!(expected.runs > 0, "{policy:?} removes nothing");
        sqlite.retain("shop", &policy, NOW).unwrap();
        let removed = clickhouse.retain("shop", &policy, NOW).unwrap();
        assert_eq!(removed, removable);
        assert!(kept(&sqlite) == kept(clickhouse), "{policy:?}");
        count -= expected.runs;
        assert_eq!(clickhouse.stats().unwrap().runs, count);
    }
    assert_eq!(count, 2, "those with a label");
    let removals = |store: &dyn Store| {
        let removals = store.removals(None, 0).unwrap();
        let count = |of: &store::Removal| (of.day_s, of.reason, of.count);
        removals.iter().map(count).collect::<Vec<_>>()
    };
    assert_eq!(removals(&sqlite), removals(clickhouse));
}

/// What a limit of bytes leaves: the runs with a label, and the latest others.
fn left_by(runs: &[RunInfo], most: u64) -> Vec<RunId> {
    let labelled = runs.iter().filter(|run| !run.label.is_empty());
    let mut bytes: u64 = labelled.map(|run| run.size).sum();
    let stays = |run: &&RunInfo| {
        if run.label.is_empty() {
            bytes += run.size;
        }
        !run.label.is_empty() || bytes <= most
    };
    runs.iter().filter(stays).map(|run| run.id).collect()
}

#[test]
fn limits_of_size_end_at_the_run_that_passes_them() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = &case.store;
    filled(store);
    store.fold().unwrap();
    let all: u64 = listed(store).iter().map(|run| run.size).sum();
    for part in [97, 80, 79, 41, 5, 1] {
        let policy = Policy {
            bytes: Some(all * part / 100),
            ..policy((None, 0, 0, None))
        };
        let before = listed(store);
        let expected = left_by(&before, all * part / 100);
        let removed = store.retain("shop", &policy, NOW).unwrap();
        let left = listed(store);
        let ids: Vec<RunId> = left.iter().map(|run| run.id).collect();
        assert!(
            ids == expected,
            "{part} %: {} of {}",
            ids.len(),
            expected.len()
        );
        assert_eq!(removed.by_size, (before.len() - left.len()) as u64);
        let size = |runs: &[RunInfo]| runs.iter().map(|run| run.size).sum::<u64>();
        assert_eq!(removed.bytes, size(&before) - size(&left), "{part} %");
        // Again, there is nothing to do.
        assert_eq!(
            store.retain("shop", &policy, NOW).unwrap(),
            Removed::default()
        );
    }
    assert_eq!(listed(store).len(), 2, "those with a label");
}

#[test]
fn counts_that_are_kept_are_those_of_the_runs() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = &case.store;
    let address = case.server.parts.0.rsplit_once('/').unwrap().0;
    let address = format!("{address}/{}{}", case.database, case.server.parts.1);
    let address = store::ClickhouseAddress::parse(&address).unwrap();
    let address = match super::bucket::of_database(&case.database) {
        Some(bucket) => address.with_bucket(bucket),
        None => address,
    };
    let other = ClickhouseStore::open_with(address, NEVER).unwrap();
    store.keep_counts_after(0);
    let check = |runs: u64| {
        let listed = listed(store);
        for _ in 0..2 {
            let stats = store.stats().unwrap();
            assert_eq!(stats.runs, runs);
            assert_eq!(stats.runs, listed.len() as u64);
            assert_eq!(
                stats.run_bytes,
                listed.iter().map(|run| run.size).sum::<u64>()
            );
            assert_eq!(stats.last_us, listed.iter().map(|run| run.started_us).max());
            assert_eq!(
                stats.first_us,
                listed.iter().map(|run| run.started_us).min()
            );
            let apps = store.apps().unwrap();
            assert_eq!(apps.iter().map(|app| app.runs).sum::<u64>(), runs);
        }
        listed
    };
    check(0);
    other.put_all((0..30).map(run).collect());
    let listed = check(30);
    let cells = |store: &ClickhouseStore| store.stats().unwrap().cells;
    other.fold().unwrap();
    assert!(cells(store) > 0);
    assert_eq!(cells(store), cells(&other));
    let ids: Vec<RunId> = listed.iter().take(10).map(|run| run.id).collect();
    other.delete(&ids).unwrap();
    assert_eq!(cells(store), cells(&other));
    check(20);
    other.put_all((0..30).map(run).collect());
    check(30);
    // A label is a new row, and protects a run.
    other.label(&ids[0], "kept").unwrap();
    check(30);
    let policy = everything(30);
    assert_eq!(
        store
            .retain("shop", &policy, BEGIN_US + 40 * DAY)
            .unwrap()
            .runs,
        29
    );
    assert_eq!(check(1)[0].id, ids[0]);
    let names = store.stats().unwrap();
    assert_eq!((names.names, names.routes), {
        let stats = other.stats().unwrap();
        (stats.names, stats.routes)
    });
    assert!(names.names > 10 && names.routes == 3, "{names:?}");
}
