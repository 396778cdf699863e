//! The suite of every store, and what only the one in a folder has.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use store::simulate::{At, Shop};
use store::{
    Error, FunctionSort, NewRun, Options, Policy, RunQuery, Selection, SqliteStore, Store, TrendOf,
    TrendStep, conformance,
};

const BEGIN_US: u64 = 1_793_491_200_000_000;

fn run(number: u64) -> NewRun {
    let shop = Shop {
        paths: 80,
        ..Shop::default()
    };
    let profile = shop.run(At {
        number,
        route: usize::try_from(number % 5).unwrap(),
        release: 0,
        started_us: BEGIN_US + number * 60_000_000,
    });
    NewRun {
        profile,
        received: BEGIN_US,
    }
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder).unwrap()
}

#[test]
fn it_keeps_the_contract() {
    let folders = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    conformance::check(|| {
        number.set(number.get() + 1);
        open(&folders.path().join(number.get().to_string()))
    });
}

#[test]
fn what_was_stored_is_there_after_it_was_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let ids: Vec<_> = (0..20)
        .map(|number| store.put(run(number)).unwrap().id)
        .collect();
    let routes = store.routes(&Selection::default()).unwrap();
    drop(store);
    let store = open(folder.path());
    for (number, id) in (0..).zip(&ids) {
        assert!(store.run(id).unwrap().is_some());
        assert!(!store.put(run(number)).unwrap().is_new);
    }
    assert_eq!(store.routes(&Selection::default()).unwrap(), routes);
}

#[test]
fn only_its_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    let store = open(&inner);
    store.put(run(1)).unwrap();
    assert_eq!(
        inner.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    for entry in fs::read_dir(&inner).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
    }
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    let inner = folder.path().join("store");
    fs::create_dir(&inner).unwrap();
    std::os::unix::fs::symlink(&other, inner.join("store.sqlite")).unwrap();
    assert!(matches!(SqliteStore::open(&inner), Err(Error::Io(_))));
    assert_eq!(fs::read(&other).unwrap(), b"");
}

#[test]
fn a_second_writer_is_refused_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put(run(1)).unwrap();
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }));
    assert!(error.to_string().contains("another process has the store"));
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let reader = SqliteStore::open_with(folder.path(), options).unwrap();
    assert_eq!(reader.stats().unwrap().runs, 1);
    assert!(matches!(reader.put(run(2)), Err(Error::ReadOnly)));
    store.put(run(2)).unwrap();
    assert_eq!(reader.stats().unwrap().runs, 2);
    drop(store);
    open(folder.path());
}

#[test]
fn a_folder_without_a_store_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let error = SqliteStore::open_with(folder.path(), options).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }));
}

#[test]
fn a_full_disk_stores_nothing_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        max_bytes: Some(300_000),
        ..Options::default()
    };
    let store = SqliteStore::open_with(folder.path(), options).unwrap();
    let mut stored = Vec::new();
    let mut is_full = false;
    for number in 0..2000 {
        match store.put(run(number)) {
            Ok(one) => stored.push((number, one.id)),
            Err(Error::Full) => is_full = true,
            Err(error) => panic!("{error}"),
        }
        if is_full && number > 100 {
            break;
        }
    }
    assert!(is_full && !stored.is_empty());
    assert_eq!(store.stats().unwrap().runs, stored.len() as u64);
    assert_eq!(store.verify().unwrap().problems, []);
    drop(store);
    // With more room it goes on.
    let store = open(folder.path());
    assert!(store.put(run(5000)).unwrap().is_new);
    for (_, id) in stored {
        assert!(store.run(&id).unwrap().is_some());
    }
    assert_eq!(store.verify().unwrap().problems, []);
}

#[test]
fn many_threads_may_store_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = &store;
            // Each run is sent by two threads.
            scope.spawn(move || {
                for number in 0..25 {
                    store.put(run(thread / 2 * 25 + number)).unwrap();
                    store.routes(&Selection::default()).unwrap();
                }
            });
        }
    });
    assert_eq!(store.stats().unwrap().runs, 100);
    assert_eq!(store.verify().unwrap().problems, []);
}

#[test]
fn a_backup_is_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    for number in 0..10 {
        store.put(run(number)).unwrap();
    }
    let copy = folder.path().join("copy");
    store.backup(&copy).unwrap();
    store.put(run(10)).unwrap();
    assert!(store.backup(&copy).is_err());
    let copy = open(&copy);
    assert_eq!(copy.stats().unwrap().runs, 10);
    assert_eq!(copy.verify().unwrap().problems, []);
}

