//! The form of a policy: how long the runs of an application are kept.
//!
//! It works without a script. What a user typed comes back with the reason
//! beside each field that is wrong.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Query, State as Shared};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Form};
use serde::Deserialize;
use store::{Policies, Policy, Removed, Store};

use super::Page;
use super::frame::{Section, page};
use super::html::{encoded, error, escaped};
use super::policy_fields::{FIELDS, Typed, Wrong};
use super::units::counted;
use crate::access::Caller;
use crate::api::{ask, may_set, set_policy_of};
use crate::bytes::bytes;
use crate::problem::Problem;
use crate::state::State;
use crate::time::now_us;

/// Whose policy: an application, or an empty name for all without one of their
/// own.
#[derive(Debug, Deserialize)]
pub(crate) struct Of {
    #[serde(default)]
    app: String,
}

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(crate) struct Sent {
    #[serde(default)]
    app: String,
    #[serde(default)]
    action: Action,
    #[serde(flatten)]
    typed: Typed,
}

/// The buttons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Save,
    Reset,
    /// Changes nothing.
    #[default]
    Count,
}

/// The form with the policy as it is.
pub(crate) async fn policy(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Of { app }): Query<Of>,
) -> Page {
    may_set(&caller, named(&app))?;
    let policies = ask(&state, |store| store.policies()).await?;
    let form = PolicyForm {
        typed: Typed::of(policies.of(&app)),
        wrong: Wrong::new(),
        note: String::new(),
        app,
        policies,
    };
    Ok(form.page(&state, &caller))
}

