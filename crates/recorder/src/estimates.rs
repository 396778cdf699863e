//! The end of an adaptive profile: calls that were not timed are added to their rows,
//! with estimated times.
//!
//! What a caller's calls took in all was measured. So an estimate comes out of the
//! caller's self time, and all self times still add up to the total, to the tick. If
//! the estimates of a caller's callees are more than the time that was measured for
//! it, they are cut in proportion, and the cut is added to their errors.

use profile::{Estimate, Estimates, NumberMap, Variance};

use crate::call_table::{ROOT, Row, Shape};
use crate::stalls::Stalls;
use crate::trust::{Estimated, Trust};
use crate::{Reading, Recorder, TickRate, Ticks};

/// A caller's time in all, and what its callees take of it.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    measured: i128,
    callees: i128,
    estimates: f64,
}

impl Account {
    /// The part of the estimates for which there is time.
    fn share(&self) -> f64 {
        let room = (self.measured - self.callees).max(0) as f64;
        if self.estimates <= room {
            1.0
        } else {
            room / self.estimates
        }
    }
}

/// One clock: how to read and to write the times of a row and its estimate.
struct Side {
    /// Its place in a pair of wall and CPU time.
    number: usize,
    time: fn(&mut Reading) -> &mut Ticks,
    estimate: fn(&mut Trust) -> &mut Estimated,
}

const SIDES: [Side; 2] = [
    Side {
        number: 0,
        time: |cost| &mut cost.wall,
        estimate: |trust| &mut trust.wall.estimate,
    },
    Side {
        number: 1,
        time: |cost| &mut cost.cpu,
        estimate: |trust| &mut trust.cpu.estimate,
    },
];

impl Recorder {
    /// Adds all untimed calls to their rows. The profile's total is `total`.
    pub(crate) fn estimate(&mut self, total: Reading) {
        let is_tree = self.shape == Shape::Tree;
        let rows = &mut self.table.rows;
        let trusts = &mut self.timing.trusts;
        for (row, trust) in rows.iter_mut().zip(trusts.iter_mut()) {
            trust.settle(row.untimed);
            row.untimed = 0;
        }
        for side in &SIDES {
            let accounts = accounts(rows, trusts, is_tree, total, side);
            divide_stalls(rows, trusts, &self.timing.stalls, &accounts, side);
        }
        for (row, trust) in rows.iter_mut().zip(trusts.iter()) {
            row.calls += trust.untimed(0);
        }
        for side in &SIDES {
            let accounts = accounts(rows, trusts, is_tree, total, side);
            let numbered = rows.iter_mut().zip(trusts.iter_mut());
            for (row, trust) in numbered.skip(ROOT as usize + 1) {
                let estimated = (side.estimate)(trust);
                let wanted = estimated.sum.max(0.0);
                let account = accounts.get(&row.parent());
                // Rounded down, so that they fit all together.
                let sum = (wanted * account.map_or(1.0, Account::share)).floor();
                let cut = estimated.sum - sum;
                estimated.sum = sum;
                if wanted - sum >= 1.0 {
                    estimated.variance += cut * cut;
                }
                let time = (side.time)(&mut row.cost);
                *time = time.wrapping_add(ticks(sum));
            }
        }
    }

    /// The estimate of the row of that number.
    pub(crate) fn estimate_of(&self, row: u32, wall: TickRate, cpu: TickRate) -> Estimate {
        let trust = self.timing.trusts.get(row as usize);
        trust.map_or_else(Estimate::default, |trust| {
            let error = |rate: TickRate, estimated: Estimated| {
                rate.nanoseconds(ticks(estimated.variance.sqrt().ceil()))
            };
            Estimate {
                untimed: trust.untimed(0),
                variance: Variance::of_standard_errors(
                    error(wall, trust.wall.estimate),
                    error(cpu, trust.cpu.estimate),
                    0,
                    0,
                ),
            }
        })
    }

    /// The estimates of rows, by their place in `rows`.
    pub(crate) fn estimates_of(
        &self,
        rows: impl Iterator<Item = u32>,
        wall: TickRate,
        cpu: TickRate,
    ) -> Estimates {
        if self.timing.trusts.is_empty() {
            return Estimates::default();
        }
        let numbered = (0..).zip(rows);
        numbered
            .map(|(place, row)| (place, self.estimate_of(row, wall, cpu)))
            .collect()
    }
}

/// Adds its part of its caller's stalls to each estimate.
fn divide_stalls(
    rows: &[Row],
    trusts: &mut [Trust],
    stalls: &Stalls,
    accounts: &NumberMap<u32, Account>,
    side: &Side,
) {
    let own_usually = stalls.own(side.number);
    for (row, trust) in rows.iter().zip(trusts).skip(ROOT as usize + 1) {
        let (Some(account), Some(stalls)) = (accounts.get(&row.parent()), stalls.of(row.parent()))
        else {
            continue;
        };
        let Some(stall) = stalls.get(side.number) else {
            continue;
        };
        let estimated = (side.estimate)(trust);
        if estimated.sum > 0.0 {
            let division = stall.division(account.estimates, own_usually);
            let share = estimated.sum / account.estimates;
            let own = division.part * share;
            estimated.sum += own * division.time;
            if division.time > 0.0 {
                estimated.variance += (own * (1.0 - own)).max(share / 4.0) * stall.squares;
            }
        }
    }
}

/// The account of each caller: an activation, or a row of the tree.
fn accounts(
    rows: &mut [Row],
    trusts: &mut [Trust],
    is_tree: bool,
    total: Reading,
    side: &Side,
) -> NumberMap<u32, Account> {
    let mut accounts: NumberMap<u32, Account> = NumberMap::default();
    for (number, row) in (0..).zip(rows.iter_mut()).skip(ROOT as usize) {
        let (mut cost, parent, callee) = (row.cost, row.parent(), row.callee());
        if number == ROOT {
            cost = total;
        }
        let time = i128::from((side.time)(&mut cost).0.cast_signed());
        let own = if is_tree { number } else { callee };
        let account = accounts.entry(own).or_default();
        account.measured += time;
        if number == ROOT {
            continue;
        }
        let account = accounts.entry(parent).or_default();
        account.callees += time;
        if let Some(trust) = trusts.get_mut(number as usize) {
            account.estimates += (side.estimate)(trust).sum.max(0.0);
        }
    }
    accounts
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion of a float stops at the limits"
)]
fn ticks(length: f64) -> Ticks {
    Ticks(length as u64)
}
