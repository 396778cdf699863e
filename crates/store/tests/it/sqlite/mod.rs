//! The suite of every store, and what only the one in a folder has.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod days;
mod migrations;
mod retention;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use simulate::{RunAt, SmallShop};
use store::{Error, NewRun, Options, RunQuery, Runs, Selection, SqliteStore, Store, Sums};

use crate::conformance;

const BEGIN_US: u64 = 1_793_491_200_000_000;

fn run(number: u64) -> NewRun {
    let shop = SmallShop {
        paths: 80,
        ..SmallShop::default()
    };
    let profile = shop.run(RunAt {
        number,
        route: u32::try_from(number % 5).unwrap(),
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

fn change(folder: &Path, sql: &str) {
    let database = rusqlite::Connection::open(folder.join("store.sqlite")).unwrap();
    database.execute_batch(sql).unwrap();
}

fn number(folder: &Path, sql: &str) -> i64 {
    let database = rusqlite::Connection::open(folder.join("store.sqlite")).unwrap();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
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

#[test]
fn costs_that_are_no_measurements_leave_the_sums_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut ids = Vec::new();
    for number in 0..40 {
        let mut run = run(5 * (number / 2));
        if let profile::Body::Tree(tree) = &mut run.profile.body {
            let odd = usize::try_from(number).unwrap();
            for node in tree.nodes.iter_mut().skip(odd).step_by(3) {
                node.cost.wall = u64::MAX - number;
                node.cost.calls = u64::MAX - number;
                node.cost.memory = if number % 2 == 0 { i64::MAX } else { i64::MIN };
            }
        }
        run.profile.meta.peak_memory = Some(u64::MAX - number);
        if number % 4 == 0 {
            run.profile.meta.started_unix_us = Some(u64::MAX - number);
        }
        ids.push(store.put(run).unwrap().id);
    }
    assert_eq!(store.verify().unwrap().problems, []);
    store.delete(&ids[..20]).unwrap();
    assert_eq!(store.verify().unwrap().problems, []);
    assert_eq!(store.stats().unwrap().runs, 20);
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

#[test]
fn numbers_of_runs_that_are_wrong_are_found_and_counted_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let id = store.put(run(1)).unwrap().id;
    store.put(run(2)).unwrap();
    store.delete(&[id]).unwrap();
    let before = store.stats().unwrap();
    assert_eq!((before.runs, before.cells), (1, 1));
    assert_eq!(store.verify().unwrap().problems, []);
    drop(store);
    change(
        folder.path(),
        "UPDATE run_total SET bytes = bytes + 1; UPDATE cell_total SET cells = 7",
    );
    let store = open(folder.path());
    assert_eq!(store.verify().unwrap().problems.len(), 2);
    store.rebuild().unwrap();
    assert_eq!(store.verify().unwrap().problems, []);
    let after = store.stats().unwrap();
    assert_eq!(
        (after.runs, after.run_bytes, after.cells),
        (before.runs, before.run_bytes, before.cells)
    );
}
