//! The page of a comparison.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::response::{IntoResponse, Redirect, Response};
use regressions::significance::{ENOUGH_NEAR_PERCENTILE, LIKELY, OF_DAYS, SURE};
use store::{RouteRow, RunId};

use super::changes::{Changes, table};
use super::frame::{Section, page};
use super::html::{encoded, error, escaped};
use super::links;
use super::run_table::comparison;
use super::units::{counted, difference, relative, span, time};
use crate::access::Caller;
use crate::api::{Both, ask, found, selection, visible_apps};
use crate::comparison::{Comparison, judge};
use crate::problem::Problem;
use crate::state::State;

/// What the address asks: two filters, or runs that were chosen in a list.
type Asked = Query<Vec<(String, String)>>;

/// What each function takes in a run, before and after.
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Asked,
) -> Result<Response, Problem> {
    let values = |of: &str| -> Vec<&str> {
        let values = asked.iter().filter(|(name, _)| name == of);
        values.map(|(_, value)| value.as_str()).collect()
    };
    let chosen = values("run");
    if !chosen.is_empty() {
        return two_runs(&state, &caller, &chosen).await;
    }
    let one = |of| values(of).first().copied().unwrap_or_default().to_owned();
    let both = Both {
        before: one("before"),
        after: one("after"),
    };
    let shown =
        |body: &str| page(&state, &caller, Section::Compare, "Compare", body).into_response();
    let mut body = form(&both);
    if both.before.is_empty() && both.after.is_empty() {
        body.push_str(&proposals(&state, &caller).await?);
        return Ok(shown(&body));
    }
    let selections = selection(&both.before, &caller)
        .and_then(|before| Ok([before, selection(&both.after, &caller)?]));
    let selections = match selections {
        Ok(selections) => selections,
        Err(problem) => return Ok(shown(&(body + &error(&problem.message)))),
    };
    match ask(&state, move |store| Comparison::of(store, &selections)).await? {
        Ok(found) => body.push_str(&Answer(found).html(&both)),
        Err(side) => {
            let filter = if side == 0 { &both.before } else { &both.after };
            let reason = format!("No run with times matches “{filter}”.");
            body.push_str(&error(&reason));
        }
    }
    Ok(shown(&body))
}

fn form(both: &Both) -> String {
    format!(
        "<form class=\"both\"><label>Before <input name=\"before\" value=\"{}\" \
         placeholder=\"route:/cart release:1\"></label> <label>After <input name=\"after\" \
         value=\"{}\" placeholder=\"route:/cart release:2\"></label> <button>Compare</button></form>",
        escaped(&both.before),
        escaped(&both.after)
    )
}

/// What can be compared without typing.
async fn proposals(state: &Arc<State>, caller: &Caller) -> Result<String, Problem> {
    let apps = visible_apps(state, caller).await?;
    let all = selection("", caller)?;
    let releases = ask(state, move |store| store.releases(&all)).await?;
    let text = "<p>Type two filters: two releases, days, hosts or tags. Two single runs are chosen \
        in the list of <a href=\"/\">runs</a>.</p>";
    Ok(text.to_owned() + &links::of_apps(&apps, &releases))
}

/// Opens two runs in the viewer, the earlier one as the base.
async fn two_runs(
    state: &Arc<State>,
    caller: &Caller,
    chosen: &[&str],
) -> Result<Response, Problem> {
    let [one, other] = chosen else {
        return Err(Problem::bad(format!(
            "{} chosen: choose two in the list. Groups of runs are compared by their filters",
            counted(chosen.len() as u64, "run")
        )));
    };
    let one = found(state, caller, one).await?.info;
    let other = found(state, caller, other).await?.info;
    let order = |base: RunId, new: RunId| Redirect::to(&comparison(base, new));
    Ok(if one.started_us <= other.started_us {
        order(one.id, other.id)
    } else {
        order(other.id, one.id)
    }
    .into_response())
}

/// The comparison as a page.
struct Answer(Comparison);

