//! Deletes runs, and takes them out of the sums.

use super::put::{Changed, Open};
use super::runs;
use crate::prepare::{profile_of, sums_of_run};
use crate::rollup::Sign;
use crate::{Error, Result, RunId};

/// Deletes those runs of `ids` that are there.
pub(super) fn delete(open: &mut Open<'_>, ids: &[RunId]) -> Result<Vec<RunId>> {
    let mut deleted = Vec::new();
    let mut changed = Changed::default();
    for id in ids {
        let Some(number) = runs::number_of(open.connection, id)? else {
            continue;
        };
        match runs::run(open.connection, id) {
            Ok(Some(run)) => {
                if let Some(part) = sums_of_run(profile_of(&run.file)?, &run.info) {
                    let key = open.key(&run.info, &part)?;
                    open.merge(part, &key, &mut changed, Sign::Minus)?;
                }
            }
            // Its part of the sums is not known any more, and stays.
            Ok(None) | Err(Error::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
        runs::remove(open.connection, number)?;
        deleted.push(*id);
    }
    changed.write(open.connection)?;
    Ok(deleted)
}
