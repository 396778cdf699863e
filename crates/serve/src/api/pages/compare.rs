//! Two groups of runs side by side, by run: what changed, how sure that is, and which call causes it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use regressions::significance::{Confidence, ENOUGH_NEAR_PERCENTILE};
use serde::Serialize;
use store::{Difference, FunctionChange, Selection, SpanTotal, Store};
use utoipa::ToSchema;

use super::causes::{BothCalls, Calls, Cause};
use super::compared::{LEAST, MIN_RUNS, float, part};
use super::proposals::{Proposals, of_filter};
use super::release_effect::{Figures, whole};
use crate::access::Caller;
use crate::api::questions::{Answer, Both, Filter, selection, visible_apps};
use crate::asking::ask;
use crate::comparison::{Comparison, judge};
use crate::filter::condition;
use crate::problem::Problem;
use crate::state::State;

/// The most rows of each list.
const MAX_ROWS: usize = 50;

/// The share of a run's time below which a change matters to no reader, however
/// sure it is.
const MIN_SHARE: f64 = 0.001;

/// The smallest shift of most functions that is said.
const MIN_COMMON: f64 = 0.03;

/// The most applications with proposals, and the most statements.
const MAX_APPS: usize = 20;
const MAX_SPANS: usize = 30;

/// Two groups of runs, by run.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ComparisonPage {
    /// The runs before and after.
    runs: [u64; 2],
    /// The requests that they stand for.
    requests: [f64; 2],
    /// The days that have them.
    days: [u64; 2],
    figures: Figures,
    /// How certain the answer can be.
    judged: Judgement,
    /// The same in a sentence, if it is not certain.
    note: Option<String>,
    /// The relative change that most functions share: the load of the machines rather than the code. None below 3 %.
    common: Option<f64>,
    /// What explains the mean.
    mean: Explained,
    /// What explains the 95th percentile, from the runs nearest to it; none if fewer than ten of a side are kept.
    p95: Option<Explained>,
    /// The spans whose time changed most.
    spans: Vec<SpanChange>,
}

/// How certain a comparison can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judgement {
    /// Each change is compared with noise.
    Judged,
    /// A side has too few runs for that.
    TooFewRuns,
    /// The times are parts of days, of which the spread of functions is not known.
    PartsOfDays,
}

/// How sure a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sureness {
    Sure,
    Likely,
    /// Within noise.
    Noise,
    /// Too few runs.
    Unknown,
}

impl From<Confidence> for Sureness {
    fn from(confidence: Confidence) -> Self {
        match confidence {
            Confidence::Sure => Self::Sure,
            Confidence::Likely => Self::Likely,
            Confidence::Noise => Self::Noise,
            Confidence::Unknown => Self::Unknown,
        }
    }
}

/// The functions that explain a change.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Explained {
    /// The whole before and after, in nanoseconds of a run.
    whole: [f64; 2],
    /// Its change.
    change: f64,
    /// The runs that it is made from.
    runs: [u64; 2],
    /// How certain it can be.
    judged: Judgement,
    /// The same in a sentence, if it is not certain.
    note: Option<String>,
    /// The calls that cause changes, those with the largest first.
    causes: Vec<Cause>,
    /// The functions whose change is sure or likely, and matters. One that causes the change of others stands before
    /// them.
    rows: Vec<ChangedFunction>,
    /// The others, those with the largest changes first.
    rest: Vec<ChangedFunction>,
    /// How many others there are.
    rest_count: u64,
    /// Their change together, in nanoseconds of a run.
    rest_change: f64,
}

/// A function before and after, by run.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ChangedFunction {
    name: String,
    /// The change of its self time, in nanoseconds.
    change: f64,
    sureness: Sureness,
    /// Its part of the change of the whole; none if the whole hardly changed.
    part: Option<f64>,
    own_before: f64,
    own_after: f64,
    /// The time with callees.
    wall_before: f64,
    wall_after: f64,
    /// The part of the change that more or fewer calls explain, in nanoseconds.
    by_calls: f64,
    /// The part of dearer or cheaper calls.
    by_cost: f64,
    calls_before: f64,
    calls_after: f64,
    /// The number of its cause among `causes`.
    cause: Option<u32>,
}

