//! Routes whose peak of memory is higher after a release.
//!
//! The peak of a run is no sum of its functions, so it has a test of its own: the mean peak of each window, as a
//! logarithm, by the same statistic as the other tests. Its false alarms are counted apart from theirs.
//!
//! **Invariant:** what an earlier release changed is subtracted, as with the other series.

use std::collections::HashMap;

use crate::attribution::{figures, selections};
use crate::bayes::Prior;
use crate::discovery;
use crate::evidence::{Evidence, Habits, Past, Test, correlation, spread};
use crate::finding::{Figures, Finding, Kind, Place};
use crate::options::Options;
use crate::plan::Plan;
use crate::series::{Family, Route, Series};

/// The smallest relative increase that is a finding, and the smallest in bytes.
const LEAST_SHARE: f64 = 0.10;
const LEAST_BYTES: f64 = 1024.0 * 1024.0;

/// What earlier releases are known to have changed: the first hour and the logarithm, by route.
pub(crate) type Levels = HashMap<String, Vec<(i64, f64)>>;

/// A route with known peaks, and its test.
struct Tested<'r> {
    route: &'r Route,
    test: Test,
}

/// The routes whose peaks are higher since a release, as one finding. Adds what changed to `levels`.
pub(crate) fn higher(
    routes: &[Route],
    plan: &Plan,
    options: &Options,
    since: i64,
    levels: &mut Levels,
) -> Option<Finding> {
    let mut tested = tests(routes, options, levels);
    let most = tested.iter().map(|of| of.test.looks.len()).max();
    for look in 1..=most.unwrap_or(0) {
        let at = |test: &Test| test.looks.get(look - 1).copied();
        let q = options.rate(look);
        let p = |of: fn(Evidence) -> f64| -> Vec<f64> {
            let looks = tested.iter().filter_map(|of| at(&of.test));
            looks.map(of).collect()
        };
        let up = discovery::threshold(&p(|evidence| evidence.p), q);
        let down = discovery::threshold(&p(|evidence| evidence.p_less), q);
        let gate = LEAST_SHARE.ln_1p();
        for of in &mut tested {
            let Some(evidence) = at(&of.test) else {
                continue;
            };
            if up.is_some_and(|up| evidence.p <= up) && evidence.effect >= gate {
                of.test.slower.get_or_insert(look);
            }
            if down.is_some_and(|down| evidence.p_less <= down) && evidence.effect <= -gate {
                of.test.faster.get_or_insert(look);
            }
        }
    }
    for of in &tested {
        let is_known = of.test.slower.is_some() || of.test.faster.is_some();
        if let Some(last) = of.test.last().filter(|_| is_known) {
            let known = levels.entry(of.route.name.clone()).or_default();
            known.push((since, last.effect));
        }
    }
    finding(&tested, plan, options)
}

fn tests<'r>(routes: &'r [Route], options: &Options, levels: &Levels) -> Vec<Tested<'r>> {
    let series: Vec<(&Route, Series)> = routes
        .iter()
        .filter_map(|route| Some((route, series(route, levels)?)))
        .collect();
    let spreads: Vec<_> = series
        .iter()
        .map(|(route, of)| spread(of, route.history))
        .collect();
    let habits = Habits {
        prior: Prior::fit(&spreads),
        correlation: correlation(series.iter().map(|(route, of)| (of, route.history))),
    };
    let tests = series.iter().enumerate().map(|(number, (route, of))| {
        let past = Past::new(of, route.history, habits);
        let looks = route.looks();
        Tested {
            route,
            test: Test::new((number, 0), of, past, None, looks, options.inflation),
        }
    });
    tests.collect()
}

/// The logarithms of the mean peaks; none if a window has none.
fn series(route: &Route, levels: &Levels) -> Option<Series> {
    let known = levels.get(&route.name).map_or(&[][..], Vec::as_slice);
    let values = route.windows.iter().zip(&route.starts);
    let values = values.map(|(window, start)| {
        let mean = window.peak_bytes / window.runs.max(1.0);
        let earlier = known.iter().filter(|(since, _)| start >= since);
        let earlier: f64 = earlier.map(|(_, effect)| effect).sum();
        (mean > 0.0).then(|| mean.ln() - earlier)
    });
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    Some(Series {
        family: Family::Route,
        number: 0,
        weight: 1.0,
        within: vec![0.0; values.len()],
        values,
        response: 1.0,
        rest: None,
    })
}

