//! Tokens, sessions and quotas.

use super::{DAY, HOUR, NewRun, Store, at, shop};
use simulate::SmallShop;
use store::{Policy, StoredToken, Taken};

fn token(number: u8, name: &str, app: Option<&str>) -> StoredToken {
    StoredToken {
        id: format!("{number:016x}"),
        name: name.to_owned(),
        scopes: "read,write".to_owned(),
        app: app.map(str::to_owned),
        // Not UTF-8.
        hash: [number | 0x80; 32],
        created_us: DAY,
        until_us: None,
        session_of: None,
    }
}

fn session(number: u8, of: &StoredToken, until_us: u64) -> StoredToken {
    StoredToken {
        scopes: String::new(),
        until_us: Some(until_us),
        session_of: Some(of.id.clone()),
        ..token(number, "", None)
    }
}

pub(super) fn tokens_are_kept_until_they_are_removed(store: &dyn Store) {
    assert!(store.tokens().unwrap().is_empty());
    let [ci, team] = [
        token(1, "ci “größe”", Some("shop/größe")),
        token(2, "a team", None),
    ];
    for token in [&ci, &team] {
        assert_eq!(store.token(&token.id).unwrap(), None);
        store.add_token(token).unwrap();
        assert_eq!(store.token(&token.id).unwrap().as_ref(), Some(token));
    }
    // Names may be the same; ids may not.
    assert!(store.add_token(&token(1, "other", None)).is_err());
    let same = token(3, "a team", Some("blog"));
    store.add_token(&same).unwrap();
    assert_eq!(store.tokens().unwrap(), [team.clone(), same, ci.clone()]);
    for wrong in [
        StoredToken {
            id: "1".to_owned(),
            ..token(4, "x", None)
        },
        token(4, "", None),
        token(4, "a\nb", None),
        token(4, "x", Some("")),
        token(4, &"x".repeat(2000), None),
    ] {
        assert!(store.add_token(&wrong).is_err(), "{wrong:?}");
    }
    assert!(store.remove_token(&ci.id).unwrap());
    assert!(!store.remove_token(&ci.id).unwrap());
    assert_eq!(store.token(&ci.id).unwrap(), None);
    assert_eq!(store.tokens().unwrap().len(), 2);
    // Its id may come back.
    store.add_token(&ci).unwrap();
    assert_eq!(store.token(&ci.id).unwrap(), Some(ci));
}

pub(super) fn sessions_end_with_their_token_and_in_time(store: &dyn Store) {
    let owner = token(1, "team", None);
    store.add_token(&owner).unwrap();
    let [short, long] = [
        session(10, &owner, DAY + HOUR),
        session(11, &owner, DAY + 12 * HOUR),
    ];
    // The token of a session may be in a file.
    let other = session(12, &token(9, "file", None), DAY + 12 * HOUR);
    for session in [&short, &long, &other] {
        store.add_token(session).unwrap();
        assert_eq!(store.token(&session.id).unwrap().as_ref(), Some(session));
    }
    assert_eq!(store.tokens().unwrap(), std::slice::from_ref(&owner));
    let later = StoredToken {
        created_us: DAY + 2 * HOUR,
        ..session(13, &owner, DAY + 14 * HOUR)
    };
    store.add_token(&later).unwrap();
    assert_eq!(store.token(&short.id).unwrap(), None);
    assert!(store.token(&long.id).unwrap().is_some());
    assert!(store.remove_token(&later.id).unwrap());
    assert!(store.token(&long.id).unwrap().is_some());
    assert!(store.remove_token(&owner.id).unwrap());
    assert_eq!(store.token(&long.id).unwrap(), None);
    assert!(store.token(&other.id).unwrap().is_some());
}

pub(super) fn what_was_taken_of_an_application_is_counted_by_day(store: &dyn Store) {
    let put = |app: &str, number: u64, received: u64| {
        let shop = SmallShop {
            app: app.to_owned(),
            ..shop()
        };
        let profile = shop.run(at(number));
        let stored = store.put(NewRun { profile, received }).unwrap();
        store.run(&stored.id).unwrap().unwrap().info.size
    };
    let taken = |app: &str, at_us: u64| store.taken(app, at_us).unwrap();
    assert_eq!(taken("shop", DAY), Taken::default());
    let end = DAY + 24 * HOUR - 1;
    let bytes = put("shop", 1, DAY) + put("shop", 2, end);
    // Sent again it does not count.
    put("shop", 1, DAY + HOUR);
    put("größe", 3, DAY);
    put("shop", 4, end + 1);
    assert_eq!(taken("shop", DAY), Taken { runs: 2, bytes });
    assert_eq!(taken("shop", end), Taken { runs: 2, bytes });
    assert_eq!(taken("shop", end + 1).runs, 1);
    assert_eq!(taken("größe", DAY).runs, 1);
    assert_eq!(taken("shop", DAY - 1), Taken::default());
    assert_eq!(taken("sho", DAY), Taken::default());
}

pub(super) fn quotas_are_kept(store: &dyn Store) {
    let policy = Policy {
        runs_a_day: Some(1 << 40),
        bytes_a_day: Some(7),
        ..Policy::default()
    };
    store.set_policy(Some("shop"), Some(&policy)).unwrap();
    assert_eq!(store.policies().unwrap().of("shop"), &policy);
    assert_eq!(store.policies().unwrap().of("blog"), &Policy::default());
    let zero = Policy {
        runs_a_day: Some(0),
        ..policy
    };
    assert!(store.set_policy(None, Some(&zero)).is_err());
}