/// Spans of the same text before and after, by run.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct SpanChange {
    kind: String,
    text: String,
    /// Their number; 0 before is a new one, 0 after is one that is gone.
    calls_before: f64,
    calls_after: f64,
    /// Their time, in nanoseconds.
    wall_before: f64,
    wall_after: f64,
    change: f64,
}

/// Two groups of runs, by run: what changed, how sure that is, and which call causes it.
#[utoipa::path(get, path = "/api/v1/pages/compare", params(Both), responses((status = 200, body = ComparisonPage), (status = 404)))]
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(both): Query<Both>,
) -> Answer<ComparisonPage> {
    let selections = [
        selection(&both.before, &caller)?,
        selection(&both.after, &caller)?,
    ];
    let found = ask(&state, move |store| ComparisonPage::of(store, &selections)).await?;
    let missing = |side| {
        let filter = if side == 0 { &both.before } else { &both.after };
        Problem::nothing_matches(filter)
    };
    Ok(Json(found.map_err(missing)?))
}

/// What can be compared without typing: of each application, and of the runs of a filter.
#[utoipa::path(get, path = "/api/v1/pages/compare/proposals", params(Filter), responses((status = 200, body = Vec<Proposals>)))]
pub(crate) async fn proposals(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(filter): Query<Filter>,
) -> Answer<Vec<Proposals>> {
    let selection = filter.selection(&caller)?;
    let only = selection.app.clone();
    let apps = visible_apps(&state, &caller).await?;
    let releases = ask(&state, move |store| store.releases(&selection)).await?;
    let apps = apps.into_iter().map(|app| app.name);
    let apps = apps.filter(|app| only.as_ref().is_none_or(|only| only == app));
    let proposals = apps.take(MAX_APPS).map(|app| {
        let filter = match only.is_some() {
            true => filter.q.clone(),
            false => format!("{} {}", filter.q, condition("app", &app)),
        };
        Proposals {
            proposals: of_filter(filter.trim(), &app, &releases),
            app,
        }
    });
    Ok(Json(proposals.collect()))
}

impl ComparisonPage {
    fn of(store: &dyn Store, selections: &[Selection; 2]) -> store::Result<Result<Self, usize>> {
        let found = match Comparison::of(store, selections)? {
            Ok(found) => found,
            Err(side) => return Ok(Err(side)),
        };
        let [before, after] = selections;
        let sums = [whole(store, before)?, whole(store, after)?];
        let spans = [
            store.spans(before, usize::MAX)?,
            store.spans(after, usize::MAX)?,
        ];
        let runs = found.sides.runs;
        let means = found
            .totals
            .each_ref()
            .map(|row| part(row.wall, row.runs).unwrap_or(0.0));
        let (common, confidences) = judge(&found.mean.functions, found.sides);
        let judged = judged(&found.mean.functions, &confidences, runs, MIN_RUNS);
        let mean = explained(&found.mean, &confidences, means, runs, judged);
        let p95 = found.near_p95.as_ref().map(|near| {
            let confidences = judge(&near.difference.functions, near.sides).1;
            let whole = found.totals.each_ref().map(|row| float(row.p95));
            let runs = near.sides.runs;
            let [least, _] = ENOUGH_NEAR_PERCENTILE;
            let judged = self::judged(&near.difference.functions, &confidences, runs, least);
            Explained {
                note: note(judged, runs, least),
                ..explained(&near.difference, &confidences, whole, runs, judged)
            }
        });
        Ok(Ok(Self {
            runs,
            requests: found.totals.each_ref().map(|row| row.requests),
            days: found.sides.days,
            figures: Figures::of(sums[0].as_ref(), sums[1].as_ref()),
            note: note(judged, runs, MIN_RUNS),
            judged,
            common: (common.change.abs() >= MIN_COMMON).then(|| common.change.exp_m1()),
            mean,
            p95,
            spans: changed_spans(spans, runs),
        }))
    }
}

/// `least` is the fewest runs of each side.
fn judged(
    rows: &[FunctionChange],
    confidences: &[Confidence],
    runs: [u64; 2],
    least: u64,
) -> Judgement {
    let is_unknown = |confidence: &Confidence| *confidence == Confidence::Unknown;
    let has_no_spread =
        |row: &FunctionChange| row.called_before.is_none() || row.called_after.is_none();
    if runs.iter().any(|runs| *runs < least) {
        Judgement::TooFewRuns
    } else if !rows.is_empty() && rows.iter().all(has_no_spread) {
        Judgement::PartsOfDays
    } else if !rows.is_empty() && confidences.iter().all(is_unknown) {
        Judgement::TooFewRuns
    } else {
        Judgement::Judged
    }
}

