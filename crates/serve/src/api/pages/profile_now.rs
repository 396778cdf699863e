//! How to get a profile of one request now.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use policy::requests::ticket;
use serde::{Deserialize, Serialize};
use store::{RunInfo, RunQuery};
use utoipa::{IntoParams, ToSchema};

use crate::access::{Caller, Scope};
use crate::address::encoded;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::problem::Problem;
use crate::state::{State, Trigger};

/// What stands for the secret where it is not shown.
const PLACEHOLDER: &str = "SECRET";

/// The address that is shown if none was given.
const EXAMPLE: &str = "https://shop.example.com/cart";

/// How many runs are looked at for addresses, and the most addresses.
const LATEST: u32 = 100;
const MAX_EXAMPLES: usize = 5;

/// The longest address.
const MAX_ADDRESS: usize = 4000;

/// What to profile.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// The address of a page of the application.
    #[serde(default)]
    url: String,
}

/// How a request brings the trigger.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ProfileNow {
    /// The name of the cookie or header.
    name: String,
    /// The secret; none if the server does not know it, or if the caller may not see it.
    secret: Option<String>,
    /// Whether the server knows the secret. A token with the scope `admin` for all applications sees it.
    is_known: bool,
    /// What stands for the secret in the lines below, if it is not shown.
    placeholder: &'static str,
    /// The header: `NAME: SECRET`.
    header: String,
    /// A line for a shell.
    curl: String,
    /// PHP's settings.
    ini: String,
    /// The addresses of the latest runs, if they say them.
    examples: Vec<String>,
}

/// How a request gets a profile now, whatever `rate` and `match` say.
#[utoipa::path(get, path = "/api/v1/pages/profile-now", params(Asked), responses((status = 200, body = ProfileNow), (status = 400)))]
pub(crate) async fn profile_now(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Asked { url }): Query<Asked>,
) -> Answer<ProfileNow> {
    let url = address(&url)?;
    let latest = RunQuery {
        selection: Filter::default().selection(&caller)?,
        limit: LATEST,
        ..RunQuery::default()
    };
    let runs = ask(&state, move |store| store.runs(&latest)).await?.runs;
    let trigger = &state.config.trigger;
    // It is that of all applications.
    let may_see = caller.may(Scope::Admin) && caller.app.is_none();
    Ok(Json(ProfileNow {
        examples: examples(runs),
        ..ProfileNow::of(trigger, may_see, url)
    }))
}

/// An address with a ticket.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Ticket {
    /// The address that was given, with the ticket as a parameter.
    url: String,
    /// How long it works, in seconds.
    seconds: u64,
}

/// The page that is to be profiled.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct TicketFor {
    /// The address of a page of the application.
    url: String,
}

/// An address that is profiled when it is opened in the next minute. The secret is not in it.
#[utoipa::path(post, path = "/api/v1/profile-now/ticket", request_body = TicketFor, responses((status = 200, body = Ticket), (status = 400), (status = 403), (status = 404)))]
pub(crate) async fn ticket(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Json(TicketFor { url }): Json<TicketFor>,
) -> Answer<Ticket> {
    if caller.app.is_some() {
        let reason = "the trigger is that of all applications: it needs a token for all of them";
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    let Trigger { name, secret } = &state.config.trigger;
    let Some(secret) = secret else {
        let reason = "this server does not know the secret: start it with --trigger-secret-file";
        return Err(Problem::new(StatusCode::NOT_FOUND, reason));
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let ticket = ticket::new(secret, now.unwrap_or_default().as_secs());
    Ok(Json(Ticket {
        url: with_parameter(address(&url)?, name, &ticket),
        seconds: ticket::LASTS_S,
    }))
}

/// The address with one more parameter.
fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let (url, part) = match url.split_once('#') {
        Some((url, part)) => (url, format!("#{part}")),
        None => (url, String::new()),
    };
    let separator = match url.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some(_) => "&",
    };
    format!("{url}{separator}{name}={}{part}", encoded(value))
}

/// The distinct addresses among the titles of runs, without their queries.
fn examples(runs: Vec<RunInfo>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for run in runs {
        let title = run.title.split(['?', '#']).next().unwrap_or_default();
        let is_new = found.iter().all(|known| known != title);
        if is_new && !title.is_empty() && address(title).is_ok() && found.len() < MAX_EXAMPLES {
            found.push(title.to_owned());
        }
    }
    found
}

/// The address of a request, which must be one of HTTP.
fn address(text: &str) -> Result<&str, Problem> {
    if text.is_empty() {
        return Ok(EXAMPLE);
    }
    let is_http = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if is_http && !text.contains(char::is_control) && text.len() < MAX_ADDRESS {
        Ok(text)
    } else {
        let reason = "url: an address begins with https:// or http://";
        Err(Problem::bad(reason))
    }
}

impl ProfileNow {
    fn of(trigger: &Trigger, may_see: bool, url: &str) -> Self {
        let secret = trigger.secret.as_deref().filter(|_| may_see);
        let shown = secret.unwrap_or(PLACEHOLDER);
        let name = &trigger.name;
        let header = format!("{name}: {shown}");
        Self {
            name: name.clone(),
            secret: secret.map(str::to_owned),
            is_known: trigger.secret.is_some(),
            placeholder: PLACEHOLDER,
            curl: format!(
                "curl -sS -o /dev/null -D - -H {} {}",
                quoted(&header),
                quoted(url)
            ),
            ini: format!(
                "xhprof.auto_enable = trigger\nxhprof.trigger = {name}\nxhprof.trigger_secret = \"…\""
            ),
            header,
            examples: Vec::new(),
        }
    }
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_text_in_every_language() {
        let trigger = Trigger {
            name: "XHPROF".to_owned(),
            secret: Some("a'b\"<c> ;".to_owned()),
        };
        let ways = ProfileNow::of(&trigger, true, "https://example.com/?a='b'");
        assert_eq!(ways.header, "XHPROF: a'b\"<c> ;");
        assert!(
            ways.curl.contains("'XHPROF: a'\\''b\"<c> ;'"),
            "{}",
            ways.curl
        );
        assert!(ways.curl.ends_with("'https://example.com/?a='\\''b'\\'''"));
        let hidden = ProfileNow::of(&trigger, false, "https://example.com/");
        assert!(hidden.is_known && hidden.secret.is_none());
        assert!(hidden.curl.contains("XHPROF: SECRET"));
        assert!(!format!("{hidden:?}").contains("a'b"));
    }

    #[test]
    fn a_ticket_is_a_parameter_of_the_address() {
        for (url, expected) in [
            ("https://a/", "https://a/?XHPROF=t"),
            ("https://a/?", "https://a/?XHPROF=t"),
            ("https://a/?b=c", "https://a/?b=c&XHPROF=t"),
            ("https://a/b#c?d", "https://a/b?XHPROF=t#c?d"),
        ] {
            assert_eq!(with_parameter(url, "XHPROF", "t"), expected);
        }
    }

    #[test]
    fn only_addresses_of_http_are_taken() {
        assert!(address("https://example.com/").is_ok());
        assert!(address("javascript:alert(1)").is_err());
        assert!(address("https://a\n").is_err());
    }
}