fn finding(tested: &[Tested<'_>], plan: &Plan, options: &Options) -> Option<Finding> {
    let mut found: Vec<(Place, &Tested<'_>, usize)> = tested
        .iter()
        .filter_map(|of| Some((place(of, plan)?, of, of.test.slower?)))
        .filter(|(place, _, _)| place.cost >= LEAST_BYTES)
        .collect();
    found.sort_by(|one, other| other.0.share.total_cmp(&one.0.share));
    let look = found.iter().map(|(_, _, look)| *look).min()?;
    // As before the release again: the last window alone.
    let is_gone = found.iter().all(|(place, of, _)| {
        let last = of.route.windows.last();
        let last = last.map_or(0.0, |of| of.peak_bytes / of.runs.max(1.0));
        last - place.before.memory < 0.5 * place.cost
    });
    let is_provisional = found
        .iter()
        .all(|(_, of, _)| of.route.history < options.full_history);
    Some(Finding {
        kind: Kind::HigherPeak,
        function: String::new(),
        caller: None,
        places: found.into_iter().map(|(place, _, _)| place).collect(),
        look,
        is_gone,
        is_provisional,
        moved_from: Vec::new(),
    })
}

/// A route with its peaks before and after, as the memory of the figures.
fn place(of: &Tested<'_>, plan: &Plan) -> Option<Place> {
    let (route, last) = (of.route, of.test.last()?);
    let looks = route.looks();
    let windows = [0..route.history, route.history..route.history + looks];
    let peaks = windows.map(|range| {
        let windows = route.windows.get(range).unwrap_or_default().iter();
        let sums = windows.map(|window| (window.peak_bytes, window.runs));
        let (peak, runs) = sums.fold((0.0, 0.0), |all, of| (all.0 + of.0, all.1 + of.1));
        peak / f64::max(runs, 1.0)
    });
    let mut both = figures(route, 0, looks, true);
    for (figures, memory) in both.iter_mut().zip(peaks) {
        *figures = Figures { memory, ..*figures };
    }
    let cost = peaks[1] - peaks[0];
    let share = cost / peaks[0].max(1.0);
    Some(Place {
        route: route.name.clone(),
        path: Vec::new(),
        open: selections(plan, looks, &both),
        before: both[0],
        after: both[1],
        change: share,
        t: last.t,
        cost,
        share,
        is_retained: false,
        contributors: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Path, Release};
    use crate::series::Rows;
    use crate::window::{PathWindow, Window};

    const HISTORY: usize = 14;
    const LOOKS: usize = 3;

    /// Numbers that look random, always the same: about normal, with the variance 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            let uniform = (0..12).map(|_| {
                self.0 = self
                    .0
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (self.0 >> 40) as f64 / f64::from(1 << 24)
            });
            uniform.sum::<f64>() - 6.0
        }
    }

    /// A route whose mean peaks differ from day to day by `noise`, with `change` after the release.
    fn route(name: String, noise: f64, change: f64, random: &mut Random) -> Route {
        let mut drift = 0.0;
        let windows = (0..HISTORY + LOOKS).map(|window| {
            drift = 0.5 * drift + noise * random.next();
            let after = if window < HISTORY { 0.0 } else { change };
            Window {
                runs: 100.0,
                peak_bytes: 100.0 * 2e7 * (drift + after).exp(),
                paths: vec![PathWindow::default()],
                ..Window::default()
            }
        });
        Route {
            name,
            functions: vec!["main()".to_owned()],
            paths: vec![Path {
                parent: None,
                function: 0,
            }],
            windows: windows.collect(),
            starts: (0..).map(|day| day * 24).take(HISTORY + LOOKS).collect(),
            history: HISTORY,
            series: Vec::new(),
            exact: Vec::new(),
            rows: Rows::default(),
        }
    }

    fn found(routes: &[Route], levels: &mut Levels) -> Option<Finding> {
        let since = 24 * i64::try_from(HISTORY).unwrap();
        let release = Release {
            name: "2".to_owned(),
            since,
        };
        let options = Options::default();
        let plan = Plan::new(&release, None, since + 24 * 4, &options).unwrap();
        higher(routes, &plan, &options, since, levels)
    }

    #[test]
    fn peaks_that_vary_as_before_are_no_finding() {
        let mut random = Random(1);
        let mut alarms = 0;
        for noise in [0.01, 0.05, 0.2] {
            for _ in 0..200 {
                let routes =
                    (0..20).map(|number| route(number.to_string(), noise, 0.0, &mut random));
                let routes: Vec<Route> = routes.collect();
                alarms += usize::from(found(&routes, &mut Levels::new()).is_some());
            }
        }
        // 600 releases, of which 0.5 % may have a false alarm.
        assert!(alarms <= 3, "{alarms} false alarms");
    }

    #[test]
    fn a_peak_that_doubles_is_found_once_on_all_of_its_routes() {
        let mut random = Random(2);
        let mut levels = Levels::new();
        let routes = (0..20).map(|number| {
            let change = if number < 3 { 2.0_f64.ln() } else { 0.0 };
            route(number.to_string(), 0.05, change, &mut random)
        });
        let routes: Vec<Route> = routes.collect();
        let finding = found(&routes, &mut levels).unwrap();
        let mut names: Vec<&str> = finding.places.iter().map(|place| &*place.route).collect();
        names.sort_unstable();
        assert_eq!(names, ["0", "1", "2"]);
        assert!((finding.share() - 1.0).abs() < 0.5, "{finding:?}");
        assert!(!finding.is_gone);
        // The next release is not blamed for it.
        assert_eq!(found(&routes, &mut levels), None);
    }
}
