//! Which runs a question is about.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Error, Result, RunId};

/// A selection of runs. Every condition that is set must hold; within one
/// condition, one of its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// The application.
    pub app: Option<String>,
    /// The routes; `*` is any text.
    pub routes: Vec<String>,
    /// The releases; `*` is any text.
    pub releases: Vec<String>,
    /// The first instant, in microseconds since 1970.
    pub since_us: Option<u64>,
    /// The instant after the last one.
    pub until_us: Option<u64>,
    /// The hosts; `*` is any text.
    pub hosts: Vec<String>,
    /// The status.
    pub statuses: Vec<Status>,
    /// Tags and their values; `*` is any text.
    pub tags: Vec<(String, String)>,
    /// At least this wall time, in nanoseconds.
    pub min_wall: Option<u64>,
    /// At most this wall time, in nanoseconds.
    pub max_wall: Option<u64>,
    /// A part of the title.
    pub title: Option<String>,
    /// A label; `*` is any text.
    pub label: Option<String>,
    /// These runs only.
    pub ids: Vec<RunId>,
}

impl Selection {
    /// Whether the hourly sums can answer it: they know application, route,
    /// release and hour.
    #[must_use]
    pub fn is_of_hours(&self) -> bool {
        let Self {
            app: _,
            routes: _,
            releases: _,
            since_us: _,
            until_us: _,
            hosts,
            statuses,
            tags,
            min_wall,
            max_wall,
            title,
            label,
            ids,
        } = self;
        hosts.is_empty()
            && statuses.is_empty()
            && tags.is_empty()
            && ids.is_empty()
            && [min_wall, max_wall] == [&None, &None]
            && [title, label] == [&None, &None]
    }
}

/// A condition on the end of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Status {
    /// `failed`: a fatal error or an uncaught exception.
    Failed,
    /// `5xx`: the first digit of the response's status.
    Class(char),
    /// `500` or `exit 1`.
    Is(String),
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        match status {
            Status::Failed => "failed".to_owned(),
            Status::Class(digit) => format!("{digit}xx"),
            Status::Is(text) => text,
        }
    }
}

impl TryFrom<String> for Status {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let lower = text.trim().to_ascii_lowercase();
        if lower == "failed" {
            return Ok(Self::Failed);
        }
        let mut characters = lower.chars();
        if let (Some(digit), "xx") = (characters.next(), characters.as_str())
            && digit.is_ascii_digit()
        {
            return Ok(Self::Class(digit));
        }
        let code = lower.strip_prefix("exit ").unwrap_or(&lower);
        if !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Is(lower));
        }
        Err(Error::Query(format!(
            "not a status: {text}; use 500, 5xx, `exit 1` or failed"
        )))
    }
}

/// The order of a list of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunSort {
    /// The latest first.
    #[default]
    Started,
    /// The longest wall time first.
    Wall,
    /// The most CPU time first.
    Cpu,
    /// The highest peak of memory first.
    Peak,
    /// The most SQL statements first.
    Sql,
    /// The most calls first.
    Calls,
    /// By application, as all texts from the end of the alphabet; of the same, the latest first.
    App,
    /// By route.
    Route,
    /// By release.
    Release,
    /// By host.
    Host,
    /// By method.
    Method,
    /// By status; runs that failed without one are `failed`.
    Status,
    /// By label.
    Label,
    /// By tags, as one text: `a=1, b`. Its first 256 characters count.
    Tags,
}

impl RunSort {
    /// Whether runs are ordered by a text.
    #[must_use]
    pub fn is_text(self) -> bool {
        match self {
            Self::Started | Self::Wall | Self::Cpu | Self::Peak | Self::Sql | Self::Calls => false,
            Self::App
            | Self::Route
            | Self::Release
            | Self::Host
            | Self::Method
            | Self::Status
            | Self::Label
            | Self::Tags => true,
        }
    }
}

/// A question for a list of runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Which runs.
    pub selection: Selection,
    /// Their order.
    pub sort: RunSort,
    /// The least first instead.
    pub ascending: bool,
    /// How many: 1 to 1,000.
    pub limit: u32,
    /// Where to go on: the `next` of the page before.
    pub cursor: Option<String>,
}

/// The subject of a trend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TrendOf {
    /// The requests.
    #[default]
    Requests,
    /// A function, by its name.
    Function(String),
}

/// The length of a step of a trend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TrendStep {
    /// An hour.
    Hour,
    /// A day of UTC.
    #[default]
    Day,
    /// All of the time.
    All,
}

impl TrendStep {
    /// The first hour of the step of that hour.
    #[must_use]
    pub fn first_hour(self, hour: i64) -> i64 {
        match self {
            Self::Hour => hour,
            Self::Day => hour.div_euclid(24) * 24,
            Self::All => 0,
        }
    }
}

/// The order of a list of functions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FunctionSort {
    /// The most self time first.
    #[default]
    OwnWall,
    /// The most time with callees first.
    Wall,
    /// The most CPU time of its own first.
    OwnCpu,
    /// The most memory of its own first.
    OwnMemory,
    /// The most calls first.
    Calls,
}

/// Something with a name that runs can be selected by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Applications.
    Apps,
    /// Releases of an application.
    Releases,
    /// Hosts.
    Hosts,
}

/// Whether `text` matches `pattern`, in which `*` is any text.
#[must_use]
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(place) = rest.find(part) else {
            return false;
        };
        rest = rest.get(place + part.len()..).unwrap_or_default();
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, is_match) in [
            ("/cart*", "/cart/7", true),
            ("/cart*", "/cart", true),
            ("/cart", "/cart/7", false),
            ("*", "", true),
            ("*a*b*", "xaybz", true),
            ("*a*b", "xayb", true),
            ("ab*ba", "aba", false),
            ("*a*b*", "ba", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern, text), is_match, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_no_status_is_refused() {
        for text in ["500", "5xx", "exit 1", "failed", "Failed"] {
            assert!(Status::try_from(text.to_owned()).is_ok(), "{text}");
        }
        for text in ["", "xx", "ok", "exit", "axx", "5 0"] {
            assert!(Status::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
