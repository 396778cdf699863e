//! Tokens: the list on the page Settings, and the forms that make and remove them.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Query, State as Shared};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Form};
use serde::Deserialize;

use super::Page;
use super::frame::{Section, page};
use super::html::{Table, error, escaped};
use super::units::date_us;
use crate::access::{Access, Caller, Scope};
use crate::api::{NewToken, ShownToken, made, removable_token, removed, visible_tokens};
use crate::problem::Problem;
use crate::state::State;

/// The part of the settings.
pub(super) async fn section(state: &Arc<State>, caller: &Caller) -> Result<String, Problem> {
    let head = "<h2 id=\"tokens\">Tokens</h2>";
    if matches!(state.config.access, Access::WithoutLogin) {
        return Ok(format!(
            "{head}<p>There is no login: the server asks for no token. \
             <code>xhprof store token add NAME --may read,write,admin</code> makes the first one, \
             and a server that is started after that asks for it.</p>"
        ));
    }
    if !caller.may(Scope::Admin) {
        return Ok(format!(
            "{head}<p>Only tokens with the scope <code>admin</code> see the list.</p>"
        ));
    }
    let tokens = visible_tokens(state, caller).await?;
    Ok(format!(
        "{head}{}<p><a class=\"button\" href=\"/settings/tokens\">Make a token</a></p>",
        table(&tokens)
    ))
}

/// Names, scopes and applications; the secrets are not known here.
fn table(tokens: &[ShownToken]) -> String {
    let headings = [
        ("name", "Name"),
        ("left", "May"),
        ("name", "Application"),
        ("left few", "Made (UTC)"),
        ("left few", "Ends (UTC)"),
        ("left", "<span class=\"hidden\">Remove</span>"),
    ];
    let mut table = Table::new("Tokens", &headings);
    for token in tokens {
        let name = escaped(&token.name);
        let remove = if token.is_in_file {
            "<span class=\"dim\">in a file</span>".to_owned()
        } else {
            format!(
                "<a href=\"/settings/tokens?remove={}\" aria-label=\"Remove the token {name}\">Remove</a>",
                escaped(&token.id)
            )
        };
        let app = token.app.as_deref().map(escaped);
        table.row(
            "",
            [
                name,
                escaped(&token.scopes.join(", ")),
                app.unwrap_or_else(|| "<em>all</em>".to_owned()),
                token.created_us.map_or_else(String::new, date_us),
                token.until_us.map_or_else(|| "never".to_owned(), date_us),
                remove,
            ],
        );
    }
    table.finish()
}

/// Which form.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// The token to remove; without it a new one.
    remove: Option<String>,
}

/// The form of a new token, or the question whether to remove one.
pub(crate) async fn tokens(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Asked { remove }): Query<Asked>,
) -> Page {
    let Some(id) = remove else {
        return Ok(new_form(&state, &caller, &Sent::default(), ""));
    };
    let token = removable_token(&state, &caller, &id).await?;
    let body = format!(
        "<p>Programs that use the token {} are refused from now on, and its sessions end.</p>\
         <form method=\"post\" action=\"/settings/tokens\">{}\
         <input type=\"hidden\" name=\"remove\" value=\"{}\">\
         <p class=\"buttons\"><button>Remove</button> <a class=\"button\" href=\"/settings#tokens\">Keep it</a></p></form>",
        described(&token),
        csrf(&caller),
        escaped(&token.id)
    );
    Ok(page(
        &state,
        &caller,
        Section::Settings,
        &format!("Remove the token {}?", token.name),
        &body,
    ))
}

fn described(token: &ShownToken) -> String {
    let app = token.app.as_deref();
    format!(
        "<strong>{}</strong> ({}; {})",
        escaped(&token.name),
        escaped(&token.scopes.join(", ")),
        app.map_or_else(|| "all applications".to_owned(), escaped)
    )
}

/// What the forms send.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Sent {
    remove: Option<String>,
    name: String,
    app: String,
    days: String,
    read: Option<String>,
    write: Option<String>,
    admin: Option<String>,
}

impl Sent {
    fn scopes(&self) -> Vec<String> {
        let scopes = [
            ("read", &self.read),
            ("write", &self.write),
            ("admin", &self.admin),
        ];
        let set = scopes.into_iter().filter(|(_, sent)| sent.is_some());
        set.map(|(name, _)| name.to_owned()).collect()
    }

