//! Measures the store: `cargo run --release -p xhprof-store --example
//! store-bench -- FOLDER [RUNS [PATHS [DAYS]]]`.
//!
//! Fills a new store with the runs of a simulated shop, then asks what the pages
//! of `xhprof serve` ask. Prints one line for each figure. The runs are of DAYS
//! days (7): fewer days with fewer runs are as busy as a larger store.

#![expect(
    clippy::expect_used,
    clippy::cast_precision_loss,
    reason = "a measurement, not a library"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use simulate::{Fleet, FleetOptions};
use store::{
    FunctionSort, NewRun, Options, RunQuery, RunSort, Runs, Selection, SqliteStore, Store, Sums,
    TrendOf, TrendStep,
};

const HOUR_US: u64 = 3_600_000_000;
/// The end of the last day: 8 November 2026.
const END_US: u64 = 1_794_096_000_000_000;

#[expect(clippy::print_stdout, reason = "its output")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("FOLDER"));
    let runs: u64 = arguments
        .next()
        .map_or(20_000, |text| text.parse().expect("RUNS"));
    let paths: u32 = arguments
        .next()
        .map_or(1000, |text| text.parse().expect("PATHS"));
    let days: u32 = arguments
        .next()
        .map_or(7, |text| text.parse().expect("DAYS"));
    let fleet = Arc::new(
        Fleet::new(FleetOptions {
            runs,
            days,
            apps: 1,
            routes: 50,
            hosts: 2,
            paths: (paths, paths),
            end_unix_us: END_US,
            ..FleetOptions::default()
        })
        .expect("a fleet"),
    );
    let store = Arc::new(SqliteStore::open_with(&folder, Options::default()).expect("a store"));
    if store.stats().expect("stats").runs == 0 {
        let next = Arc::new(AtomicU64::new(0));
        let nodes = Arc::new(AtomicU64::new(0));
        let busy = Arc::new(AtomicU64::new(0));
        let begin = Instant::now();
        let threads: Vec<_> = (0..16)
            .map(|_| {
                let (store, fleet, next, nodes, busy) = (
                    Arc::clone(&store),
                    Arc::clone(&fleet),
                    Arc::clone(&next),
                    Arc::clone(&nodes),
                    Arc::clone(&busy),
                );
                std::thread::spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= runs {
                            return;
                        }
                        let begin = Instant::now();
                        let profile = fleet.run(number);
                        let took = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(0);
                        busy.fetch_add(took, Ordering::Relaxed);
                        let size = profile.tree().map_or(0, |tree| tree.nodes.len());
                        nodes.fetch_add(size as u64, Ordering::Relaxed);
                        store
                            .put(NewRun {
                                profile,
                                received: 0,
                            })
                            .expect("put");
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("a thread");
        }
        let took = begin.elapsed();
        let stats = store.stats().expect("stats");
        let nodes = nodes.load(Ordering::Relaxed) as f64;
        println!(
            "put: {:.0} runs/s with {:.0} paths each, simulation included ({:.0} thread-seconds of {:.0} s); {:.0} runs in a second of CPU time",
            runs as f64 / took.as_secs_f64(),
            nodes / runs as f64,
            busy.load(Ordering::Relaxed) as f64 / 1e9,
            took.as_secs_f64(),
            runs as f64 / cpu_seconds().max(0.01),
        );
        println!(
            "disk: {:.2} bytes a node, runs' files {:.2} of them; {} MiB, {} cells",
            stats.disk_bytes as f64 / nodes,
            stats.run_bytes as f64 / nodes,
            stats.disk_bytes >> 20,
            stats.cells
        );
    }
    questions(&store);
    println!("memory: {} MiB at most", peak_mib());
}

#[expect(clippy::print_stdout, reason = "its output")]
fn questions(store: &SqliteStore) {
    let day = 24 * HOUR_US;
    let all = Selection::default();
    // The busiest route, its most expensive function, and two releases.
    let rows = store.routes(&all).expect("routes");
    let row = rows.first().expect("a route");
    let route = Selection {
        app: Some(row.app.clone()),
        routes: vec![row.route.clone()],
        ..Selection::default()
    };
    let top = store
        .top(&route, FunctionSort::OwnWall, 1)
        .expect("functions");
    let function = &top.first().expect("a function").name;
    let releases = store.releases(&route).expect("releases");
    let [.., before, after] = &releases[..] else {
        panic!("less than two releases")
    };
    let (before, after) = (&before.release, &after.release);
    let release = |of: &Selection, name: &str| Selection {
        releases: vec![name.to_owned()],
        ..of.clone()
    };
    let last_day = Selection {
        since_us: Some(END_US - day),
        ..Selection::default()
    };
    let list = |selection: &Selection, sort| RunQuery {
        selection: selection.clone(),
        sort,
        limit: 100,
        ..RunQuery::default()
    };
    measure("run list, newest 100", 40, || {
        store.runs(&list(&all, RunSort::Started))
    });
    measure("run list, slowest 100 of a route", 40, || {
        store.runs(&list(&route, RunSort::Wall))
    });
    measure("run list, most SQL of all", 20, || {
        store.runs(&list(&all, RunSort::Sql))
    });
    measure("routes of a day", 40, || store.routes(&last_day));
    measure("routes of 7 days", 40, || store.routes(&all));
    measure("route: trend by hour, 7 days", 40, || {
        store.trend(&route, &TrendOf::Requests, TrendStep::Hour)
    });
    measure("route: top functions, 7 days", 20, || {
        store.top(&route, FunctionSort::OwnWall, 50)
    });
    measure("route: function trend, 7 days", 20, || {
        let of = TrendOf::Function(function.clone());
        store.trend(&route, &of, TrendStep::Day)
    });
    measure("route: spans, 7 days", 20, || store.spans(&route, 50));
    measure("route: tree of 7 days", 20, || store.tree(&route));
    measure("route: difference of two releases", 20, || {
        store.diff(&release(&route, before), &release(&route, after))
    });
    measure("all routes: tree of a day", 3, || store.tree(&last_day));
    measure("all routes: tree of 7 days", 2, || store.tree(&all));
    measure("all routes: difference of two releases", 2, || {
        store.diff(&release(&all, before), &release(&all, after))
    });
    measure("all routes: one function, a day", 3, || {
        store.function(&last_day, function)
    });
    let ids = store
        .runs(&list(&all, RunSort::Started))
        .expect("runs")
        .runs;
    println!("  {} runs listed", ids.len());
    if let Some(info) = ids.first() {
        measure("one run", 40, || store.run(&info.id));
    }
}

#[expect(clippy::print_stdout, reason = "its output")]
fn measure<T>(what: &str, times: usize, question: impl Fn() -> store::Result<T>) {
    let mut took: Vec<Duration> = (0..times)
        .map(|_| {
            let begin = Instant::now();
            let answer = question();
            let took = begin.elapsed();
            assert!(answer.is_ok(), "{what}: {:?}", answer.err());
            took
        })
        .collect();
    took.sort();
    let ms = |place: usize| took.get(place).map_or(0.0, |took| took.as_secs_f64() * 1e3);
    println!(
        "{what}: median {:.1} ms, p95 {:.1} ms",
        ms(times / 2),
        ms((times * 95 / 100).min(times - 1))
    );
}

/// The CPU time of all threads so far: Linux counts it in hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have blanks; the 12th and 13th field after it.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let times = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = times.filter_map(|text| text.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) >> 10
}
