//! What a word finds: routes, functions, runs.

use std::sync::Arc;

use axum::extract::{Query, State as Shared};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{RunId, RunInfo, RunQuery, Selection, Store};
use utoipa::{IntoParams, ToSchema};

use crate::access::Caller;
use crate::api::questions::{Answer, Filter};
use crate::asking::ask;
use crate::names::FoundRoute;
use crate::state::State;

/// The most of each kind.
const MAX_FOUND: usize = 12;

/// What is searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// A part of a name, of a title or an id; several words must all be there.
    #[serde(default)]
    text: String,
}

/// What was found.
#[derive(Debug, Default, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct SearchFound {
    /// Those with the most time first.
    routes: Vec<FoundRoute>,
    /// The names of functions, those with the most self time first.
    functions: Vec<String>,
    /// The run with that id, else the latest with that title.
    runs: Vec<RunInfo>,
}

/// What a word finds: routes, functions of the last two weeks (without runs in them, of all time), runs.
#[utoipa::path(get, path = "/api/v1/search", params(Asked, Filter), responses((status = 200, body = SearchFound)))]
pub(crate) async fn search(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(Asked { text }): Query<Asked>,
    Query(filter): Query<Filter>,
) -> Answer<SearchFound> {
    let app = filter.selection(&caller)?.app;
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Ok(Json(SearchFound::default()));
    }
    let shared = Arc::clone(&state);
    let found = ask(&state, move |store| {
        let names = shared.names.of(store, app.as_deref())?;
        let routes = names.routes.iter();
        let functions = names.functions.iter();
        Ok(SearchFound {
            routes: best(routes, &words, |of| &of.route),
            functions: best(functions, &words, |name| name),
            runs: runs(store, app, &words)?,
        })
    });
    Ok(Json(found.await?))
}

/// Those that have all words; first where the name, or one of its parts, begins with the first word.
fn best<'a, T: Clone + 'a>(
    all: impl Iterator<Item = &'a T>,
    words: &[String],
    name: impl Fn(&T) -> &str,
) -> Vec<T> {
    let mut found: Vec<(u8, &T)> = all
        .filter_map(|of| Some((rank(&name(of).to_lowercase(), words)?, of)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    let found = found.into_iter().take(MAX_FOUND);
    found.map(|(_, of)| of.clone()).collect()
}

fn rank(name: &str, words: &[String]) -> Option<u8> {
    if !words.iter().all(|word| name.contains(word.as_str())) {
        return None;
    }
    let first = words.first()?.as_str();
    let mut parts = name.split(|letter: char| !letter.is_alphanumeric());
    Some(match () {
        () if name == first => 0,
        () if name.starts_with(first) => 1,
        () if parts.any(|part| part.starts_with(first)) => 2,
        () => 3,
    })
}

fn runs(store: &dyn Store, app: Option<String>, words: &[String]) -> store::Result<Vec<RunInfo>> {
    let text = words.join(" ");
    let id: Option<RunId> = text.parse().ok();
    let query = RunQuery {
        selection: Selection {
            app,
            title: id.is_none().then_some(text),
            ids: id.into_iter().collect(),
            ..Selection::default()
        },
        limit: 5,
        ..RunQuery::default()
    };
    Ok(store.runs(&query)?.runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_begins_with_the_word_is_first() {
        let names = [
            "Repository::find",
            "Twig\\Finder",
            "find",
            "unfindable",
            "main()",
        ];
        let names = names.map(str::to_owned);
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            best(names.iter(), &words, |name| name)
        };
        assert_eq!(
            of("find"),
            ["find", "Repository::find", "Twig\\Finder", "unfindable"]
        );
        assert_eq!(of("find repo"), ["Repository::find"]);
        assert_eq!(of("none"), Vec::<String>::new());
    }
}
