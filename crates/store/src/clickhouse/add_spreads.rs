//! Adds up the spreads of a selection: straight from their bytes, on all processors.

use rayon::prelude::*;

use super::cell_cache::{PackedPart, SumHeader};
use super::cells::Cell;
use super::sum_headers::place_of;
use super::walk::{Visitor, Walk};
use crate::Result;
use crate::answers::Want;
use crate::rollup::SpreadSums;

/// The sum of what a walk reads.
#[derive(Default)]
pub(super) struct AddSpreads {
    pub(super) sums: SpreadSums,
}

impl Visitor for AddSpreads {
    fn parts(
        &mut self,
        walk: &Walk<'_>,
        parts: &[(&SumHeader, Option<&PackedPart>)],
    ) -> Result<()> {
        let of_a_thread = parts.len().div_ceil(rayon::current_num_threads()).max(1);
        let sums: Vec<Result<SpreadSums>> = parts
            .par_chunks(of_a_thread)
            .map(|parts| sum(walk, parts))
            .collect();
        for sums in sums {
            self.sums.merge(sums?);
        }
        Ok(())
    }

    fn changed(&mut self, walk: &Walk<'_>, cell: Cell, names: &[u32]) {
        let weight = walk.weight(&place_of(&cell.place));
        self.sums.add(&cell.spreads.renamed(names).times(weight));
    }
}

fn sum(walk: &Walk<'_>, parts: &[(&SumHeader, Option<&PackedPart>)]) -> Result<SpreadSums> {
    let with_times = walk.want != Want::Moments;
    let mut sums = SpreadSums::default();
    for (header, part) in parts {
        if let Some(part) = part.filter(|part| !part.bytes.is_empty()) {
            let weight = walk.weight(&header.place);
            sums.add_encoded(&part.bytes, &part.names, weight, with_times)?;
        }
    }
    Ok(sums)
}
