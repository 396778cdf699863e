//! Many runs that are stored in one call.

use super::{DAY, HOUR, at, everything, filled, ids, put, query, shop};
use store::{NewRun, Policy, Result, RunId, Store, Stored};

fn new(number: u64) -> NewRun {
    NewRun {
        profile: shop().run(at(number)),
        received: DAY,
    }
}

fn put_all(store: &dyn Store, numbers: &[u64]) -> Vec<Stored> {
    let runs = numbers.iter().map(|number| new(*number)).collect();
    let outcomes = store.put_all(runs).into_iter();
    outcomes.collect::<Result<_>>().unwrap()
}

fn is_new(stored: &[Stored]) -> Vec<bool> {
    stored.iter().map(|stored| stored.is_new).collect()
}

fn runs_in_sums(store: &dyn Store) -> u64 {
    let requests = store.requests(&everything()).unwrap();
    requests.map_or(0, |row| row.runs)
}

pub(super) fn each_run_of_a_batch_is_stored_once_and_has_its_own_outcome(store: &dyn Store) {
    assert!(store.put_all(Vec::new()).is_empty());
    let known = put(store, new(2).profile);
    let first = put_all(store, &[1, 2, 1, 3, 2, 1]);
    let expected = [true, false, false, true, false, false];
    assert_eq!(is_new(&first), expected);
    assert_eq!(first[1].id, known);
    assert_eq!((first[0].id, first[1].id), (first[2].id, first[4].id));
    // As if each had been put by itself.
    for (stored, number) in first.iter().zip([1, 2, 1, 3, 2, 1]) {
        let run = store.run(&stored.id).unwrap().unwrap();
        assert_eq!(RunId::of(&run.file), stored.id);
        assert_eq!(run.info.started_us, at(number).started_us);
    }
    assert_eq!((store.stats().unwrap().runs, runs_in_sums(store)), (3, 3));
    // Sent again, all are there.
    let again = put_all(store, &[1, 2, 1, 3, 2, 1]);
    assert_eq!(is_new(&again), [false; 6]);
    let id = |stored: &Stored| stored.id;
    assert!(again.iter().map(id).eq(first.iter().map(id)));
    assert_eq!((store.stats().unwrap().runs, runs_in_sums(store)), (3, 3));
    let taken = store.taken("shop", DAY).unwrap();
    assert_eq!(
        (taken.runs, taken.bytes),
        (3, store.stats().unwrap().run_bytes)
    );
    assert_eq!(store.verify().unwrap().problems, []);
}

pub(super) fn a_batch_is_what_its_runs_are_one_by_one(store: &dyn Store) {
    // Of many days, of which some have one run; one has no start, and one no time.
    let mut runs: Vec<NewRun> = (0..40).map(new).collect();
    for (number, run) in (0..).zip(&mut runs).skip(30) {
        run.profile.meta.started_unix_us = Some(DAY + number * 24 * HOUR);
    }
    runs[7].profile.meta.started_unix_us = None;
    runs[7].received = DAY + 5 * HOUR;
    let expected = runs.clone();
    let outcomes = store.put_all(runs);
    assert_eq!(outcomes.len(), 40);
    for (outcome, run) in outcomes.into_iter().zip(expected) {
        let stored = outcome.unwrap();
        let started = run.profile.meta.started_unix_us.unwrap_or(run.received);
        assert!(stored.is_new);
        let info = store.run(&stored.id).unwrap().unwrap().info;
        assert_eq!(info.started_us, started);
        assert!(!store.put(run).unwrap().is_new);
    }
    assert_eq!((store.stats().unwrap().runs, runs_in_sums(store)), (40, 40));
    assert_eq!(store.days(&everything()).unwrap().len(), 11);
    assert_eq!(store.verify().unwrap().problems, []);
}

pub(super) fn of_batches_at_once_each_run_is_new_in_one(store: &dyn Store) {
    let numbers: Vec<u64> = (0..25).collect();
    let outcomes: Vec<Vec<Stored>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let mut numbers = numbers.clone();
                numbers.rotate_left(thread * 5);
                scope.spawn(move || {
                    let mut stored = put_all(store, &numbers);
                    stored.sort_by_key(|stored| stored.id);
                    stored
                })
            })
            .collect();
        let outcomes = threads.into_iter().map(|thread| thread.join().unwrap());
        outcomes.collect()
    });
    for place in 0..25 {
        let of_run = outcomes.iter().map(|stored| stored[place]);
        assert!(
            of_run
                .clone()
                .all(|stored| stored.id == outcomes[0][place].id)
        );
        assert_eq!(of_run.filter(|stored| stored.is_new).count(), 1);
    }
    assert_eq!((store.stats().unwrap().runs, runs_in_sums(store)), (25, 25));
    assert_eq!(store.taken("shop", DAY).unwrap().runs, 25);
    assert_eq!(store.verify().unwrap().problems, []);
}

pub(super) fn a_batch_brings_back_deleted_runs_and_not_those_that_a_policy_removed(
    store: &dyn Store,
) {
    let runs = filled(store, 6);
    let deleted = runs[5].0;
    let policy = Policy {
        days: None,
        runs: Some(4),
        notable: 0,
        ..Policy::default()
    };
    let removed = store.retain("shop", &policy, DAY + 24 * HOUR).unwrap();
    assert_eq!(removed.runs, 2);
    assert_eq!(store.delete(&[deleted]).unwrap(), [deleted]);
    assert_eq!(runs_in_sums(store), 5);
    let stored = put_all(store, &[0, 1, 2, 3, 4, 5]);
    assert_eq!(is_new(&stored), [false, false, false, false, false, true]);
    assert_eq!(runs_in_sums(store), 6);
    let mut there = ids(store, &query(everything()));
    there.sort_unstable();
    let mut expected: Vec<RunId> = runs.iter().skip(2).map(|(id, _)| *id).collect();
    expected.sort_unstable();
    assert_eq!(there, expected);
    assert_eq!(store.verify().unwrap().problems, []);
}
