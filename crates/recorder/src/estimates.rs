//! The end of an adaptive profile: calls that were not timed are added to their rows,
//! with estimated times.
//!
//! What a caller's calls took in all was measured. So an estimate comes out of the
//! caller's self time, and all self times still add up to the total, to the tick. If
//! the estimates of a caller's callees are more than the time that was measured for
//! it, they are cut in proportion, and the cut is added to their errors.

use profile::{Estimate, Estimates, NumberMap, Variance};

use crate::call_table::{NONE, ROOT, Row, Shape};
use crate::stalls::Stalls;
use crate::trust::{Estimated, Trust};
use crate::{Plan, Reading, Recorder, TickRate, Ticks};

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

/// The numbers of the accounts of each row, by the row's number: its own, and its
/// caller's.
struct Places {
    of_rows: Vec<[u32; 2]>,
    accounts: usize,
}

impl Places {
    /// Paths have their own accounts, which have their rows' numbers. Edges share those
    /// of activations.
    fn new(rows: &[Row], is_tree: bool) -> Self {
        let mut numbers: NumberMap<u32, u32> = NumberMap::default();
        let mut number_of = |activation: u32| {
            let next = u32::try_from(numbers.len()).unwrap_or(NONE);
            *numbers.entry(activation).or_insert(next)
        };
        let of_rows: Vec<_> = (0..)
            .zip(rows)
            .map(|(number, row)| {
                if is_tree {
                    [number, row.parent()]
                } else {
                    [row.callee(), row.parent()].map(&mut number_of)
                }
            })
            .collect();
        let accounts = if is_tree { rows.len() } else { numbers.len() };
        Self { of_rows, accounts }
    }

    /// The account of a row's caller.
    fn caller<'a>(&self, accounts: &'a [Account], row: usize) -> Option<&'a Account> {
        let [_, caller] = *self.of_rows.get(row)?;
        accounts.get(caller as usize)
    }
}

impl Recorder {
    /// Adds all untimed calls to their rows. The profile's total is `total`.
    pub(crate) fn estimate<P: Plan>(&mut self, total: Reading) {
        let [wall, cpu] = &SIDES;
        let sides = if P::CPU { vec![wall, cpu] } else { vec![wall] };
        // With an error of all time, nothing need fit.
        let is_cut = self.timing.limits.allowed < 1.0;
        let rows = &mut self.table.rows;
        let trusts = &mut self.timing.trusts;
        for (row, trust) in rows.iter_mut().zip(trusts.iter_mut()) {
            trust.settle(row.untimed);
            row.untimed = 0;
        }
        let places = Places::new(rows, self.shape == Shape::Tree);
        for &side in &sides {
            let accounts = accounts(rows, trusts, &places, total, side);
            divide_stalls(rows, trusts, &self.timing.stalls, &places, &accounts, side);
        }
        for (row, trust) in rows.iter_mut().zip(trusts.iter()) {
            row.calls += trust.untimed(0);
        }
        for side in sides {
            let accounts = accounts(rows, trusts, &places, total, side);
            let numbered = rows.iter_mut().zip(trusts.iter_mut()).enumerate();
            for (number, (row, trust)) in numbered.skip(ROOT as usize + 1) {
                let estimated = (side.estimate)(trust);
                let wanted = estimated.sum.max(0.0);
                let account = places.caller(&accounts, number);
                // Rounded down, so that they fit all together.
                let share = account.filter(|_| is_cut).map_or(1.0, Account::share);
                let sum = (wanted * share).floor();
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
    places: &Places,
    accounts: &[Account],
    side: &Side,
) {
    let own_usually = stalls.own(side.number);
    let numbered = rows.iter().zip(trusts).enumerate();
    for (number, (row, trust)) in numbered.skip(ROOT as usize + 1) {
        let estimated = (side.estimate)(trust);
        if estimated.sum <= 0.0 {
            continue;
        }
        let (Some(account), Some(stalls)) =
            (places.caller(accounts, number), stalls.of(row.parent()))
        else {
            continue;
        };
        let Some(stall) = stalls.get(side.number) else {
            continue;
        };
        let division = stall.division(account.estimates, own_usually);
        let share = estimated.sum / account.estimates;
        let own = division.part * share;
        estimated.sum += own * division.time;
        if division.time > 0.0 {
            // All stalls of a caller may be its own, or its callees': runs of the garbage
            // collector are, because they begin at the same place again and again. So
            // their errors do not average out.
            let time = stall.time * stall.time;
            estimated.variance += (own * (1.0 - own)).max(share / 4.0) * time;
        }
    }
}

/// The account of each caller: an activation, or a row of the tree.
fn accounts(
    rows: &mut [Row],
    trusts: &mut [Trust],
    places: &Places,
    total: Reading,
    side: &Side,
) -> Vec<Account> {
    let mut accounts = vec![Account::default(); places.accounts];
    let numbered = (0..).zip(rows.iter_mut()).zip(&places.of_rows);
    for ((number, row), &[own, caller]) in numbered.skip(ROOT as usize) {
        let mut cost = if number == ROOT { total } else { row.cost };
        let time = i128::from((side.time)(&mut cost).0.cast_signed());
        if let Some(account) = accounts.get_mut(own as usize) {
            account.measured += time;
        }
        if number == ROOT {
            continue;
        }
        if let Some(account) = accounts.get_mut(caller as usize) {
            account.callees += time;
            if let Some(trust) = trusts.get_mut(number as usize) {
                account.estimates += (side.estimate)(trust).sum.max(0.0);
            }
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
