//! Examines releases, one after the other.
//!
//! For each release: the windows of all routes, the shifts that are common to a
//! route taken out, one test a series and look, and a threshold for all tests of
//! the application. [`incidents`](crate::incidents) makes findings of them.
//!
//! **Invariant:** releases are examined in the order of their deployment. What an
//! earlier release changed is subtracted from the series from then on; otherwise
//! the change would be part of the spread of the history of all later releases.

use std::collections::{BTreeMap, HashMap};

use crate::bayes::{Prior, Spread};
use crate::discovery;
use crate::evidence::{Habits, Past, Test, correlation, spread};
use crate::finding::{Finding, Kind, Report, Skipped};
use crate::incidents::Incidents;
use crate::input::{Hours, Release};
use crate::making::Making;
use crate::options::Options;
use crate::peaks;
use crate::plan::{Plan, TooEarly};
use crate::series::{Family, Route, Series, mean_after, shift};
use crate::window::median;

/// The fewest series of a route from which it has a prior of its own.
const MIN_OWN_PRIOR: usize = 40;

/// The fewest routes whose times are compared with their median.
const MIN_ROUTES: usize = 8;

/// Finds what releases changed. Remembers what earlier releases changed.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    options: Options,
    levels: HashMap<SeriesKey, Vec<Level>>,
    peaks: peaks::Levels,
}

/// Identifies a series over several releases: route, family, name.
type SeriesKey = (String, Family, String);

/// A change of a series that is known.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The first hour of the release that changed it.
    since: i64,
    effect: f64,
}

