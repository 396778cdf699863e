//! One window of one route: a few numbers a path, from all its hours.
//!
//! Hours differ in load, and so do hosts. What moves most functions of a block
//! together is the median over the functions of their deviations, the "median of ratios" of S. Anders and W. Huber, "Differential
//! expression analysis for sequence count data", Genome Biology 11 (2010),
//! equations 5 and 6, in logarithms.
//!
//! Variances inside a window are those between its blocks, because runs of the
//! same hour are not independent: the cluster-robust variance of K.-Y. Liang and
//! S. L. Zeger, Biometrika 73 (1986), for a mean and for a ratio.

use std::ops::AddAssign;

use crate::input::{Block, Path};

/// The fewest paths that a common deviation can be taken from.
const MIN_COMMON: usize = 8;

/// The most paths that a common deviation is taken from.
const MAX_COMMON: usize = 256;

/// The sums of one path in a window: what the findings need.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PathWindow {
    pub(crate) calls: f64,
    pub(crate) self_ns: f64,
    pub(crate) memory: f64,
}

/// How one path varied in a window: what its series are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Detail {
    /// The runs that called it.
    pub(crate) runs: f64,
    /// The mean logarithm of its time in a run.
    pub(crate) ln_self: f64,
    /// How its blocks deviate from that mean.
    pub(crate) deviations: Deviations,
    /// The calls of the caller.
    pub(crate) caller_calls: f64,
    /// The variance of ln(calls / calls of the caller).
    pub(crate) ratio_within: f64,
    /// The ratio of calls, if it is the same in all blocks.
    pub(crate) constant: Option<f64>,
    /// The number of blocks that called it.
    pub(crate) blocks: u32,
    /// The variance of the mean memory of a run.
    pub(crate) memory_within: f64,
}

/// One window of one route.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Window {
    pub(crate) runs: f64,
    pub(crate) blocks: usize,
    pub(crate) wall_ns: f64,
    pub(crate) ln_wall: f64,
    pub(crate) ln_wall_within: f64,
    pub(crate) peak_bytes: f64,
    pub(crate) paths: Vec<PathWindow>,
}

/// How the paths of a window varied. It takes ten times the memory of the window,
/// so it is gone when the series are made.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Details {
    pub(crate) paths: Vec<Detail>,
    /// The deviation of each block that is common to its paths.
    pub(crate) shared: Vec<f64>,
}

/// Sums over the blocks that called a path: `n` are its runs there, `d` is the
/// deviation of its mean logarithm, `c` the deviation common to all paths.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Deviations {
    blocks: f64,
    n: f64,
    n_c: f64,
    n_dd: f64,
    n_dc: f64,
    n_cc: f64,
    n2: f64,
    n2_d: f64,
    n2_c: f64,
    n2_dd: f64,
    n2_dc: f64,
    n2_cc: f64,
}

/// Sums over blocks, weighted by runs, of products of deviations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Regression {
    pub(crate) blocks: f64,
    /// The path's deviation times the common one.
    pub(crate) both: f64,
    /// The square of the common one.
    pub(crate) common: f64,
    /// The square of their difference.
    pub(crate) rest: f64,
}

impl AddAssign for Regression {
    fn add_assign(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.both += other.both;
        self.common += other.common;
        self.rest += other.rest;
    }
}

impl Deviations {
    fn add(&mut self, runs: f64, d: f64, c: f64) {
        let n2 = runs * runs;
        self.blocks += 1.0;
        self.n += runs;
        self.n_c += runs * c;
        self.n_dd += runs * d * d;
        self.n_dc += runs * d * c;
        self.n_cc += runs * c * c;
        self.n2 += n2;
        self.n2_d += n2 * d;
        self.n2_c += n2 * c;
        self.n2_dd += n2 * d * d;
        self.n2_dc += n2 * d * c;
        self.n2_cc += n2 * c * c;
    }

    /// The common deviation of the blocks that called the path.
    pub(crate) fn common(&self) -> f64 {
        self.n_c / self.n.max(1.0)
    }

