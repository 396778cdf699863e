//! Makes findings of tests: one for each cause, with its routes.
//!
//! - A function that is slower because it is called more often is charged to the
//!   call on its path whose ratio to its caller grew.
//! - What a caller or a callee of such a call adds belongs to the same finding.
//! - The same cause on several routes is one finding.

use std::collections::BTreeMap;

use crate::attribution::{Changes, figures};
use crate::evidence::{Evidence, Test};
use crate::finding::{Finding, Kind, Report};
use crate::options::Options;
use crate::plan::Plan;
use crate::series::{Exact, Family, Route, Series, mean_after};

/// The part of a function's change that its calls must explain.
const CALLS_EXPLAIN: f64 = 0.5;

/// A route's change is explained by findings with this part of it.
const ROUTE_EXPLAINED: f64 = 0.3;

/// The smallest addition to a run that more calls alone are an alarm for: a share
/// of the route's time, or a number of calls.
pub(crate) const MIN_CALL_SHARE: f64 = 0.002;
const MIN_ADDED_CALLS: f64 = 1.0;

/// All tests of a release, and what is needed to explain them.
#[derive(Debug)]
pub(crate) struct Incidents<'a> {
    pub(crate) routes: &'a [Route],
    pub(crate) tests: &'a [Test],
    pub(crate) plan: &'a Plan,
    pub(crate) options: &'a Options,
    /// The changes of each route's paths.
    pub(crate) changes: Vec<Changes>,
    /// The t of each function's time, for each route.
    pub(crate) t: Vec<BTreeMap<u32, f64>>,
}

/// A place that is not yet part of a finding.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) kind: Kind,
    pub(crate) route: usize,
    pub(crate) path: usize,
    pub(crate) evidence: Option<Evidence>,
    /// ln(after / before), or KiB for memory.
    pub(crate) effect: f64,
    pub(crate) look: usize,
    pub(crate) is_gone: bool,
}

impl<'a> Incidents<'a> {
    pub(crate) fn new(
        routes: &'a [Route],
        shifts: &[Vec<f64>],
        tests: &'a [Test],
        plan: &'a Plan,
        options: &'a Options,
    ) -> Self {
        let changes = routes
            .iter()
            .zip(shifts)
            .map(|(route, shift)| Changes::new(route, route.looks(), mean_after(shift, route)));
        let mut t = vec![BTreeMap::new(); routes.len()];
        for test in tests {
            let series = routes
                .get(test.route)
                .and_then(|route| route.series.get(test.series));
            if let (Some(series), Some(of), Some(last)) =
                (series, t.get_mut(test.route), test.last())
                && series.family == Family::Time
            {
                of.insert(series.number, last.t);
            }
        }
        Self {
            routes,
            tests,
            plan,
            options,
            changes: changes.collect(),
            t,
        }
    }

    /// Puts the findings into the report.
    pub(crate) fn fill(&self, report: &mut Report) {
        let calls = self.more_calls();
        let mut candidates = calls.clone();
        for candidate in self.slower() {
            if !self.belongs_to(&candidate, &calls) {
                candidates.push(candidate);
            }
        }
        let totals = self.slower_routes(&candidates);
        candidates.extend(totals);
        let (moved, new) = self.findings(candidates);
        report.findings = new;
        report.moved = moved;
        report.faster = self.faster();
        report.undecided = self.undecided();
    }