/// Saves a policy, or says what is wrong with it, or what it would remove.
pub(crate) async fn set_policy(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    sent: Result<Form<Sent>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(sent) = sent.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let Sent { app, action, typed } = sent;
    may_set(&caller, named(&app))?;
    let policies = ask(&state, |store| store.policies()).await?;
    let shown = |status: StatusCode, wrong: Wrong, note: String| {
        let form = PolicyForm {
            app: app.clone(),
            policies: policies.clone(),
            typed: typed.clone(),
            wrong,
            note,
        };
        Ok((status, form.page(&state, &caller)).into_response())
    };
    let policy = if action == Action::Reset {
        None
    } else {
        match typed.policy() {
            Ok(policy) => Some(policy),
            Err(wrong) => {
                let note = error("Nothing was saved.");
                return shown(StatusCode::UNPROCESSABLE_ENTITY, wrong, note);
            }
        }
    };
    if let (Action::Count, Some(policy)) = (action, &policy) {
        let (of, policy) = (app.clone(), policy.clone());
        let removed = ask(&state, move |store| removable(store, &of, &policy)).await?;
        return shown(StatusCode::OK, Wrong::new(), would_remove(&removed));
    }
    let of = named(&app).map(str::to_owned);
    match set_policy_of(&state, &caller, of, policy).await {
        Ok(()) => {
            let place = format!("/settings?saved={}#retention", encoded(&app));
            Ok((StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response())
        }
        Err(problem) if problem.status == StatusCode::BAD_REQUEST => {
            shown(problem.status, Wrong::new(), error(&problem.message))
        }
        Err(problem) => Err(problem),
    }
}

fn named(app: &str) -> Option<&str> {
    (!app.is_empty()).then_some(app)
}

/// What a policy would remove of an application, or of all that have none of
/// their own.
fn removable(store: &dyn Store, app: &str, policy: &Policy) -> store::Result<Removed> {
    let apps = if app.is_empty() {
        let policies = store.policies()?;
        let has_own = |name: &str| policies.apps.iter().any(|own| own.app == name);
        let apps = store.apps()?.into_iter().map(|app| app.name);
        apps.filter(|name| !has_own(name)).collect()
    } else {
        vec![app.to_owned()]
    };
    let mut sum = Removed::default();
    for app in apps {
        let of_app = store.removable(&app, policy, now_us())?;
        sum.runs += of_app.runs;
        sum.bytes += of_app.bytes;
        sum.by_age += of_app.by_age;
        sum.by_count += of_app.by_count;
        sum.by_size += of_app.by_size;
        sum.cells += of_app.cells;
    }
    Ok(sum)
}

fn would_remove(removed: &Removed) -> String {
    let mut text = String::from("<p class=\"note\" role=\"status\">");
    if removed.runs == 0 {
        text.push_str("It would remove no run now");
    } else {
        let _ = write!(
            text,
            "It would remove {} of {} now",
            counted(removed.runs, "run"),
            bytes(removed.bytes)
        );
        let reasons = [
            (removed.by_age, "too old"),
            (removed.by_count, "too many"),
            (removed.by_size, "for their size"),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        let _ = write!(text, " ({})", reasons.join(", "));
    }
    if removed.cells > 0 {
        let _ = write!(text, ", and {} of sums", counted(removed.cells, "hour"));
    }
    text + ". Nothing was saved or removed.</p>"
}

struct PolicyForm {
    app: String,
    policies: Policies,
    typed: Typed,
    wrong: Wrong,
    /// Above the fields, as HTML.
    note: String,
}

impl PolicyForm {
    fn page(&self, state: &State, caller: &Caller) -> Html<String> {
        let title = match named(&self.app) {
            Some(app) => format!("Retention of {app}"),
            None => "Retention of other applications".to_owned(),
        };
        let body = self.html(caller.csrf.as_deref(), caller.app.is_some());
        page(state, caller, Section::Settings, &title, &body)
    }

    fn html(&self, csrf: Option<&str>, is_of_app: bool) -> String {
        let mut html = format!(
            "<p>{} The server removes what the policy does not keep, every hour. Runs with a label \
             stay.</p>{}<form class=\"fields\" method=\"post\" action=\"/settings/policy\">",
            self.whose(),
            self.note
        );
        for (name, value) in [("csrf", csrf.unwrap_or_default()), ("app", &self.app)] {
            let _ = write!(
                html,
                "<input type=\"hidden\" name=\"{name}\" value=\"{}\">",
                escaped(value)
            );
        }
        for field in &FIELDS {
            let name = field.name;
            let wrong = self.wrong.iter().find(|(of, _)| *of == name);
            let (described, marked, reason) = match wrong {
                Some((_, reason)) => (
                    format!("{name}-wrong {name}-hint"),
                    " aria-invalid=\"true\"",
                    format!(
                        "<p class=\"error\" id=\"{name}-wrong\">{}</p>",
                        escaped(reason)
                    ),
                ),
                None => (format!("{name}-hint"), "", String::new()),
            };
            let is_quota = matches!(name, "runs_a_day" | "bytes_a_day");
            let (hint, disabled) = match is_quota && is_of_app {
                true => ("Only a token for all applications changes it.", " disabled"),
                false => (field.hint, ""),
            };
            let mode = if matches!(name, "bytes" | "bytes_a_day") {
                "text"
            } else {
                "numeric"
            };
            let _ = write!(
                html,
                "<div class=\"field\"><label for=\"{name}\">{}</label><input id=\"{name}\" \
                 name=\"{name}\" value=\"{}\" inputmode=\"{mode}\" autocomplete=\"off\" \
                 aria-describedby=\"{described}\"{marked}{disabled}>{reason}<p class=\"dim\" \
                 id=\"{name}-hint\">{}</p></div>",
                field.label,
                escaped(self.typed.text(name)),
                hint
            );
        }
        html.push_str(
            "<p class=\"buttons\"><button name=\"action\" value=\"save\">Save</button> \
             <button name=\"action\" value=\"count\">Count what it removes</button>",
        );
        if self.is_set() {
            let back = match named(&self.app) {
                Some(_) => "Remove this policy",
                None => "Back to the program’s default",
            };
            let _ = write!(
                html,
                " <button name=\"action\" value=\"reset\">{back}</button>"
            );
        }
        html + "</p></form><p><a href=\"/settings#retention\">Back to the settings</a></p>"
    }

    /// Whether there is something to take back.
    fn is_set(&self) -> bool {
        match named(&self.app) {
            Some(app) => self.policies.apps.iter().any(|own| own.app == app),
            None => self.policies.is_default_set,
        }
    }

    fn whose(&self) -> &'static str {
        match (named(&self.app), self.is_set()) {
            (Some(_), true) => "This application has a policy of its own.",
            (Some(_), false) => {
                "This application has the policy of the others; saving gives it its own."
            }
            (None, _) => "It is for all applications without a policy of their own.",
        }
    }
}
