//! Estimates in a native file: for each row whose calls were not all timed, how
//! many were not, and the variances of its costs.

use super::Error;
use super::costs::Columns;
use super::output::Output;
use super::section::kind;
use super::varint::{Cursor, put, put_wide};
use crate::{Budget, Estimate, Estimates, Variance};

/// The number of estimates in a section.
const A_SECTION: usize = 8192;

/// The columns of variances; calls have none.
const KNOWN: u8 = Columns::WALL | Columns::CPU | Columns::MEMORY | Columns::PEAK;

/// Writes all estimates, if there are any. `first` is the number of the first
/// row in the file.
pub(super) fn write(
    estimates: &Estimates,
    first: u64,
    output: &mut Output<'_>,
) -> std::io::Result<()> {
    let all: Vec<(u32, Estimate)> = estimates.iter().collect();
    let mut columns = 0;
    for (_, Estimate { variance, .. }) in &all {
        for (value, bit) in [
            (variance.wall, Columns::WALL),
            (variance.cpu, Columns::CPU),
            (variance.memory, Columns::MEMORY),
            (variance.peak, Columns::PEAK),
        ] {
            columns |= if value == 0 { 0 } else { bit };
        }
    }
    let columns = Columns(columns);
    let mut before = 0;
    for estimates in all.chunks(A_SECTION) {
        output.section(|writer, out| {
            writer.section(out, kind::ESTIMATES, |out| {
                out.push(columns.0);
                put(out, estimates.len() as u64);
                for (row, estimate) in estimates {
                    let number = u64::from(*row) + first;
                    put(out, number - before);
                    before = number;
                    put(out, estimate.untimed);
                    put_variance(out, columns, &estimate.variance);
                }
            });
        })?;
    }
    Ok(())
}

fn put_variance(out: &mut Vec<u8>, columns: Columns, variance: &Variance) {
    if columns.has(Columns::WALL) {
        put_wide(out, variance.wall);
    }
    if columns.has(Columns::CPU) {
        put_wide(out, variance.cpu);
    }
    if columns.has(Columns::MEMORY) {
        put_wide(out, variance.memory);
    }
    if columns.has(Columns::PEAK) {
        put_wide(out, variance.peak);
    }
}

/// Reads estimates from any number of sections.
#[derive(Debug, Default)]
pub(super) struct EstimateReader {
    rows: Vec<(u32, Estimate)>,
    /// The number of the last one in the file.
    before: u64,
}

impl EstimateReader {
    /// Reads the payload of a section. `first` is the number of the first row,
    /// and `rows` says how many there are so far.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        first: u64,
        rows: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        let columns = cursor.byte()?;
        if columns & !KNOWN != 0 {
            return Err(cursor.broken("costs not known here"));
        }
        let columns = Columns(columns);
        for _ in 0..cursor.count()? {
            let step = cursor.number()?;
            let number = self.before.checked_add(step);
            let number = number.filter(|_| step > 0 || self.rows.is_empty());
            let row = number.and_then(|number| number.checked_sub(first));
            let row = row.filter(|&row| usize::try_from(row).is_ok_and(|row| row < rows));
            let (Some(number), Some(row)) = (number, row.and_then(|row| u32::try_from(row).ok()))
            else {
                return Err(cursor.broken("an estimate of a row that is not there, or has one"));
            };
            self.before = number;
            let mut estimate = Estimate {
                untimed: cursor.number()?,
                variance: Variance::ZERO,
            };
            let variance = &mut estimate.variance;
            for (value, bit) in [
                (&mut variance.wall, Columns::WALL),
                (&mut variance.cpu, Columns::CPU),
                (&mut variance.memory, Columns::MEMORY),
                (&mut variance.peak, Columns::PEAK),
            ] {
                if columns.has(bit) {
                    *value = cursor.wide()?;
                }
            }
            budget.room(&mut self.rows, "estimates")?;
            self.rows.push((row, estimate));
        }
        cursor.finish()
    }

    /// All estimates.
    pub(super) fn finish(self) -> Estimates {
        self.rows.into_iter().collect()
    }
}
