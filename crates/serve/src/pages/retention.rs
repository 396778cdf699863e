//! The part of the settings about retention: the policies, and what they
//! removed.

use std::collections::BTreeSet;

use store::{AppInfo, Policies, Policy, Reason, Stats};

use super::html::{Table, encoded, escaped};
use super::units::number;
use crate::access::{Caller, Scope};
use crate::bytes::bytes;

/// How long the runs of each application are kept. `saved` is the application
/// whose policy was just saved.
pub(super) fn retention(
    apps: &[AppInfo],
    policies: &Policies,
    caller: &Caller,
    saved: Option<&str>,
) -> String {
    let may_change = caller.may(Scope::Admin);
    let mut headings = vec![
        ("name", "Application"),
        ("", "Days"),
        ("few", "Runs"),
        ("", "Size"),
        ("few", "Slowest and failed of each route"),
        ("few", "Their days"),
        ("few", "Days of sums"),
    ];
    if may_change {
        headings.push(("", "<span class=\"hidden\">Change</span>"));
    }
    let mut table = Table::new("Retention", &headings);
    let limit = |value: Option<String>| value.unwrap_or_else(|| "any".to_owned());
    let mut row = |app: &str, policy: &Policy| {
        let (name, label) = if app.is_empty() {
            ("<em>others</em>".to_owned(), "others".to_owned())
        } else {
            (escaped(app), escaped(app))
        };
        let mut cells = vec![
            name,
            limit(policy.days.map(|days| days.to_string())),
            limit(policy.runs.map(number)),
            limit(policy.bytes.map(bytes)),
            policy.notable.to_string(),
            policy.keep_notable_days.to_string(),
            limit(policy.sums_days.map(|days| days.to_string())),
        ];
        if may_change {
            cells.push(format!(
                "<a href=\"/settings/policy?app={}\" aria-label=\"Change the policy of {label}\">Change</a>",
                encoded(app)
            ));
        }
        table.cells("", cells);
    };
    // An application may have a policy before its first run.
    let own = policies.apps.iter().map(|own| own.app.as_str());
    let own = own.filter(|app| caller.sees(app));
    let mut names: BTreeSet<&str> = own.collect();
    names.extend(apps.iter().map(|app| app.name.as_str()));
    for app in names {
        row(app, policies.of(app));
    }
    if caller.app.is_none() {
        row("", &policies.default);
    }
    let note = if may_change {
        ""
    } else {
        " A token with the scope <code>admin</code> changes a policy."
    };
    format!(
        "<h2 id=\"retention\">Retention</h2>{}{}<p class=\"dim\">The server removes what a policy does \
         not keep, every hour; labelled runs stay.{note}</p>",
        saved
            .filter(|app| caller.sees(app))
            .map_or_else(String::new, |app| changed(app, policies)),
        table.finish()
    )
}

/// Says that a policy was saved, or taken back.
fn changed(app: &str, policies: &Policies) -> String {
    let has_own = policies.apps.iter().any(|own| own.app == app);
    let text = match (app.is_empty(), has_own) {
        (true, _) => "The policy of the other applications is saved.".to_owned(),
        (false, true) => format!("The policy of {} is saved.", escaped(app)),
        (false, false) => format!("{} has the policy of the others.", escaped(app)),
    };
    format!("<p class=\"note\" role=\"status\">{text}</p>")
}

/// What the policies removed, and why.
pub(super) fn removed(stats: &Stats) -> String {
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