#[test]
fn damage_is_found_and_sums_are_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for number in 0..10 {
        store.put(run(number)).unwrap();
    }
    let routes = store.routes(&Selection::default()).unwrap();
    drop(store);
    let database = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
    database
        .execute_batch(
            "UPDATE cell_paths SET data = x'00' WHERE cell = 1;
             DELETE FROM cell WHERE number = 2;
             UPDATE cell SET totals = (SELECT totals FROM cell WHERE number = 1) WHERE number = 3;
             DELETE FROM day WHERE number = 1",
        )
        .unwrap();
    drop(database);
    let store = open(folder.path());
    let problems = store.verify().unwrap().problems;
    assert!(problems.len() >= 3, "{problems:?}");
    assert!(store.rebuild().unwrap() >= 3);
    assert_eq!(store.verify().unwrap().problems, []);
    assert_eq!(store.routes(&Selection::default()).unwrap(), routes);
    drop(store);
    let database = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
    let damage = "UPDATE run_file SET file = zeroblob(length(file)) WHERE number = 4";
    database.execute_batch(damage).unwrap();
    drop(database);
    let store = open(folder.path());
    let problems = store.verify().unwrap().problems;
    assert!(
        problems
            .iter()
            .any(|problem| problem.item.starts_with("run ")),
        "{problems:?}"
    );
    // The sums of that run are not lost.
    store.rebuild().unwrap();
    assert_eq!(store.routes(&Selection::default()).unwrap(), routes);
}

/// A run at an hour of some days under two releases.
fn run_at(number: u64, hour: u64) -> NewRun {
    let shop = Shop {
        paths: 80,
        ..Shop::default()
    };
    let profile = shop.run(At {
        number,
        route: usize::try_from(number % 3).unwrap(),
        release: usize::from(hour >= 40),
        started_us: BEGIN_US + hour * 3_600_000_000 + number * 1_000_000,
    });
    NewRun {
        profile,
        received: BEGIN_US,
    }
}

/// Three days, of which two are over.
fn days(folder: &Path) -> SqliteStore {
    let store = open(folder);
    for number in 0..90 {
        store.put(run_at(number, number % 66)).unwrap();
    }
    // Waits until the days that are over are summed.
    store.rebuild().unwrap();
    store
}

fn change(folder: &Path, sql: &str) {
    let database = rusqlite::Connection::open(folder.join("store.sqlite")).unwrap();
    database.execute_batch(sql).unwrap();
}

fn number(folder: &Path, sql: &str) -> i64 {
    let database = rusqlite::Connection::open(folder.join("store.sqlite")).unwrap();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// What questions about more than hours get, in an order of its own.
fn answers(folder: &Path) -> Vec<String> {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let store = SqliteStore::open_with(folder, options).unwrap();
    const HOUR: u64 = 3_600_000_000;
    let mut answers = Vec::new();
    let bounds = [None, Some(5), Some(24), Some(30), Some(48), Some(60)];
    let pairs = bounds
        .iter()
        .flat_map(|since| bounds.map(|until| (*since, until)));
    for (since, until) in pairs {
        let of = |routes: &[&str]| Selection {
            routes: routes.iter().map(|&route| route.to_owned()).collect(),
            since_us: since.map(|hour| BEGIN_US + hour * HOUR),
            until_us: until.map(|hour| BEGIN_US + hour * HOUR),
            ..Selection::default()
        };
        for selection in [of(&[]), of(&["/cart"])] {
            let sums = (store.routes(&selection), store.releases(&selection));
            answers.push(format!("{sums:?}"));
            for step in [TrendStep::Hour, TrendStep::Day, TrendStep::All] {
                for of in [
                    TrendOf::Requests,
                    TrendOf::Function("Repository::find".to_owned()),
                ] {
                    answers.push(format!("{:?}", store.trend(&selection, &of, step)));
                }
            }
            let mut top = store.top(&selection, FunctionSort::Wall, 500).unwrap();
            top.sort_by(|one, other| one.name.cmp(&other.name));
            answers.push(format!("{top:?}"));
            let tree = store.tree(&selection).unwrap();
            let calls = (
                tree.runs,
                tree.selected,
                tree.requests,
                tree.profile.calls(),
            );
            answers.push(format!("{calls:?}"));
            let mut spans = store.spans(&selection, 1000).unwrap();
            spans.sort_by(|one, other| one.text.cmp(&other.text));
            answers.push(format!("{spans:?}"));
            let function = store.function(&selection, "Repository::find").unwrap();
            let function = function.map(|of| (of.total, of.routes));
            answers.push(format!("{function:?}"));
        }
    }
    answers
}

#[test]
fn sums_of_days_answer_as_those_of_hours() {
    let folder = tempfile::tempdir().unwrap();
    drop(days(folder.path()));
    let summed = "SELECT count(*) FROM summed WHERE is_complete";
    assert_eq!(number(folder.path(), summed), 2);
    let of_days = answers(folder.path());
    change(folder.path(), "DELETE FROM summed");
    assert_eq!(of_days, answers(folder.path()));
    // Without the hours the days still answer: they are really read.
    days(folder.path()).rebuild().unwrap();
    change(
        folder.path(),
        "DROP TRIGGER cell_deleted;
         DELETE FROM cell WHERE hour / 24 * 24 IN (SELECT hour FROM summed WHERE is_complete)",
    );
    let routes = |answers: &[String]| answers[0].clone();
    assert_eq!(routes(&answers(folder.path())), routes(&of_days));
}

#[test]
fn a_late_run_is_in_its_day_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = days(folder.path());
    let runs = |store: &SqliteStore| -> u64 {
        let routes = store.routes(&Selection::default()).unwrap();
        routes.iter().map(|route| route.runs).sum()
    };
    assert_eq!(runs(&store), 90);
    let late = store.put(run_at(1000, 2)).unwrap();
    assert_eq!(runs(&store), 91);
    assert_eq!(store.verify().unwrap().problems, []);
    store.delete(&[late.id]).unwrap();
    assert_eq!(runs(&store), 90);
    store.rebuild().unwrap();
    assert_eq!(runs(&store), 90);
    // Sums are removed with their days, also half a day: those of no run.
    let policy = Policy {
        days: Some(1),
        notable: 0,
        sums_days: Some(1),
        ..Policy::default()
    };
    let now = BEGIN_US + 30 * 3_600_000_000;
    let first = store.retain("shop", &policy, now).unwrap();
    assert_eq!((first.by_age, first.cells), (90, 0));
    assert!(store.retain("shop", &policy, now).unwrap().cells > 0);
    drop(store);
    let left = |condition: &str| {
        let hour = BEGIN_US / 3_600_000_000 + 6;
        let count = format!("SELECT count(*) FROM cell WHERE hour {condition} {hour}");
        number(folder.path(), &count)
    };
    assert_eq!(left("<"), 0);
    assert!(left(">=") > 0);
    let store = open(folder.path());
    store.rebuild().unwrap();
    assert_eq!(store.verify().unwrap().problems, []);
}

