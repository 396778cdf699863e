//! How to get a profile of one request now: the trigger, and the runs that arrive.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use store::RunQuery;

use super::Page;
use super::frame::{Section, page};
use super::html::{condition, encoded, error, escaped};
use super::run_table::RunTable;
use crate::access::{Caller, Scope};
use crate::api::{Filter, ask, visible_apps};
use crate::problem::Problem;
use crate::state::{State, Trigger};

/// What stands for the secret where it is not shown.
const PLACEHOLDER: &str = "SECRET";

/// What to profile.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Asked {
    app: Option<String>,
    #[serde(default)]
    url: String,
}

/// The page.
pub(crate) async fn profile_now(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Asked>,
) -> Page {
    let apps = visible_apps(&state, &caller).await?;
    let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).collect();
    let app = asked.app.as_deref().filter(|app| names.contains(app));
    let app = app.or(match names.as_slice() {
        [only] => Some(only),
        _ => None,
    });
    let mut body = form(&names, app, &asked.url);
    let url = match address(&asked.url) {
        Ok(url) => url,
        Err(reason) => {
            body.push_str(&error(reason));
            "https://shop.example.com/cart".to_owned()
        }
    };
    let trigger = &state.config.trigger;
    let secret = trigger
        .secret
        .as_deref()
        // It is that of all applications.
        .filter(|_| caller.may(Scope::Admin) && caller.app.is_none());
    body.push_str(&ways(trigger, secret, &url));
    body.push_str(&arrived(&state, &caller, app).await?);
    Ok(page(
        &state,
        &caller,
        Section::ProfileNow,
        "Profile now",
        &body,
    ))
}

fn form(names: &[&str], app: Option<&str>, url: &str) -> String {
    let mut form = format!(
        "<form class=\"both\"><label>Address <input name=\"url\" type=\"url\" value=\"{}\" \
         placeholder=\"https://shop.example.com/cart\"></label>",
        escaped(url)
    );
    if names.len() > 1 {
        form.push_str("<label>Application <select name=\"app\"><option value=\"\">any</option>");
        for name in names {
            let selected = if app == Some(name) { " selected" } else { "" };
            let name = escaped(name);
            let _ = write!(form, "<option value=\"{name}\"{selected}>{name}</option>");
        }
        form.push_str("</select></label>");
    }
    form.push_str("<button>Show</button></form>");
    form
}

/// The address of a request, which must be one of HTTP.
fn address(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Ok("https://shop.example.com/cart".to_owned());
    }
    let is_http = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if is_http && !text.contains(char::is_control) && text.len() < 4000 {
        Ok(text.to_owned())
    } else {
        Err("Type an address that begins with https:// or http://.")
    }
}

/// How a request brings the trigger.
fn ways(trigger: &Trigger, secret: Option<&str>, url: &str) -> String {
    let shown = secret.unwrap_or(PLACEHOLDER);
    let name = &trigger.name;
    let note = match (secret, &trigger.secret) {
        (Some(_), _) => String::new(),
        (None, Some(_)) => format!(
            "<p class=\"note\">Only tokens with the scope <code>admin</code> see the secret: put it in the place \
             of <code>{PLACEHOLDER}</code>.</p>"
        ),
        (None, None) => format!(
            "<p class=\"note\">This server does not know the secret: put it in the place of \
             <code>{PLACEHOLDER}</code>, or start the server with <code>--trigger-secret-file FILE</code>.</p>"
        ),
    };
    let cookie = format!("{name}={}", encoded(shown));
    let bookmarklet = |cookie: &str| format!("javascript:void(document.cookie='{cookie}')");
    let begin = bookmarklet(&format!("{cookie};path=/;SameSite=Strict"));
    let end = bookmarklet(&format!("{name}=;path=/;Max-Age=0"));
    let curl = format!(
        "curl -sS -o /dev/null -D - -H {} {}",
        quoted(&format!("{name}: {shown}")),
        quoted(url)
    );
    format!(
        "{note}<p>PHP profiles a request that carries <code>xhprof.trigger</code> with its secret, whatever \
         <code>rate</code> and <code>match</code> say. The answer has the header \
         <code>X-Xhprof-Run</code>.</p>\
         <dl class=\"ways\"><dt>In the browser</dt><dd>Drag these to the bookmarks. On a page of the application, the \
         first one profiles all requests from then on, the second one ends it: \
         <a class=\"button\" href=\"{}\">Profile on</a> <a class=\"button\" href=\"{}\">Profile off</a></dd>\
         <dt>A header</dt><dd><code>{}</code></dd>\
         <dt>On the command line</dt><dd><pre>{}</pre></dd>\
         <dt>PHP's settings</dt><dd><pre>xhprof.auto_enable = trigger{nl}xhprof.trigger = {}{nl}xhprof.trigger_secret = \"…\"</pre></dd></dl>",
        escaped(&begin),
        escaped(&end),
        escaped(&format!("{name}: {shown}")),
        escaped(&curl),
        escaped(name),
        nl = '\n',
    )
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The latest runs; the pages' script adds those that arrive.
async fn arrived(
    state: &Arc<State>,
    caller: &Caller,
    app: Option<&str>,
) -> Result<String, Problem> {
    let filter = Filter {
        q: app.map_or_else(String::new, |app| condition("app", app)),
    };
    let query = RunQuery {
        selection: filter.selection(caller)?,
        limit: 10,
        ..RunQuery::default()
    };
    let runs = ask(state, move |store| store.runs(&query)).await?.runs;
    let mut html = "<h2>The latest runs</h2>".to_owned();
    if runs.is_empty() {
        html.push_str(
            "<p>None yet. Start the server with <code>--watch DIR</code>, the folder of \
             <code>xhprof.output_dir</code>, or send files with <code>xhprof push</code>.</p>",
        );
        return Ok(html);
    }
    html.push_str("<p class=\"dim\">New ones appear here; a profile does not say whether a trigger asked for it.</p>");
    let table = RunTable {
        label: "The latest runs",
        address: &format!("/?q={}", encoded(&filter.q)),
        is_live: true,
    };
    html.push_str(&table.html(&runs));
    Ok(html)
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
        let html = ways(
            &trigger,
            trigger.secret.as_deref(),
            "https://example.com/?a='b'",
        );
        // In the cookie it is encoded as in a URL, in the header it is itself.
        assert!(
            html.contains("document.cookie=&#39;XHPROF=a%27b%22%3Cc%3E%20%3B;path=/"),
            "{html}"
        );
        assert!(
            html.contains("&#39;XHPROF: a&#39;\\&#39;&#39;b&quot;&lt;c&gt; ;&#39;"),
            "{html}"
        );
        assert!(html.contains("&#39;https://example.com/?a=&#39;\\&#39;&#39;b"));
        let hidden = ways(&trigger, None, "https://example.com/");
        assert!(hidden.contains("XHPROF: SECRET") && !hidden.contains("a%27b"));
    }

    #[test]
    fn only_addresses_of_http_are_taken() {
        assert!(address("https://example.com/").is_ok());
        assert!(address("javascript:alert(1)").is_err());
        assert!(address("https://a\n").is_err());
    }
}