    fn token(&self) -> Result<NewToken, Problem> {
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let days = text(&self.days).map(|days| days.parse());
        let days = days.transpose();
        let scopes = self.scopes();
        if scopes.is_empty() {
            return Err(Problem::bad("Choose what the token may do."));
        }
        Ok(NewToken {
            name: self.name.trim().to_owned(),
            scopes,
            app: text(&self.app),
            days: days.map_err(|_| Problem::bad("days: not a whole number, such as 90"))?,
        })
    }
}

/// Makes or removes a token.
pub(crate) async fn change_tokens(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    sent: Result<Form<Sent>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(sent) = sent.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    if let Some(id) = &sent.remove {
        removed(&state, &caller, id).await?;
        let place = [(header::LOCATION, "/settings#tokens")];
        return Ok((StatusCode::SEE_OTHER, place).into_response());
    }
    let made = match sent.token() {
        Ok(new) => made(&state, &caller, new).await,
        Err(problem) => Err(problem),
    };
    match made {
        Ok(made) => {
            let body = format!(
                "<p class=\"note\" role=\"status\">This is the only time that the token is shown.</p>\
                 <pre class=\"secret\">{}</pre>\
                 <p>Programs send it as <code>Authorization: Bearer TOKEN</code>; \
                 <code>xhprof agent</code> and <code>xhprof push</code> read it from the file of \
                 <code>--token-file</code>.</p><p><a href=\"/settings#tokens\">Back to the settings</a></p>",
                escaped(&made.token)
            );
            let title = format!("The token {}", sent.name.trim());
            Ok(page(&state, &caller, Section::Settings, &title, &body).into_response())
        }
        Err(problem) if problem.status.is_client_error() => {
            let html = new_form(&state, &caller, &sent, &error(&problem.message));
            Ok((problem.status, html).into_response())
        }
        Err(problem) => Err(problem),
    }
}

fn csrf(caller: &Caller) -> String {
    format!(
        "<input type=\"hidden\" name=\"csrf\" value=\"{}\">",
        escaped(caller.csrf.as_deref().unwrap_or_default())
    )
}

fn new_form(state: &State, caller: &Caller, sent: &Sent, note: &str) -> Html<String> {
    let mut body = format!(
        "{note}<form class=\"fields\" method=\"post\" action=\"/settings/tokens\">{}\
         <div class=\"field\"><label for=\"name\">Name</label><input id=\"name\" name=\"name\" \
         value=\"{}\" required maxlength=\"200\" autocomplete=\"off\" aria-describedby=\"name-hint\">\
         <p class=\"dim\" id=\"name-hint\">Such as the machine or the team that uses it.</p></div>",
        csrf(caller),
        escaped(&sent.name)
    );
    let (value, disabled, hint) = match &caller.app {
        Some(own) => (
            own.as_str(),
            " disabled",
            "Your token is of this application.",
        ),
        None => (
            sent.app.as_str(),
            "",
            "It sees and sends runs of no other. Empty: of all.",
        ),
    };
    let _ = write!(
        body,
        "<div class=\"field\"><label for=\"app\">Application</label><input id=\"app\" name=\"app\" \
         value=\"{}\" autocomplete=\"off\" aria-describedby=\"app-hint\"{disabled}>\
         <p class=\"dim\" id=\"app-hint\">{hint}</p></div>",
        escaped(value)
    );
    let _ = write!(
        body,
        "<div class=\"field\"><label for=\"days\">Works for so many days</label><input id=\"days\" \
         name=\"days\" value=\"{}\" inputmode=\"numeric\" autocomplete=\"off\" \
         aria-describedby=\"days-hint\"><p class=\"dim\" id=\"days-hint\">Empty: until it is \
         removed.</p></div><fieldset class=\"field\"><legend>It may</legend>",
        escaped(&sent.days)
    );
    for (name, sent, text) in [
        ("read", &sent.read, "read: see runs"),
        ("write", &sent.write, "write: send and label runs"),
        (
            "admin",
            &sent.admin,
            "admin: delete runs, set policies, make tokens",
        ),
    ] {
        let checked = if sent.is_some() { " checked" } else { "" };
        let _ = write!(
            body,
            "<label class=\"check\"><input type=\"checkbox\" name=\"{name}\" value=\"1\"{checked}> {text}</label>"
        );
    }
    body.push_str(
        "</fieldset><p class=\"buttons\"><button>Make the token</button></p></form>\
         <p><a href=\"/settings#tokens\">Back to the settings</a></p>",
    );
    page(state, caller, Section::Settings, "Make a token", &body)
}
