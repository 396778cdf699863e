//! The sums of a selection: its cells, and the runs that are not in them yet.

use std::sync::Arc;

use profile::Symbol;

use super::Inner;
use super::add_spreads::AddSpreads;
use super::piece::Each;
use super::select::Hours;
use crate::answers::{
    Chosen, EachFile, Grouping, Place, Resolution, Source, Sums, Visited, Want, requests_of,
};
use crate::rollup::{SpreadSums, Totals};
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
        let hours = Hours::of(selection)?;
        let each = |place: &Place, totals: &Totals, sums: Option<Sums>| {
            runs += totals.runs;
            sum += requests_of(totals.runs, place.rate);
            if let Some(sums) = sums {
                visitor(place, totals, sums);
            }
        };
        self.walk(&hours, step, want, &mut Each(each))?;
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
        let days = Hours::of_days(selection)?;
        let each = |place: &Place, _: &Totals, sums: Option<Sums>| {
            if let Some(sums) = sums {
                visitor(place, &nothing, sums);
            }
        };
        self.walk(&days, Resolution::Day, want, &mut Each(each))?;
        Ok(Visited {
            names: self.names.all(),
            basis: Basis::Hours,
            selected: 0,
            requests: 0.0,
        })
    }

    fn spread_sums(
        &self,
        selection: &Selection,
        want: Want<'_>,
    ) -> Result<(SpreadSums, Arc<Vec<Symbol>>)> {
        let days = Hours::of_days(selection)?;
        let mut spreads = AddSpreads::default();
        self.walk(&days, Resolution::Day, want, &mut spreads)?;
        Ok((spreads.sums, self.names.all()))
    }

    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        Self::infos(self, selection, most)
    }

    fn files(&self, selection: &Selection, most: usize, each: &mut EachFile<'_>) -> Result<Chosen> {
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
