//! Questions whose clients have left, and a store that is to stop.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use simulate::{RunAt, SmallShop};
use store::{
    CancelToken, Error, FunctionSort, NewRun, RunQuery, Runs, Selection, SqliteStore, Store, Sums,
    TrendOf, TrendStep,
};

const BEGIN_US: u64 = 1_793_491_200_000_000;

fn runs(numbers: std::ops::Range<u64>) -> Vec<NewRun> {
    let shop = SmallShop {
        paths: 30,
        ..SmallShop::default()
    };
    let run = |number| NewRun {
        profile: shop.run(RunAt {
            number,
            route: u32::try_from(number % 3).unwrap(),
            release: 0,
            started_us: BEGIN_US + number * 60_000_000,
        }),
        received: BEGIN_US,
    };
    numbers.map(run).collect()
}

#[test]
fn a_cancelled_question_ends_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    for outcome in store.put_all(runs(0..200)) {
        outcome.unwrap();
    }
    let all = Selection::default();
    let by_title = RunQuery {
        selection: Selection {
            title: Some("in no title".to_owned()),
            ..Selection::default()
        },
        ..RunQuery::default()
    };
    type Question<'a> = (&'a str, Box<dyn Fn() -> store::Result<()> + 'a>);
    let questions: [Question<'_>; 6] = [
        ("routes", Box::new(|| store.routes(&all).map(drop))),
        (
            "top",
            Box::new(|| store.top(&all, FunctionSort::default(), 10).map(drop)),
        ),
        ("tree", Box::new(|| store.tree(&all).map(drop))),
        ("runs", Box::new(|| store.runs(&by_title).map(drop))),
        (
            "trend",
            Box::new(|| {
                store
                    .trend(&all, &TrendOf::Requests, TrendStep::default())
                    .map(drop)
            }),
        ),
        ("verify", Box::new(|| store.verify().map(drop))),
    ];
    for (name, question) in questions {
        let cancel = CancelToken::default();
        cancel.cancel();
        let outcome = cancel.run(&question);
        assert!(
            matches!(outcome, Err(Error::Cancelled)),
            "{name}: {outcome:?}"
        );
        question().unwrap();
        CancelToken::default().run(&question).unwrap();
    }
}

#[test]
fn a_store_that_is_to_stop_ends_in_time_and_has_what_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let patience = Duration::from_secs(2);
    let (first_acknowledged, first_is_acknowledged) = mpsc::channel();
    // Sixteen senders that go on until the store ends.
    let senders: Vec<_> = (0..16)
        .map(|sender| {
            let store = Arc::clone(&store);
            let first_acknowledged = first_acknowledged.clone();
            std::thread::spawn(move || {
                let mut acknowledged = Vec::new();
                for first in (0..).map(|batch| sender * 1_000_000 + batch * 50) {
                    for outcome in store.put_all(runs(first..first + 50)) {
                        match outcome {
                            Ok(stored) => {
                                acknowledged.push(stored.id);
                                let _ = first_acknowledged.send(());
                            }
                            Err(Error::Closed | Error::Cancelled) => return acknowledged,
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
                acknowledged
            })
        })
        .collect();
    first_is_acknowledged.recv().unwrap();
    let began = Instant::now();
    store.stop(patience);
    // Without a limit of its time it would not end at all. Twenty times: the machine may be busy.
    assert!(began.elapsed() < patience * 20, "{:?}", began.elapsed());
    let acknowledged: Vec<_> = senders
        .into_iter()
        .flat_map(|sender| sender.join().unwrap())
        .collect();
    assert!(matches!(store.put_all(runs(1..2))[0], Err(Error::Closed)));
    drop(store);
    let store = SqliteStore::open(folder.path()).unwrap();
    for id in acknowledged {
        assert!(store.run(&id).unwrap().is_some(), "{id}");
    }
    assert_eq!(store.verify().unwrap().problems, []);
}