#[test]
fn a_wrong_sum_of_a_day_is_found_and_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    drop(days(folder.path()));
    let before = answers(folder.path());
    change(
        folder.path(),
        "UPDATE daily SET totals = (SELECT totals FROM daily WHERE number = 2) WHERE number = 1;
         UPDATE daily_paths SET data = x'00' WHERE cell = 3;
         DELETE FROM daily WHERE number = 5",
    );
    let store = open(folder.path());
    let problems = store.verify().unwrap().problems;
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(
        problems[0]
            .reason
            .contains("its day is not the sum of its hours")
    );
    store.rebuild().unwrap();
    assert_eq!(store.verify().unwrap().problems, []);
    drop(store);
    assert_eq!(answers(folder.path()), before);
}

#[test]
fn a_store_without_sums_of_days_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let store = days(folder.path());
    let ids = store.runs(&RunQuery {
        limit: 100,
        ..RunQuery::default()
    });
    let ids: Vec<_> = ids.unwrap().runs.iter().map(|run| run.id).collect();
    let files = |store: &SqliteStore| -> Vec<Vec<u8>> {
        let file = |id| store.run(id).unwrap().unwrap().file;
        ids.iter().map(file).collect()
    };
    let native = files(&store);
    let first = native.first().unwrap().clone();
    drop(store);
    let before = answers(folder.path());
    // Runs were native files then, and their dictionaries, too.
    let database = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
    let mut number = database
        .prepare("SELECT number FROM run WHERE id = ?")
        .unwrap();
    let mut update = database
        .prepare("UPDATE run_file SET file = ?, dictionary = ? WHERE number = ?")
        .unwrap();
    for (place, (id, file)) in ids.iter().zip(&native).enumerate() {
        let number: i64 = number.query_row([&id.0[..]], |row| row.get(0)).unwrap();
        let (file, dictionary) = if place % 2 == 0 {
            (zstd::bulk::compress(file, 3).unwrap(), None)
        } else {
            let mut with = zstd::bulk::Compressor::with_dictionary(3, &first).unwrap();
            (with.compress(file).unwrap(), Some(1))
        };
        update
            .execute(rusqlite::params![file, dictionary, number])
            .unwrap();
    }
    let data = zstd::bulk::compress(&first, 3).unwrap();
    database
        .execute("UPDATE dictionary SET data = ? WHERE id = 1", [data])
        .unwrap();
    drop((number, update));
    drop(database);
    change(folder.path(), WITHOUT_DAYS);
    change(folder.path(), "PRAGMA user_version = 2");
    let store = open(folder.path());
    assert_eq!(files(&store), native);
    assert!(!store.put(run_at(0, 0)).unwrap().is_new);
    assert!(store.put(run_at(2000, 2)).unwrap().is_new);
    assert_eq!(store.verify().unwrap().problems, []);
    let newest = store.runs(&RunQuery::default()).unwrap();
    assert!(!newest.runs.is_empty());
    store
        .delete(&[store.put(run_at(2000, 2)).unwrap().id])
        .unwrap();
    drop(store);
    assert_eq!(answers(folder.path()), before);
}

