//! The fields of a policy as text: what a form shows, and what a user typed.

use profile::quantities::parse_size;
use serde::Deserialize;
use store::{Error, Policy};

use super::units::number;

/// A field of the form. Its name is that of the policy's field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) hint: &'static str,
}

/// All fields, in their order.
pub(super) const FIELDS: [Field; 8] = [
    Field {
        name: "days",
        label: "Age of a run, in days",
        hint: "Counted from its arrival. Empty: no limit.",
    },
    Field {
        name: "runs",
        label: "Number of runs",
        hint: "Beyond it the oldest are removed. Empty: no limit.",
    },
    Field {
        name: "bytes",
        label: "Size of all runs",
        hint: "Such as 512 MiB or 20 GiB. Beyond it the oldest are removed. Empty: no limit.",
    },
    Field {
        name: "notable",
        label: "Slowest and failed runs of each route",
        hint: "So many of the slowest, and so many of the failed, stay when the limits above \
               would remove them.",
    },
    Field {
        name: "keep_notable_days",
        label: "Age of those, in days",
        hint: "After it they are removed, too.",
    },
    Field {
        name: "sums_days",
        label: "Age of the sums, in days",
        hint: "Trends, comparisons and regressions are made of them. Empty: no limit.",
    },
    Field {
        name: "runs_a_day",
        label: "Quota: runs a day",
        hint: "Beyond it uploads are refused until 00:00 UTC. Empty: no quota.",
    },
    Field {
        name: "bytes_a_day",
        label: "Quota: size of the runs of a day",
        hint: "Such as 500 MiB, as they are stored. Empty: no quota.",
    },
];

/// A policy as it was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Typed {
    days: String,
    runs: String,
    bytes: String,
    notable: String,
    keep_notable_days: String,
    sums_days: String,
    runs_a_day: String,
    bytes_a_day: String,
}

/// What is wrong with fields, by their names.
pub(super) type Wrong = Vec<(&'static str, String)>;

impl Typed {
    /// The text of a policy.
    pub(super) fn of(policy: &Policy) -> Self {
        let text = |limit: Option<u64>| limit.map_or_else(String::new, |limit| limit.to_string());
        Self {
            days: text(policy.days.map(u64::from)),
            runs: text(policy.runs),
            bytes: policy.bytes.map_or_else(String::new, size),
            notable: policy.notable.to_string(),
            keep_notable_days: policy.keep_notable_days.to_string(),
            sums_days: text(policy.sums_days.map(u64::from)),
            runs_a_day: text(policy.runs_a_day),
            bytes_a_day: policy.bytes_a_day.map_or_else(String::new, size),
        }
    }

    /// The text of a field.
    pub(super) fn text(&self, name: &str) -> &str {
        match name {
            "days" => &self.days,
            "runs" => &self.runs,
            "bytes" => &self.bytes,
            "notable" => &self.notable,
            "keep_notable_days" => &self.keep_notable_days,
            "sums_days" => &self.sums_days,
            "runs_a_day" => &self.runs_a_day,
            _ => &self.bytes_a_day,
        }
    }

    /// The policy, if each field has a valid value.
    pub(super) fn policy(&self) -> Result<Policy, Wrong> {
        let mut wrong = Wrong::new();
        let mut value = |name, parsed: Result<Option<u64>, String>| match parsed {
            Ok(value) => value,
            Err(reason) => {
                wrong.push((name, reason));
                None
            }
        };
        let days = value("days", limit(&self.days, |text| whole(text, DAYS)));
        let runs = value("runs", limit(&self.runs, |text| whole(text, NUMBER)));
        let bytes = value("bytes", limit(&self.bytes, parsed_size));
        let notable = value("notable", whole(&self.notable, DAYS).map(Some));
        let keep = whole(&self.keep_notable_days, DAYS).map(Some);
        let keep = value("keep_notable_days", keep);
        let sums = value(
            "sums_days",
            limit(&self.sums_days, |text| whole(text, DAYS)),
        );
        let quota = |text: &str, parse: fn(&str) -> Result<u64, String>| {
            let reason = "0 would refuse every run; leave the field empty for no quota";
            limit_above(text, reason, parse)
        };
        let runs_a_day = value(
            "runs_a_day",
            quota(&self.runs_a_day, |text| whole(text, NUMBER)),
        );
        let bytes_a_day = value("bytes_a_day", quota(&self.bytes_a_day, parsed_size));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let short = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
        let policy = Policy {
            days: short(days),
            runs,
            bytes,
            notable: short(notable).unwrap_or_default(),
            keep_notable_days: short(keep).unwrap_or_default(),
            sums_days: short(sums),
            runs_a_day,
            bytes_a_day,
        };
        match policy.check() {
            Ok(()) => Ok(policy),
            Err(error) => Err(vec![of_check(&error)]),
        }
    }
}

/// The largest number of days, or of runs of a route.
const DAYS: u64 = u32::MAX as u64;

/// The largest number of runs: the database's numbers have a sign.
const NUMBER: u64 = i64::MAX as u64;

/// A limit; an empty field is none.
fn limit(
    text: &str,
    parse: impl FnOnce(&str) -> Result<u64, String>,
) -> Result<Option<u64>, String> {
    let reason = "0 would remove everything; leave the field empty for no limit";
    limit_above(text, reason, parse)
}

/// The same with the reason why it may not be 0.
fn limit_above(
    text: &str,
    zero: &str,
    parse: impl FnOnce(&str) -> Result<u64, String>,
) -> Result<Option<u64>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    match parse(text)? {
        0 => Err(zero.to_owned()),
        limit => Ok(Some(limit)),
    }
}

