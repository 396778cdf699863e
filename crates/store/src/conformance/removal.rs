//! What deletes runs, and what keeps them.

use super::{DAY, HOUR, canonical, everything, filled, ids, query};
use crate::{NewRun, Policy, RunId, Selection, Store};

pub(super) fn deleted_runs_leave_the_sums(store: &dyn Store) {
    let runs = filled(store, 30);
    let deleted: Vec<RunId> = runs.iter().take(29).map(|(id, _)| *id).collect();
    let mut asked = deleted.clone();
    asked.push(RunId([9; 16]));
    assert_eq!(store.delete(&asked).unwrap(), deleted);
    let left = store.routes(&everything()).unwrap();
    assert_eq!(left.iter().map(|row| row.runs).sum::<u64>(), 1);
    let tree = store.tree(&everything()).unwrap();
    assert_eq!(canonical(&tree.profile), canonical(&runs[29].1));
    assert_eq!(store.verify().unwrap().problems, []);
    // A deleted run may come again.
    assert!(
        store
            .put(NewRun {
                profile: runs[0].1.clone(),
                received: DAY
            })
            .unwrap()
            .is_new
    );
}

pub(super) fn the_policy_keeps_what_matters(store: &dyn Store) {
    let runs = filled(store, 90);
    let now = DAY + 40 * 24 * HOUR;
    let policy = Policy {
        days: Some(30),
        notable: 2,
        keep_notable_days: 60,
        bytes: None,
        ..Policy::default()
    };
    let before = store.routes(&everything()).unwrap();
    let removed = store.retain("shop", &policy, now).unwrap();
    let kept = ids(store, &query(everything()));
    assert_eq!(removed.runs + kept.len() as u64, 90);
    // The two slowest and the latest two failed ones of each of three routes.
    assert!((6..=12).contains(&kept.len()), "{}", kept.len());
    for name in ["/", "/cart", "/checkout"] {
        let mut of_route: Vec<_> = runs
            .iter()
            .filter(|(_, run)| run.meta.tag("route") == Some(name))
            .collect();
        of_route.sort_by_key(|(_, run)| std::cmp::Reverse(run.tree().unwrap().root_cost().wall));
        assert!(
            kept.contains(&of_route[0].0) && kept.contains(&of_route[1].0),
            "{name}"
        );
    }
    // Their sums stay, and they do not come again.
    assert_eq!(store.routes(&everything()).unwrap(), before);
    for (_, profile) in &runs {
        assert!(
            !store
                .put(NewRun {
                    profile: profile.clone(),
                    received: DAY
                })
                .unwrap()
                .is_new
        );
    }
    assert_eq!(store.verify().unwrap().problems, []);
    // Notable runs have an age limit, too.
    let later = now + 30 * 24 * HOUR;
    store.retain("shop", &policy, later).unwrap();
    assert!(ids(store, &query(everything())).is_empty());
    assert_eq!(store.routes(&everything()).unwrap(), before);
    // At last the sums go.
    let removed = store
        .retain("shop", &policy, now + 900 * 24 * HOUR)
        .unwrap();
    assert!(removed.cells > 0);
    assert!(store.routes(&everything()).unwrap().is_empty());
    assert_eq!(store.retain("no such", &policy, now).unwrap().runs, 0);
}

pub(super) fn a_label_protects_a_run(store: &dyn Store) {
    let runs = filled(store, 20);
    let id = runs[3].0;
    assert!(store.label(&id, "before the fix").unwrap());
    assert!(!store.label(&RunId([1; 16]), "x").unwrap());
    assert!(store.label(&id, &"x".repeat(300)).is_err());
    let labelled = Selection {
        label: Some("before*".to_owned()),
        ..everything()
    };
    assert_eq!(ids(store, &query(labelled)), [id]);
    let policy = Policy {
        days: None,
        runs: Some(1),
        bytes: None,
        notable: 0,
        ..Policy::default()
    };
    store.retain("shop", &policy, DAY + 10 * HOUR).unwrap();
    assert_eq!(ids(store, &query(everything())), [id]);
}
