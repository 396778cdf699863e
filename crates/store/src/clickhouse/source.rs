//! The sums of a selection: its cells, and the runs that are not in them yet.

use std::sync::Arc;

use profile::Symbol;

use super::Inner;
use super::add_spreads::AddSpreads;
use super::query_session::QuerySession;
use super::select::Hours;
use super::sum_headers::SumHeaders;
use super::sum_part::Each;
use crate::answers::{
    Chosen, EachFile, Grouping, PartSums, Place, Resolution, Source, Visited, Want, requests_of,
};
use crate::rollup::{SpreadSums, Totals};
use crate::{Basis, Result, RunInfo, Selection};

/// A store at a moment.
pub(super) struct SessionSource<'a> {
    pub(super) inner: &'a Inner,
    pub(super) session: &'a QuerySession,
}

impl SessionSource<'_> {
    fn headers(&self, of: &Hours, step: Resolution) -> Result<SumHeaders> {
        self.session.headers(self.inner, of, step)
    }

    fn runs(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        match self.session.runs(selection, most) {
            Some(runs) => Ok(runs),
            None => self.inner.infos(selection, most),
        }
    }
}

impl Source for SessionSource<'_> {
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let headers = self.headers(&Hours::of(selection)?, grouping.step.into())?;
        self.inner.walk_totals(&headers, visitor)
    }

    fn cells(
        &self,
        selection: &Selection,
        want: Want<'_>,
        step: Resolution,
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited> {
        let (mut runs, mut sum) = (0, 0.0);
        let hours = Hours::of(selection)?;
        let each = |place: &Place, totals: &Totals, sums: Option<PartSums>| {
            runs += totals.runs;
            sum += requests_of(totals.runs, place.rate);
            if let Some(sums) = sums {
                visitor(place, totals, sums);
            }
        };
        let headers = self.headers(&hours, step)?;
        self.inner
            .walk(&hours, step, headers, want, &mut Each(each))?;
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
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited> {
        let nothing = Totals::default();
        let days = Hours::of_days(selection)?;
        let each = |place: &Place, _: &Totals, sums: Option<PartSums>| {
            if let Some(sums) = sums {
                visitor(place, &nothing, sums);
            }
        };
        let headers = self.headers(&days, Resolution::Day)?;
        self.inner
            .walk(&days, Resolution::Day, headers, want, &mut Each(each))?;
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
        let headers = self.headers(&days, Resolution::Day)?;
        self.inner
            .walk(&days, Resolution::Day, headers, want, &mut spreads)?;
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