    /// What a regression of the path's deviations on the common ones needs.
    pub(crate) fn regression(&self) -> Regression {
        Regression {
            blocks: self.blocks,
            both: self.n_dc,
            common: self.n_cc - self.common() * self.n_c,
            rest: (self.n_dd - 2.0 * self.n_dc + self.n_cc).max(0.0),
        }
    }

    /// The variance of the mean without `response` times the common deviation.
    pub(crate) fn within(&self, response: f64) -> f64 {
        // The sum of n² (d − r (c − c̄))², multiplied out.
        let center = response * self.common();
        let squares = self.n2_dd - 2.0 * response * self.n2_dc
            + response * response * self.n2_cc
            + center * (2.0 * self.n2_d - 2.0 * response * self.n2_c + center * self.n2);
        squares.max(0.0) / self.n.max(1.0).powi(2) * correction(self.blocks)
    }
}

/// Sums of squares over blocks for a ratio of two sums.
#[derive(Debug, Clone, Copy, Default)]
struct Squares {
    caller2: f64,
    child2: f64,
    both: f64,
    memory2: f64,
    memory_runs: f64,
    runs2: f64,
}

impl Window {
    /// Adds up the blocks of a window.
    pub(crate) fn of(paths: &[Path], blocks: &[&Block]) -> (Self, Details) {
        let mut window = Self {
            paths: vec![PathWindow::default(); paths.len()],
            blocks: blocks.len(),
            ..Self::default()
        };
        let mut details = Details {
            paths: vec![Detail::default(); paths.len()],
            shared: Vec::with_capacity(blocks.len()),
        };
        window.add_up(&mut details, paths, blocks);
        details.logarithms(&window, blocks);
        (window, details)
    }

    fn add_up(&mut self, details: &mut Details, paths: &[Path], blocks: &[&Block]) {
        let mut squares = vec![Squares::default(); paths.len()];
        // The calls of each path in the current block.
        let mut calls = vec![0.0; paths.len()];
        let mut runs2 = 0.0;
        for block in blocks {
            let runs = block.runs as f64;
            runs2 += runs * runs;
            self.runs += runs;
            self.wall_ns += block.wall_ns as f64;
            self.ln_wall += block.ln_wall;
            self.peak_bytes += block.peak_bytes as f64;
            for cell in &block.cells {
                calls[cell.path as usize] = cell.calls as f64;
            }
            for cell in &block.cells {
                let place = cell.path as usize;
                let (sum, squares) = (&mut self.paths[place], &mut squares[place]);
                let detail = &mut details.paths[place];
                let parent = paths[place].parent;
                let caller = parent.map_or(runs, |parent| calls[parent as usize]);
                let (child, memory) = (cell.calls as f64, cell.memory as f64);
                sum.calls += child;
                sum.self_ns += cell.self_ns as f64;
                sum.memory += memory;
                detail.blocks += 1;
                detail.runs += cell.runs as f64;
                detail.ln_self += cell.ln_self;
                let ratio = if caller > 0.0 {
                    child / caller
                } else {
                    f64::NAN
                };
                detail.constant = match detail.constant {
                    None if detail.blocks == 1 => Some(ratio),
                    Some(first) if is_same(first, ratio) => Some(first),
                    _ => None,
                };
                squares.caller2 += caller * caller;
                squares.child2 += child * child;
                squares.both += caller * child;
                squares.memory2 += memory * memory;
                squares.memory_runs += memory * runs;
                squares.runs2 += runs * runs;
            }
            for cell in &block.cells {
                calls[cell.path as usize] = 0.0;
            }
        }
        self.callers(details, paths, blocks);
        let correction = correction(blocks.len() as f64);
        let wall_mean = self.ln_wall / self.runs.max(1.0);
        let wall: f64 = blocks
            .iter()
            .map(|block| (block.ln_wall - wall_mean * block.runs as f64).powi(2))
            .sum();
        self.ln_wall = wall_mean;
        self.ln_wall_within = wall / self.runs.max(1.0).powi(2) * correction;
        let caller_squares = self.caller_squares(paths, blocks);
        let sums = self.paths.iter().zip(&mut details.paths);
        for (((sum, detail), squares), all2) in sums.zip(&squares).zip(caller_squares) {
            let mean = sum.memory / self.runs.max(1.0);
            // Blocks without the path have a memory of zero, which deviates as well.
            let present = squares.memory2 - 2.0 * mean * squares.memory_runs;
            let memory = present + mean * mean * runs2;
            detail.memory_within = memory.max(0.0) / self.runs.max(1.0).powi(2) * correction;
            if detail.caller_calls > 0.0 && sum.calls > 0.0 {
                let ratio = sum.calls / detail.caller_calls;
                let deviations = squares.child2 - 2.0 * ratio * squares.both + ratio * ratio * all2;
                detail.ratio_within = deviations.max(0.0) / sum.calls.powi(2) * correction;
                // Another caller's call without this path is a ratio of zero.
                if all2 > squares.caller2 * (1.0 + 1e-12) {
                    detail.constant = None;
                }
            }
        }
    }

