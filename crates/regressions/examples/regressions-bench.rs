//! Measures the error rates of the detector: `./x regressions-bench`.
//!
//! Prints the tables of docs/regressions.md. Arguments: the number of releases
//! without a change for each model of noise (500), the first seed (1), `noise` or
//! `changes` for one of the tables, and a part of the rows that are wanted, such as
//! `replayed | 1000`.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a table for a person"
)]

#[path = "../tests/it/simulator/mod.rs"]
mod simulator;

use std::time::Instant;

use regressions::{Kind, Report};
use simulator::replay::Replay;
use simulator::synthetic::Synthetic;
use simulator::{App, Change, Noise, Route, has_found};

/// The releases of one simulated application.
const A_SEQUENCE: usize = 50;

fn main() {
    let table = std::env::args().nth(3).unwrap_or_default();
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: u64| {
        let argument = arguments.next();
        argument
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let releases = usize::try_from(next(500)).unwrap_or(usize::MAX);
    let seed = next(1);
    let start = Instant::now();
    if table != "changes" {
        without_change(releases, seed);
    }
    if table != "noise" {
        with_change(releases * 2 / 5, seed);
    }
    println!("\n{:.0} s", start.elapsed().as_secs_f64());
}

/// The table of false alarms.
fn without_change(releases: usize, seed: u64) {
    println!("Releases without a change, three looks each:\n");
    println!(
        "| noise | runs a day | releases | tests a release | releases with an alarm | alarms |"
    );
    println!("|---|---|---|---|---|---|");
    for runs in [1000.0, 200.0, 60.0] {
        let count = if runs > 500.0 { releases } else { releases / 5 };
        null(&format!("drawn | {runs}"), count, |of| {
            Synthetic::new(seed + of, 50, runs)
        });
        null(&format!("replayed | {runs}"), count, |of| {
            Replay::new(seed + of, 65, runs)
        });
    }
}

/// The table of changes that are found.
fn with_change(count: usize, seed: u64) {
    println!("\nReleases with one change, found after one day (two, three days):\n");
    println!("| noise | runs a day | change | releases | found |");
    println!("|---|---|---|---|---|");
    let drawn = |runs| move |of| Synthetic::new(seed + 1000 + of, 50, runs);
    let replayed = |runs| move |of| Replay::new(seed + 1000 + of, 65, runs);
    let cpu = |route: &Route, _: usize| route.cpu;
    let io = |route: &Route, _: usize| route.io;
    let edge = |route: &Route, number: usize| {
        let edges = route
            .edges
            .iter()
            .filter(|edge| calls(route, **edge) >= 1.0);
        let edges: Vec<u32> = edges.copied().collect();
        edges.get(number % edges.len().max(1)).copied()
    };
    for factor in [1.1, 1.2, 1.3] {
        let text = format!(
            "a tenth of the time, computing: +{:.0} %",
            factor * 100.0 - 100.0
        );
        let slower = (Change::Slower(factor), Kind::Slower);
        power(
            &format!("drawn | 1000 | {text}"),
            count,
            drawn(1000.0),
            cpu,
            slower,
        );
    }
    let slower = (Change::Slower(1.3), Kind::Slower);
    let text = "a tenth of the time, waiting: +30 %";
    power(
        &format!("drawn | 1000 | {text}"),
        count,
        drawn(1000.0),
        io,
        slower,
    );
    let text = "about a tenth of the time: +30 %";
    power(
        &format!("replayed | 1000 | {text}"),
        count,
        replayed(1000.0),
        cpu,
        slower,
    );
    for (factor, text) in [
        (2, "a call twice as often"),
        (10, "N+1: a call ten times as often"),
    ] {
        let calls = (Change::MoreCalls(factor), Kind::MoreCalls);
        power(
            &format!("drawn | 800 | {text}"),
            count,
            drawn(800.0),
            edge,
            calls,
        );
        power(
            &format!("replayed | 800 | {text}"),
            count,
            replayed(800.0),
            edge,
            calls,
        );
    }
    let calls = (Change::MoreCalls(10), Kind::MoreCalls);
    power(
        "drawn | 100 | N+1: a call ten times as often",
        count,
        drawn(100.0),
        edge,
        calls,
    );
    let memory = (Change::Memory(64 << 10), Kind::MoreMemory);
    power(
        "drawn | 1000 | 64 KiB kept in each run",
        count,
        drawn(1000.0),
        cpu,
        memory,
    );
}

/// The mean calls of a path in a run.
fn calls(route: &Route, path: u32) -> f64 {
    let cells = route.blocks.iter().flat_map(|block| &block.cells);
    let calls: u64 = cells
        .filter(|cell| cell.path == path)
        .map(|cell| cell.calls)
        .sum();
    let runs: u64 = route.blocks.iter().map(|block| block.runs).sum();
    calls as f64 / runs.max(1) as f64
}

/// Whether a row is wanted.
fn is_wanted(name: &str) -> bool {
    std::env::args()
        .nth(4)
        .is_none_or(|part| name.contains(&part))
}

/// Releases without a change.
fn null<N: Noise>(name: &str, count: usize, model: impl Fn(u64) -> (N, Vec<Route>)) {
    if !is_wanted(name) {
        return;
    }
    let (mut done, mut with, mut alarms, mut tests) = (0, 0, 0, 0);
    let mut sequence = 0;
    while done < count {
        let (noise, routes) = model(sequence);
        sequence += 1;
        let mut app = App::new(noise, routes, 3);
        for _ in 0..A_SEQUENCE.min(count - done) {
            let report = app.examine(3);
            for finding in &report.findings {
                let place = &finding.places[0];
                eprintln!(
                    "{name}: {:?} {} {} change {:.3} t {:.2} look {}",
                    finding.kind,
                    finding.function,
                    place.route,
                    place.change,
                    place.t,
                    finding.look
                );
            }
            with += usize::from(!report.findings.is_empty());
            alarms += report.findings.len();
            tests = report.tests;
            done += 1;
            app.next();
        }
    }
    println!("| {name} | {done} | {tests} | {with} | {alarms} |");
}

/// Releases with one change, of one route.
fn power<N: Noise>(
    name: &str,
    count: usize,
    model: impl Fn(u64) -> (N, Vec<Route>),
    target: impl Fn(&Route, usize) -> Option<u32>,
    (change, kind): (Change, Kind),
) {
    if !is_wanted(name) {
        return;
    }
    let mut found = [0; 3];
    let (mut done, mut sequence) = (0, 0);
    while done < count {
        let (noise, routes) = model(sequence);
        sequence += 1;
        let mut app = App::new(noise, routes, 3);
        for _ in 0..A_SEQUENCE.min(count - done) {
            let number = done % app.routes.len();
            if let Some(path) = target(&app.routes[number], done) {
                let report: Report = app.examine_changed(3, number, path, change);
                let route = &app.routes[number];
                if has_found(&report, route, path, kind) {
                    let look = report
                        .findings
                        .iter()
                        .filter(|finding| finding.kind == kind)
                        .map(|finding| finding.look)
                        .min();
                    for (days, found) in found.iter_mut().enumerate() {
                        *found += usize::from(look.is_some_and(|look| look <= days + 1));
                    }
                }
            }
            done += 1;
            app.next();
        }
    }
    let percent = found.map(|found| 100.0 * found as f64 / done as f64);
    let [one, two, three] = percent;
    println!("| {name} | {done} | {one:.1} % ({two:.1} %, {three:.1} %) |");
}
