//! How many runs have each value of what runs are selected by.

use std::collections::{BTreeMap, HashMap};

use crate::{FacetValue, Facets, TagFacet};

/// The most values of a facet.
const MAX_VALUES: usize = 100;

/// The most tags, by their names.
const MAX_TAGS: usize = 30;

/// Tags whose value each run has alone, for SQL: they are conditions, but nothing to choose from.
pub(crate) const OF_ONE_RUN: &str = "'trace_id', 'span_id'";

/// What runs are counted by, apart from tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Facet {
    Route,
    Release,
    Host,
    Status,
}

/// Adds up groups of runs.
#[derive(Debug, Default)]
pub(crate) struct FacetCounts {
    runs: u64,
    failed: u64,
    routes: HashMap<String, u64>,
    releases: HashMap<String, u64>,
    hosts: HashMap<String, u64>,
    statuses: HashMap<String, u64>,
    tags: BTreeMap<String, Vec<FacetValue>>,
}

impl FacetCounts {
    /// Adds the runs of a route, a release, a host and a status.
    pub(crate) fn add(&mut self, values: [String; 4], failed: bool, runs: u64) {
        self.runs += runs;
        self.failed += if failed { runs } else { 0 };
        let of = [Facet::Route, Facet::Release, Facet::Host, Facet::Status];
        for (of, value) in of.into_iter().zip(values) {
            self.add_value(of, value, runs);
        }
    }

    /// Adds a run, without its values.
    pub(crate) fn add_run(&mut self, failed: bool) {
        self.runs += 1;
        self.failed += u64::from(failed);
    }

    /// Adds a value of runs that are counted by [`add_run`](Self::add_run). Different routes may have one name.
    pub(crate) fn add_value(&mut self, of: Facet, value: String, runs: u64) {
        let sums = match of {
            Facet::Route => &mut self.routes,
            Facet::Release => &mut self.releases,
            Facet::Host => &mut self.hosts,
            Facet::Status => &mut self.statuses,
        };
        *sums.entry(value).or_default() += runs;
    }

    /// Adds the runs that have a value of a tag.
    pub(crate) fn add_tag(&mut self, name: String, value: String, runs: u64) {
        let values = self.tags.entry(name).or_default();
        values.push(FacetValue { value, runs });
    }

    pub(crate) fn finish(self) -> Facets {
        let values = |values: HashMap<String, u64>| {
            let values = values.into_iter();
            sorted(values.map(|(value, runs)| FacetValue { value, runs }))
        };
        let tags = self.tags.into_iter().take(MAX_TAGS);
        Facets {
            runs: self.runs,
            failed: self.failed,
            routes: values(self.routes),
            releases: values(self.releases),
            hosts: values(self.hosts),
            statuses: values(self.statuses),
            tags: tags
                .map(|(name, values)| TagFacet {
                    name,
                    values: sorted(values.into_iter()),
                })
                .collect(),
        }
    }
}

/// Those with the most runs first.
fn sorted(values: impl Iterator<Item = FacetValue>) -> Vec<FacetValue> {
    let mut values: Vec<FacetValue> = values.collect();
    values.sort_by(|one, other| {
        let by_runs = other.runs.cmp(&one.runs);
        by_runs.then_with(|| one.value.cmp(&other.value))
    });
    values.truncate(MAX_VALUES);
    values
}
