//! Comparisons that are often wanted, as links.

use store::{AppInfo, ReleaseInfo};

use super::html::{condition, encoded, escaped};
use crate::filter::in_time;

/// A link to a comparison of two filters.
fn comparison(before: &str, after: &str, text: &str) -> String {
    format!(
        "<li><a href=\"/compare?before={}&amp;after={}\">{}</a></li>",
        encoded(before),
        encoded(after),
        escaped(text)
    )
}

/// The latest release of an application and the one before, if there are two.
/// Releases are in the order in which they were first seen.
pub(super) fn latest<'a>(releases: &'a [ReleaseInfo], app: &str) -> Option<[&'a str; 2]> {
    let mut of_app = releases
        .iter()
        .rev()
        .filter(|one| one.app == app && !one.release.is_empty());
    let (after, before) = (of_app.next()?, of_app.next()?);
    Some([&before.release, &after.release])
}

/// Links for the runs of a filter: this release against the one before, today
/// against yesterday.
pub(super) fn of_filter(filter: &str, releases: Option<[&str; 2]>) -> String {
    let mut links = String::new();
    if let Some([before, after]) = releases {
        let of = |release| format!("{filter} {}", condition("release", release));
        let text = format!("release {after} against {before}");
        links.push_str(&comparison(of(before).trim(), of(after).trim(), &text));
    }
    for (before, after, text) in [
        ("since:2d until:1d", "since:1d", "today against yesterday"),
        (
            "since:14d until:7d",
            "since:7d",
            "the last 7 days against the 7 before",
        ),
    ] {
        let of = |time| in_time(filter, time);
        links.push_str(&comparison(&of(before), &of(after), text));
    }
    format!("<ul class=\"links\">{links}</ul>")
}

/// Links for each application.
pub(super) fn of_apps(apps: &[AppInfo], releases: &[ReleaseInfo]) -> String {
    let lists = apps.iter().take(20).map(|app| {
        let filter = condition("app", &app.name);
        let links = of_filter(&filter, latest(releases, &app.name));
        format!("<h2>{}</h2>{links}", escaped(&app.name))
    });
    lists.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_two_releases_are_compared() {
        let release = |app: &str, release: &str| ReleaseInfo {
            app: app.to_owned(),
            release: release.to_owned(),
            ..ReleaseInfo::default()
        };
        let releases = [release("a", "1"), release("a", "2 b"), release("b", "9")];
        assert_eq!(latest(&releases, "a"), Some(["1", "2 b"]));
        assert_eq!(latest(&releases, "b"), None);
        let links = of_filter("app:a", latest(&releases, "a"));
        assert!(
            links
                .contains("before=app%3Aa%20release%3A1&amp;after=app%3Aa%20release%3A%222%20b%22")
        );
        assert_eq!(links.matches("<li>").count(), 3);
    }
}
