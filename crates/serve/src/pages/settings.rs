//! What the server keeps, who may use it, and what it refused.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::{AppInfo, DroppedRuns, Stats};

use super::Page;
use super::frame::{Section, page};
use super::html::{Table, condition, encoded, escaped};
use super::retention::{removed, retention};
use super::units::{bytes, date_us, day, number};
use super::{quotas, tokens};
use crate::access::Caller;
use crate::api::{ask, visible_apps, visible_dropped, visible_policies};
use crate::metrics::Counters;
use crate::state::State;
use crate::undelivered::Refused;

/// How far back dropped runs are listed, in days, and how many lines there are.
const DAYS: u16 = 30;
const SHOWN: usize = 100;

/// What the form of a policy leads back with.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Changed {
    /// The application whose policy was saved.
    saved: Option<String>,
}

/// The page.
pub(crate) async fn settings(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Changed { saved }): Query<Changed>,
) -> Page {
    let apps = visible_apps(&state, &caller).await?;
    let mut body = applications(&apps);
    let policies = visible_policies(&state, &caller).await?;
    body.push_str(&retention(&apps, &policies, &caller, saved.as_deref()));
    body.push_str(&quotas::section(&state, &apps, &policies).await?);
    // A token of one application sees no totals of all.
    if caller.app.is_none() {
        let stats = ask(&state, |store| store.stats()).await?;
        body.push_str(&size(&stats));
        body.push_str(&removed(&stats));
        body.push_str(&uploads(&state.counters));
        body.push_str(&undelivered(&state.config.undelivered.all()));
    }
    let rows = visible_dropped(&state, &caller, DAYS).await?;
    body.push_str(&dropped(&rows));
    body.push_str(&tokens::section(&state, &caller).await?);
    Ok(page(&state, &caller, Section::Settings, "Settings", &body))
}

/// Findings that the receiver of the webhook did not take.
fn undelivered(findings: &[Refused]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let headings = [
        ("left", "Sent at (UTC)"),
        ("name", "Application"),
        ("left", "Finding"),
        ("left wrap", "Why"),
    ];
    let mut table = Table::new("Findings that were not taken", &headings);
    for finding in findings {
        table.row(
            "",
            [
                date_us(finding.at_us),
                escaped(&finding.app),
                escaped(&finding.id),
                escaped(&finding.reason),
            ],
        );
    }
    format!(
        "<h2 id=\"undelivered\">Findings that were not taken</h2><p>The receiver of the webhook \
         refused them. They are sent again with each search; others do not wait for them.</p>{}",
        table.finish()
    )
}

/// Runs that agents dropped before they came here, of each day, application and
/// machine.
fn dropped(rows: &[DroppedRuns]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let headings = [
        ("left", "Day (UTC)"),
        ("name", "Application"),
        ("name", "Machine"),
        ("left wrap", "Why"),
        ("", "Runs"),
        ("few", "Size"),
    ];
    let mut table = Table::new("Runs that did not come here", &headings);
    for row in rows.iter().take(SHOWN) {
        let reason = match row.reason.as_str() {
            "queue_full" => "the agent's queue was full",
            "refused" => "this server refused them",
            "too_large" => "they were too large",
            "over_quota" => "the quota of the application was used up",
            "damaged" => "the agent's file was damaged",
            other => other,
        };
        table.row(
            "",
            [
                day(i64::try_from(row.day_s).unwrap_or(0)),
                if row.app.is_empty() {
                    "<span class=\"dim\">not known</span>".to_owned()
                } else {
                    escaped(&row.app)
                },
                escaped(&row.host),
                escaped(reason),
                number(row.runs),
                bytes(row.bytes),
            ],
        );
    }
    let all: u64 = rows.iter().map(|row| row.runs).sum();
    format!(
        "<h2 id=\"dropped\">Runs that did not come here</h2><p>Agents dropped {} runs in the last \
         {DAYS} days. Lists and sums do not have them.</p>{}",
        number(all),
        table.finish()
    )
}

fn applications(apps: &[AppInfo]) -> String {
    if apps.is_empty() {
        return "<h2>Applications</h2><p>There are no runs yet. Send one with \
            <code>xhprof push run.xhp --to http://… --app shop</code></p>"
            .to_owned();
    }
    let headings = [
        ("name", "Application"),
        ("", "Runs"),
        ("", "Size of their files"),
        ("few", "Part of all"),
        ("few", "Latest run (UTC)"),
    ];
    let all: u64 = apps.iter().map(|app| app.bytes).sum();
    let mut table = Table::new("Applications", &headings);
    for app in apps {
        table.row(
            "",
            [
                format!(
                    "<a href=\"/?q={}\">{}</a>",
                    encoded(&condition("app", &app.name)),
                    escaped(&app.name)
                ),
                number(app.runs),
                bytes(app.bytes),
                share(app.bytes, all),
                if app.runs == 0 {
                    String::new()
                } else {
                    date_us(app.last_us)
                },
            ],
        );
    }
    format!("<h2>Applications</h2>{}", table.finish())
}

#[expect(clippy::cast_precision_loss, reason = "one digit is shown")]
fn share(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

fn size(stats: &Stats) -> String {
    let rows = [
        ("Runs", number(stats.runs)),
        ("Files of runs", bytes(stats.run_bytes)),
        ("On disk, sums included", bytes(stats.disk_bytes)),
        ("Hourly sums", number(stats.cells)),
        ("Routes", number(stats.routes)),
        ("Names of functions", number(stats.names)),
        (
            "Earliest run (UTC)",
            stats.first_us.map_or_else(String::new, date_us),
        ),
        (
            "Latest run (UTC)",
            stats.last_us.map_or_else(String::new, date_us),
        ),
    ];
    let mut table = Table::new("Size of the store", &[("left", "Size"), ("", "Now")]);
    for (name, value) in rows {
        table.row("", [name.to_owned(), value]);
    }
    format!("<h2>Size</h2>{}", table.finish())
}

/// What was taken and refused since the server started.
fn uploads(counters: &Counters) -> String {
    let of = |counter: &std::sync::atomic::AtomicU64| number(counter.load(Ordering::Relaxed));
    let mut table = Table::new("Uploads", &[("left", "Since the start"), ("", "Uploads")]);
    for (name, counter) in [
        ("Stored", &counters.taken),
        ("Sent again, so not stored", &counters.known),
        ("Refused", &counters.refused),
        ("Beyond a quota", &counters.over_quota),
    ] {
        table.row("", [name.to_owned(), of(counter)]);
    }
    let mut html = format!("<h2>Uploads</h2>{}", table.finish());
    let refusals = counters.refusals();
    if refusals.is_empty() {
        return html;
    }
    let headings = [
        ("left", "Refused at (UTC)"),
        ("left", "Sender"),
        ("left wrap", "Why"),
    ];
    let mut table = Table::new("Refused uploads", &headings);
    for refusal in refusals {
        table.row(
            "",
            [
                date_us(refusal.at_us),
                escaped(&refusal.by),
                escaped(&refusal.reason),
            ],
        );
    }
    html.push_str(&table.finish());
    html
}
