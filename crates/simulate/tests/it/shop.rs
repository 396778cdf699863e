//! The shop's runs: valid, the same for the same options, with their defects.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "helpers of tests"
)]

use std::collections::{BTreeMap, BTreeSet};

use profile::{Body, Profile, native};
use simulate::{DefectKind, Options, Shop};

fn shop(runs: u64) -> Shop {
    Shop::new(Options {
        runs,
        ..Options::default()
    })
}

fn file(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).unwrap();
    bytes
}

#[test]
fn the_same_options_give_the_same_files() {
    let (one, other) = (shop(200), shop(200));
    assert!(
        one.runs()
            .map(|run| file(&run))
            .eq(other.runs().map(|run| file(&run)))
    );
    let seed = Options {
        seed: 2,
        runs: 200,
        ..Options::default()
    };
    let other = Shop::new(seed);
    let (one, other) = (one.runs().next().unwrap(), other.runs().next().unwrap());
    assert_ne!(file(&one), file(&other));
}

#[test]
fn a_month_has_40_routes_and_nine_releases_in_order() {
    let shop = shop(6000);
    let mut routes = BTreeSet::new();
    let mut releases = BTreeSet::new();
    let (mut count, mut last, mut spans, mut failed) = (0_u64, 0, 0, 0);
    for run in shop.runs() {
        let meta = &run.meta;
        let start = meta.started_unix_us.unwrap();
        assert!(start >= last, "in the order of time");
        last = start;
        count += 1;
        spans += run.spans.list.len();
        failed += usize::from(meta.tag("failed").is_some());
        routes.insert(meta.tag("route").unwrap().to_owned());
        releases.insert(meta.tag("release").unwrap().to_owned());
        let Body::Tree(tree) = &run.body else {
            panic!("a tree")
        };
        let own: i64 = tree.self_costs().iter().map(|own| own.wall).sum();
        assert_eq!(own.unsigned_abs(), tree.root_cost().wall);
        assert!(
            tree.self_costs()
                .iter()
                .all(|own| own.wall >= 0 && own.cpu >= 0)
        );
    }
    assert!((5700..6300).contains(&count), "{count}");
    assert!(routes.len() >= 38, "{}", routes.len());
    assert_eq!(releases.len(), 9);
    assert!(spans > 5 * 6000, "{spans}");
    assert!((5..100).contains(&failed), "{failed}");
    assert!(last < Options::default().end_unix_us);
}

#[test]
fn a_run_survives_the_native_file() {
    for run in shop(100).runs() {
        let bytes = file(&run);
        let back = native::read(&bytes[..], &native::Limits::default()).unwrap();
        assert_eq!(back.meta, run.meta);
        assert_eq!(file(&back), bytes);
        let names: BTreeSet<_> = run.symbols.iter().map(|symbol| &symbol.name).collect();
        assert_eq!(names.len(), run.symbols.len(), "no name twice");
        assert_eq!(&*run.symbols[0].name, b"main()");
    }
}

#[test]
fn the_defects_are_in_the_releases_that_have_them() {
    let shop = shop(8000);
    let defects = shop.defects();
    assert_eq!(defects.len(), 3);
    // Means of a run that calls the function: before, after.
    let mut sums = vec![BTreeMap::new(); defects.len()];
    for run in shop.runs() {
        let flat = profile::FlatTable::new(&run);
        for (defect, sums) in defects.iter().zip(&mut sums) {
            let name = defect.function.as_bytes();
            let mut rows = flat.rows.iter();
            let Some(row) = rows.find(|row| run.name(row.symbol) == name) else {
                continue;
            };
            let releases = shop.releases();
            let release = releases.iter().find(|of| of.name == defect.release);
            let since = release.unwrap().since_unix_us;
            let is_after = run.meta.started_unix_us.unwrap() >= since;
            let sum: &mut (f64, f64, f64) = sums.entry(is_after).or_default();
            sum.0 += 1.0;
            sum.1 += row.own.wall as f64;
            sum.2 += row.own.memory as f64;
        }
    }
    for (defect, sums) in defects.iter().zip(sums) {
        match defect.kind {
            DefectKind::QueryInLoop => {
                assert!(!sums.contains_key(&false));
                assert!(sums[&true].0 > 100.0);
            }
            DefectKind::Slower => {
                let mean = |of: (f64, f64, f64)| of.1 / of.0;
                let factor = mean(sums[&true]) / mean(sums[&false]);
                assert!((1.8..2.6).contains(&factor), "{factor}");
            }
            DefectKind::Leak => {
                let mean = |of: (f64, f64, f64)| of.2 / of.0;
                let more = mean(sums[&true]) - mean(sums[&false]);
                assert!((150_000.0..250_000.0).contains(&more), "{more}");
            }
        }
    }
}
