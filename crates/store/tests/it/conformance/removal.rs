//! What deletes runs, and what keeps them.

use super::{DAY, HOUR, canonical, everything, filled, ids, query};
use store::{AppPolicy, NewRun, Policies, Policy, Reason, RunId, Selection, Store};

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
    let removable = store.removable("shop", &policy, now).unwrap();
    let removed = store.retain("shop", &policy, now).unwrap();
    assert_eq!(removable, removed);
    assert_eq!(removed.by_age, removed.runs);
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

pub(super) fn policies_are_kept_and_the_applications_without_one_have_the_default(
    store: &dyn Store,
) {
    assert_eq!(store.policies().unwrap(), Policies::default());
    let short = Policy {
        days: Some(3),
        runs: Some(u64::from(u32::MAX) * 9),
        bytes: None,
        notable: 0,
        keep_notable_days: 0,
        sums_days: None,
        runs_a_day: None,
        bytes_a_day: Some(1),
    };
    let own = Policy {
        days: None,
        ..Policy::default()
    };
    store.set_policy(None, Some(&short)).unwrap();
    store.set_policy(Some("a"), Some(&short)).unwrap();
    store.set_policy(Some("a"), Some(&own)).unwrap();
    let policies = store.policies().unwrap();
    let app = AppPolicy {
        app: "a".to_owned(),
        policy: own.clone(),
    };
    assert_eq!(policies.apps, [app]);
    assert_eq!(
        (policies.of("a"), policies.of("b"), policies.is_default_set),
        (&own, &short, true)
    );
    let empty = Policy {
        runs: Some(0),
        ..Policy::default()
    };
    assert!(store.set_policy(None, Some(&empty)).is_err());
    assert!(store.set_policy(Some(""), Some(&own)).is_err());
    assert_eq!(store.policies().unwrap(), policies);
    store.set_policy(Some("a"), None).unwrap();
    store.set_policy(None, None).unwrap();
    assert_eq!(store.policies().unwrap(), Policies::default());
}

pub(super) fn the_store_says_what_policies_removed_and_why(store: &dyn Store) {
    let runs = filled(store, 30);
    let policy = Policy {
        days: None,
        runs: Some(20),
        notable: 0,
        ..Policy::default()
    };
    let now = DAY + 24 * HOUR;
    let removed = store.retain("shop", &policy, now).unwrap();
    assert_eq!((removed.runs, removed.by_count), (10, 10));
    // The oldest ones.
    let kept = ids(store, &query(everything()));
    assert!(runs.iter().take(10).all(|(id, _)| !kept.contains(id)));
    let size = store.stats().unwrap().run_bytes;
    let policy = Policy {
        bytes: Some(size / 2),
        ..policy
    };
    let by_size = store.retain("shop", &policy, now).unwrap();
    assert!((5..15).contains(&by_size.by_size), "{by_size:?}");
    let stats = store.stats().unwrap();
    assert!(stats.run_bytes <= size / 2);
    let of = |reason: Reason| stats.removed.iter().find(|of| of.reason == reason).unwrap();
    assert_eq!(of(Reason::Count).count, 10);
    assert_eq!(of(Reason::Count).bytes, removed.bytes);
    assert_eq!(of(Reason::Size).count, by_size.by_size);
    assert_eq!(of(Reason::Age).count, 0);
    let removals = store.removals(None, now).unwrap();
    assert_eq!(removals.len(), 2);
    assert!(removals.iter().all(|of| of.app == "shop"));
    assert_eq!(removals[0].day_s, i64::try_from(now / 1_000_000).unwrap());
    assert_eq!(removals[0].count, 10);
    assert_eq!(store.removals(Some("shop"), now).unwrap(), removals);
    assert!(store.removals(Some("sho"), now).unwrap().is_empty());
    assert!(store.removals(None, now + 24 * HOUR).unwrap().is_empty());
}

pub(super) fn what_was_sent_is_remembered(store: &dyn Store) {
    assert!(!store.has_notice("a").unwrap());
    for _ in 0..2 {
        store.add_notice("a", DAY).unwrap();
    }
    assert!(store.has_notice("a").unwrap());
    assert!(!store.has_notice("b").unwrap());
    store.add_notice("b", DAY + 1000 * 24 * HOUR).unwrap();
    assert!(!store.has_notice("a").unwrap());
}
