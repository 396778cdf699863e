//! The sums of a selection: its cells, and the runs that are not in them yet.

use super::Inner;
use super::select::Hours;
use super::walk::{Piece, Visit};
use crate::answers::{
    Chosen, Grouping, Place, Resolution, Source, Sums, Visited, Want, requests_of,
};
use crate::rollup::Totals;
use crate::{Basis, Result, RunInfo, Selection};

impl Source for Inner {
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        self.walk_totals(&Hours::of(selection)?, grouping.step.into(), visitor)
    }

    fn cells(
        &self,
        selection: &Selection,
        want: Want<'_>,
        step: Resolution,
        visitor: &mut dyn FnMut(&Place, &Totals, Sums),
    ) -> Result<Visited> {
        let (mut runs, mut sum) = (0, 0.0);
        self.walk(&Hours::of(selection)?, step, want, &mut |visit| {
            runs += visit.totals.runs;
            sum += requests_of(visit.totals.runs, visit.place.rate);
            let Visit { place, totals, .. } = visit;
            if let Some(sums) = sums_of(visit.piece, want, place, visit.names, visit.wanted) {
                visitor(place, totals, sums);
            }
        })?;
        Ok(Visited {
            names: self.names.all(),
            basis: Basis::Hours,
            selected: runs,
            requests: sum,
        })
    }

    fn days(
        &self,
        selection: &Selection,
        want: Want<'_>,
        visitor: &mut dyn FnMut(&Place, &Totals, Sums),
    ) -> Result<Visited> {
        let nothing = Totals::default();
        self.walk(
            &Hours::of_days(selection)?,
            Resolution::Day,
            want,
            &mut |visit| {
                let place = visit.place;
                if let Some(sums) = sums_of(visit.piece, want, place, visit.names, visit.wanted) {
                    visitor(place, &nothing, sums);
                }
            },
        )?;
        Ok(Visited {
            names: self.names.all(),
            basis: Basis::Hours,
            selected: 0,
            requests: 0.0,
        })
    }

    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        Self::infos(self, selection, most)
    }

    fn files(
        &self,
        selection: &Selection,
        most: usize,
        each: &mut dyn FnMut(&Chosen, RunInfo, &[u8]) -> Result<()>,
    ) -> Result<Chosen> {
        let infos = Self::infos(self, selection, most)?;
        let chosen = if infos.len() < most {
            Chosen::of(&infos)
        } else {
            self.count(selection)?
        };
        self.each_kept_file(infos, &mut |info, file| each(&chosen, info, file))?;
        Ok(chosen)
    }
}

/// What a question takes of a part, with numbers of this process; none of a cell without
/// spans.
fn sums_of(
    piece: Piece,
    want: Want<'_>,
    place: &Place,
    names: &[u32],
    wanted: &[Option<u32>],
) -> Option<Sums> {
    Some(match piece {
        Piece::Spans(spans) if spans.rows.is_empty() => return None,
        Piece::Spans(spans) => Sums::Spans(spans.times(place.weight)),
        Piece::Paths(paths) => want.of_paths(paths.renamed(names).times(place.weight), wanted),
        Piece::Spreads(spreads) => {
            want.of_spreads(spreads.renamed(names).times(place.weight), wanted)
        }
    })
}
