//! The sums of a selection: its cells, and the runs that are not in them yet.

use std::sync::Arc;

use profile::Symbol;

use super::Inner;
use super::add_spreads::AddSpreads;
use super::heads::Heads;
use super::moment::Moment;
use super::piece::Each;
use super::select::Hours;
use crate::answers::{
    Chosen, EachFile, Grouping, Place, Resolution, Source, Sums, Visited, Want, requests_of,
};
use crate::rollup::{SpreadSums, Totals};
use crate::{Basis, Result, RunInfo, Selection};

/// A store at a moment.
pub(super) struct AtMoment<'a> {
    pub(super) inner: &'a Inner,
    pub(super) moment: &'a Moment,
}

impl AtMoment<'_> {
    fn heads(&self, of: &Hours, step: Resolution) -> Result<Heads> {
        self.moment.heads(self.inner, of, step)
    }

    fn runs(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        match self.moment.runs(selection, most) {
            Some(runs) => Ok(runs),
            None => self.inner.infos(selection, most),
        }
    }
}

impl Source for AtMoment<'_> {
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let heads = self.heads(&Hours::of(selection)?, grouping.step.into())?;
        self.inner.walk_totals(&heads, visitor)
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
        let heads = self.heads(&hours, step)?;
        self.inner
            .walk(&hours, step, heads, want, &mut Each(each))?;
        Ok(Visited {
            names: self.inner.names.all(),
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
        let heads = self.heads(&days, Resolution::Day)?;
        self.inner
            .walk(&days, Resolution::Day, heads, want, &mut Each(each))?;
        Ok(Visited {
            names: self.inner.names.all(),
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
        let heads = self.heads(&days, Resolution::Day)?;
        self.inner
            .walk(&days, Resolution::Day, heads, want, &mut spreads)?;
        Ok((spreads.sums, self.inner.names.all()))
    }

    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        self.runs(selection, most)
    }

    fn files(&self, selection: &Selection, most: usize, each: &mut EachFile<'_>) -> Result<Chosen> {
        let infos = self.runs(selection, most)?;
        let chosen = if infos.len() < most {
            Chosen::of(&infos)
        } else {
            self.inner.count(selection)?
        };
        self.inner
            .each_kept_file(infos, &mut |info, file| each(&chosen, info, file))?;
        Ok(chosen)
    }
}
