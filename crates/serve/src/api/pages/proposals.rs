//! Comparisons that need no typing.

use serde::Serialize;
use store::ReleaseInfo;
use utoipa::ToSchema;

use super::release_effect::latest;
use crate::filter::{condition, in_time};

/// A comparison of two filters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Proposal {
    /// The filter of the runs before.
    pub(super) before: String,
    /// The filter of the runs after.
    pub(super) after: String,
    /// What they are: `release 2 against 1`.
    pub(super) text: String,
}

/// The comparisons of an application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Proposals {
    pub(super) app: String,
    pub(super) proposals: Vec<Proposal>,
}

/// For the runs of a filter: the latest release of the application against the one before,
/// today against yesterday, a week against the one before.
pub(super) fn of_filter(filter: &str, app: &str, releases: &[ReleaseInfo]) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    if let Some([before, after]) = latest(releases, app) {
        let of = |release: &ReleaseInfo| {
            let of_release = condition("release", &release.release);
            format!("{filter} {of_release}").trim().to_owned()
        };
        proposals.push(Proposal {
            before: of(before),
            after: of(after),
            text: format!("release {} against {}", after.release, before.release),
        });
    }
    for (before, after, text) in [
        ("since:2d until:1d", "since:1d", "today against yesterday"),
        (
            "since:14d until:7d",
            "since:7d",
            "the last 7 days against the 7 before",
        ),
    ] {
        proposals.push(Proposal {
            before: in_time(filter, before),
            after: in_time(filter, after),
            text: text.to_owned(),
        });
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_with_blanks_are_quoted() {
        let release = |release: &str| ReleaseInfo {
            app: "a".to_owned(),
            release: release.to_owned(),
            ..ReleaseInfo::default()
        };
        let found = of_filter("app:a", "a", &[release("1"), release("2 b")]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].before, "app:a release:1");
        assert_eq!(found[0].after, "app:a release:\"2 b\"");
        assert_eq!(found[1].before, "app:a since:2d until:1d");
        assert_eq!(of_filter("app:a", "b", &[]).len(), 2);
    }
}
