//! A trend as a picture: the median and the 95th percentile of each day.

use std::fmt::Write;

use store::TrendPoint;

use super::html::{escaped, time};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 200.0;
/// The room for texts at the left, above and below.
const LEFT: f64 = 70.0;
const ABOVE: f64 = 18.0;
const BELOW: f64 = 18.0;

/// Two lines over time, and the first day of each release. Empty if there are
/// fewer than two days.
#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
pub(super) fn chart(points: &[TrendPoint]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return String::new();
    };
    let most = points.iter().filter_map(|point| point.p95).max();
    let (Some(most), true) = (most.filter(|most| *most > 0), last.time_s > first.time_s) else {
        return String::new();
    };
    let length = (last.time_s - first.time_s) as f64;
    let x = |time: i64| LEFT + (WIDTH - LEFT - 10.0) * (time - first.time_s) as f64 / length;
    let floor = HEIGHT - BELOW;
    let y = |value: u64| floor - (floor - ABOVE) * value as f64 / most as f64;
    let mut svg = format!(
        "<div class=\"table\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
         aria-label=\"p50 and p95 by day\"><path class=\"axis\" d=\"M{LEFT} {ABOVE}H{WIDTH}M{LEFT} {floor}H{WIDTH}\"/>\
         <text x=\"0\" y=\"{}\">{}</text><text x=\"0\" y=\"{}\">0</text>",
        ABOVE + 4.0,
        time(most),
        floor + 4.0,
    );
    let mut release = None;
    let mut free_from = 0.0;
    for point in points {
        if release == Some(&point.release) {
            continue;
        }
        let place = x(point.time_s);
        if release.is_some() {
            let _ = write!(
                svg,
                "<path class=\"release\" d=\"M{place:.0} {ABOVE}V{floor}\"/>"
            );
        }
        let name: String = point.release.chars().take(14).collect();
        let width = 6.5 * name.chars().count() as f64;
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
                escaped(&name)
            );
            free_from = left + width + 8.0;
        }
        release = Some(&point.release);
    }
    let line = |value: fn(&TrendPoint) -> Option<u64>| {
        let places = points.iter().filter_map(|point| {
            let value = value(point)?;
            Some(format!("{:.1},{:.1}", x(point.time_s), y(value)))
        });
        places.collect::<Vec<_>>().join(" ")
    };
    for (class, line) in [
        ("p95", line(|point| point.p95)),
        ("p50", line(|point| point.p50)),
    ] {
        let _ = write!(svg, "<polyline class=\"{class}\" points=\"{line}\"/>");
    }
    let _ = write!(
        svg,
        "<text class=\"p95\" x=\"{LEFT}\" y=\"11\">p95</text><text class=\"p50\" x=\"{}\" y=\"11\">p50</text></svg></div>",
        LEFT + 32.0
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_marked_where_they_begin() {
        let point = |day: i64, release: &str, p95| TrendPoint {
            time_s: day * 86_400,
            release: release.to_owned(),
            p50: Some(p95 / 2),
            p95: Some(p95),
            ..TrendPoint::default()
        };
        let points = [
            point(0, "<1>", 1_000_000),
            point(5, "<1>", 2_000_000),
            point(10, "2", 2_000_000),
        ];
        let svg = chart(&points);
        assert!(svg.contains("&lt;1&gt;") && svg.contains(">2<") && svg.contains("2.00 ms"));
        assert_eq!(svg.matches("class=\"release\"").count(), 1);
        assert!(
            svg.contains("points=\"70.0,100.0 480.0,18.0 890.0,18.0\""),
            "{svg}"
        );
        assert_eq!(chart(&points[..1]), "");
        assert_eq!(chart(&[]), "");
    }
}
