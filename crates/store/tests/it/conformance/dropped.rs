//! Runs that agents dropped.

use super::{DAY, HOUR};
use store::{DroppedRuns, Store};

pub(super) fn counters_of_agents_count_once(store: &dyn Store) {
    let row = |agent: &str, app: &str, runs| DroppedRuns {
        agent: agent.to_owned(),
        host: "web1".to_owned(),
        day_s: DAY / 1_000_000,
        app: app.to_owned(),
        reason: "queue_full".to_owned(),
        runs,
        bytes: runs * 10,
    };
    assert!(store.dropped(None, 0).unwrap().is_empty());
    let first = [row("a", "shop", 3), row("b", "shop", 4)];
    for _ in 0..2 {
        store.note_dropped(&first).unwrap();
    }
    assert_eq!(store.dropped(None, DAY).unwrap(), first);
    // Reports may come in any order.
    store.note_dropped(&[row("a", "shop", 9)]).unwrap();
    store.note_dropped(&first).unwrap();
    let runs: Vec<_> = store
        .dropped(None, 0)
        .unwrap()
        .iter()
        .map(|row| row.runs)
        .collect();
    assert_eq!(runs, [9, 4]);
    let next = DroppedRuns {
        day_s: (DAY + 24 * HOUR) / 1_000_000,
        ..row("a", "blog", 1)
    };
    store.note_dropped(std::slice::from_ref(&next)).unwrap();
    assert_eq!(store.dropped(None, DAY + 24 * HOUR).unwrap(), [next]);
    assert_eq!(store.dropped(None, 0).unwrap().len(), 3);
    // Those of one application, also if others have many.
    let of_shop = store.dropped(Some("shop"), 0).unwrap();
    assert!(of_shop.len() == 2 && of_shop.iter().all(|row| row.app == "shop"));
    assert!(store.dropped(Some("sho"), 0).unwrap().is_empty());
}
