//! Single runs, and lists of them.

use std::collections::HashSet;

use profile::Profile;

use super::{DAY, HOUR, at, everything, filled, ids, put, query, route, shop};
use store::{NewRun, RunId, RunInfo, RunQuery, RunSort, Selection, Status, Store};

pub(super) fn a_run_is_stored_once(store: &dyn Store) {
    let profile = shop().run(at(1));
    let new = || NewRun {
        profile: profile.clone(),
        received: DAY,
    };
    let first = store.put(new()).unwrap();
    let second = store.put(new()).unwrap();
    assert!(first.is_new && !second.is_new);
    assert_eq!(first.id, second.id);
    assert_eq!(store.stats().unwrap().runs, 1);
    assert_eq!(store.routes(&everything()).unwrap()[0].runs, 1);
}

pub(super) fn a_run_without_a_start_is_stored_once_and_has_the_time_of_arrival(store: &dyn Store) {
    let mut profile = shop().run(at(0));
    profile.meta.started_unix_us = None;
    let put = |received| {
        let profile = profile.clone();
        store.put(NewRun { profile, received }).unwrap()
    };
    let first = put(DAY);
    let again = put(DAY + HOUR);
    assert_eq!((first.is_new, again.is_new), (true, false));
    assert_eq!(first.id, again.id);
    assert_eq!(store.run(&first.id).unwrap().unwrap().info.started_us, DAY);
    assert_eq!(store.verify().unwrap().problems, []);
}

pub(super) fn a_run_comes_back_as_it_was(store: &dyn Store) {
    for (id, profile) in filled(store, 5) {
        let run = store.run(&id).unwrap().unwrap();
        assert_eq!(run.info.id, id);
        assert_eq!(RunId::of(&run.file), id);
        let limits = profile::native::Limits::default();
        let read = profile::native::read(run.file.as_slice(), &limits).unwrap();
        assert_eq!(read, profile);
        assert_eq!(run.info.wall, profile.tree().unwrap().root_cost().wall);
        assert_eq!(run.info.app, "shop");
        assert_eq!(run.info.calls, profile.calls());
    }
    assert_eq!(store.run(&RunId([7; 16])).unwrap(), None);
}

pub(super) fn lists_are_filtered_sorted_and_paged(store: &dyn Store) {
    let runs = filled(store, 30);
    let wall = |profile: &Profile| profile.tree().unwrap().root_cost().wall;
    // Filters: the same as by hand.
    let is_of = |profile: &Profile, name: &str| profile.meta.tag("route") == Some(name);
    let cart: Vec<RunId> = ids(store, &query(route("/cart")));
    let by_hand = runs.iter().filter(|(_, run)| is_of(run, "/cart"));
    assert_eq!(cart, by_hand.rev().map(|(id, _)| *id).collect::<Vec<_>>());
    assert_eq!(ids(store, &query(route("/c*"))).len(), 20);
    let limit = wall(&runs[10].1);
    let slow = Selection {
        min_wall: Some(limit),
        ..everything()
    };
    let by_hand = runs.iter().filter(|(_, run)| wall(run) >= limit).count();
    assert_eq!(ids(store, &query(slow)).len(), by_hand);
    let part = Selection {
        since_us: Some(DAY + 2 * HOUR),
        until_us: Some(DAY + 4 * HOUR),
        ..everything()
    };
    assert_eq!(ids(store, &query(part)).len(), 4);
    let hosts = Selection {
        hosts: vec!["web-1".to_owned()],
        ..everything()
    };
    let by_hand = runs
        .iter()
        .filter(|(_, run)| run.meta.host.as_deref() == Some("web-1"));
    assert_eq!(ids(store, &query(hosts)).len(), by_hand.count());
    let ok = Selection {
        statuses: vec![Status::Class('2')],
        ..everything()
    };
    let by_hand = runs
        .iter()
        .filter(|(_, run)| run.meta.tag("status") == Some("200"));
    assert_eq!(ids(store, &query(ok)).len(), by_hand.count());
    let others = Selection {
        app: Some("another".to_owned()),
        ..everything()
    };
    assert!(ids(store, &query(others)).is_empty());
    // Pages: all runs, each once, in the order asked for.
    for sort in [
        RunSort::Started,
        RunSort::Wall,
        RunSort::Calls,
        RunSort::Cpu,
    ] {
        for ascending in [false, true] {
            let mut query = RunQuery {
                sort,
                ascending,
                limit: 7,
                ..query(everything())
            };
            let mut walls = Vec::new();
            let mut seen = Vec::new();
            loop {
                let page = store.runs(&query).unwrap();
                assert!(page.runs.len() <= 7);
                walls.extend(page.runs.iter().map(|run| match sort {
                    RunSort::Started => run.started_us,
                    RunSort::Calls => run.calls,
                    RunSort::Cpu => run.cpu.unwrap(),
                    _ => run.wall,
                }));
                seen.extend(page.runs.iter().map(|run| run.id));
                query.cursor = page.next;
                if query.cursor.is_none() {
                    break;
                }
            }
            let mut sorted = walls.clone();
            sorted.sort_unstable();
            if !ascending {
                sorted.reverse();
            }
            assert_eq!(walls, sorted);
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 30);
        }
    }
    // Tags.
    let mut tagged = shop().run(at(31));
    tagged.meta.set_tag("branch", "fix/41");
    let id = put(store, tagged);
    let tag = |value: &str| Selection {
        tags: vec![("branch".to_owned(), value.to_owned())],
        ..everything()
    };
    assert_eq!(ids(store, &query(tag("fix/41"))), [id]);
    assert_eq!(ids(store, &query(tag("fix*"))), [id]);
    assert!(ids(store, &query(tag("fix"))).is_empty());
}

