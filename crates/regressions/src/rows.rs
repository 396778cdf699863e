//! The blocks of the functions that predict each other: what
//! [`prediction`](crate::prediction) needs of the hours.
//!
//! A few numbers a block stand for all of its paths, so the hours of one route can
//! go before those of the next are read.

use crate::input::Block;
use crate::making::{Making, WeightedPath};
use crate::series::{Family, Row, Rows, Series};
use crate::window::Details;

/// The most functions that predict each other: those with most time.
const MAX_FUNCTIONS: usize = 64;

/// The fewest functions.
const MIN_FUNCTIONS: usize = 8;

/// A function with less of the route's time neither predicts nor is predicted.
const MIN_SHARE: f64 = 1e-4;

impl Making<'_> {
    /// The blocks of the important functions.
    pub(crate) fn rows(&self) -> Rows {
        let chosen = self.important();
        if chosen.len() < MIN_FUNCTIONS {
            return Rows::default();
        }
        let windows = self.blocks.iter().zip(&self.details);
        Rows {
            windows: windows
                .map(|(blocks, details)| self.rows_of(&chosen, blocks, details))
                .collect(),
            chosen,
        }
    }

    /// The important functions' series, those with most time first.
    fn important(&self) -> Vec<usize> {
        let is_important = |(_, series): &(usize, &Series)| {
            series.family == Family::Time && series.weight >= MIN_SHARE
        };
        let series = self.route.series.iter().enumerate().filter(is_important);
        let mut chosen: Vec<(usize, f64)> = series.map(|(place, of)| (place, of.weight)).collect();
        chosen.sort_by(|a, b| b.1.total_cmp(&a.1));
        chosen.truncate(MAX_FUNCTIONS);
        chosen.into_iter().map(|of| of.0).collect()
    }

    /// The blocks of a window.
    fn rows_of(&self, chosen: &[usize], blocks: &[&Block], details: &Details) -> Vec<Row> {
        let mut means: Vec<Option<f64>> = vec![None; self.route.paths.len()];
        let mut rows = Vec::with_capacity(blocks.len());
        for (block, shared) in blocks.iter().zip(&details.shared) {
            means.fill(None);
            for cell in block.cells.iter().filter(|cell| cell.runs > 0) {
                means[cell.path as usize] = Some(cell.ln_self / cell.runs as f64);
            }
            let deviation = |part: &WeightedPath| {
                let of = &details.paths[part.path];
                let common = shared - of.deviations.common();
                // A path that the block did not call says nothing.
                let mean = means[part.path]?;
                Some(part.weight * (mean - of.ln_self - part.response * common))
            };
            let deviations = chosen.iter().map(|&series| {
                let parts = self.parts[series].iter();
                parts.filter_map(deviation).sum::<f64>()
            });
            rows.push(Row {
                runs: block.runs as f64,
                deviations: deviations.collect(),
            });
        }
        rows
    }
}
