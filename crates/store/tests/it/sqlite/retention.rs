//! Policies, and runs that arrive late.

use store::{NewRun, Retention, Runs, Store};

use super::{BEGIN_US, open, run};

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
    let (stats, removed) = (store.stats().unwrap(), store.removals(None, 0).unwrap());
    assert_eq!(stats.runs + removed[0].count, 420);
}
