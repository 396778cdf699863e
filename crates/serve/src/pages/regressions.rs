//! What releases made slower.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;
use store::RunId;

use super::Page;
use super::html::{encoded, escaped, page};
use crate::access::Caller;
use crate::api::ask;
use crate::problem::Problem;
use crate::state::State;

/// The application; may be left out if there is only one.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Asked {
    app: Option<String>,
}

/// The findings of an application, or the list of applications.
pub(crate) async fn regressions(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Asked>,
) -> Page {
    let title = "Regressions";
    let apps = ask(&state, |store| store.apps()).await?;
    let names = apps.into_iter().map(|app| app.name);
    let is_visible = |name: &String| caller.app.as_ref().is_none_or(|own| own == name);
    let names: Vec<String> = names.filter(is_visible).collect();
    let app = match (asked.app, names.as_slice()) {
        (Some(app), _) if names.contains(&app) => app,
        (Some(app), _) => {
            let reason = format!("there are no runs of the application {app}");
            return Err(Problem::new(StatusCode::NOT_FOUND, reason));
        }
        (None, []) => return Ok(page(&state, title, "<p>There are no runs yet.</p>")),
        (None, [only]) => only.clone(),
        (None, names) => {
            let links = names.iter().map(|name| {
                let (address, text) = (encoded(name), escaped(name));
                format!("<li><a href=\"/regressions?app={address}\">{text}</a></li>")
            });
            let body = format!("<ul>{}</ul>", links.collect::<String>());
            return Ok(page(&state, title, &body));
        }
    };
    let of_app = format!("{title}: {app}");
    let shared = Arc::clone(&state);
    let found = ask(&state, move |store| {
        Ok((shared.config.findings)(store, &app))
    });
    let body = match found.await? {
        Ok(text) => format!("<pre>{}</pre>", linked(&text)),
        Err(reason) => format!("<p>{}</p>", escaped(&reason)),
    };
    Ok(page(&state, &of_app, &body))
}

/// The text, with the ids of runs as links.
fn linked(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n']);
    let words = words.map(|word| {
        let id = word.trim_end();
        if id.len() == 32 && id.parse::<RunId>().is_ok() {
            word.replace(id, &format!("<a href=\"/run/{id}\">{id}</a>"))
        } else {
            lines(word)
        }
    });
    words.collect()
}

/// `escaped` shows control characters, and the ends of lines are to stay.
fn lines(word: &str) -> String {
    match word.strip_suffix('\n') {
        Some(rest) => format!("{}\n", escaped(rest)),
        None => escaped(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_links_and_all_else_is_text() {
        let id = "00112233445566778899aabbccddeeff";
        assert_eq!(
            linked(&format!("a <b>\n  {id} x\n{id}\n")),
            format!(
                "a &lt;b&gt;\n  <a href=\"/run/{id}\">{id}</a> x\n<a href=\"/run/{id}\">{id}</a>\n"
            )
        );
    }
}