/// The text that a run is ordered by.
fn text_of(run: &RunInfo, sort: RunSort) -> String {
    match sort {
        RunSort::App => run.app.clone(),
        RunSort::Route => run.route.clone(),
        RunSort::Release => run.release.clone(),
        RunSort::Host => run.host.clone(),
        RunSort::Method => run.method.clone(),
        RunSort::Status if run.failed && run.status.is_empty() => "failed".to_owned(),
        RunSort::Status => run.status.clone(),
        RunSort::Label => run.label.clone(),
        RunSort::Tags => {
            let tags = run.tags.iter().map(|(name, value)| match value.as_str() {
                "" => name.clone(),
                value => format!("{name}={value}"),
            });
            let all = tags.collect::<Vec<_>>().join(", ");
            all.chars().take(256).collect()
        }
        RunSort::Started
        | RunSort::Wall
        | RunSort::Cpu
        | RunSort::Peak
        | RunSort::Sql
        | RunSort::Calls => unreachable!(),
    }
}

pub(super) fn lists_are_sorted_by_any_text(store: &dyn Store) {
    // Dots, quotes and letters beyond ASCII, and several runs that say the same.
    let texts = ["", "a.1.2", "B", "it's \"\\\"", "ß", "a", "é.9", "z'; --"];
    let statuses = ["200", "404", ""];
    for (place, text) in texts.iter().cycle().take(26).enumerate() {
        let number = u64::try_from(place).unwrap();
        let mut profile = shop().run(at(number));
        profile.meta.host = Some((*text).to_owned());
        for tag in ["route", "release", "app"] {
            let value = if number % 3 == 0 { "same" } else { text };
            profile.meta.set_tag(tag, value);
        }
        profile.meta.set_tag("status", statuses[place % 3]);
        profile.meta.set_tag("a", *text);
        profile.meta.set_tag("b", "x".repeat(place * 40));
        let id = put(store, profile);
        if number % 5 == 0 {
            store.label(&id, text).unwrap();
        }
    }
    for sort in [
        RunSort::App,
        RunSort::Route,
        RunSort::Release,
        RunSort::Host,
        RunSort::Method,
        RunSort::Status,
        RunSort::Label,
        RunSort::Tags,
    ] {
        let all = store.runs(&query(everything())).unwrap().runs;
        let chosen = Selection {
            ids: all.iter().map(|run| run.id).collect(),
            ..everything()
        };
        let texts: HashSet<String> = all.iter().map(|run| text_of(run, sort)).collect();
        assert!(texts.len() > 1 || sort == RunSort::Method, "{sort:?}");
        for ascending in [false, true] {
            // By hand: of the same text, the latest first.
            let mut by_hand = all.clone();
            by_hand.sort_by(|a, b| {
                let by_text = text_of(a, sort).cmp(&text_of(b, sort));
                let by_text = if ascending {
                    by_text
                } else {
                    by_text.reverse()
                };
                by_text.then(b.started_us.cmp(&a.started_us))
            });
            let by_hand: Vec<RunId> = by_hand.iter().map(|run| run.id).collect();
            for selection in [everything(), chosen.clone()] {
                let mut query = RunQuery {
                    sort,
                    ascending,
                    limit: 7,
                    ..query(selection)
                };
                let mut seen = Vec::new();
                loop {
                    let page = store.runs(&query).unwrap();
                    seen.extend(page.runs.iter().map(|run| run.id));
                    query.cursor = page.next;
                    if query.cursor.is_none() {
                        break;
                    }
                }
                assert_eq!(seen, by_hand, "{sort:?}, ascending: {ascending}");
            }
        }
        for cursor in ["", "x", "x.1", "x.1.z", "x.y.1"] {
            let query = RunQuery {
                sort,
                cursor: Some(cursor.to_owned()),
                ..query(everything())
            };
            assert!(store.runs(&query).is_err(), "{cursor}");
        }
    }
}

pub(super) fn invalid_questions_are_refused(store: &dyn Store) {
    filled(store, 1);
    for cursor in ["", "x", "1", "1.x", "9999999999999999999999.1"] {
        let query = RunQuery {
            cursor: Some(cursor.to_owned()),
            ..query(everything())
        };
        assert!(store.runs(&query).is_err(), "{cursor}");
    }
    // Patterns and names are never part of a statement.
    for text in ["'", "\" OR 1=1 --", "%", "_", "[", "*'", "\0"] {
        assert!(ids(store, &query(route(text))).is_empty(), "{text}");
        let selection = Selection {
            title: Some(text.to_owned()),
            ..everything()
        };
        assert!(ids(store, &query(selection)).is_empty(), "{text}");
    }
}

pub(super) fn limits_of_texts_hold(store: &dyn Store) {
    let mut profile = shop().run(at(0));
    let long = "é".repeat(100_000);
    profile.meta.title = Some(long.clone());
    profile.meta.host = Some(long.clone());
    for name in ["app", "route", "release", "custom"] {
        profile.meta.set_tag(name, long.clone());
    }
    for number in 0..200 {
        profile.meta.set_tag(&format!("tag{number}"), "x");
    }
    let id = put(store, profile);
    let info = store.run(&id).unwrap().unwrap().info;
    for text in [
        &info.title,
        &info.host,
        &info.app,
        &info.route,
        &info.release,
    ] {
        assert!(text.len() <= 1024 && text.starts_with('é'));
    }
    assert!(info.tags.len() <= 64);
}