#[test]
fn compacting_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let ids: Vec<_> = (0..60)
        .map(|number| store.put(run(number)).unwrap().id)
        .collect();
    store.delete(&ids[..50]).unwrap();
    let before = store.stats().unwrap();
    store.compact().unwrap();
    let after = store.stats().unwrap();
    assert!(after.disk_bytes < before.disk_bytes);
    assert_eq!(after.runs, 10);
    assert_eq!(store.verify().unwrap().problems, []);
    let listed = store.runs(&RunQuery {
        limit: 100,
        ..RunQuery::default()
    });
    assert_eq!(listed.unwrap().runs.len(), 10);
}

/// Takes from a store what version 3 added.
const WITHOUT_DAYS: &str = "DROP TABLE daily; DROP TABLE daily_paths; DROP TABLE daily_spans;
    DROP TABLE summed; DROP TRIGGER cell_inserted; DROP TRIGGER cell_updated;
    DROP TRIGGER cell_deleted";

/// Takes from a store what versions 2 and 3 added.
fn made_older(folder: &Path) {
    let database = rusqlite::Connection::open(folder.join("store.sqlite")).unwrap();
    database.execute_batch(WITHOUT_DAYS).unwrap();
    let older = "DROP TABLE policy; DROP TABLE removed; DROP TABLE notice;
         ALTER TABLE run DROP COLUMN stored; PRAGMA user_version = 1";
    database.execute_batch(older).unwrap();
}

#[test]
fn a_store_of_an_older_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    for is_read_only in [false, true] {
        let path = folder.path().join(is_read_only.to_string());
        let store = open(&path);
        store.put(run(1)).unwrap();
        drop(store);
        made_older(&path);
        let store = if is_read_only {
            SqliteStore::open_with(&path, options).unwrap()
        } else {
            open(&path)
        };
        assert_eq!(store.stats().unwrap().runs, 1);
        assert_eq!(store.policies().unwrap(), store::Policies::default());
        drop(store);
        // Its runs have no time of arrival: they are as old as they are.
        let store = open(&path);
        let policy = store::Policy {
            notable: 0,
            ..store::Policy::default()
        };
        let days = |days: u64| BEGIN_US + days * 86_400_000_000;
        assert_eq!(store.retain("shop", &policy, days(29)).unwrap().runs, 0);
        assert_eq!(store.retain("shop", &policy, days(31)).unwrap().by_age, 1);
    }
}

#[test]
fn an_old_run_that_was_imported_lately_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let day = 86_400_000_000;
    let arrived = BEGIN_US + 900 * day;
    let old = NewRun {
        received: arrived,
        ..run(1)
    };
    store.put(old).unwrap();
    let policy = store::Policy {
        notable: 0,
        sums_days: None,
        ..store::Policy::default()
    };
    let at = |days| store.retain("shop", &policy, arrived + days * day).unwrap();
    assert_eq!(at(29).runs, 0);
    assert_eq!(at(31).runs, 1);
    // Its sums are older than all others, and stay as long as it does.
    let late = NewRun {
        received: arrived,
        ..run(2)
    };
    let id = store.put(late).unwrap().id;
    let policy = store::Policy {
        sums_days: Some(800),
        ..policy
    };
    let at = |days| store.retain("shop", &policy, arrived + days * day).unwrap();
    assert_eq!(
        at(1),
        store::Removed {
            cells: 1,
            ..store::Removed::default()
        }
    );
    assert!(store.run(&id).unwrap().is_some());
    assert_eq!(store.verify().unwrap().problems, []);
    assert_eq!((at(31).runs, at(32).cells), (1, 1));
}

#[test]
fn runs_arrive_while_a_policy_removes_many() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for number in 0..400 {
        store.put(run(number)).unwrap();
    }
    let policy = store::Policy {
        runs: Some(1),
        days: None,
        notable: 0,
        ..store::Policy::default()
    };
    std::thread::scope(|scope| {
        let removed = scope.spawn(|| store.retain("shop", &policy, BEGIN_US).unwrap());
        for number in 1000..1020 {
            store.put(run(number)).unwrap();
        }
        assert!(removed.join().unwrap().by_count >= 399);
    });
    assert_eq!(store.verify().unwrap().problems, []);
    let (stats, removed) = (store.stats().unwrap(), store.removals(0).unwrap());
    assert_eq!(stats.runs + removed[0].count, 420);
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let database = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(database);
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Version { found: 99, .. }), "{error}");
}
