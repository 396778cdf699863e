//! Puts candidates with the same cause together, and adds where and how much.

use std::collections::BTreeMap;

use crate::attribution::{figures, names, selections};
use crate::finding::{Finding, Kind, Place};
use crate::incidents::{Candidate, Incidents};
use crate::moved;
use crate::series::Route;

/// What makes two places one finding: kind, caller, function.
type Cause = (Kind, String, String);

impl Incidents<'_> {
    /// Puts candidates with the same cause together: moved costs, and new ones.
    pub(crate) fn findings(&self, candidates: Vec<Candidate>) -> (Vec<Finding>, Vec<Finding>) {
        let mut by_cause: BTreeMap<Cause, Finding> = BTreeMap::new();
        for candidate in candidates {
            let Some((cause, place, origin)) = self.place(&candidate) else {
                continue;
            };
            let route = self.routes.get(candidate.route);
            let history = route.map_or(0, |route| route.history);
            let finding = by_cause.entry(cause.clone()).or_insert_with(|| Finding {
                kind: candidate.kind,
                function: cause.2,
                caller: Some(cause.1).filter(|caller| !caller.is_empty()),
                places: Vec::new(),
                look: candidate.look,
                is_gone: true,
                is_provisional: true,
                moved_from: origin.clone(),
            });
            finding.look = finding.look.min(candidate.look);
            finding.is_gone &= candidate.is_gone;
            finding.is_provisional &= history < self.options.full_history;
            // Moved only if it is moved everywhere.
            if origin.is_empty() {
                finding.moved_from.clear();
            }
            let known = finding
                .places
                .iter_mut()
                .find(|known| known.route == place.route);
            match known {
                Some(known) if known.cost >= place.cost => {}
                Some(known) => *known = place,
                None => finding.places.push(place),
            }
        }
        let mut findings: Vec<Finding> = by_cause.into_values().collect();
        for finding in &mut findings {
            finding.places.sort_by(|a, b| b.share.total_cmp(&a.share));
        }
        findings.sort_by(|a, b| b.share().total_cmp(&a.share()));
        findings
            .into_iter()
            .partition(|finding| !finding.moved_from.is_empty())
    }

    /// A candidate as a place, with its cause and where its cost came from.
    fn place(&self, candidate: &Candidate) -> Option<(Cause, Place, Vec<String>)> {
        let route = self.routes.get(candidate.route)?;
        let changes = self.changes.get(candidate.route)?;
        let looks = route.looks();
        let is_call = matches!(candidate.kind, Kind::MoreCalls | Kind::NewCall);
        let is_route = candidate.kind == Kind::SlowerRoute;
        let both = figures(route, candidate.path, looks, is_call || is_route);
        let [before, after] = both;
        let wall = route.wall_before().max(1.0);
        let cost = match candidate.kind {
            Kind::MoreCalls | Kind::NewCall => changes.inclusive(candidate.path),
            Kind::Slower => changes.own(candidate.path),
            Kind::MoreMemory => candidate.effect * 1024.0,
            Kind::SlowerRoute | Kind::HigherPeak => candidate.effect.exp_m1() * wall,
        };
        let (share, change) = match candidate.kind {
            Kind::MoreMemory => (
                cost / peak_before(route).max(1.0),
                cost / before.memory.max(0.0),
            ),
            Kind::NewCall => (cost / wall, cost / wall),
            _ => (cost / wall, candidate.effect.exp_m1()),
        };
        let path = names(route, candidate.path);
        let function = if is_route {
            route.name.clone()
        } else {
            path.last().cloned().unwrap_or_default()
        };
        let caller = path.iter().rev().nth(1).cloned().filter(|_| is_call);
        let origin = self.origin(candidate, cost);
        let place = Place {
            route: route.name.clone(),
            path,
            before,
            after,
            change,
            t: candidate
                .evidence
                .map_or(f64::INFINITY, |evidence| evidence.t),
            cost,
            share,
            is_retained: candidate.kind == Kind::MoreMemory && is_retained(route, cost),
            contributors: changes.contributors(route),
            open: selections(self.plan, looks, &both),
        };
        let cause = (candidate.kind, caller.unwrap_or_default(), function);
        Some((cause, place, origin))
    }

    /// The functions that a candidate's cost came from, if it only moved.
    fn origin(&self, candidate: &Candidate, cost: f64) -> Vec<String> {
        let is_call = candidate.kind == Kind::NewCall;
        if !is_call && candidate.kind != Kind::Slower {
            return Vec::new();
        }
        let of = || {
            let route = self.routes.get(candidate.route)?;
            let changes = self.changes.get(candidate.route)?;
            let t = self.t.get(candidate.route)?;
            moved::origin(
                route,
                changes,
                candidate.path,
                cost,
                is_call,
                t,
                route.looks(),
            )
        };
        of().unwrap_or_default()
    }
}

/// The mean peak memory of a run before the release.
fn peak_before(route: &Route) -> f64 {
    let windows = route.windows.iter().take(route.history);
    let (peak, runs) = windows.fold((0.0, 0.0), |(peak, runs), window| {
        (peak + window.peak_bytes, runs + window.runs)
    });
    peak / f64::max(runs, 1.0)
}

/// Whether a run ends with at least half of the additional memory in use.
fn is_retained(route: &Route, cost: f64) -> bool {
    let [before, after] = ending_memory(route);
    after - before >= 0.5 * cost
}

/// The memory that a run leaves in use at its end, before and after.
fn ending_memory(route: &Route) -> [f64; 2] {
    let paths = 0..route.paths.len();
    let own: [Vec<f64>; 2] = [
        paths
            .clone()
            .map(|path| route.before(path, crate::series::memory))
            .collect(),
        paths
            .map(|path| route.after(path, route.looks(), crate::series::memory))
            .collect(),
    ];
    let runs = [
        route
            .windows
            .iter()
            .take(route.history)
            .map(|of| of.runs)
            .sum::<f64>(),
        route
            .windows
            .iter()
            .skip(route.history)
            .map(|of| of.runs)
            .sum::<f64>(),
    ];
    let [before, after] = own.map(|own| own.iter().sum::<f64>());
    [before / runs[0].max(1.0), after / runs[1].max(1.0)]
}