fn whole(text: &str, most: u64) -> Result<u64, String> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err("not a whole number, such as 30".to_owned());
    }
    // Digits that are no u64 are too many.
    let found = text.parse().ok().filter(|found| *found <= most);
    found.ok_or_else(|| format!("too large: at most {}", number(most)))
}

fn parsed_size(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes > NUMBER {
        return Err("too large".to_owned());
    }
    Ok(bytes)
}

/// A number of bytes in the largest unit that is exact.
fn size(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units
        .iter()
        .find(|(shift, _)| bytes >> shift > 0 && bytes.trailing_zeros() >= *shift);
    match exact {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

/// The field that [`Policy::check`] names, and why.
fn of_check(error: &Error) -> (&'static str, String) {
    let text = match error {
        Error::Query(text) => text.clone(),
        error => error.to_string(),
    };
    let field = FIELDS.iter().find_map(|field| {
        let reason = text.strip_prefix(field.name)?.strip_prefix(": ")?;
        Some((field.name, reason.to_owned()))
    });
    field.unwrap_or((FIELDS[0].name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_policy_is_read_as_that_policy() {
        for policy in [
            Policy::default(),
            Policy {
                days: None,
                runs: Some(12_345),
                bytes: Some((1 << 30) + 1),
                notable: 0,
                keep_notable_days: 0,
                sums_days: None,
                runs_a_day: Some(9),
                bytes_a_day: Some(1 << 30),
            },
            Policy {
                bytes: Some(3 << 40),
                ..Policy::default()
            },
        ] {
            assert_eq!(Typed::of(&policy).policy(), Ok(policy));
        }
        assert_eq!(Typed::of(&Policy::default()).text("bytes"), "20 GiB");
        assert_eq!(size(1500 << 20), "1500 MiB");
        assert_eq!(size(1023), "1023 B");
    }

    #[test]
    fn each_wrong_field_is_named() {
        let good = Typed::of(&Policy::default());
        let wrong = |name: &'static str, text: &str| {
            let mut typed = good.clone();
            let field = match name {
                "days" => &mut typed.days,
                "runs" => &mut typed.runs,
                "bytes" => &mut typed.bytes,
                "notable" => &mut typed.notable,
                "keep_notable_days" => &mut typed.keep_notable_days,
                "sums_days" => &mut typed.sums_days,
                "runs_a_day" => &mut typed.runs_a_day,
                _ => &mut typed.bytes_a_day,
            };
            *field = text.to_owned();
            typed.policy().unwrap_err()
        };
        for (name, text, part) in [
            ("days", "0", "remove everything"),
            ("days", "-1", "not a whole number"),
            ("days", "1.5", "not a whole number"),
            ("days", "4294967296", "too large"),
            ("runs", "many", "not a whole number"),
            ("runs", "99999999999999999999", "too large"),
            ("bytes", "20 apples", "not a size"),
            ("bytes", "9999999 TiB", "too large"),
            ("bytes", "0 GiB", "remove everything"),
            ("notable", "", "not a whole number"),
            ("notable", "10001", "at most 10000"),
            ("keep_notable_days", "x", "not a whole number"),
            ("sums_days", "0", "remove everything"),
            ("runs_a_day", "0", "refuse every run"),
            ("bytes_a_day", "0 MiB", "refuse every run"),
            ("bytes_a_day", "much", "not a size"),
        ] {
            let found = wrong(name, text);
            assert_eq!(found.len(), 1, "{name} {text}: {found:?}");
            assert_eq!(found[0].0, name);
            assert!(found[0].1.contains(part), "{name} {text}: {found:?}");
        }
        let all = Typed::default().policy().unwrap_err();
        assert_eq!(all.len(), 2, "empty limits are none: {all:?}");
    }
}