    /// The calls of each path's caller, over all blocks.
    fn callers(&self, details: &mut Details, paths: &[Path], blocks: &[&Block]) {
        let runs: f64 = blocks.iter().map(|block| block.runs as f64).sum();
        for (detail, path) in details.paths.iter_mut().zip(paths) {
            let calls = |parent: u32| self.paths[parent as usize].calls;
            detail.caller_calls = path.parent.map_or(runs, calls);
        }
    }

    /// For each path, the sum over all blocks of the squares of its caller's calls.
    fn caller_squares(&self, paths: &[Path], blocks: &[&Block]) -> Vec<f64> {
        let mut own = vec![0.0; paths.len()];
        let mut runs2 = 0.0;
        for block in blocks {
            runs2 += (block.runs as f64).powi(2);
            for cell in &block.cells {
                own[cell.path as usize] += (cell.calls as f64).powi(2);
            }
        }
        let caller = |path: &Path| path.parent.map_or(runs2, |parent| own[parent as usize]);
        paths.iter().map(caller).collect()
    }

    /// The paths that most runs call: those with most of the time.
    fn common_paths(&self, details: &Details) -> Vec<bool> {
        let is_usual = |detail: &Detail| detail.runs >= 0.5 * self.runs && detail.runs > 0.0;
        let paths = || self.paths.iter().zip(&details.paths);
        let mut times: Vec<f64> = paths()
            .filter(|(_, detail)| is_usual(detail))
            .map(|(sum, _)| sum.self_ns)
            .collect();
        times.sort_by(|a, b| b.total_cmp(a));
        let least = times.get(MAX_COMMON).copied().unwrap_or(-1.0);
        let is_common =
            |(sum, detail): (&PathWindow, &Detail)| is_usual(detail) && sum.self_ns > least;
        paths().map(is_common).collect()
    }
}

impl Details {
    /// Means of logarithms, and how the blocks deviate from them.
    fn logarithms(&mut self, window: &Window, blocks: &[&Block]) {
        for detail in &mut self.paths {
            detail.ln_self /= detail.runs.max(1.0);
        }
        let is_common = window.common_paths(self);
        let mut common = Vec::with_capacity(is_common.len());
        for block in blocks {
            common.clear();
            for cell in &block.cells {
                let place = cell.path as usize;
                if is_common[place] && cell.runs > 0 {
                    common.push(cell.ln_self / cell.runs as f64 - self.paths[place].ln_self);
                }
            }
            let shared = if common.len() >= MIN_COMMON {
                median(&mut common)
            } else {
                0.0
            };
            self.shared.push(shared);
            for cell in &block.cells {
                if cell.runs > 0 {
                    let detail = &mut self.paths[cell.path as usize];
                    let runs = cell.runs as f64;
                    let deviation = cell.ln_self / runs - detail.ln_self;
                    detail.deviations.add(runs, deviation, shared);
                }
            }
        }
    }
}