impl Detector {
    /// A detector that knows no release yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            levels: HashMap::new(),
            peaks: peaks::Levels::new(),
        }
    }

    /// The hours of data that [`examine`](Self::examine) needs for a release: the
    /// first, and the one after the last. Others are ignored.
    #[must_use]
    pub fn hours(&self, release: &Release) -> (i64, i64) {
        let days = |count: usize| 24 * i64::try_from(count).unwrap_or(365);
        let first = release.since - days(self.options.history);
        (first, release.since + days(self.options.looks) + 1)
    }

    /// Compares the runs of `release`, which have `number` in the blocks, with
    /// those before it.
    ///
    /// `next` is the first hour of the next release, if there is one. The data
    /// are complete up to the hour `until`. Routes without enough runs are listed
    /// in the report.
    ///
    /// The hours of a route are dropped before the next ones are taken: an iterator
    /// that reads them needs memory for one route. It is not asked for any if the
    /// release is too young.
    pub fn examine<H: Hours>(
        &mut self,
        release: &Release,
        number: u32,
        next: Option<i64>,
        until: i64,
        routes: impl IntoIterator<Item = H>,
    ) -> Report {
        let mut report = Report {
            release: release.name.clone(),
            ..Report::default()
        };
        let plan = match Plan::new(release, next, until, &self.options) {
            Ok(plan) => plan,
            Err(TooEarly::HoursLeft(hours)) => {
                report.hours_left = Some(hours);
                return report;
            }
            Err(TooEarly::ReplacedAfter(hours)) => {
                report.replaced_after = Some(hours);
                return report;
            }
        };
        let mut made = Vec::new();
        for hours in routes {
            let hours = hours.hours();
            match Making::route(hours, &plan, number, &self.options) {
                Ok(route) => made.push(route),
                Err(reason) => report.skipped.push(Skipped {
                    route: hours.route.to_owned(),
                    reason,
                }),
            }
        }
        let mut routes = made;
        let shifts = take_out_common(&mut routes);
        self.subtract_levels(&mut routes);
        for route in &mut routes {
            route.predict();
        }
        let mut tests = self.tests(&routes);
        report.routes = routes.len();
        report.tests = tests.len();
        report.looks = routes.iter().map(Route::looks).max().unwrap_or(0);
        let mut common: Vec<f64> = routes
            .iter()
            .zip(&shifts)
            .map(|(route, shift)| mean_after(shift, route))
            .collect();
        report.common_change = median(&mut common).exp_m1();
        self.mark(&routes, &mut tests);
        self.remember(&routes, &tests, release.since);
        Incidents::new(&routes, &shifts, &tests, &plan, &self.options).fill(&mut report);
        let levels = &mut self.peaks;
        if let Some(mut peaks) = peaks::higher(&routes, &plan, &self.options, release.since, levels)
        {
            name_the_cause(&mut peaks, &report.findings);
            report.findings.push(peaks);
            report
                .findings
                .sort_by(|one, other| other.share().total_cmp(&one.share()));
        }
        report
    }

    /// Subtracts what earlier releases are known to have changed.
    fn subtract_levels(&self, routes: &mut [Route]) {
        if self.levels.is_empty() {
            return;
        }
        for route in routes {
            let keys: Vec<SeriesKey> = route.series.iter().map(|of| key(route, of)).collect();
            for (series, key) in route.series.iter_mut().zip(&keys) {
                for level in self.levels.get(key).into_iter().flatten() {
                    for (value, start) in series.values.iter_mut().zip(&route.starts) {
                        if *start >= level.since {
                            *value -= level.effect;
                        }
                    }
                }
            }
        }
    }

    /// One test a series, with its evidence at each look.
    fn tests(&self, routes: &[Route]) -> Vec<Test> {
        let mut tests = Vec::new();
        for family in Family::ALL {
            let plain = pasts(routes, |series| (series.family == family).then_some(series));
            let rests = pasts(routes, |series| {
                series.rest.as_deref().filter(|rest| rest.family == family)
            });
            for ((place, route), (plain, rests)) in
                routes.iter().enumerate().zip(plain.iter().zip(&rests))
            {
                for (&number, &past) in plain {
                    let series = &route.series[number];
                    let rest = series.rest.as_deref().zip(rests.get(&number).copied());
                    tests.push(Test::new(
                        (place, number),
                        series,
                        past,
                        rest,
                        route.looks(),
                        self.options.inflation,
                    ));
                }
            }
        }
        tests
    }

    /// Marks the tests that are alarms or improvements, look by look.
    fn mark(&self, routes: &[Route], tests: &mut [Test]) {
        let family = |test: &Test| {
            let route = routes.get(test.route);
            let series = route.and_then(|route| route.series.get(test.series));
            series.map_or(Family::Route, |series| series.family)
        };
        // The weights have the mean 1 over all families together.
        let count = tests.len() as f64;
        for of in Family::ALL {
            let mut weights: Vec<f64> = tests
                .iter()
                .filter(|test| family(test) == of)
                .map(|test| test.weight)
                .collect();
            discovery::scale(&mut weights, of.least_weight(), of.budget() * count);
            let in_family = tests.iter_mut().filter(|test| family(test) == of);
            for (test, weight) in in_family.zip(weights) {
                test.weight = weight;
            }
        }
        let most = tests.iter().map(|test| test.looks.len()).max().unwrap_or(0);
        for test in tests.iter_mut() {
            let q = self.options.rate(test.looks.len());
            test.p_needed = q * test.weight / count.max(1.0);
        }
        for look in 1..=most {
            let q = self.options.rate(look);
            let evidence = |test: &Test| test.looks.get(look - 1).copied();
            let ups = tests
                .iter()
                .filter_map(|test| Some(evidence(test)?.p / test.weight));
            let downs = tests
                .iter()
                .filter_map(|test| Some(evidence(test)?.p_less / test.weight));
            let up = discovery::threshold(&ups.collect::<Vec<f64>>(), q);
            let down = discovery::threshold(&downs.collect::<Vec<f64>>(), q);
            for test in tests.iter_mut() {
                let Some(evidence) = test.looks.get(look - 1) else {
                    continue;
                };
                let family = routes
                    .get(test.route)
                    .and_then(|route| route.series.get(test.series))
                    .map_or(Family::Route, |series| series.family);
                let gate = self.gate(family);
                if up.is_some_and(|up| evidence.p / test.weight <= up) && evidence.effect >= gate {
                    test.slower.get_or_insert(look);
                }
                if down.is_some_and(|down| evidence.p_less / test.weight <= down)
                    && evidence.effect <= -gate
                {
                    test.faster.get_or_insert(look);
                }
            }
        }
    }

    /// The smallest effect that is a finding, in the unit of the series.
    fn gate(&self, family: Family) -> f64 {
        match family {
            Family::Time | Family::Route => self.options.least_slower.ln_1p(),
            Family::Calls => self.options.least_more_calls.ln_1p(),
            Family::Memory => self.options.least_more_memory / 1024.0,
        }
    }

    /// Remembers what changed, for the releases that follow.
    fn remember(&mut self, routes: &[Route], tests: &[Test], since: i64) {
        for test in tests {
            let (Some(route), Some(evidence)) = (routes.get(test.route), test.last()) else {
                continue;
            };
            let Some(series) = route.series.get(test.series) else {
                continue;
            };
            if test.slower.is_some() || test.faster.is_some() {
                let levels = self.levels.entry(key(route, series)).or_default();
                levels.push(Level {
                    since,
                    effect: evidence.effect,
                });
            }
        }
        for route in routes {
            for exact in &route.exact {
                if exact.before > 0.0 && exact.after > 0.0 {
                    let name = path_key(route, exact.path as usize);
                    let levels = self.levels.entry((route.name.clone(), Family::Calls, name));
                    levels.or_default().push(Level {
                        since,
                        effect: (exact.after / exact.before).ln(),
                    });
                }
            }
        }
    }
}

