//! What releases made slower.

use std::fmt::Write;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State as Shared};
use axum::http::StatusCode;

use super::Page;
use super::frame::{Section, page};
use super::html::{Table, condition, encoded, escaped, function, route};
use super::run_table::comparison;
use super::units::date;
use crate::access::Caller;
use crate::api::{ask, visible_apps};
use crate::findings::{Found, ReleaseFindings, Undecided};
use crate::problem::Problem;
use crate::state::State;

/// The most rows of what is not decided.
const UNDECIDED: usize = 20;

/// The application, which may be left out if there is only one, and a route.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Asked {
    app: Option<String>,
    route: Option<String>,
}

/// The findings of an application, or the list of applications.
pub(crate) async fn regressions(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(asked): Query<Asked>,
) -> Page {
    let shown =
        |title: &str, body: &str| Ok(page(&state, &caller, Section::Regressions, title, body));
    let title = "Regressions";
    let apps = visible_apps(&state, &caller).await?;
    let names: Vec<String> = apps.into_iter().map(|app| app.name).collect();
    let app = match (asked.app, names.as_slice()) {
        (Some(app), _) if names.contains(&app) => app,
        (Some(app), _) => {
            let reason = format!("there are no runs of the application {app}");
            return Err(Problem::new(StatusCode::NOT_FOUND, reason));
        }
        (None, []) => {
            return shown(
                title,
                "<p>There are no runs yet. Send some of each release: \
                 <code>xhprof push FILES… --to http://… --release 2026.11</code></p>",
            );
        }
        (None, [only]) => only.clone(),
        (None, names) => {
            let links = names.iter().map(|name| {
                let (address, text) = (encoded(name), escaped(name));
                format!("<li><a href=\"/regressions?app={address}\">{text}</a></li>")
            });
            return shown(title, &format!("<ul>{}</ul>", links.collect::<String>()));
        }
    };
    let of_app = format!("{title}: {app}");
    let (shared, searched) = (Arc::clone(&state), app.clone());
    let found = ask(&state, move |store| Ok(shared.findings(store, &searched))).await?;
    let body = match found {
        Ok(found) => {
            let only = asked.route.as_deref();
            let releases = found.releases.iter();
            let parts: String = releases.map(|release| html(&app, release, only)).collect();
            found_of(&parts, only, &app)
        }
        Err(reason) => format!("<p>{}</p>", escaped(&reason)),
    };
    shown(&of_app, &body)
}

/// The whole, with a note which route it is about.
fn found_of(parts: &str, only: Option<&str>, app: &str) -> String {
    let Some(only) = only else {
        return format!("<div id=\"part\">{parts}</div>");
    };
    let parts = if parts.is_empty() {
        "<p>No release made this route slower, as far as it could be compared.</p>"
    } else {
        parts
    };
    format!(
        "<p class=\"note\">Only the route {}. <a href=\"/regressions?app={}\">All routes</a></p>\
         <div id=\"part\">{parts}</div>",
        route(app, only),
        encoded(app)
    )
}

/// A release; of one route only what is about it.
fn html(app: &str, release: &ReleaseFindings, only: Option<&str>) -> String {
    let is_wanted = |name: &str| only.is_none_or(|only| only == name);
    let found: Vec<&Found> = release
        .found
        .iter()
        .filter(|found| found.places.iter().any(|place| is_wanted(&place.route)))
        .collect();
    let undecided: Vec<&Undecided> = release
        .undecided
        .iter()
        .filter(|undecided| is_wanted(&undecided.route))
        .collect();
    if only.is_some() && found.is_empty() && undecided.is_empty() {
        return String::new();
    }
    let mut html = format!(
        "<section class=\"release\"><h2>{} <span class=\"dim\">since {}</span></h2><p class=\"dim\">{}</p>",
        escaped(&release.release),
        date(release.since_s),
        escaped(&release.compared)
    );
    if found.is_empty() && release.is_compared {
        html.push_str("<p>Nothing got slower.</p>");
    }
    for found in found {
        html.push_str(&finding(app, &release.release, found));
    }
    if only.is_none() {
        for moved in &release.moved {
            let _ = write!(
                html,
                "<p class=\"dim\">Moved, no new cost: {}</p>",
                escaped(moved)
            );
        }
    }
    if !undecided.is_empty() {
        html.push_str(&not_decided(app, &undecided));
    }
    if only.is_none() && release.not_compared > 0 && release.is_compared {
        let _ = write!(
            html,
            "<p class=\"dim\">{} routes have too few runs to be compared.</p>",
            release.not_compared
        );
    }
    html.push_str("</section>");
    html
}