/// Corrects a variance between that many blocks for their own mean.
pub(crate) fn correction(blocks: f64) -> f64 {
    if blocks > 1.0 {
        blocks / (blocks - 1.0)
    } else {
        1.0
    }
}

/// Whether two ratios of whole numbers are the same.
pub(crate) fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The median; zero of nothing. Reorders the values.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    let (_, median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    *median
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    const PATHS: [Path; 2] = [
        Path {
            parent: None,
            function: 0,
        },
        Path {
            parent: Some(0),
            function: 1,
        },
    ];

    fn block(hour: i64, runs: u64, child_calls: u64) -> Block {
        let cell = |path, calls| Cell {
            path,
            runs,
            calls,
            self_ns: runs * 1000,
            ln_self: runs as f64 * 2.0,
            memory: 10,
        };
        Block {
            hour,
            runs,
            cells: vec![cell(0, runs), cell(1, child_calls)],
            ..Block::default()
        }
    }

    #[test]
    fn a_ratio_of_calls_is_constant_only_if_it_is_in_every_block() {
        let (a, b) = (block(1, 10, 30), block(2, 20, 60));
        let (_, window) = Window::of(&PATHS, &[&a, &b]);
        assert_eq!(window.paths[1].constant, Some(3.0));
        assert!(window.paths[1].ratio_within < 1e-12);
        assert_eq!(window.paths[1].caller_calls, 30.0);
        let c = block(3, 10, 31);
        let (_, window) = Window::of(&PATHS, &[&a, &b, &c]);
        assert_eq!(window.paths[1].constant, None);
        assert!(window.paths[1].ratio_within > 0.0);
        let mut without = block(3, 10, 0);
        without.cells.pop();
        let (_, window) = Window::of(&PATHS, &[&a, &b, &without]);
        assert_eq!(window.paths[1].constant, None, "a block without the call");
    }

    #[test]
    fn the_variance_of_a_mean_is_that_between_blocks() {
        let mut blocks = [block(1, 10, 10), block(2, 10, 10), block(3, 10, 10)];
        for (block, ln) in blocks.iter_mut().zip([1.0, 2.0, 3.0]) {
            block.cells[1].ln_self = ln * 10.0;
        }
        let blocks: Vec<&Block> = blocks.iter().collect();
        let (_, window) = Window::of(&PATHS, &blocks);
        // The sample variance of 1, 2, 3 is 1; that of their mean is 1/3.
        assert!((window.paths[1].ln_self - 2.0).abs() < 1e-12);
        assert!((window.paths[1].deviations.within(1.0) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_all_paths_of_a_block_share_can_be_taken_out() {
        let paths: Vec<Path> = (0..9)
            .map(|function| Path {
                parent: None,
                function,
            })
            .collect();
        let cells = |shift: f64| {
            (0..9)
                .map(|path| Cell {
                    path,
                    runs: 10,
                    calls: 10,
                    ln_self: 10.0 * (f64::from(path) + shift),
                    ..Cell::default()
                })
                .collect()
        };
        let (quiet, busy) = (
            Block {
                runs: 10,
                cells: cells(0.0),
                ..Block::default()
            },
            Block {
                hour: 1,
                runs: 10,
                cells: cells(0.7),
                ..Block::default()
            },
        );
        let (_, window) = Window::of(&paths, &[&quiet, &busy]);
        let of = |path: usize| window.paths[path].deviations;
        assert!((0..9).all(|path| of(path).within(1.0) < 1e-12));
        assert!(of(0).within(0.0) > 0.01);
        let of = of(0).regression();
        assert!(
            (of.both / of.common - 1.0).abs() < 1e-9,
            "it follows the others"
        );
        assert!(of.rest < 1e-12);
        // A path that only the busy hour has is compared with the others there.
        let mut only_busy = quiet.clone();
        only_busy.cells.pop();
        let (_, window) = Window::of(&paths, &[&only_busy, &busy]);
        let value =
            |path: usize| window.paths[path].ln_self - window.paths[path].deviations.common();
        assert!((value(8) - value(7) - 1.0).abs() < 1e-9);
    }
}
