//! The part of the settings about quotas: how much of each was used today.

use std::collections::BTreeMap;
use std::sync::Arc;

use store::{AppInfo, Policies, Policy, Taken};

use super::html::{Table, escaped};
use super::units::number;
use crate::api::ask;
use crate::bytes::bytes;
use crate::problem::Problem;
use crate::state::State;
use crate::time::now_us;

/// The quotas of the applications that the caller sees; nothing if they have none.
pub(super) async fn section(
    state: &Arc<State>,
    apps: &[AppInfo],
    policies: &Policies,
) -> Result<String, Problem> {
    let known = apps.iter().map(|app| &app.name);
    let own = policies.apps.iter().map(|own| &own.app);
    let limited: BTreeMap<String, Policy> = known
        .chain(own)
        .map(|app| (app.clone(), policies.of(app).clone()))
        .filter(|(_, policy)| policy.quotas() != (None, None))
        .collect();
    if limited.is_empty() {
        return Ok(String::new());
    }
    let used = ask(state, move |store| {
        let now = now_us();
        let with = |(app, policy): (String, Policy)| Ok((store.taken(&app, now)?, app, policy));
        limited
            .into_iter()
            .map(with)
            .collect::<store::Result<Vec<_>>>()
    });
    let mut table = Table::new(
        "Quotas",
        &[
            ("name", "Application"),
            ("", "Runs today"),
            ("few", "Quota"),
            ("", "Size today"),
            ("few", "Quota"),
            ("left", "State"),
        ],
    );
    for (taken, app, policy) in used.await? {
        table.row("", cells(&app, taken, &policy));
    }
    Ok(format!(
        "<h2 id=\"quotas\">Quotas</h2>{}<p class=\"dim\">Days begin at 00:00 UTC. Uploads beyond a \
         quota are refused with status 429; agents keep what they can until the next day.</p>",
        table.finish()
    ))
}

fn cells(app: &str, taken: Taken, policy: &Policy) -> [String; 6] {
    let state = if policy.is_used_up(taken) {
        "<strong>used up</strong>"
    } else {
        "open"
    };
    let none = || "<span class=\"dim\">none</span>".to_owned();
    [
        escaped(app),
        number(taken.runs),
        policy.runs_a_day.map_or_else(none, number),
        bytes(taken.bytes),
        policy.bytes_a_day.map_or_else(none, bytes),
        state.to_owned(),
    ]
}
