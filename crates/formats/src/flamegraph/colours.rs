//! Chooses the colour of each box.
//!
//! The colours were chosen at equal steps of lightness and hue (OKLCH), once
//! for light and once for dark pages. They are stored as constants, so that
//! every machine writes the same bytes.
//!
//! **Invariant:** the same name has the same colour in every graph.

use crate::FlameColour;

/// For light pages, and for dark ones.
type Ramp<const N: usize> = [[&'static str; N]; 2];

/// The colours of a mode, for a light and for a dark page.
pub(crate) fn ramp(mode: FlameColour) -> [&'static [&'static str]; 2] {
    match mode {
        FlameColour::Package => [&PACKAGE[0], &PACKAGE[1]],
        FlameColour::Own => [&OWN[0], &OWN[1]],
        FlameColour::Calls => [&CALLS[0], &CALLS[1]],
        FlameColour::Difference => [&DIFFERENCE[0], &DIFFERENCE[1]],
    }
}

/// The colours of classes of code, for a light and for a dark page: text of the page
/// can be read on each.
#[must_use]
pub fn palette() -> [&'static [&'static str]; 2] {
    ramp(FlameColour::Package)
}

/// The index in the ramp of [`FlameColour::Own`], by the square root, as most
/// boxes have a small fraction of the largest cost.
pub(crate) fn of_own(own: i64, largest: i64) -> usize {
    if own <= 0 || largest <= 0 {
        return 0;
    }
    place((ratio(own, largest)).sqrt(), OWN[0].len() - 1)
}

/// The index in the ramp of [`FlameColour::Calls`]: the middle for a box with
/// the whole program's average cost per call, and one step for each doubling.
pub(crate) fn of_calls(calls: i64, cost: u64, all_calls: i64, all_cost: u64) -> usize {
    let middle = CALLS[0].len() / 2;
    let positive = |value: i64| u128::try_from(value).unwrap_or(0);
    let mut many = positive(calls).saturating_mul(u128::from(all_cost));
    let mut long = positive(all_calls).saturating_mul(u128::from(cost));
    if many == 0 {
        return middle;
    }
    let mut steps = 0;
    if many >= long {
        while steps < middle && many / 2 >= long {
            many /= 2;
            steps += 1;
        }
        middle + steps
    } else {
        while steps < middle && long / 2 >= many {
            long /= 2;
            steps += 1;
        }
        middle - steps
    }
}

/// The index in the ramp of [`FlameColour::Difference`]: the middle for no
/// change.
pub(crate) fn of_difference(difference: i64, largest: i64) -> usize {
    let middle = DIFFERENCE[0].len() / 2;
    if difference == 0 || largest <= 0 {
        return middle;
    }
    let size = i64::try_from(difference.unsigned_abs()).unwrap_or(i64::MAX);
    let steps = place(ratio(size, largest).sqrt(), middle);
    if difference > 0 {
        middle + steps
    } else {
        middle - steps
    }
}

/// A text colour that is readable on `colour`, which is `#rrggbb`.
pub(crate) fn text_on(colour: &str) -> &'static str {
    let part = |from: usize| {
        let digits = colour.get(from..from + 2);
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
    };
    let [red, green, blue] = [part(1), part(3), part(5)].map(|part| part.unwrap_or(255));
    if 299 * red + 587 * green + 114 * blue > 128_000 {
        "#16181d"
    } else {
        "#f3f4f6"
    }
}

#[expect(clippy::cast_precision_loss, reason = "it becomes a colour")]
fn ratio(part: i64, whole: i64) -> f64 {
    (part as f64 / whole as f64).min(1.0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a short ramp, from 0 to its end"
)]
fn place(share: f64, last: usize) -> usize {
    ((share * last as f64).round() as usize).min(last)
}

/// FNV-1a: small, and the same on every machine.
pub(super) fn hash(bytes: &[u8]) -> usize {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    // FNV-1a's bits are not equally well mixed; MurmurHash3's last step mixes
    // them.
    let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    ((hash ^ hash >> 16) & 0xffff) as usize
}

/// Hues of vendors of packages. The first five are far from each other and from those of
/// the other classes.
pub(super) const VENDOR_HUES: usize = 10;
/// Colours of one hue, so that neighbours of one class differ.
pub(super) const SHADES: usize = 3;

