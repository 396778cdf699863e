//! The demo's shop: the detector finds its three defects, and nothing else.

use regressions::{Collector, Kind, Options, Report};
use simulate::{DefectKind, Shop};

fn reports(shop: &Shop) -> Vec<Report> {
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
    for seed in [1, 2] {
        let shop = Shop::new(simulate::Options {
            seed,
            ..simulate::Options::default()
        });
        let reports = reports(&shop);
        assert_eq!(reports.len(), shop.releases().len() - 1);
        let found: Vec<(Kind, &str, &str, Option<&str>)> = reports
            .iter()
            .flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
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
    }
}
