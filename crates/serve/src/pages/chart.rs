//! Trends as pictures: lines over time with releases marked, and small ones for
//! tables.

use std::fmt::Write;

use super::html::escaped;
use super::units::{date, day};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 200.0;
/// The room for texts at the left, above and below.
const LEFT: f64 = 70.0;
const ABOVE: f64 = 18.0;
const BELOW: f64 = 18.0;
const RIGHT: f64 = 10.0;

/// A line: its class, which is also its colour, its name, and its values.
pub(super) struct Line<'a> {
    pub(super) class: &'static str,
    pub(super) name: &'a str,
    pub(super) values: Vec<Option<f64>>,
}

/// Lines over time.
pub(super) struct Chart<'a> {
    /// What it shows, for those who do not see it.
    pub(super) label: &'a str,
    /// Seconds since 1970 and the release of each point, in their order.
    pub(super) points: Vec<(i64, &'a str)>,
    pub(super) lines: Vec<Line<'a>>,
    /// A value as text.
    pub(super) shown: fn(f64) -> String,
}

impl Chart<'_> {
    /// The picture; empty if there are fewer than two times.
    pub(super) fn svg(&self) -> String {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return String::new();
        };
        let values = self
            .lines
            .iter()
            .flat_map(|line| line.values.iter().flatten());
        let most = values.copied().fold(0.0, f64::max);
        if most <= 0.0 || last.0 <= first.0 {
            return String::new();
        }
        let floor = HEIGHT - BELOW;
        let mut svg = format!(
            "<figure class=\"chart\" tabindex=\"0\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{}\"><path class=\"axis\" d=\"M{LEFT} {ABOVE}H{WIDTH}M{LEFT} {floor}H{WIDTH}\"/>\
             <text x=\"0\" y=\"{}\">{}</text><text x=\"0\" y=\"{}\">0</text>",
            escaped(self.label),
            ABOVE + 4.0,
            (self.shown)(most),
            floor + 4.0,
        );
        self.releases(&mut svg);
        for line in &self.lines {
            let places = self.points.iter().zip(&line.values);
            let places = places.filter_map(|((time, _), value)| {
                let y = floor - (floor - ABOVE) * (*value)? / most;
                Some(format!("{:.1},{y:.1}", self.x(*time)))
            });
            let places: Vec<String> = places.collect();
            let _ = write!(
                svg,
                "<polyline class=\"{}\" points=\"{}\"/>",
                line.class,
                places.join(" ")
            );
        }
        let mut left = LEFT;
        for line in &self.lines {
            let _ = write!(
                svg,
                "<text class=\"{}\" x=\"{left:.0}\" y=\"11\">{}</text>",
                line.class,
                escaped(line.name)
            );
            left += 7.0 * width_of(line.name) + 14.0;
        }
        self.hits(&mut svg);
        svg.push_str("</svg><figcaption aria-hidden=\"true\"></figcaption></figure>");
        svg
    }

    #[expect(clippy::cast_precision_loss, reason = "places on a screen")]
    fn x(&self, time: i64) -> f64 {
        let first = self.points.first().map_or(0, |point| point.0);
        let last = self.points.last().map_or(0, |point| point.0);
        LEFT + (WIDTH - LEFT - RIGHT) * (time - first) as f64 / (last - first).max(1) as f64
    }

    /// A line where each release begins, with its name where there is room.
    fn releases(&self, svg: &mut String) {
        let floor = HEIGHT - BELOW;
        let mut release = None;
        let mut free_from = 0.0;
        for (time, name) in &self.points {
            if release == Some(name) {
                continue;
            }
            let place = self.x(*time);
            if release.is_some() {
                let _ = write!(
                    svg,
                    "<path class=\"release\" d=\"M{place:.0} {ABOVE}V{floor}\"/>"
                );
            }
            let name_shown: String = name.chars().take(14).collect();
            let width = 6.5 * width_of(&name_shown);
            // The last name ends where its release begins.
            let (anchor, left) = if place + width > WIDTH {
                ("end", place - width)
            } else {
                ("start", place)
            };
            // Names that would overlap are left out.
            if left >= free_from {
                let below = HEIGHT - 4.0;
                let _ = write!(
                    svg,
                    "<text x=\"{place:.0}\" y=\"{below}\" text-anchor=\"{anchor}\">{}</text>",
                    escaped(&name_shown)
                );
                free_from = left + width + 8.0;
            }
            release = Some(name);
        }
    }

    /// What the pointer finds at each time: a browser shows the titles, the
    /// pages' script shows them at once.
    fn hits(&self, svg: &mut String) {
        let mut times: Vec<i64> = self.points.iter().map(|point| point.0).collect();
        times.dedup();
        let edge = |one: i64, other: i64| f64::midpoint(self.x(one), self.x(other));
        for (place, time) in times.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|place| times.get(place));
            let from = before.map_or(LEFT, |before| edge(*before, *time));
            let after = times.get(place + 1);
            let to = after.map_or(WIDTH, |after| edge(*time, *after));
            let _ = write!(
                svg,
                "<rect class=\"hit\" x=\"{from:.1}\" y=\"{ABOVE}\" width=\"{:.1}\" height=\"{}\">\
                 <title>{}</title></rect>",
                to - from,
                HEIGHT - BELOW - ABOVE,
                escaped(&self.title(*time))
            );
        }
    }

    fn title(&self, time: i64) -> String {
        let shown = if time % 86_400 == 0 {
            day(time)
        } else {
            date(time)
        };
        let of_time = self.points.iter().enumerate();
        let parts = of_time
            .filter(|(_, point)| point.0 == time)
            .map(|(place, (_, release))| {
                let values = self.lines.iter().filter_map(|line| {
                    let value = (*line.values.get(place)?)?;
                    Some(format!("{} {}", line.name, (self.shown)(value)))
                });
                let values: Vec<String> = values.collect();
                if release.is_empty() {
                    values.join(", ")
                } else {
                    format!("release {release}: {}", values.join(", "))
                }
            });
        format!("{shown} · {}", parts.collect::<Vec<_>>().join(" · "))
    }
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
fn width_of(text: &str) -> f64 {
    text.chars().count() as f64
}