fn finding(app: &str, release: &str, found: &Found) -> String {
    let filter = condition("app", app);
    let sure = if found.is_provisional {
        "<span class=\"likely\">likely</span>"
    } else {
        "<span class=\"sure more\">sure</span>"
    };
    let mut html = format!(
        "<article class=\"finding\"><h3><span class=\"kind\">{}</span> {}</h3><p>{sure} · {}</p>",
        escaped(&found.kind),
        escaped(&found.sentence),
        escaped(&found.proof)
    );
    if found.is_gone {
        html.push_str("<p>The last days are as before the release again.</p>");
    }
    let mut table = Table::new(
        &format!("Routes: {}", found.sentence),
        &[
            ("name", "Route"),
            ("", "Before"),
            ("", "After"),
            ("", "A run"),
        ],
    );
    for place in &found.places {
        table.row(
            "",
            [
                route(app, &place.route),
                escaped(&place.before),
                escaped(&place.after),
                escaped(&place.cost),
            ],
        );
    }
    html.push_str(&table.finish());
    if !found.path.is_empty() {
        let path = found.path.iter().map(|name| function(name, &filter));
        let _ = write!(
            html,
            "<p class=\"path\"><strong>Cause</strong> {}</p>",
            path.collect::<Vec<_>>().join(" → ")
        );
    }
    html.push_str("<p class=\"links\">");
    if let Some([before, after]) = found.runs {
        let _ = write!(
            html,
            "<a class=\"button\" href=\"{}\">Compare two usual runs</a> \
             <a href=\"/run/{before}\">before</a> <a href=\"/run/{after}\">after</a> ",
            escaped(&comparison(before, after))
        );
    }
    if let Some(name) = &found.function {
        let of_release = format!("{filter} {}", condition("release", release));
        let _ = write!(
            html,
            "<a href=\"/function?name={}&amp;q={}\">The function over time</a> ",
            encoded(name),
            encoded(&filter)
        );
        let _ = write!(
            html,
            "<a href=\"/?q={}\">Runs of the release</a>",
            encoded(&of_release)
        );
    }
    html.push_str("</p></article>");
    html
}

/// What cannot be decided yet.
fn not_decided(app: &str, undecided: &[&Undecided]) -> String {
    let mut table = Table::new(
        "Not decided",
        &[
            ("name", "Function"),
            ("name few", "Route"),
            ("left wrap", "What would decide"),
        ],
    );
    for row in undecided.iter().take(UNDECIDED) {
        table.row(
            "",
            [
                function(&row.function, &condition("app", app)),
                route(app, &row.route),
                escaped(&row.text),
            ],
        );
    }
    format!(
        "<details><summary>{} increases cannot be decided yet</summary>{}</details>",
        undecided.len(),
        table.finish()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::FoundPlace;

    fn release() -> ReleaseFindings {
        ReleaseFindings {
            release: "<2>".to_owned(),
            is_compared: true,
            found: vec![Found {
                sentence: "<f> takes more".to_owned(),
                function: Some("<f>".to_owned()),
                path: vec!["main()".to_owned(), "<f>".to_owned()],
                places: vec![FoundPlace {
                    route: "/a".to_owned(),
                    ..FoundPlace::default()
                }],
                runs: Some([store::RunId([1; 16]), store::RunId([2; 16])]),
                ..Found::default()
            }],
            undecided: vec![Undecided {
                function: "g".to_owned(),
                route: "/b".to_owned(),
                text: "300 more runs decide".to_owned(),
            }],
            ..ReleaseFindings::default()
        }
    }

    #[test]
    fn a_finding_leads_to_its_runs_and_names_are_text() {
        let html = html("shop", &release(), None);
        assert!(!html.contains("<f>") && !html.contains("<2>"), "{html}");
        let (base, new) = ("01".repeat(16), "02".repeat(16));
        assert!(html.contains(&format!("/compare/runs?base={base}&amp;new={new}")));
        assert!(html.contains("300 more runs decide"));
    }

    #[test]
    fn one_route_shows_only_what_is_about_it() {
        let of = |route| html("shop", &release(), Some(route));
        assert!(of("/a").contains("takes more") && !of("/a").contains("300"));
        assert!(!of("/b").contains("takes more") && of("/b").contains("300"));
        assert_eq!(of("/c"), "");
    }
}
