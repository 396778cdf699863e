//! The error rates of docs/regressions.md on a smaller scale, with fixed seeds.

use std::ops::Range;

use crate::simulator::replay::Replay;
use crate::simulator::synthetic::Synthetic;
use crate::simulator::{App, Change, Noise, Route, has_found};
use regressions::{Finding, Kind, Place};

/// The alarms in that many releases without a change.
fn alarms<N: Noise>(mut app: App<N>, releases: usize) -> Vec<String> {
    let mut alarms = Vec::new();
    for _ in 0..releases {
        let report = app.examine(3);
        assert_eq!(report.looks, 3);
        assert_eq!(report.skipped, []);
        assert!(report.tests > 1500, "{}", report.tests);
        let names = report
            .findings
            .iter()
            .map(|finding| finding.function.clone());
        alarms.extend(names);
        app.next();
    }
    alarms
}

#[test]
fn drawn_noise_is_no_alarm() {
    let (noise, routes) = Synthetic::new(11, 8, 1000.0);
    assert_eq!(alarms(App::new(noise, routes, 3), 8), [""; 0]);
}

#[test]
fn real_runs_on_hosts_with_varying_load_are_no_alarm() {
    let (noise, routes) = Replay::new(12, 10, 1000.0);
    assert_eq!(alarms(App::new(noise, routes, 3), 8), [""; 0]);
}

/// Where a tenth of each route's time that takes 30 % more is found after a day: as
/// a change in that range.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn found_in_a_day<N: Noise>((noise, routes): (N, Vec<Route>), change: Range<f64>) -> Vec<Place> {
    let mut app = App::new(noise, routes, 1);
    let mut places = Vec::new();
    for route in 0..app.routes.len() {
        let path = app.routes[route].cpu.unwrap();
        let report = app.examine_changed(1, route, path, Change::Slower(1.3));
        assert!(
            has_found(&report, &app.routes[route], path, Kind::Slower),
            "{report:#?}"
        );
        let place = &report.findings[0].places[0];
        assert!(change.contains(&place.change), "{place:?}");
        places.push(place.clone());
    }
    places
}

#[test]
fn a_tenth_of_the_time_that_takes_30_percent_more_is_found_in_a_day() {
    let places = found_in_a_day(Synthetic::new(13, 8, 1000.0), 0.2..0.4);
    assert_eq!(places.len(), 8);
    assert!(places.iter().all(|place| place.path.len() == 2));
}

#[test]
fn the_same_is_found_in_a_day_among_real_runs() {
    let places = found_in_a_day(Replay::new(17, 10, 1000.0), 0.15..0.45);
    assert_eq!(places.len(), 10);
}

#[test]
fn an_n_plus_1_is_found_in_a_day() {
    let (noise, routes) = Synthetic::new(14, 8, 800.0);
    let mut app = App::new(noise, routes, 1);
    for route in 0..8 {
        let path = app.routes[route].edges[route];
        let report = app.examine_changed(1, route, path, Change::MoreCalls(10));
        assert!(
            has_found(&report, &app.routes[route], path, Kind::MoreCalls),
            "{report:#?}"
        );
        // Its own time is a part of it, not a second finding.
        assert_eq!(report.findings.len(), 1, "{report:#?}");
        let finding = &report.findings[0];
        assert!(finding.caller.is_some());
        assert!((finding.places[0].change - 9.0).abs() < 1.0, "{finding:?}");
    }
}

#[test]
fn memory_that_each_run_keeps_is_found_in_a_day() {
    let (noise, routes) = Synthetic::new(15, 8, 1000.0);
    let mut app = App::new(noise, routes, 1);
    for route in 0..8 {
        let path = app.routes[route].cpu.unwrap();
        let report = app.examine_changed(1, route, path, Change::Memory(64 << 10));
        assert!(
            has_found(&report, &app.routes[route], path, Kind::MoreMemory),
            "{report:#?}"
        );
        let place = &report.findings[0].places[0];
        assert!(place.is_retained);
        assert!((place.cost / 65536.0 - 1.0).abs() < 0.2, "{place:?}");
    }
}

#[test]
fn time_that_moved_to_a_sibling_is_no_alarm() {
    let (noise, routes) = Synthetic::new(16, 8, 1000.0);
    let mut app = App::new(noise, routes, 1);
    for route in 0..8 {
        let path = app.routes[route].cpu.unwrap();
        let to = path + 1;
        let report = app.examine_changed(1, route, path, Change::Moved(0.6, to));
        assert_eq!(report.findings, [], "{report:#?}");
        let name = |path: u32| app.routes[route].functions[path as usize].clone();
        let of = |moved: &&Finding| moved.function == name(to);
        let moved = report.moved.iter().find(of).unwrap();
        assert_eq!(
            moved.moved_from[0],
            name(path),
            "that with most comes first"
        );
    }
}
