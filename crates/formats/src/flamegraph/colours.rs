//! Chooses the colour of each box.
//!
//! The colours were chosen at equal steps of lightness and hue (OKLCH), once
//! for light and once for dark pages. They are stored as constants, so that
//! every machine writes the same bytes.
//!
//! **Invariant:** the same name has the same colour in every graph.

use profile::Symbol;

use super::stacks::class_of;
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

/// A symbol's index in the ramp of [`FlameColour::Package`].
pub(crate) fn of_symbol(symbol: &Symbol) -> usize {
    let name = hash(&symbol.name);
    if symbol.internal || *symbol.name == *Symbol::MAIN {
        return HUES * SHADES + name % SHADES;
    }
    let group = class_of(symbol).map_or_else(|| namespace_of(&symbol.name), Some);
    let hue = group.map_or(name / SHADES, hash) % HUES;
    hue * SHADES + name % SHADES
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

fn namespace_of(name: &[u8]) -> Option<&[u8]> {
    let end = name.iter().rposition(|byte| *byte == b'\\')?;
    name.get(..end)
}

/// FNV-1a: small, and the same on every machine.
fn hash(bytes: &[u8]) -> usize {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    // FNV-1a's bits are not equally well mixed; MurmurHash3's last step mixes
    // them.
    let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    ((hash ^ hash >> 16) & 0xffff) as usize
}

const HUES: usize = 16;
const SHADES: usize = 3;

/// Sixteen hues in three shades each; three greys for PHP's own functions.
const PACKAGE: Ramp<51> = [
    [
        "#a4d1fe", "#98c4fd", "#91b6f7", "#feb9a8", "#f5ad93", "#eca17e", "#abdba9", "#95d2a1",
        "#7ec99b", "#d3c0fd", "#cfb2f2", "#cba4e6", "#eac68c", "#ddbd7a", "#ceb467", "#86dedc",
        "#71d3d9", "#5bc8d5", "#f5b6da", "#efa8c9", "#ea9bb8", "#d0d190", "#bfc882", "#acc075",
        "#b8cbfe", "#afbdfd", "#aaaef5", "#f9be98", "#eeb383", "#e2a96e", "#93dfc3", "#7cd5bd",
        "#63cbb9", "#e5bbf0", "#e0ace2", "#dc9ed4", "#ffb6bb", "#f7a9a8", "#f09c94", "#8dd9f5",
        "#7fcdf2", "#72c0ee", "#c0d699", "#adcd8d", "#99c584", "#c5c6ff", "#c0b7f9", "#bba9ef",
        "#d8dbe0", "#cfd3d8", "#c7cbd0",
    ],
    [
        "#355b80", "#41638f", "#4f6c9e", "#7c483c", "#89513e", "#955b3f", "#3d633d", "#3d6f49",
        "#3d7b56", "#5e4e7c", "#6d5687", "#7c5d91", "#6e5322", "#775e25", "#7f6a29", "#0e6564",
        "#0e6f74", "#117a84", "#754662", "#844e68", "#93566d", "#5b5b25", "#60672d", "#647337",
        "#475682", "#545e90", "#63659d", "#784c2e", "#83562f", "#8e6130", "#246551", "#21715f",
        "#1d7c6f", "#6a4a73", "#79517b", "#895983", "#7c464b", "#8a4e4e", "#985751", "#1c6177",
        "#266a87", "#327397", "#4f5f2e", "#526b38", "#547743", "#535281", "#61598d", "#706198",
        "#44484e", "#4b4f55", "#51555c",
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

    #[test]
    fn methods_of_a_class_share_a_hue_and_builtins_are_grey() {
        let colour = |name: &str, internal| {
            of_symbol(&Symbol {
                internal,
                ..Symbol::new(name.as_bytes())
            })
        };
        assert_eq!(
            colour("App\\A::one", false) / SHADES,
            colour("App\\A::other", false) / SHADES
        );
        assert_eq!(colour("strlen", true) / SHADES, HUES);
        assert_eq!(PACKAGE[0].len(), HUES * SHADES + SHADES);
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