/// Gives a higher peak the path to the function that keeps more memory to the end of runs, if there is one.
fn name_the_cause(peaks: &mut Finding, findings: &[Finding]) {
    let keeps = findings.iter().find(|finding| {
        finding.kind == Kind::MoreMemory && finding.places.iter().any(|place| place.is_retained)
    });
    for place in &mut peaks.places {
        let of_route = keeps.and_then(|keeps| {
            let mut places = keeps.places.iter();
            places.find(|known| known.route == place.route)
        });
        if let Some(known) = of_route {
            place.path.clone_from(&known.path);
        }
    }
}

/// The histories of the series that `pick` gives, by route and number: each as far
/// as the others tell how it varies.
fn pasts<'r>(
    routes: &'r [Route],
    pick: impl Fn(&'r Series) -> Option<&'r Series>,
) -> Vec<BTreeMap<usize, Past>> {
    let picked: Vec<Vec<(usize, &Series)>> = routes
        .iter()
        .map(|route| {
            let series = route.series.iter().enumerate();
            series
                .filter_map(|(number, of)| Some((number, pick(of)?)))
                .collect()
        })
        .collect();
    let spreads: Vec<Vec<Spread>> = routes
        .iter()
        .zip(&picked)
        .map(|(route, of)| of.iter().map(|of| spread(of.1, route.history)).collect())
        .collect();
    let all = Prior::fit(&spreads.concat());
    let series = routes.iter().zip(&picked);
    let series = series.flat_map(|(route, of)| of.iter().map(|of| (of.1, route.history)));
    let correlation = correlation(series);
    let mut pasts = Vec::with_capacity(routes.len());
    for ((route, of), spreads) in routes.iter().zip(&picked).zip(&spreads) {
        let own = (spreads.len() >= MIN_OWN_PRIOR).then(|| Prior::fit(spreads));
        let habits = Habits {
            prior: own.flatten().or(all),
            correlation,
        };
        let past =
            |(number, of): &(usize, &Series)| (*number, Past::new(of, route.history, habits));
        pasts.push(of.iter().map(past).collect());
    }
    pasts
}

/// The key of a series over several releases.
fn key(route: &Route, series: &Series) -> SeriesKey {
    let name = match series.family {
        Family::Time | Family::Memory => route.name_of(series.number).to_owned(),
        Family::Calls => path_key(route, series.number as usize),
        Family::Route => String::new(),
    };
    (route.name.clone(), series.family, name)
}

/// A path as one text.
fn path_key(route: &Route, path: usize) -> String {
    let line = route.line(path);
    let names: Vec<&str> = line.iter().map(|&path| route.function_of(path)).collect();
    names.join("\n")
}

/// Takes the shifts that are common to a route out of its times, and the shift
/// that is common to all routes out of the times of routes. Returns each route's.
fn take_out_common(routes: &mut [Route]) -> Vec<Vec<f64>> {
    let own: Vec<Option<Vec<f64>>> = routes.iter().map(Route::common_shift).collect();
    let mut by_start: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for (route, shift) in routes.iter().zip(&own) {
        for (start, shift) in route.starts.iter().zip(shift.iter().flatten()) {
            by_start.entry(*start).or_default().push(*shift);
        }
    }
    // A route with few functions has the shift of the others.
    let all: BTreeMap<i64, f64> = by_start
        .into_iter()
        .map(|(start, mut shifts)| (start, median(&mut shifts)))
        .collect();
    let of_all = |route: &Route| {
        let shift = |start: &i64| all.get(start).copied().unwrap_or(0.0);
        route.starts.iter().map(shift).collect::<Vec<f64>>()
    };
    let shifts: Vec<Vec<f64>> = routes
        .iter()
        .zip(own)
        .map(|(route, own)| own.unwrap_or_else(|| of_all(route)))
        .collect();
    for (route, shift) in routes.iter_mut().zip(&shifts) {
        route.subtract(shift, Family::Time);
    }
    if routes.len() >= MIN_ROUTES {
        let deviations = total_shifts(routes);
        for route in routes {
            let shift = |start: &i64| deviations.get(start).copied().unwrap_or(0.0);
            let shift: Vec<f64> = route.starts.iter().map(shift).collect();
            route.subtract(&shift, Family::Route);
        }
    }
    shifts
}

/// The median over the routes of the deviations of their times, by window.
fn total_shifts(routes: &[Route]) -> BTreeMap<i64, f64> {
    let mut deviations: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for route in routes {
        let totals = route
            .series
            .iter()
            .filter(|series| series.family == Family::Route);
        let totals: Vec<&Series> = totals.collect();
        let own = shift(&totals, route.windows.len(), route.history);
        for (start, own) in route.starts.iter().zip(own) {
            deviations.entry(*start).or_default().push(own);
        }
    }
    deviations
        .into_iter()
        .map(|(start, mut of)| (start, median(&mut of)))
        .collect()
}
