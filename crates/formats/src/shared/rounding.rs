//! Rounds times to the unit of a format, for files whose readers sum them up.
//!
//! Times are rounded for each node or call, of which there may be a million:
//! the errors would become visible in sums. So the rounding error of a function
//! is settled with its next time.
//!
//! **Invariants:** the sum written for a function is at any moment within half
//! a unit of its times, if those are not negative; and it is never negative.

use profile::SymbolId;

/// The rounding errors of each function.
#[derive(Debug)]
pub(crate) struct Rounding {
    unit_ns: i64,
    functions: Vec<Rounded>,
}

/// The sums of one function.
#[derive(Debug, Clone, Copy, Default)]
struct Rounded {
    /// The exact sum, in nanoseconds.
    exact_ns: i64,
    /// The written sum, in units.
    written: i64,
}

impl Rounding {
    /// Rounds to units of this many nanoseconds.
    pub(crate) fn new(unit_ns: u64) -> Self {
        Self {
            unit_ns: i64::try_from(unit_ns.max(1)).unwrap_or(i64::MAX),
            functions: Vec::new(),
        }
    }

    /// The rounded value of a self time of the function.
    pub(crate) fn units(&mut self, function: SymbolId, own_ns: i64) -> u64 {
        let index = function.index();
        if self.functions.len() <= index {
            self.functions.resize(index + 1, Rounded::default());
        }
        let rounded = &mut self.functions[index];
        rounded.exact_ns = rounded.exact_ns.saturating_add(own_ns);
        let all = rounded.exact_ns.saturating_add(self.unit_ns / 2);
        let units = all.div_euclid(self.unit_ns).saturating_sub(rounded.written);
        let units = units.max(0);
        rounded.written = rounded.written.saturating_add(units);
        units.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_cost_is_right_to_half_a_unit() {
        let mut rounding = Rounding::new(10);
        let (mut exact, mut written) = ([0, 0], [0, 0]);
        for number in 0..100_000_u32 {
            let function = number as usize % 2;
            let own = i64::from(number.wrapping_mul(2_654_435_761) % 37);
            exact[function] += own;
            written[function] += rounding.units(SymbolId(number % 2), own);
            let error = exact[function] - 10 * written[function].cast_signed();
            assert!(error.abs() <= 5, "{error} after {number}");
        }
    }

    #[test]
    fn a_time_below_zero_is_made_up_for_and_not_written() {
        let mut rounding = Rounding::new(10);
        let mut units = |own| rounding.units(SymbolId(0), own);
        assert_eq!(
            [units(100), units(-30), units(20), units(20)],
            [10, 0, 0, 1]
        );
        let mut rounding = Rounding::new(1);
        assert_eq!(
            rounding.units(SymbolId(0), i64::MAX),
            i64::MAX.unsigned_abs()
        );
        assert_eq!(rounding.units(SymbolId(0), i64::MAX), 0);
    }
}
