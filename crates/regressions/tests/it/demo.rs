//! The demo's shop: the detector finds its three defects, and nothing else.

use std::collections::BTreeMap;
use std::convert::Infallible;

use regressions::{
    Block, Cell, Collector, HourPath, Kind, Options, Report, RouteSums, log_time, reports,
};
use simulate::{DefectKind, Shop};

fn of_shop(shop: &Shop) -> Vec<Report> {
    let mut collector = Collector::default();
    for run in shop.runs() {
        let tag = |name| run.meta.tag(name).unwrap_or_default().to_owned();
        let added = collector.add(&tag("route"), &tag("release"), &run);
        assert_eq!(added, Ok(()));
    }
    collector.reports(Options::default())
}

#[test]
fn the_three_defects_of_the_shop_are_found_and_nothing_else() {
    let is_whole = std::env::var_os("XHPROF_TEST_WHOLE").is_some();
    for seed in 1..=if is_whole { 2 } else { 1 } {
        let shop = Shop::new(simulate::Options {
            seed,
            ..simulate::Options::default()
        });
        let reports = of_shop(&shop);
        assert_eq!(reports.len(), shop.releases().len() - 1);
        let found: Vec<(Kind, &str, &str, Option<&str>)> = reports
            .iter()
            .flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
            // The leak is in the peaks of all routes, too: the test below.
            .filter(|(_, finding)| finding.kind != Kind::HigherPeak)
            .map(|(report, finding)| {
                let caller = finding.caller.as_deref();
                (
                    finding.kind,
                    report.release.as_str(),
                    finding.function.as_str(),
                    caller,
                )
            })
            .collect();
        let defects = shop.defects();
        let expected: Vec<(Kind, &str, &str, Option<&str>)> = defects
            .iter()
            .map(|defect| {
                let kind = match defect.kind {
                    DefectKind::Slower => Kind::Slower,
                    DefectKind::QueryInLoop => Kind::NewCall,
                    DefectKind::Leak => Kind::MoreMemory,
                };
                (
                    kind,
                    defect.release.as_str(),
                    defect.function,
                    defect.caller,
                )
            })
            .collect();
        assert_eq!(found, expected, "seed {seed}");
        let peaks: Vec<(&str, usize)> = reports
            .iter()
            .flat_map(|report| {
                report
                    .findings
                    .iter()
                    .enumerate()
                    .map(move |of| (report, of))
            })
            .filter(|(_, (_, finding))| finding.kind == Kind::HigherPeak)
            .map(|(report, (place, _))| (report.release.as_str(), place))
            .collect();
        let leak = defects
            .iter()
            .find(|defect| defect.kind == DefectKind::Leak);
        // It costs most, so it is on top.
        assert_eq!(
            peaks,
            [(leak.map_or("", |leak| &*leak.release), 0)],
            "seed {seed}"
        );
        let all = reports.iter().flat_map(|report| &report.findings);
        let peak = all.clone().find(|finding| finding.kind == Kind::HigherPeak);
        let Some(peak) = peak else { panic!("a peak") };
        assert!(peak.places.len() >= 5 && peak.share() > 3.0, "{peak:?}");
        let keeps = all.clone().find(|finding| finding.kind == Kind::MoreMemory);
        let path = keeps
            .and_then(|keeps| keeps.places.first())
            .map(|place| &place.path);
        assert!(peak.places.iter().any(|place| Some(&place.path) == path));
    }
}

/// The sums of a store's hours give the same report as the profiles themselves.
#[test]
fn hours_give_the_same_findings_as_profiles() {
    let shop = Shop::new(simulate::Options {
        days: 16,
        runs: 4000,
        ..simulate::Options::default()
    });
    let mut of_profiles = Collector::default();
    let mut of_hours: BTreeMap<String, RouteSums> = BTreeMap::new();
    let mut numbers: Vec<String> = Vec::new();
    let mut until = 0;
    for mut run in shop.runs() {
        // A store may have no hosts.
        run.meta.host = None;
        let tag = |name| run.meta.tag(name).unwrap_or_default().to_owned();
        let (route, release) = (tag("route"), tag("release"));
        assert_eq!(of_profiles.add(&route, &release, &run), Ok(()));
        let tree = run.tree().into_iter().next();
        let Some(tree) = tree else { panic!("a tree") };
        let wall = tree.root_cost().wall;
        let start = run.meta.started_unix_us.unwrap_or(0);
        let hour = i64::try_from(start / 3_600_000_000).unwrap_or(0);
        until = until.max(hour + 1);
        // In the order of their first runs.
        let number = numbers.iter().position(|known| *known == release);
        let number = number.unwrap_or_else(|| {
            numbers.push(release.clone());
            numbers.len() - 1
        });
        let sums = of_hours.entry(route.clone());
        let sums = sums.or_insert_with(|| RouteSums::new(&route));
        let block = Block {
            hour,
            release: u32::try_from(number).unwrap_or(0),
            runs: 1,
            wall_ns: wall,
            ln_wall: log_time(wall),
            peak_bytes: run.meta.peak_memory.unwrap_or(0),
            ..Block::default()
        };
        let own = tree.self_costs();
        let paths = tree.nodes.iter().zip(&own).enumerate();
        let paths = paths.map(|(place, (node, own))| HourPath {
            parent: (place > 0).then_some(node.parent.0),
            function: sums.function(run.name(node.symbol)),
            cell: Cell {
                path: 0,
                runs: 1,
                calls: node.cost.calls,
                self_ns: own.wall.unsigned_abs(),
                ln_self: log_time(own.wall.unsigned_abs()),
                memory: own.memory,
            },
        });
        let paths: Vec<HourPath> = paths.collect();
        sums.add_hour(&block, paths);
    }
    let options = Options::default();
    let releases = of_profiles.releases();
    let routes: Vec<&RouteSums> = of_hours.values().collect();
    let found = reports(&releases, until, options, &routes, |route, _| {
        Ok::<_, Infallible>(route)
    });
    assert_eq!(found, Ok(of_profiles.reports(options)));
}
