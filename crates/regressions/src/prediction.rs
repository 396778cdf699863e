//! What is left of a function's time without what the other functions of its route
//! predict.
//!
//! Inputs make functions slow together: a long file has more tokens, and all
//! that works on tokens takes longer. One number for what is common does not
//! cover that. So each function is predicted from the others by a ridge
//! regression over the blocks of the history (A. E. Hoerl and R. W. Kennard,
//! Technometrics 12, 1970), and the rest is tested, too.
//!
//! With K the matrix of products and Ω = (K + λ)⁻¹, the rest of function f is
//! `(Ω z)_f / Ω_ff`: one inversion serves all functions. A window of the history
//! is left out of the matrix that predicts it, so its rest is as large as that
//! of a window after the release.
//!
//! **Invariants:**
//! - Functions that changed predict no others. They are found and left out, one
//!   after the other; if there are many, nothing is predicted.
//! - The variance inside a window is that of the rests of its blocks, and so
//!   independent of how the windows differ. The prior of the variances compares
//!   the two; one that was made from the other would make each series' variance,
//!   a poor estimate, look certain.

use crate::matrix::Matrix;
use crate::series::{Route, Row, Rows, Series, mean};
use crate::window::correction;

/// The penalty λ, in blocks.
const PENALTY: f64 = 30.0;

/// By how much the mean logarithm of the variances must become smaller: less is
/// chance, and the functions are left as they are.
const MIN_GAIN: f64 = 0.10;

/// From how many standard deviations on a function has changed.
const CHANGED: f64 = 3.5;

/// The largest part of the functions that may have changed.
const MAX_CHANGED: f64 = 0.25;

impl Route {
    /// Finds what is left of the times without what other functions predict.
    pub(crate) fn predict(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some(rests) = Data::of(self, rows).and_then(|data| data.rests()) else {
            return;
        };
        for rest in rests {
            let series = &mut self.series[rest.series];
            series.rest = Some(Box::new(Series {
                values: rest.values,
                within: rest.within,
                ..series.clone()
            }));
        }
    }
}

/// What is left of one function, in each window.
struct Rest {
    series: usize,
    values: Vec<f64>,
    /// The variance of each value, from inside its window.
    within: Vec<f64>,
}

/// The deviations of a route's important functions, in units of their spread.
struct Data {
    /// The series.
    chosen: Vec<usize>,
    scale: Vec<f64>,
    /// The mean before the release.
    center: Vec<f64>,
    /// The deviations of each window.
    windows: Vec<Vec<f64>>,
    history: usize,
    /// The blocks of each window.
    rows: Vec<Vec<Row>>,
    /// Ω of each window: of all windows before the release but itself.
    inverses: Vec<Matrix>,
}

impl Data {
    fn of(route: &Route, rows: Rows) -> Option<Self> {
        let Rows {
            chosen,
            windows: mut rows,
        } = rows;
        if chosen.is_empty() {
            return None;
        }
        let history = route.history;
        let series: Vec<&Series> = chosen.iter().map(|&place| &route.series[place]).collect();
        let center: Vec<f64> = series.iter().map(|of| mean(&of.values, history)).collect();
        let deviations = |window: usize| -> Vec<f64> {
            let of = series.iter().zip(&center);
            of.map(|(series, center)| series.values[window] - center)
                .collect()
        };
        let mut windows: Vec<Vec<f64>> = (0..route.windows.len()).map(deviations).collect();
        for (rows, between) in rows.iter_mut().zip(&windows) {
            for row in rows {
                for (deviation, between) in row.deviations.iter_mut().zip(between) {
                    *deviation += between;
                }
            }
        }
        let before = || rows.iter().take(history).flatten();
        let runs: f64 = before().map(|row| row.runs).sum();
        let count = before().count() as f64;
        if runs <= 0.0 {
            return None;
        }
        let mut scale = vec![0.0; chosen.len()];
        for row in before() {
            for (sum, deviation) in scale.iter_mut().zip(&row.deviations) {
                *sum += row.runs / runs * deviation * deviation;
            }
        }
        for scale in &mut scale {
            *scale = scale.sqrt().max(1e-9);
        }
        let blocks = rows.iter_mut().flatten().map(|row| &mut row.deviations);
        for deviations in blocks.chain(&mut windows) {
            for (deviation, scale) in deviations.iter_mut().zip(&scale) {
                *deviation /= scale;
            }
        }
        let mut products = Vec::with_capacity(history);
        let mut total = Matrix::diagonal(chosen.len(), PENALTY);
        for rows in rows.iter().take(history) {
            let mut product = Matrix::diagonal(chosen.len(), 0.0);
            for row in rows {
                product.add_square(&row.deviations, row.runs * count / runs);
            }
            total.add(&product, 1.0);
            products.push(product);
        }
        let mut inverses = Vec::with_capacity(windows.len());
        for product in &products {
            let mut without = total.clone();
            without.add(product, -1.0);
            inverses.push(without.inverse()?);
        }
        // After the release: of all windows before it.
        inverses.resize(windows.len(), total.inverse()?);
        Some(Self {
            chosen,
            scale,
            center,
            windows,
            history,
            rows,
            inverses,
        })
    }

