//! The time that a page is about, and the requests over it.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{ReleaseInfo, Selection, SeriesPoint, Store, TrendStep};
use utoipa::{IntoParams, ToSchema};

use super::release_effect::whole;
use crate::access::Caller;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::retention::now_us;
use crate::state::State;

pub(super) const HOUR_US: u64 = 3_600_000_000;
const WEEK_US: u64 = 7 * 24 * HOUR_US;

/// The lengths of a time that no filter gives, in hours: the first with enough runs is taken.
const LENGTHS: [u64; 3] = [24, 7 * 24, 30 * 24];

/// The time of "now", and how far back its comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Window {
    /// The beginning of "now", in seconds since 1970.
    pub(super) since_s: u64,
    /// Its end: that of the present hour, or the one that the filter gives.
    pub(super) until_s: u64,
    /// How much earlier "before" is, in seconds: whole weeks.
    pub(super) shift_s: u64,
}

impl Window {
    fn new(since_us: u64, until_us: u64) -> Self {
        let length = until_us.saturating_sub(since_us);
        let weeks = length.div_ceil(WEEK_US).max(1);
        Self {
            since_s: since_us / 1_000_000,
            until_s: until_us / 1_000_000,
            shift_s: weeks * WEEK_US / 1_000_000,
        }
    }

    /// That of a filter, else the shortest with enough runs; and the sums of its requests.
    pub(super) fn of(
        store: &dyn Store,
        selection: &Selection,
        enough: u64,
    ) -> store::Result<(Self, Option<SeriesPoint>)> {
        // Sums are those of whole hours, the present one included.
        let end = now_us().next_multiple_of(HOUR_US);
        let until = selection.until_us.map_or(end, |until| until.min(end));
        if let Some(since) = selection.since_us {
            let window = Self::new(since.min(until), until);
            return Ok((window, whole(store, &window.now(selection))?));
        }
        let mut found = (Self::new(until.saturating_sub(HOUR_US), until), None);
        for hours in LENGTHS {
            let window = Self::new(until.saturating_sub(hours * HOUR_US), until);
            found = (window, whole(store, &window.now(selection))?);
            if found.1.as_ref().is_some_and(|sums| sums.runs >= enough) {
                break;
            }
        }
        Ok(found)
    }

    /// The selection in this time.
    pub(super) fn now(&self, selection: &Selection) -> Selection {
        Selection {
            since_us: Some(self.since_s * 1_000_000),
            until_us: Some(self.until_s * 1_000_000),
            ..selection.clone()
        }
    }

    /// The selection in the time before.
    pub(super) fn before(&self, selection: &Selection) -> Selection {
        let shifted = |seconds: u64| Some(seconds.saturating_sub(self.shift_s) * 1_000_000);
        Selection {
            since_us: shifted(self.since_s),
            until_us: shifted(self.until_s),
            ..selection.clone()
        }
    }

    /// The minutes of it that are over, and those of the time before.
    pub(super) fn minutes(&self) -> [f64; 2] {
        let now_s = now_us() / 60_000_000 * 60;
        let of = |until_s: u64| {
            let seconds = until_s.saturating_sub(self.since_s).max(60);
            super::compared::float(seconds) / 60.0
        };
        [of(self.until_s), of(self.until_s.min(now_s))]
    }
}

/// The step of a chart.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Hour,
    Day,
    /// Hours up to three days, else days.
    #[default]
    Auto,
}

/// The step of a series.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct StepQuery {
    /// The length of a step.
    #[serde(default)]
    #[param(inline)]
    step: Step,
}

/// The requests of a selection over time.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Series {
    /// The length of a step, in seconds.
    step_s: u64,
    /// The steps with runs, in their order.
    points: Vec<SeriesPoint>,
    /// The releases, in the order in which they were first seen.
    releases: Vec<ReleaseInfo>,
}

/// The requests of a selection over time: for charts.
#[utoipa::path(get, path = "/api/v1/series", params(Filter, StepQuery), responses((status = 200, body = Series)))]
pub(crate) async fn series(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
    Query(StepQuery { step }): Query<StepQuery>,
) -> Answer<Series> {
    let selection = filter.selection(&caller)?;
    let found = ask(&state, move |store| {
        let until = selection.until_us.unwrap_or_else(now_us);
        let length = selection.since_us.map(|since| until.saturating_sub(since));
        let is_by_hour = match step {
            Step::Hour => true,
            Step::Day => false,
            Step::Auto => length.is_some_and(|length| length <= 73 * HOUR_US),
        };
        let (step, step_s) = match is_by_hour {
            true => (TrendStep::Hour, 3600),
            false => (TrendStep::Day, 86_400),
        };
        Ok(Series {
            step_s,
            points: store.series(&selection, step)?,
            releases: store.releases(&selection)?,
        })
    });
    Ok(Json(found.await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_compared_with_the_same_days_of_the_week() {
        let week = WEEK_US / 1_000_000;
        let of = |hours: u64| {
            let window = Window::new(100 * WEEK_US, 100 * WEEK_US + hours * HOUR_US);
            window.shift_s / week
        };
        assert_eq!(
            [of(1), of(24), of(168), of(169), of(30 * 24)],
            [1, 1, 1, 2, 5]
        );
    }
}