    /// Calls that are made more often by their callers, or for the first time.
    fn more_calls(&self) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for (number, route) in self.routes.iter().enumerate() {
            for exact in &route.exact {
                found.extend(self.exact(number, route, *exact));
            }
        }
        for (test, route, series) in self.alarms() {
            let path = match series.family {
                Family::Calls => Some(series.number as usize),
                Family::Time => self.caused_by_calls(test, route, series),
                Family::Memory | Family::Route => None,
            };
            let Some(path) = path else { continue };
            let is_known = |known: &Candidate| (known.route, known.path) == (test.route, path);
            if found.iter().any(is_known) || !self.adds_enough(test.route, route, path) {
                continue;
            }
            // The evidence of the call itself, which may be better than that of
            // the function that it made slower.
            let own = self.call_test(test.route, path).unwrap_or(test);
            found.push(self.candidate(Kind::MoreCalls, own, path, test));
        }
        // Only the first of several calls on one path: those below follow.
        let all = found.clone();
        found.retain(|candidate| {
            let Some(route) = self.routes.get(candidate.route) else {
                return false;
            };
            let line = route.line(candidate.path);
            let is_above = |other: &Candidate| {
                other.route == candidate.route
                    && other.path != candidate.path
                    && line.contains(&other.path)
                    && other.kind == Kind::NewCall
            };
            !all.iter().any(is_above)
        });
        found
    }

    /// A finding for a call whose ratio never varied before.
    fn exact(&self, number: usize, route: &Route, exact: Exact) -> Option<Candidate> {
        let path = exact.path as usize;
        let changes = self.changes.get(number)?;
        let wall = route.wall_before().max(1.0);
        let added = changes.inclusive(path);
        let kind = if exact.before > 0.0 {
            let is_more = exact.after >= exact.before * (1.0 + self.options.least_more_exact_calls);
            if !is_more || !self.adds_enough(number, route, path) {
                return None;
            }
            Kind::MoreCalls
        } else {
            // New below a new call: that one is the cause.
            let parent = route.paths.get(path)?.parent? as usize;
            let is_new = route.before(parent, crate::series::calls) <= 0.0;
            if is_new || added < self.options.least_new_share * wall {
                return None;
            }
            Kind::NewCall
        };
        Some(Candidate {
            kind,
            route: number,
            path,
            evidence: None,
            effect: if exact.before > 0.0 {
                (exact.after / exact.before).ln()
            } else {
                (added / wall).ln_1p()
            },
            look: 1,
            is_gone: false,
        })
    }

    /// The call that a slower function is slower by, if its calls explain it.
    fn caused_by_calls(&self, test: &Test, route: &Route, series: &Series) -> Option<usize> {
        let changes = self.changes.get(test.route)?;
        let path = changes.largest_path(route, series.number)?;
        let effect = test.last()?.effect;
        let calls = changes.ln_calls(route, path, route.looks());
        if calls < CALLS_EXPLAIN * effect {
            return None;
        }
        let (cause, ratio) = changes.largest_ratio(route, path, route.looks())?;
        (ratio >= CALLS_EXPLAIN * calls).then_some(cause)
    }

    /// Whether a call adds something that a user would notice.
    fn adds_enough(&self, number: usize, route: &Route, path: usize) -> bool {
        let Some(changes) = self.changes.get(number) else {
            return false;
        };
        let share = changes.inclusive(path) / route.wall_before().max(1.0);
        let [before, after] = figures(route, path, route.looks(), false);
        share >= MIN_CALL_SHARE || after.calls - before.calls >= MIN_ADDED_CALLS
    }

    /// Functions whose own code takes longer or keeps more memory.
    fn slower(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (test, route, series) in self.alarms() {
            let kind = match series.family {
                Family::Time if self.caused_by_calls(test, route, series).is_none() => Kind::Slower,
                Family::Memory => Kind::MoreMemory,
                _ => continue,
            };
            let Some(changes) = self.changes.get(test.route) else {
                continue;
            };
            let path = if kind == Kind::MoreMemory {
                largest_memory(route, series.number)
            } else {
                changes.largest_path(route, series.number)
            };
            if let Some(path) = path {
                found.push(self.candidate(kind, test, path, test));
            }
        }
        found
    }

    /// Whether a candidate is a part of what a call adds on the same route: below
    /// it, or the code of the caller that makes the calls.
    fn belongs_to(&self, candidate: &Candidate, calls: &[Candidate]) -> bool {
        let Some(route) = self.routes.get(candidate.route) else {
            return false;
        };
        let line = route.line(candidate.path);
        calls.iter().any(|call| {
            let target = route.paths.get(call.path);
            let caller = target
                .and_then(|path| path.parent)
                .map(|parent| parent as usize);
            call.route == candidate.route
                && (line.contains(&call.path) || caller == Some(candidate.path))
        })
    }

    /// Routes that are slower for no single reason that was found.
    fn slower_routes(&self, found: &[Candidate]) -> Vec<Candidate> {
        let mut routes = Vec::new();
        for (test, route, series) in self.alarms() {
            let Some(changes) = self.changes.get(test.route) else {
                continue;
            };
            if series.family != Family::Route {
                continue;
            }
            let explained: f64 = found
                .iter()
                .filter(|candidate| candidate.route == test.route)
                .map(|candidate| match candidate.kind {
                    Kind::MoreCalls | Kind::NewCall => changes.inclusive(candidate.path),
                    Kind::Slower => changes.own(candidate.path),
                    Kind::MoreMemory | Kind::SlowerRoute | Kind::HigherPeak => 0.0,
                })
                .sum();
            let added = test.last().map_or(0.0, |last| last.effect.exp_m1());
            if explained < ROUTE_EXPLAINED * added * route.wall_before() {
                routes.push(self.candidate(Kind::SlowerRoute, test, 0, test));
            }
        }
        routes
    }

    /// Functions and calls that cost less.
    fn faster(&self) -> Vec<Finding> {
        let mut candidates = Vec::new();
        for (test, route, series) in self.all() {
            if test.faster.is_none() {
                continue;
            }
            let (kind, path) = match series.family {
                Family::Time => (
                    Kind::Slower,
                    smallest_path(route, series, self.changes.get(test.route)),
                ),
                Family::Calls => (Kind::MoreCalls, Some(series.number as usize)),
                Family::Memory => (Kind::MoreMemory, largest_memory(route, series.number)),
                Family::Route => (Kind::SlowerRoute, Some(0)),
            };
            if let Some(path) = path {
                candidates.push(self.candidate(kind, test, path, test));
            }
        }
        let (mut moved, mut new) = self.findings(candidates);
        new.append(&mut moved);
        new.sort_by(|a, b| a.share().total_cmp(&b.share()));
        new
    }

    fn candidate(&self, kind: Kind, evidence: &Test, path: usize, alarm: &Test) -> Candidate {
        let last = evidence.last().copied();
        Candidate {
            kind,
            route: alarm.route,
            path,
            evidence: last,
            effect: last.map_or(0.0, |last| last.effect),
            look: alarm.slower.or(alarm.faster).unwrap_or(1),
            is_gone: self.is_gone(alarm),
        }
    }

    /// Whether the last two windows after an alarm are as before the release.
    fn is_gone(&self, test: &Test) -> bool {
        let route = self.routes.get(test.route);
        let Some((route, series)) =
            route.and_then(|route| Some((route, route.series.get(test.series)?)))
        else {
            return false;
        };
        let series = test.of(series);
        let old = crate::series::mean(&series.values, route.history);
        let new: Vec<f64> = series.values.iter().skip(route.history).copied().collect();
        let Some((first, rest)) = new.split_first() else {
            return false;
        };
        // Back means: less than a fifth of what the first window showed.
        let is_back = |value: &f64| (value - old).abs() < 0.2 * (first - old).abs();
        rest.len() >= 2 && rest.iter().all(is_back)
    }

    /// The test of a call, if it has one.
    fn call_test(&self, route: usize, path: usize) -> Option<&'a Test> {
        let of = |(test, _, series): &(&'a Test, &Route, &Series)| {
            test.route == route && series.family == Family::Calls && series.number as usize == path
        };
        self.all().find(of).map(|(test, _, _)| test)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'a Test, &'a Route, &'a Series)> {
        let routes = self.routes;
        self.tests.iter().filter_map(move |test| {
            let route = routes.get(test.route)?;
            Some((test, route, route.series.get(test.series)?))
        })
    }

    fn alarms(&self) -> impl Iterator<Item = (&'a Test, &'a Route, &'a Series)> {
        self.all().filter(|(test, _, _)| test.slower.is_some())
    }
}

/// The path of a function whose self time shrank most.
fn smallest_path(route: &Route, series: &Series, changes: Option<&Changes>) -> Option<usize> {
    let paths = route.paths.iter().enumerate();
    let of = paths.filter(|(_, path)| path.function == series.number);
    let own = |path: usize| changes.map_or(0.0, |changes| changes.own(path));
    of.min_by(|a, b| own(a.0).total_cmp(&own(b.0)))
        .map(|(path, _)| path)
}

/// The path of a function that keeps most memory more than before.
fn largest_memory(route: &Route, function: u32) -> Option<usize> {
    let looks = route.looks();
    let change = |path: usize| {
        let [before, after] = figures(route, path, looks, false);
        after.memory - before.memory
    };
    let paths = route.paths.iter().enumerate();
    let of = paths.filter(|(_, path)| path.function == function);
    let of: Vec<(usize, f64)> = of.map(|(path, _)| (path, change(path))).collect();
    of.into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(path, _)| path)
}