fn note(judged: Judgement, [before, after]: [u64; 2], least: u64) -> Option<String> {
    match judged {
        Judgement::Judged => None,
        Judgement::TooFewRuns => Some(format!(
            "{before} and {after} runs are too few to tell a change from chance: {least} of each side are needed."
        )),
        Judgement::PartsOfDays => Some(
            "A side has parts of days. How much functions vary is known for whole days of UTC only, so no change is \
             compared with chance."
                .to_owned(),
        ),
    }
}

/// The functions that explain the change of a whole.
fn explained(
    difference: &Difference,
    confidences: &[Confidence],
    whole: [f64; 2],
    runs: [u64; 2],
    judged: Judgement,
) -> Explained {
    let both = BothCalls::new(Calls::of(&difference.before), Calls::of(&difference.after));
    let change = whole[1] - whole[0];
    let least = MIN_SHARE * whole[0].max(whole[1]);
    let own = |row: &FunctionChange| row.own_after - row.own_before;
    let largest = difference.functions.iter().map(|row| own(row).abs());
    let largest = largest.fold(0.0, f64::max);
    // A share of a change that is nearly nothing says nothing.
    let has_parts = change.abs() > 0.2 * largest;
    let mut causes: Vec<Cause> = Vec::new();
    let mut numbers: HashMap<(String, String), u32> = HashMap::new();
    let (mut rows, mut rest) = (Vec::new(), Vec::new());
    for (row, confidence) in difference.functions.iter().zip(confidences) {
        let is_told =
            matches!(confidence, Confidence::Sure | Confidence::Likely) && own(row).abs() >= least;
        let mut shown = ChangedFunction::of(row, (*confidence).into(), has_parts.then_some(change));
        if is_told && row.by_calls.abs() >= 0.5 * own(row).abs() {
            shown.cause = both.cause(&row.name).map(|cause| {
                let key = (cause.caller.clone(), cause.function.clone());
                let number = *numbers.entry(key).or_insert_with(|| {
                    causes.push(cause);
                    u32::try_from(causes.len() - 1).unwrap_or(0)
                });
                if let Some(cause) = causes.get_mut(number as usize) {
                    cause.functions.push(row.name.clone());
                }
                number
            });
        }
        if is_told {
            rows.push(shown);
        } else {
            rest.push(shown);
        }
    }
    let rows = causes_first(rows, &mut rest, &causes);
    let rest_change = rest.iter().map(|row| row.change).sum();
    let rest_count = rest.len() as u64;
    rest.truncate(MAX_ROWS);
    Explained {
        whole,
        change,
        runs,
        judged,
        note: None,
        causes,
        rows,
        rest,
        rest_count,
        rest_change,
    }
}

impl ChangedFunction {
    fn of(row: &FunctionChange, sureness: Sureness, whole: Option<f64>) -> Self {
        let change = row.own_after - row.own_before;
        Self {
            name: row.name.clone(),
            change,
            sureness,
            part: whole.map(|whole| change / whole),
            own_before: row.own_before,
            own_after: row.own_after,
            wall_before: row.wall_before,
            wall_after: row.wall_after,
            by_calls: row.by_calls,
            by_cost: change - row.by_calls,
            calls_before: row.calls_before,
            calls_after: row.calls_after,
            cause: None,
        }
    }
}

/// Puts the function of a cause before those that it explains, also if its own time hardly changed.
fn causes_first(
    rows: Vec<ChangedFunction>,
    rest: &mut Vec<ChangedFunction>,
    causes: &[Cause],
) -> Vec<ChangedFunction> {
    let mut waiting = rows;
    waiting.truncate(MAX_ROWS);
    let mut ordered: Vec<ChangedFunction> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let row = waiting.remove(0);
        let cause = row.cause.and_then(|number| causes.get(number as usize));
        if let Some(cause) = cause.filter(|cause| cause.function != row.name) {
            let is_it = |other: &ChangedFunction| other.name == cause.function;
            let first = match waiting.iter().position(is_it) {
                Some(place) => Some(waiting.remove(place)),
                None => {
                    let place = rest.iter().position(is_it);
                    place.map(|place| rest.remove(place))
                }
            };
            ordered.extend(first.map(|first| ChangedFunction {
                cause: row.cause,
                ..first
            }));
        }
        ordered.push(row);
    }
    ordered
}

