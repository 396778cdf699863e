//! The frame of every page.

use axum::response::Html;

use super::html::{error, escaped};
use crate::access::Caller;
use crate::state::State;

/// The pages that each page links to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Runs,
    Routes,
    Compare,
    Regressions,
    ProfileNow,
    Settings,
    /// Beside them: the login, errors.
    None,
}

const SECTIONS: [(Section, &str, &str); 6] = [
    (Section::Runs, "/", "Runs"),
    (Section::Routes, "/routes", "Routes"),
    (Section::Compare, "/compare", "Compare"),
    (Section::Regressions, "/regressions", "Regressions"),
    (Section::ProfileNow, "/profile-now", "Profile now"),
    (Section::Settings, "/settings", "Settings"),
];

const LOG_OUT: &str = "<form class=\"logout\" method=\"post\" action=\"/logout\">\
    <button>Log out</button></form>";

/// Says that all data are simulated, and how much of them is there already.
fn demo(state: &State) -> String {
    if state.config.demo.is_none() {
        return String::new();
    }
    let progress = state.demo_progress().map(|(stored, days)| {
        format!(" {stored} of its {days} days are stored so far: reload the page for more.")
    });
    format!(
        "<aside class=\"demo\" aria-label=\"Demo\">Demo data: this shop does not exist.{}</aside>",
        progress.unwrap_or_default()
    )
}

/// A whole page. The title is text, the body HTML.
pub(super) fn page(
    state: &State,
    caller: &Caller,
    section: Section,
    title: &str,
    body: &str,
) -> Html<String> {
    framed(state, caller.csrf.is_some(), section, title, body)
}

/// A page without a caller.
pub(super) fn bare(state: &State, title: &str, body: &str) -> Html<String> {
    framed(state, false, Section::None, title, body)
}

/// The page of a request that failed.
pub(crate) fn problem(state: &State, message: &str) -> Html<String> {
    bare(state, "This did not work", &error(message))
}

fn framed(
    state: &State,
    has_session: bool,
    section: Section,
    title: &str,
    body: &str,
) -> Html<String> {
    let links = SECTIONS.iter().map(|(of, address, name)| {
        let current = if *of == section {
            " aria-current=\"page\""
        } else {
            ""
        };
        format!("<a href=\"{address}\"{current}>{name}</a>")
    });
    Html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title} · xhprof</title><link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"/style.css\"><script src=\"/script.js\" defer></script></head>\
         <body><a class=\"skip\" href=\"#main\">To the content</a>\
         <header><a class=\"home\" href=\"/\">xhprof</a><nav aria-label=\"Pages\">{links}</nav>{log_out}</header>\
         {demo}<main id=\"main\"><h1>{title}</h1>\n{body}</main></body></html>\n",
        title = escaped(title),
        links = links.collect::<String>(),
        log_out = if has_session { LOG_OUT } else { "" },
        demo = demo(state),
    ))
}