impl Answer {
    fn html(&self, both: &Both) -> String {
        let [before, after] = &self.0.totals;
        let mut html = String::from("<div class=\"facts\">");
        let mean = |row: &RouteRow| mean(row.wall, row.runs);
        fact(
            &mut html,
            "Runs",
            &counted(before.runs, "run"),
            &counted(after.runs, "run"),
            "",
        );
        for (name, values) in [
            ("Mean", [mean(before), mean(after)]),
            ("p50", [before.p50, after.p50].map(float)),
            ("p95", [before.p95, after.p95].map(float)),
            ("p99", [before.p99, after.p99].map(float)),
        ] {
            let [old, new] = values;
            fact(&mut html, name, &span(old), &span(new), &relative(old, new));
        }
        html.push_str("</div>");
        let address = format!(
            "/compare/tree?before={}&after={}",
            encoded(&both.before),
            encoded(&both.after)
        );
        let _ = write!(
            html,
            "<p><a class=\"button\" href=\"{}\">Flame graph of the difference</a></p>",
            escaped(&address)
        );
        let (common, confidences) = judge(&self.0.mean.functions, self.0.sides);
        if common.change.abs() >= 0.03 {
            let _ = write!(
                html,
                "<p class=\"note\">Most functions take {} of their time: that is the load of the \
                 machines rather than the code. A change is sure only beyond it.</p>",
                relative(1.0, common.change.exp())
            );
        }
        let _ = write!(
            html,
            "<h2>What explains the mean: {} a run</h2>",
            difference(mean(after) - mean(before))
        );
        html.push_str(&table(&Changes {
            of: "mean",
            rows: &self.0.mean.functions,
            confidences: &confidences,
            whole: [mean(before), mean(after)],
            filter: &both.after,
        }));
        html.push_str(&self.slow(&both.after));
        html.push_str(&notes());
        html
    }

    /// The runs near the 95th percentile.
    fn slow(&self, filter: &str) -> String {
        let [before, after] = &self.0.totals;
        let change = float(after.p95) - float(before.p95);
        let mut html = format!(
            "<h2>What explains the 95th percentile: {}</h2>",
            difference(change)
        );
        let Some(near) = &self.0.near_p95 else {
            html.push_str(
                "<p>Not known: of each side at least ten runs near the percentile must be kept.</p>",
            );
            return html;
        };
        let _ = write!(
            html,
            "<p class=\"dim\">From the runs nearest to it: {} before ({}), {} after ({}).</p>",
            near.difference.before.runs,
            time(before.p95),
            near.difference.after.runs,
            time(after.p95)
        );
        html.push_str(&table(&Changes {
            of: "95th percentile",
            rows: &near.difference.functions,
            confidences: &judge(&near.difference.functions, near.sides).1,
            whole: [before.p95, after.p95].map(float),
            filter,
        }));
        html
    }
}

/// What the columns mean, and what makes a change sure.
fn notes() -> String {
    let [likely, sure] = ENOUGH_NEAR_PERCENTILE;
    format!(
        "<p class=\"dim\">Times are self times of one run, on average. “By calls” is the part that \
         more or fewer calls explain, “by cost” the part of dearer or cheaper calls.</p>\
         <p class=\"dim\">“Sure” is a change of {SURE} standard errors, “likely” of {LIKELY}, with \
         few runs of more; anything else is within noise. The error is that of the runs, of {:.0} % that a \
         function differs from day to day, and of what most functions share, which is the load and no \
         change; near the percentile also that of the percentile. There a likely change needs {likely} \
         runs on each side, a sure one {sure}. A call that only one side has is sure if the other would \
         lack it by chance once in a million times.</p>",
        OF_DAYS * 100.0
    )
}

fn fact(html: &mut String, name: &str, before: &str, after: &str, change: &str) {
    let _ = write!(
        html,
        "<dl><dt>{name}</dt><dd>{before} → <strong>{after}</strong> {change}</dd></dl>"
    );
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn float(value: u64) -> f64 {
    value as f64
}

fn mean(sum: u64, runs: u64) -> f64 {
    float(sum) / float(runs.max(1))
}
