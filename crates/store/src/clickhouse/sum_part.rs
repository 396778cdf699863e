//! A part of a sum, unpacked, and what a question takes of it.

use rayon::prelude::*;

use super::cell_cache::{Column, PackedPart, SumHeader};
use super::cells::{Cell, part};
use super::sum_headers::{Table, place_of};
use super::walk::{Routes, Visitor, Walk, column};
use crate::Result;
use crate::answers::{PartSums, Place, Want};
use crate::rollup::{Moments, OneSpread, Paths, Shape, SpanSums, Spreads, Totals, decode_by};

/// How many parts are unpacked at once, by all processors: unpacked they are ten times as
/// large.
const MAX_UNPACKED: usize = 256;

/// Gives each cell, with what is wanted of it; none of a cell without spans.
pub(super) struct Each<F>(pub(super) F);

impl<F: FnMut(&Place, &Totals, Option<PartSums>)> Visitor for Each<F> {
    fn parts(
        &mut self,
        walk: &Walk<'_>,
        parts: &[(&SumHeader, Option<&PackedPart>)],
    ) -> Result<()> {
        for some in parts.chunks(MAX_UNPACKED) {
            let sums: Vec<_> = some
                .par_iter()
                .map(|(header, part)| sums_of(walk, header, *part))
                .collect();
            for ((header, _), sums) in some.iter().zip(sums) {
                self.0(&walk.weighted(&header.place), &header.totals, sums?);
            }
        }
        Ok(())
    }

    fn routes(&mut self, walk: &Walk<'_>, rows: &[Routes<'_>]) -> Result<()> {
        for some in rows.chunks(MAX_UNPACKED) {
            let sums: Vec<_> = some
                .par_iter()
                .map(|row| sums_of(walk, row.sum, row.part))
                .collect();
            for (row, sums) in some.iter().zip(sums) {
                if let Some(PartSums::Calls(Some(around))) = sums? {
                    let calling = row.routes.iter().filter(|(_, sums)| sums.is_some());
                    let runs = calling.map(|(route, _)| route.totals.runs).sum();
                    let place = walk.weighted(&row.sum.place);
                    self.0(
                        &place,
                        &Totals::default(),
                        Some(PartSums::Around(runs, around)),
                    );
                }
                for (route, sums) in &row.routes {
                    let place = walk.weighted(&route.place);
                    let sums = sums.map(|sums| sums.times(place.weight));
                    self.0(&place, &route.totals, Some(PartSums::Functions(vec![sums])));
                }
            }
        }
        Ok(())
    }

    fn changed(&mut self, walk: &Walk<'_>, cell: Cell, names: &[u32]) {
        let place = walk.weighted(&place_of(&cell.place));
        let piece = match column(walk.want, Table::Cell) {
            Column::Paths => Piece::Paths(cell.paths),
            Column::Spans => Piece::Spans(cell.spans),
            Column::Spreads | Column::Moments | Column::Functions => Piece::Spreads(cell.spreads),
        };
        let found = numbers(&walk.functions.in_cell(names));
        let sums = piece.sums(walk.want, place.weight, names, &found);
        self.0(&place, &cell.totals, sums);
    }
}

/// What is wanted of a part.
fn sums_of(
    walk: &Walk<'_>,
    header: &SumHeader,
    part: Option<&PackedPart>,
) -> Result<Option<PartSums>> {
    let names = part.map_or(&[][..], |part| &part.names);
    let found = walk.functions.in_cell(names);
    let piece = Piece::read(walk.want, header.shape, part, &found)?;
    Ok(piece.sums(
        walk.want,
        walk.weight(&header.place),
        names,
        &numbers(&found),
    ))
}

fn numbers(found: &[Option<(u32, u32)>]) -> Vec<Option<u32>> {
    found.iter().map(|found| Some((*found)?.1)).collect()
}

/// A part of a cell. Its functions have numbers of the cell.
enum Piece {
    Paths(Paths),
    Spans(SpanSums),
    Spreads(Spreads),
}

impl Piece {
    /// Unpacks what a question needs of a part. `wanted` are the functions that it names:
    /// their numbers in the cell and in this process.
    fn read(
        want: Want<'_>,
        shape: i8,
        of: Option<&PackedPart>,
        wanted: &[Option<(u32, u32)>],
    ) -> Result<Self> {
        let bytes = of.map_or(&[][..], |of| &of.bytes);
        Ok(match want {
            Want::Spans => Self::Spans(part::<SpanSums>(bytes)?.unwrap_or_default()),
            Want::Paths | Want::Functions(_) | Want::Calls(_) => {
                let shape = Shape::from_number(i64::from(shape));
                Self::Paths(part::<Paths>(bytes)?.unwrap_or_else(|| Paths::new(shape)))
            }
            _ if bytes.is_empty() => Self::Spreads(Spreads::default()),
            Want::Spreads => Self::Spreads(part::<Spreads>(bytes)?.unwrap_or_default()),
            Want::Moments => Self::Spreads(decode_by(bytes, Moments)?),
            Want::Spread(_) => {
                let mut spreads = Spreads::default();
                if let Some(Some((number, _))) = wanted.first() {
                    let spread = decode_by(bytes, OneSpread(*number))?;
                    spreads.rows.extend(spread.map(|spread| (*number, spread)));
                }
                Self::Spreads(spreads)
            }
        })
    }

    /// What a question takes of a part, with numbers of this process: `names` has those
    /// of the cell's functions, `wanted` those that the question names. None of a cell
    /// without spans.
    fn sums(
        self,
        want: Want<'_>,
        weight: u64,
        names: &[u32],
        wanted: &[Option<u32>],
    ) -> Option<PartSums> {
        Some(match self {
            Self::Spans(spans) if spans.rows.is_empty() => return None,
            Self::Spans(spans) => PartSums::Spans(spans.times(weight)),
            Self::Paths(paths) => want.of_paths(paths.renamed(names).times(weight), wanted),
            Self::Spreads(spreads) => want.of_spreads(spreads.renamed(names).times(weight), wanted),
        })
    }
}