/// The classes of [`Classes`](super::Classes) in their order, and then the hues of
/// vendors, each in three shades.
const PACKAGE: Ramp<45> = [
    [
        "#9ebdff", "#adc3fd", "#94b7f7", "#b6e0c8", "#bbe7d1", "#b0d9bf", "#f9add0", "#feb6d4",
        "#f0a6cd", "#f8ce73", "#fdd77a", "#f4c56c", "#d8dbe0", "#dfe2e7", "#d0d4d9", "#fdb1aa",
        "#febbb2", "#f5a9a6", "#c5cf8a", "#c9d793", "#c1c782", "#d5b9f7", "#dfbffc", "#cbb3f1",
        "#7bdad9", "#82e1e4", "#75d3cf", "#f3ba8c", "#f9c291", "#edb287", "#a9d69e", "#acdea8",
        "#a5ce95", "#e6b4e8", "#efbaed", "#dcade3", "#8edab9", "#92e2c3", "#8ad3af", "#81d5f0",
        "#8adcf9", "#78cfe6", "#f9b597", "#ffbe9d", "#f3ad93",
    ],
    [
        "#3656a3", "#415baa", "#2a519c", "#345644", "#385c4b", "#2f4f3c", "#8a3a64", "#934067",
        "#823461", "#7e5e02", "#836505", "#785707", "#393d44", "#3f4349", "#34383e", "#873f3b",
        "#8e463d", "#803838", "#575e0a", "#596518", "#545700", "#654884", "#6e4d89", "#5d437f",
        "#006566", "#056c6f", "#055f5c", "#804810", "#855015", "#7a410b", "#37652d", "#396c36",
        "#355e23", "#744377", "#7c487b", "#6b3d72", "#08684b", "#026f53", "#056242", "#026278",
        "#056882", "#075c6d", "#854324", "#8b4b27", "#7e3c21",
    ],
];

/// From zero to the maximum.
const OWN: Ramp<13> = [
    [
        "#f5f1da", "#f6e6c3", "#f7daaf", "#f8ce9c", "#f9c28a", "#fab57a", "#faa76c", "#fa995e",
        "#f98a53", "#f77b4a", "#f56c42", "#f25b3d", "#ef493a",
    ],
    [
        "#413d33", "#4f4231", "#5d4830", "#6c4d2e", "#7a512d", "#8a552c", "#9a592b", "#aa5d2b",
        "#ba602c", "#ca632d", "#db6630", "#ec6834", "#fd6a3a",
    ],
];

/// From few long calls to many short ones.
const CALLS: Ramp<17> = [
    [
        "#0097d2", "#01a4e3", "#35b1ed", "#60bcee", "#80c7f0", "#9dd2f1", "#b9dcf2", "#d3e6f2",
        "#f2efee", "#f2dfd3", "#f0cfb9", "#eebe9e", "#ecad84", "#e89c68", "#e48b49", "#e0791f",
        "#d36d02",
    ],
    [
        "#009edb", "#0492cb", "#0887bb", "#1b7ba8", "#2b6f93", "#34637e", "#39586a", "#3c4c56",
        "#423f3d", "#55463c", "#684c3a", "#7b5337", "#8e5933", "#a25f2c", "#b66523", "#ca6a11",
        "#db7206",
    ],
];

/// From lower cost to higher cost.
const DIFFERENCE: Ramp<17> = [
    [
        "#3e89f7", "#5697f8", "#6da5f8", "#83b2f8", "#98bff8", "#aeccf8", "#c3d8f6", "#d9e4f5",
        "#f3efef", "#f4ddda", "#f5cbc6", "#f4b8b3", "#f3a69f", "#f0938c", "#ed8078", "#e96b65",
        "#e55551",
    ],
    [
        "#4a91f8", "#4a86e0", "#497cc8", "#4872b1", "#47689a", "#455e83", "#43546d", "#414a58",
        "#433f3e", "#574442", "#6b4946", "#7f4e4a", "#94524d", "#a85651", "#bd5a54", "#d25d58",
        "#e8605b",
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What WCAG calls the contrast of two colours.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |from: usize| {
                let value = u8::from_str_radix(&colour[from..from + 2], 16).unwrap();
                let value = f64::from(value) / 255.0;
                if value <= 0.040_45 {
                    value / 12.92
                } else {
                    ((value + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_can_be_read_on_each_class() {
        let classes = super::super::classes::VENDORS as usize;
        for (ramp, text) in PACKAGE.iter().zip(["#171a1f", "#e7eaee"]) {
            assert_eq!(ramp.len(), (classes + VENDOR_HUES) * SHADES);
            for colour in ramp {
                assert!(contrast(colour, text) >= 4.5, "{text} on {colour}");
            }
        }
    }

    #[test]
    fn ramps_have_their_ends_and_their_middle() {
        assert_eq!([of_own(0, 9), of_own(9, 9), of_own(-3, 9)], [0, 12, 0]);
        assert_eq!(
            [-500, -9, 0, 1, 9].map(|difference| of_difference(difference, 1000)),
            [2, 7, 8, 8, 9]
        );
        assert_eq!([of_difference(i64::MIN, 1), of_difference(5, 5)], [0, 16]);
    }

    #[test]
    fn many_short_calls_are_warm_and_few_long_ones_cool() {
        // The total: 100 calls, 100 ns each.
        let place = |calls, cost| of_calls(calls, cost, 100, 10_000);
        assert_eq!(place(10, 1_000), 8);
        assert_eq!(place(40, 1_000), 10);
        assert_eq!(place(1, 10_000), 2);
        assert_eq!(place(1_000_000, 0), 16);
        assert_eq!(place(0, 7), 8);
        assert_eq!(of_calls(i64::MAX, u64::MAX, i64::MAX, u64::MAX), 8);
    }

    #[test]
    fn text_can_be_read_on_any_colour() {
        assert_eq!(text_on("#ffffff"), "#16181d");
        assert_eq!(text_on("#000000"), "#f3f4f6");
    }
}
