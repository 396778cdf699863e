//! A killed process loses no run that was acknowledged.
//!
//! The test starts itself as a child that stores runs and prints the id of each
//! acknowledged one, and kills it. `STORE_KILLS=200` kills it 200 times.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use simulate::{Random, RunAt, SmallShop};
use store::{NewRun, RunId, Runs, SqliteStore, Store};

const FOLDER: &str = "STORE_KILLED_FOLDER";
const FIRST: &str = "STORE_KILLED_FIRST";
const BEGIN_US: u64 = 1_793_491_200_000_000;

#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        child(Path::new(&folder));
        return;
    }
    let kills: u64 = std::env::var("STORE_KILLS").map_or(4, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(1, 42);
    let mut acknowledged: Vec<RunId> = Vec::new();
    for kill in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "killed::what_was_acknowledged_survives_a_kill",
                "--nocapture",
            ])
            .env(FOLDER, folder.path())
            .env(FIRST, (kill * 1_000_000).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // It is killed some time after it began to store.
        let wait = random.below(40);
        let mut seen = 0;
        for line in lines.by_ref() {
            if let Some(id) = line.unwrap().strip_prefix("stored ") {
                acknowledged.push(id.parse().unwrap());
                seen += 1;
                if seen > wait {
                    break;
                }
            }
        }
        assert!(seen > wait, "the child ended by itself");
        std::thread::sleep(Duration::from_micros(random.below(20_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it said until it died counts, too.
        for line in lines.map_while(Result::ok) {
            if let Some(id) = line.strip_prefix("stored ").filter(|id| id.len() == 32) {
                acknowledged.push(id.parse().unwrap());
            }
        }
    }
    let store = SqliteStore::open(folder.path()).unwrap();
    for id in &acknowledged {
        assert!(store.run(id).unwrap().is_some(), "{id} is lost");
    }
    let verified = store.verify().unwrap();
    assert_eq!(verified.problems, []);
    assert!(verified.runs >= acknowledged.len() as u64);
    assert!(verified.compared > 0);
    println!(
        "{kills} kills, {} runs acknowledged, {} found",
        acknowledged.len(),
        verified.runs
    );
}

/// Stores runs from four threads until it is killed.
fn child(folder: &Path) {
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    let store = SqliteStore::open(folder).unwrap();
    let shop = SmallShop {
        paths: 60,
        ..SmallShop::default()
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (store, shop) = (&store, &shop);
            scope.spawn(move || {
                for number in first + thread * 10_000.. {
                    let profile = shop.run(RunAt {
                        number,
                        route: u32::try_from(number % 5).unwrap(),
                        release: 0,
                        // Over days, so that days are summed, too.
                        started_us: BEGIN_US + number % 10_000 * 600_000_000,
                    });
                    let stored = store.put(NewRun {
                        profile,
                        received: BEGIN_US,
                    });
                    let line = format!("stored {}\n", stored.unwrap().id);
                    std::io::stdout().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}
