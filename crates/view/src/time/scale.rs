//! From nanoseconds to pixels.

use super::TimeRange;

/// From nanoseconds to pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) range: TimeRange,
    per_ns: f64,
    pub(super) min_width: f64,
    /// `min_width` in nanoseconds.
    pub(super) min_ns: u64,
}

impl Scale {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pixels"
    )]
    /// The scale of a range, or of all that there is until `end`, at a width.
    pub(super) fn new(range: Option<TimeRange>, width: f32, min_width: f32, end: u64) -> Self {
        let whole = TimeRange { from: 0, to: end };
        let mut range = range.unwrap_or(whole);
        range.to = range.to.max(range.from.saturating_add(1));
        let clean = |pixels: f32, least: f32, most: f32| {
            f64::from(if pixels.is_finite() { pixels } else { most }.clamp(least, most))
        };
        let min_width = clean(min_width, 0.1, 1_000.0);
        let per_ns = clean(width, 1.0, 100_000.0) / (range.to - range.from) as f64;
        Self {
            range,
            per_ns,
            min_width,
            min_ns: (min_width / per_ns).ceil() as u64,
        }
    }

    /// The edges in pixels of what is inside the range.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "pixels"
    )]
    pub(super) fn edges(&self, start: u64, end: u64) -> (f32, f32) {
        let pixels = |at: u64| {
            let inside = at.clamp(self.range.from, self.range.to) - self.range.from;
            (inside as f64 * self.per_ns) as f32
        };
        (pixels(start), pixels(end))
    }
}