/// The spans whose number or time in a run changed, the largest change of time first.
fn changed_spans(sides: [Vec<SpanTotal>; 2], runs: [u64; 2]) -> Vec<SpanChange> {
    let mut all: HashMap<(String, String), [(f64, f64); 2]> = HashMap::new();
    for ((side, spans), runs) in sides.into_iter().enumerate().zip(runs) {
        for span in spans {
            let sums = all.entry((span.kind, span.text)).or_default();
            if let Some(sum) = sums.get_mut(side) {
                let of_run = |sum| part(sum, runs).unwrap_or(0.0);
                *sum = (of_run(span.calls), of_run(span.wall));
            }
        }
    }
    // No two runs take the same time.
    let is_other = |before: f64, after: f64| (after - before).abs() > LEAST * before.max(after);
    let mut changes: Vec<SpanChange> = all
        .into_iter()
        .map(|((kind, text), [before, after])| SpanChange {
            kind,
            text,
            calls_before: before.0,
            calls_after: after.0,
            wall_before: before.1,
            wall_after: after.1,
            change: after.1 - before.1,
        })
        .filter(|span| {
            is_other(span.calls_before, span.calls_after)
                || is_other(span.wall_before, span.wall_after)
        })
        .collect();
    changes.sort_by(|one, other| {
        let by_change = other.change.abs().total_cmp(&one.change.abs());
        by_change.then_with(|| one.text.cmp(&other.text))
    });
    changes.truncate(MAX_SPANS);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, cause: Option<u32>) -> ChangedFunction {
        let row = FunctionChange {
            name: name.to_owned(),
            ..FunctionChange::default()
        };
        ChangedFunction {
            cause,
            ..ChangedFunction::of(&row, Sureness::Sure, None)
        }
    }

    #[test]
    fn a_new_caller_stands_before_the_callee_whose_cost_it_causes() {
        let cause = Cause {
            caller: "page".to_owned(),
            function: "reviews".to_owned(),
            calls_before: 0.0,
            calls_after: 1.0,
            change: 9.0,
            functions: Vec::new(),
        };
        let mut rest = vec![row("other", None), row("reviews", None)];
        let rows = vec![row("slow", None), row("PDO::query", Some(0))];
        let ordered = causes_first(rows, &mut rest, &[cause]);
        let names: Vec<&str> = ordered.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["slow", "reviews", "PDO::query"]);
        assert_eq!(rest.len(), 1);
    }

    #[test]
    fn few_runs_and_parts_of_days_are_said() {
        let whole = FunctionChange {
            called_before: Some(50),
            called_after: Some(50),
            ..FunctionChange::default()
        };
        let part = FunctionChange::default();
        let noise = [Confidence::Noise];
        let unknown = [Confidence::Unknown];
        let whole = [whole];
        assert_eq!(judged(&whole, &noise, [18, 14], 30), Judgement::TooFewRuns);
        assert_eq!(
            judged(&whole, &unknown, [50, 50], 30),
            Judgement::TooFewRuns
        );
        assert_eq!(
            judged(&[part], &unknown, [50, 50], 30),
            Judgement::PartsOfDays
        );
        assert_eq!(judged(&whole, &noise, [50, 50], 30), Judgement::Judged);
        let text = note(Judgement::TooFewRuns, [18, 14], 30).unwrap();
        assert!(text.starts_with("18 and 14 runs are too few"), "{text}");
    }

    #[test]
    fn statements_are_compared_by_run() {
        let span = |text: &str, calls, wall| SpanTotal {
            kind: "sql".to_owned(),
            text: text.to_owned(),
            calls,
            wall,
            ..SpanTotal::default()
        };
        let sides = [
            vec![span("a", 10, 1000), span("gone", 10, 10)],
            vec![span("a", 20, 2001), span("new", 60, 600)],
        ];
        let changes = changed_spans(sides, [10, 20]);
        let texts: Vec<&str> = changes.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(texts, ["new", "gone"]);
        assert_eq!(
            (changes[0].calls_before, changes[0].calls_after),
            (0.0, 3.0)
        );
        assert_eq!(changes[0].change, 30.0);
    }
}
