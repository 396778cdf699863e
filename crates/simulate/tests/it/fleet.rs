//! The fleet's runs: the same for the same options, their routes by Zipf's law.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "helpers of tests"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};

use profile::{Body, Profile, native};
use simulate::{Fleet, FleetOptions};

fn small() -> FleetOptions {
    FleetOptions {
        runs: 20_000,
        routes: 100,
        paths: (2, 6),
        ..FleetOptions::default()
    }
}

fn file(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).unwrap();
    bytes
}

#[test]
fn the_same_options_give_the_same_files_in_any_order() {
    let options = FleetOptions {
        paths: (200, 2000),
        ..small()
    };
    let (one, other) = (
        Fleet::new(options.clone()).unwrap(),
        Fleet::new(options.clone()).unwrap(),
    );
    let numbers = [0, 1, 2, 77, 9_999, 19_999];
    let forwards: Vec<_> = numbers.map(|number| file(&one.run(number))).to_vec();
    let mut backwards: Vec<_> = numbers
        .iter()
        .rev()
        .map(|number| file(&other.run(*number)))
        .collect();
    backwards.reverse();
    assert!(forwards == backwards, "files differ");
    let seed = Fleet::new(FleetOptions { seed: 2, ..options }).unwrap();
    assert_ne!(file(&seed.run(0)), forwards[0]);
    assert_eq!(forwards.iter().collect::<HashSet<_>>().len(), numbers.len());
}

#[test]
fn routes_have_the_traffic_of_zipfs_law() {
    let fleet = Fleet::new(FleetOptions {
        exponent: 1.1,
        ..small()
    })
    .unwrap();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for number in 0..fleet.runs() {
        let run = fleet.run(number);
        *counts
            .entry(run.meta.tag("route").unwrap().to_owned())
            .or_default() += 1;
    }
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total: f64 = (1..=100).map(|rank| f64::from(rank).powf(-1.1)).sum();
    // Half of a burst goes to one route, so some hundredths are elsewhere.
    for (rank, margin) in [(1_u32, 0.15), (2, 0.15), (5, 0.2), (10, 0.3)] {
        let expected = 20_000.0 * f64::from(rank).powf(-1.1) / total;
        let found = counts[rank as usize - 1] as f64;
        assert!(
            (found / expected - 1.0).abs() < margin,
            "rank {rank}: {found}, and {expected} expected"
        );
    }
}

#[test]
fn runs_are_in_the_order_of_time_and_of_all_apps_hosts_and_releases() {
    let options = small();
    let fleet = Fleet::new(options.clone()).unwrap();
    let (mut apps, mut hosts, mut releases) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut hours: BTreeMap<u64, u64> = BTreeMap::new();
    let mut last = 0;
    for number in 0..fleet.runs() {
        let meta = fleet.run(number).meta;
        let start = meta.started_unix_us.unwrap();
        assert!(start >= last, "in the order of time");
        last = start;
        apps.insert(meta.tag("app").unwrap().to_owned());
        releases.insert(meta.tag("release").unwrap().to_owned());
        hosts.insert(meta.host.clone().unwrap());
        *hours.entry(start / 3_600_000_000).or_default() += 1;
    }
    assert_eq!((apps.len(), hosts.len(), releases.len()), (5, 50, 4));
    assert!(last < options.end_unix_us);
    assert_eq!(hours.len(), 7 * 24);
    let mut busy: Vec<u64> = hours.into_values().collect();
    busy.sort_unstable();
    let median = busy[busy.len() / 2];
    assert!(busy[busy.len() - 1] > 3 * median, "a burst: {busy:?}");
}

#[test]
fn trees_have_the_asked_paths_and_share_those_of_their_application() {
    let fleet = Fleet::new(FleetOptions {
        runs: 400,
        paths: (200, 20_000),
        ..small()
    })
    .unwrap();
    let mut sizes = Vec::new();
    let mut shared: Vec<HashSet<Vec<Box<[u8]>>>> = Vec::new();
    let mut seen = BTreeSet::new();
    for number in 0..fleet.runs() {
        let run = fleet.run(number);
        let Body::Tree(tree) = &run.body else {
            panic!("a tree")
        };
        assert!(tree.nodes.len() <= 20_000);
        let own: i64 = tree.self_costs().iter().map(|own| own.wall).sum();
        assert_eq!(own.unsigned_abs(), tree.root_cost().wall);
        sizes.push(tree.nodes.len());
        let is_new = seen.insert(run.meta.tag("route").unwrap().to_owned());
        if is_new && run.meta.tag("app") == Some("app-1") && shared.len() < 2 {
            let name = |symbol: &profile::SymbolId| run.symbols[symbol.0 as usize].name.clone();
            let paths = tree
                .numbered()
                .map(|(id, _)| tree.path(id).iter().map(name).collect());
            shared.push(paths.collect());
        }
    }
    sizes.sort_unstable();
    assert!(
        sizes[0] < 1000 && sizes[sizes.len() - 1] > 5000,
        "{sizes:?}"
    );
    let (one, other) = (&shared[0], &shared[1]);
    let both = one.intersection(other).count();
    assert!(
        both > 60,
        "{both} paths of {} and {}",
        one.len(),
        other.len()
    );
    assert!(both <= 400);
}

#[test]
fn options_that_no_fleet_can_have_are_named() {
    let refused = |options: FleetOptions| Fleet::new(options).err().unwrap().to_string();
    let paths = FleetOptions {
        paths: (500, 200),
        ..small()
    };
    assert_eq!(
        refused(paths),
        "the paths of a route must be LEAST..MOST from 2 to 200,000"
    );
    let apps = FleetOptions {
        apps: 101,
        ..small()
    };
    assert_eq!(
        refused(apps),
        "the number of applications must be from 1 to that of routes"
    );
    let exponent = FleetOptions {
        exponent: f64::NAN,
        ..small()
    };
    assert_eq!(refused(exponent), "the exponent must be from 0 to 5");
}
