//! Sums of days: they answer as those of hours do.

use std::path::Path;

use simulate::{RunAt, SmallShop};
use store::{
    FunctionSort, NewRun, Options, Policy, Retention, Runs, Selection, SqliteStore, Store, Sums,
    TrendOf, TrendStep,
};

use super::{BEGIN_US, change, number, open};

/// A run at an hour of some days under two releases.
pub(super) fn run_at(number: u64, hour: u64) -> NewRun {
    let shop = SmallShop {
        paths: 80,
        ..SmallShop::default()
    };
    let profile = shop.run(RunAt {
        number,
        route: u32::try_from(number % 3).unwrap(),
        release: usize::from(hour >= 40),
        started_us: BEGIN_US + hour * 3_600_000_000 + number * 1_000_000,
    });
    NewRun {
        profile,
        received: BEGIN_US,
    }
}

/// Three days, of which two are over.
pub(super) fn days(folder: &Path) -> SqliteStore {
    let store = open(folder);
    for number in 0..90 {
        store.put(run_at(number, number % 66)).unwrap();
    }
    // Waits until the days that are over are summed.
    store.rebuild().unwrap();
    store
}

/// What questions about more than hours get, in an order of its own.
pub(super) fn answers(folder: &Path) -> Vec<String> {
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
fn the_spreads_of_a_busy_day_are_those_of_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    // One route; runs are taken out and come back, also after a restart.
    let put = |store: &SqliteStore, number: u64| store.put(run_at(3 * number, 1)).unwrap().id;
    let called = |store: &SqliteStore| {
        let found = store.function(&Selection::default(), "Repository::find");
        found.unwrap().unwrap().total.runs
    };
    let mut ids = Vec::new();
    for number in 0..150 {
        ids.push(put(&store, number));
        if number % 40 == 39 {
            store
                .delete(&[ids[usize::try_from(number).unwrap() - 37]])
                .unwrap();
            assert_eq!(store.verify().unwrap().problems, []);
        }
        if number == 70 {
            drop(store);
            store = open(folder.path());
        }
    }
    assert_eq!(called(&store), Some(147));
    for number in 0..150 {
        put(&store, number);
    }
    assert_eq!(called(&store), Some(150));
    assert_eq!(store.verify().unwrap().problems, []);
    drop(store);
    let rows = |condition: &str| {
        let count = format!("SELECT count(*) FROM day WHERE {condition}");
        number(folder.path(), &count)
    };
    assert_eq!((rows("shape < 16"), rows("shape >= 16")), (1, 1));
    let store = open(folder.path());
    store.delete(&ids).unwrap();
    drop(store);
    assert_eq!(rows("1"), 0);
}
