//! What the server keeps, who may use it, and what it refused.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Extension;
use axum::extract::State as Shared;
use store::{AppInfo, Policies, Policy, Reason, Stats};

use super::Page;
use super::frame::{Section, page};
use super::html::{Table, condition, encoded, escaped};
use super::units::{bytes, date_us, number};
use crate::access::{Access, Caller, Scope, Token};
use crate::api::{ask, visible_apps};
use crate::metrics::Counters;
use crate::state::State;

/// The page.
pub(crate) async fn settings(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Page {
    let apps = visible_apps(&state, &caller).await?;
    let mut body = applications(&apps);
    let policies = ask(&state, |store| store.policies()).await?;
    body.push_str(&retention(&apps, &policies, &caller));
    // A token of one application sees no totals of all.
    if caller.app.is_none() {
        let stats = ask(&state, |store| store.stats()).await?;
        body.push_str(&size(&stats));
        body.push_str(&removed(&stats));
        body.push_str(&uploads(&state.counters));
    }
    body.push_str("<h2>Tokens</h2>");
    body.push_str(&match &state.config.access {
        Access::WithoutLogin => "<p>There is no login: the server asks for no token. \
            <code>--token-file FILE --add-token NAME:read,write,admin</code> makes one.</p>"
            .to_owned(),
        Access::Tokens(_) if !caller.may(Scope::Admin) => {
            "<p>Only tokens with the scope <code>admin</code> see the list.</p>".to_owned()
        }
        Access::Tokens(tokens) => table_of(tokens, &caller),
    });
    Ok(page(&state, &caller, Section::Settings, "Settings", &body))
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
        ("", "Latest run (UTC)"),
    ];
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
                date_us(app.last_us),
            ],
        );
    }
    format!("<h2>Applications</h2>{}", table.finish())
}

/// How long the runs of each application are kept.
fn retention(apps: &[AppInfo], policies: &Policies, caller: &Caller) -> String {
    let mut table = Table::new(
        "Retention",
        &[
            ("name", "Application"),
            ("", "Days"),
            ("few", "Runs"),
            ("", "Size"),
            ("few", "Slowest and failed of each route"),
            ("few", "Their days"),
            ("few", "Days of sums"),
        ],
    );
    let limit = |value: Option<String>| value.unwrap_or_else(|| "any".to_owned());
    let mut row = |name: String, policy: &Policy| {
        table.row(
            "",
            [
                name,
                limit(policy.days.map(|days| days.to_string())),
                limit(policy.runs.map(number)),
                limit(policy.bytes.map(bytes)),
                policy.notable.to_string(),
                policy.keep_notable_days.to_string(),
                limit(policy.sums_days.map(|days| days.to_string())),
            ],
        );
    };
    for app in apps {
        row(escaped(&app.name), policies.of(&app.name));
    }
    if caller.app.is_none() {
        row("<em>others</em>".to_owned(), &policies.default);
    }
    format!(
        "<h2>Retention</h2>{}<p class=\"dim\">The server removes what a policy does not keep, every hour; labelled \
         runs stay. A token with the scope <code>admin</code> changes a policy: <code>curl -X PUT \
         -H 'Authorization: Bearer TOKEN' --json '{{\"days\": 30}}' \
         http://…/api/v1/policies/APP</code></p>",
        table.finish()
    )
}

/// What the policies removed, and why.
fn removed(stats: &Stats) -> String {
    if stats.removed.is_empty() {
        return String::new();
    }
    let headings = [("left", "Reason"), ("", "Number"), ("", "Size")];
    let mut table = Table::new("Removed by policies", &headings);
    for of in &stats.removed {
        let reason = match of.reason {
            Reason::Age => "runs that were too old",
            Reason::Count => "runs that were too many",
            Reason::Size => "runs that took too much space",
            Reason::Sums => "hourly sums that were too old",
        };
        table.row("", [reason.to_owned(), number(of.count), bytes(of.bytes)]);
    }
    format!("<h2>Removed by policies</h2>{}", table.finish())
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

/// Names, scopes and applications; the secrets are not known here.
fn table_of(tokens: &[Token], caller: &Caller) -> String {
    let headings = [
        ("name", "Name"),
        ("left", "Scopes"),
        ("left", "Application"),
    ];
    let mut table = Table::new("Tokens", &headings);
    let is_visible = |token: &&Token| caller.app.is_none() || caller.app == token.app;
    for token in tokens.iter().filter(is_visible) {
        let scopes = token
            .scopes
            .iter()
            .map(|scope| format!("{scope:?}").to_lowercase());
        table.row(
            "",
            [
                escaped(&token.name),
                scopes.collect::<Vec<_>>().join(", "),
                escaped(token.app.as_deref().unwrap_or("all")),
            ],
        );
    }
    table.finish()
}