/// A small trend for a cell of a table; empty if there are fewer than two days.
#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
pub(super) fn sparkline(days: &[(i64, f64)], shown: fn(f64) -> String) -> String {
    const WIDE: f64 = 110.0;
    const HIGH: f64 = 22.0;
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return String::new();
    };
    let most = days.iter().map(|day| day.1).fold(0.0, f64::max);
    let length = last.0 - first.0;
    if length <= 0 || most <= 0.0 {
        return String::new();
    }
    let points = days.iter().map(|(time, value)| {
        let x = 1.0 + (WIDE - 2.0) * (time - first.0) as f64 / length as f64;
        let y = HIGH - 2.0 - (HIGH - 4.0) * value.max(0.0) / most;
        format!("{x:.1},{y:.1}")
    });
    let label = format!(
        "{}: {}; {}: {}",
        day(first.0),
        shown(first.1),
        day(last.0),
        shown(last.1)
    );
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" aria-label=\"{label}\">\
         <title>{label}</title><polyline points=\"{}\"/></svg>",
        points.collect::<Vec<_>>().join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::units::span;
    use super::*;

    fn svg(points: &[(i64, &str, f64)]) -> String {
        let chart = Chart {
            label: "<label>",
            points: points
                .iter()
                .map(|(day, name, _)| (day * 86_400, *name))
                .collect(),
            lines: vec![Line {
                class: "p95",
                name: "p95",
                values: points.iter().map(|point| Some(point.2)).collect(),
            }],
            shown: span,
        };
        chart.svg()
    }

    #[test]
    fn releases_are_marked_where_they_begin() {
        let points = [(0, "<1>", 1e6), (5, "<1>", 2e6), (10, "2", 2e6)];
        let drawn = svg(&points);
        assert!(drawn.contains("&lt;1&gt;") && drawn.contains(">2<"));
        assert!(drawn.contains("2.00 ms") && drawn.contains("&lt;label&gt;"));
        assert_eq!(drawn.matches("class=\"release\"").count(), 1);
        assert!(
            drawn.contains("points=\"70.0,100.0 480.0,18.0 890.0,18.0\""),
            "{drawn}"
        );
        assert_eq!(svg(&points[..1]), "");
        assert_eq!(svg(&[]), "");
    }

    #[test]
    fn each_time_says_its_values() {
        let drawn = svg(&[(0, "1", 1e6), (1, "1", 2e6), (1, "2", 3e6)]);
        assert_eq!(drawn.matches("class=\"hit\"").count(), 2);
        assert!(drawn.contains(
            "<title>1970-01-02 · release 1: p95 2.00 ms · release 2: p95 3.00 ms</title>"
        ));
    }

    #[test]
    fn a_small_trend_takes_two_days() {
        assert_eq!(sparkline(&[(0, 1.0)], span), "");
        let drawn = sparkline(&[(0, 1.0), (86_400, 2.0)], span);
        assert!(drawn.contains("points=\"1.0,11.0 109.0,2.0\""), "{drawn}");
    }
}