    /// What is left of each function; none if predictions are of no use.
    fn rests(&self) -> Option<Vec<Rest>> {
        let all: Vec<Vec<f64>> = self
            .inverses
            .iter()
            .zip(&self.windows)
            .map(|(inverse, window)| inverse.rests(window))
            .collect();
        let usual = variances(&all, self.history);
        let plain = variances(&self.windows, self.history);
        if logarithm(&plain) - logarithm(&usual) < MIN_GAIN {
            return None;
        }
        let changed = self.changed(&usual)?;
        let mut rests: Vec<Rest> = self
            .chosen
            .iter()
            .map(|&series| self.rest(series))
            .collect();
        for (window, inverse) in self.inverses.iter().enumerate() {
            // Each function that changed is predicted without the others that did.
            for &wanted in &changed {
                let mut inverse = inverse.clone();
                for &other in changed.iter().filter(|other| **other != wanted) {
                    inverse.remove(other);
                }
                self.fill(window, &inverse, &mut rests, |place| place == wanted);
            }
            let mut inverse = inverse.clone();
            for &other in &changed {
                inverse.remove(other);
            }
            let is_unchanged = |place| !changed.contains(&place);
            self.fill(window, &inverse, &mut rests, is_unchanged);
        }
        Some(rests)
    }

    /// The functions that changed with the release; none if many did.
    fn changed(&self, usual: &[f64]) -> Option<Vec<usize>> {
        let mut inverse = self.inverses.last()?.clone();
        let most = usual.len() as f64 * MAX_CHANGED;
        let mut changed = Vec::new();
        while changed.len() as f64 <= most {
            // Means of one window after the release, of two …, as the looks.
            let mut sums = vec![0.0; usual.len()];
            let mut largest = (0.0, 0);
            let mut count = 0.0_f64;
            for window in self.windows.iter().skip(self.history) {
                count += 1.0;
                let rests = inverse.rests(window).into_iter().zip(usual).enumerate();
                for (sum, (place, (rest, usual))) in sums.iter_mut().zip(rests) {
                    *sum += rest;
                    let size = f64::abs(*sum) / (count * usual.max(1e-12)).sqrt();
                    if size > largest.0 {
                        largest = (size, place);
                    }
                }
            }
            if largest.0 < CHANGED {
                return Some(changed);
            }
            inverse.remove(largest.1);
            changed.push(largest.1);
        }
        None
    }

    /// A rest that is not filled yet.
    fn rest(&self, series: usize) -> Rest {
        Rest {
            series,
            values: vec![0.0; self.windows.len()],
            within: vec![0.0; self.windows.len()],
        }
    }

    /// Fills in what is left of the wanted functions in a window.
    fn fill(
        &self,
        window: usize,
        inverse: &Matrix,
        rests: &mut [Rest],
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let of_window = inverse.rests(&self.windows[window]);
        let of_rows: Vec<(f64, Vec<f64>)> = self.rows[window]
            .iter()
            .map(|row| (row.runs, inverse.rests(&row.deviations)))
            .collect();
        for place in (0..rests.len()).filter(|place| is_wanted(*place)) {
            let (rest, scale) = (&mut rests[place], self.scale[place]);
            let blocks = of_rows.iter().map(|(runs, rests)| (*runs, rests[place]));
            rest.values[window] = self.center[place] + scale * of_window[place];
            rest.within[window] = scale * scale * within(blocks);
        }
    }
}

/// The variance of each function over the first `count` windows; their means are
/// near zero.
fn variances(windows: &[Vec<f64>], count: usize) -> Vec<f64> {
    let mut sums = vec![0.0; windows.first().map_or(0, Vec::len)];
    for window in windows.iter().take(count) {
        for (sum, value) in sums.iter_mut().zip(window) {
            *sum += value * value / count as f64;
        }
    }
    sums
}

/// The mean logarithm of variances.
fn logarithm(variances: &[f64]) -> f64 {
    let sum: f64 = variances.iter().map(|of| of.max(1e-12).ln()).sum();
    sum / variances.len().max(1) as f64
}

/// The variance of a mean of blocks, given their runs and values.
fn within(blocks: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let runs = blocks.clone().map(|block| block.0).sum::<f64>().max(1.0);
    let sum: f64 = blocks.clone().map(|(runs, value)| runs * value).sum();
    let deviation = |(of, value): (f64, f64)| (of * (value - sum / runs)).powi(2);
    let squares: f64 = blocks.clone().map(deviation).sum();
    squares / (runs * runs) * correction(blocks.count() as f64)
}
