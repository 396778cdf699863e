//! Stores of other versions.

use std::path::Path;

use store::{Error, Options, Retention, RunQuery, Runs, SqliteStore, Store};

use super::days::{answers, days, run_at};
use super::{BEGIN_US, change, open, run};

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
    // Its spans are not the longest ones: the longest time stays when a run is deleted.
    assert!(store.put(run_at(2001, 2)).unwrap().is_new);
    assert_eq!(store.verify().unwrap().problems, []);
    let newest = store.runs(&RunQuery::default()).unwrap();
    assert!(!newest.runs.is_empty());
    store
        .delete(&[store.put(run_at(2001, 2)).unwrap().id])
        .unwrap();
    drop(store);
    assert_eq!(answers(folder.path()), before);
}

/// Takes from a store what versions 3 to 9 added.
const WITHOUT_DAYS: &str =
    "DROP TABLE run_total; DROP TABLE cell_total; DROP TRIGGER run_added; DROP TRIGGER run_removed;
    DROP TRIGGER run_resized; DROP TRIGGER cell_added; DROP TRIGGER cell_removed;
    DROP TABLE token; DROP TABLE taken; ALTER TABLE policy DROP COLUMN runs_a_day;
    ALTER TABLE policy DROP COLUMN bytes_a_day; DROP TABLE dropped; DROP INDEX run_app_size;
    DROP INDEX run_tag_trace; DROP INDEX run_app_wall; DROP TABLE daily; DROP TABLE daily_paths; DROP TABLE daily_spans;
    DROP TABLE summed; DROP TRIGGER cell_inserted; DROP TRIGGER cell_updated;
    DROP TRIGGER cell_deleted";

/// Takes from a store what versions 2 to 9 added.
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
fn a_store_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let database = rusqlite::Connection::open(folder.path().join("store.sqlite")).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(database);
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Version { found: 99, .. }), "{error}");
}
