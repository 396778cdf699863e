//! What a finding says, in the words that all outputs share.

use regressions::{Figures, Finding, Kind, Place, Reason, Report, Undecided};

use crate::units::{count, counted, size, time};

/// The kind, as a short heading.
#[must_use]
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::MoreCalls => "more calls",
        Kind::NewCall => "new call",
        Kind::Slower => "slower",
        Kind::MoreMemory => "more memory",
        Kind::SlowerRoute => "slower route",
        Kind::HigherPeak => "higher peak",
    }
}

/// What happened, in one sentence.
#[must_use]
pub fn sentence(finding: &Finding) -> String {
    let Some(place) = finding.places.first() else {
        return String::new();
    };
    let function = &finding.function;
    let caller = finding.caller.as_deref().unwrap_or_default();
    let change = change(place.change);
    let (before, after) = (&place.before, &place.after);
    match finding.kind {
        Kind::Slower => format!("{function} takes {change} time of its own"),
        Kind::MoreCalls => format!(
            "{caller} calls {function} {change} often: {} calls a run, before {}",
            decimal(after.calls),
            decimal(before.calls)
        ),
        Kind::NewCall => format!(
            "{caller} calls {function}, which it never did before: {} calls a run",
            decimal(after.calls)
        ),
        Kind::MoreMemory if place.is_retained => {
            format!(
                "{function} keeps {} more in each run, to its end",
                bytes(place.cost)
            )
        }
        Kind::MoreMemory => format!("{function} uses {} more in each run", bytes(place.cost)),
        Kind::SlowerRoute => format!("{function} takes {change} time; no function explains it"),
        Kind::HigherPeak => {
            let of = match finding.places.len() {
                1 => place.route.clone(),
                routes => counted(routes as u64, "route"),
            };
            let (before, after) = (bytes(before.memory), bytes(after.memory));
            format!("The peak of memory of {of} rises from {before} to {after}")
        }
    }
}

/// What it adds to a run, with its share.
#[must_use]
pub fn cost(kind: Kind, place: &Place) -> String {
    let is_memory = matches!(kind, Kind::MoreMemory | Kind::HigherPeak);
    let amount = if is_memory {
        bytes(place.cost)
    } else {
        nanoseconds(place.cost)
    };
    let of = if is_memory {
        "of the peak"
    } else {
        "of the route"
    };
    let sign = if place.cost > 0.0 { "+" } else { "" };
    if is_memory && place.share > 10.0 {
        return format!("{sign}{amount}");
    }
    format!("{sign}{amount}, {sign}{:.1} % {of}", 100.0 * place.share)
}

/// The figure that changed, of one side.
#[must_use]
pub fn figure(kind: Kind, figures: &Figures) -> String {
    match kind {
        Kind::MoreMemory | Kind::HigherPeak => bytes(figures.memory),
        Kind::MoreCalls | Kind::NewCall if figures.calls <= 0.0 => "never".to_owned(),
        Kind::MoreCalls | Kind::NewCall => {
            format!(
                "{} calls, {}",
                decimal(figures.calls),
                nanoseconds(figures.time_ns)
            )
        }
        Kind::Slower | Kind::SlowerRoute => nanoseconds(figures.time_ns),
    }
}

/// A path, shortened in the middle.
pub(super) fn path(names: &[String]) -> String {
    match names {
        [root, .., _, _, _, _] if names.len() > 6 => {
            let last = names.get(names.len() - 4..).unwrap_or_default();
            format!("{root} → … → {}", last.join(" → "))
        }
        names => names.join(" → "),
    }
}

/// How sure it is, and since when.
#[must_use]
pub fn evidence(finding: &Finding) -> String {
    let days = match finding.look {
        1 => "one day".to_owned(),
        days => format!("{days} days"),
    };
    let t = finding.places.first().map_or(0.0, |place| place.t);
    let mut text = if t.is_infinite() {
        format!("found after {days}; the ratio of calls never varied before")
    } else if t >= 100.0 {
        // The number says no more: it is not chance.
        format!("found after {days}; more than 100 standard errors")
    } else {
        format!("found after {days}; {t:.1} standard errors")
    };
    if finding.is_gone {
        text.push_str("; gone since");
    }
    if finding.is_provisional {
        text.push_str("; provisional: less than 14 days before it");
    }
    text
}

/// What a release was compared with; the reason if it was not.
#[must_use]
pub fn compared(report: &Report) -> String {
    if let Some(hours) = report.hours_left {
        return format!("too early: compared in {}", counted_hours(hours));
    }
    if let Some(hours) = report.replaced_after {
        return format!(
            "replaced after {}, too early to compare",
            counted_hours(hours)
        );
    }
    if report.routes == 0 {
        let reason = report.skipped.first().map(|skipped| reason(skipped.reason));
        return format!(
            "not compared: {}",
            reason.unwrap_or_else(|| "no runs".to_owned())
        );
    }
    let mut text = format!(
        "{} after the release, {}, {}",
        counted(report.looks as u64, "day"),
        counted(report.routes as u64, "route"),
        counted(report.tests as u64, "test")
    );
    if report.common_change.abs() >= 0.03 {
        let direction = if report.common_change > 0.0 {
            "slower"
        } else {
            "faster"
        };
        let percent = 100.0 * report.common_change.abs();
        text.push_str(&format!(
            "; all code {percent:.0} % {direction}, which is the machines"
        ));
    }
    text
}

/// Why a route was not compared.
pub(super) fn reason(reason: Reason) -> String {
    match reason {
        Reason::Numbers => {
            "its sums are broken: they name functions or paths that it does not have".to_owned()
        }
        Reason::History { windows, needed } => {
            format!("{windows} days with enough runs before the release, and {needed} are needed")
        }
        Reason::Runs { runs, needed } => {
            format!("{runs} runs after the release, and {needed} a day are needed")
        }
        Reason::Hours { blocks, needed } => {
            format!("runs of {blocks} hours after the release, and {needed} are needed")
        }
    }
}

/// An increase that is not proven, and what would decide.
pub(super) fn undecided(undecided: &Undecided) -> String {
    format!(
        "{} on {}: {}",
        undecided.function,
        undecided.route,
        missing(undecided)
    )
}

/// The same without where it is.
#[must_use]
pub fn missing(undecided: &Undecided) -> String {
    let what = match undecided.kind {
        Kind::MoreCalls => "calls",
        _ => "time",
    };
    let more = match undecided.more_runs {
        Some(runs) => format!("{} more runs decide", count(runs)),
        None => "days differ too much for that".to_owned(),
    };
    format!(
        "{} {what}, {:.1} of {:.1} standard errors; {more}",
        change(undecided.change),
        undecided.t,
        undecided.t_needed
    )
}

/// `38 % more`, `2.2 times as much`.
fn change(share: f64) -> String {
    if share.is_infinite() {
        "newly".to_owned()
    } else if share >= 1.0 {
        format!("{:.1} times as much", share + 1.0)
    } else if share >= 0.0 {
        format!("{:.0} % more", 100.0 * share)
    } else {
        format!("{:.0} % less", -100.0 * share)
    }
}

fn counted_hours(hours: i64) -> String {
    counted(hours.unsigned_abs(), "hour")
}

fn decimal(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

#[expect(clippy::cast_possible_truncation, reason = "casts from float saturate")]
fn nanoseconds(value: f64) -> String {
    time(value as i64).trim_end().to_owned()
}

#[expect(clippy::cast_possible_truncation, reason = "casts from float saturate")]
fn bytes(value: f64) -> String {
    size(value as i64).trim_end().to_owned()
}
