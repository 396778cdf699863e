//! Simulated applications without a change, and changes to put into them.
//!
//! Used by `tests/it/error_rates.rs` and by `examples/regressions-bench.rs`. Two
//! models of noise: [`synthetic`] draws it, [`replay`] takes it from recorded
//! runs. Both give the detector what a store gives it: hourly sums.

#![allow(
    dead_code,
    reason = "the test and the bench use different parts of this module"
)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a simulator: counts become random numbers and back"
)]

pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod synthetic;

use rand_xoshiro::Xoshiro256PlusPlus;
use regressions::{Block, Detector, Kind, Options, Path, Release, Report, RouteHours};

/// The generator of all random numbers.
pub(crate) type Rng = Xoshiro256PlusPlus;

/// The windows of history that a release needs.
pub(crate) const HISTORY: i64 = 14;

/// One simulated route.
pub(crate) struct Route {
    pub(crate) name: String,
    pub(crate) functions: Vec<String>,
    pub(crate) paths: Vec<Path>,
    pub(crate) blocks: Vec<Block>,
    /// A path with a tenth of the time, of a function that computes.
    pub(crate) cpu: Option<u32>,
    /// A path with a tenth of the time, of a function that waits.
    pub(crate) io: Option<u32>,
    /// Paths whose calls vary with those of their callers.
    pub(crate) edges: Vec<u32>,
}

/// A model of noise: writes one day of all routes after the other.
pub(crate) trait Noise {
    /// Adds the blocks of the next day.
    fn day(&mut self, routes: &mut [Route]);
}

/// What is changed by a release, on one route.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    /// A path takes this many times as long.
    Slower(f64),
    /// A path is called this many times as often by its caller.
    MoreCalls(u64),
    /// A path keeps this many bytes more in each run.
    Memory(i64),
    /// A part of a path's time is from now on that of another path.
    Moved(f64, u32),
}

/// A simulated application, day by day.
pub(crate) struct App<N> {
    pub(crate) noise: N,
    pub(crate) routes: Vec<Route>,
    /// The number of days so far.
    pub(crate) days: i64,
    most_days: i64,
}

impl<N: Noise> App<N> {
    /// An application with enough days for the first release with `looks`.
    pub(crate) fn new(noise: N, routes: Vec<Route>, looks: i64) -> Self {
        let mut app = Self {
            noise,
            routes,
            days: 0,
            most_days: HISTORY + looks,
        };
        for _ in 0..HISTORY + looks {
            app.next();
        }
        app
    }

    /// One day more; forgets days that no release needs any more.
    pub(crate) fn next(&mut self) {
        self.noise.day(&mut self.routes);
        self.days += 1;
        let first = (self.days - self.most_days) * 24;
        for route in &mut self.routes {
            route.blocks.retain(|block| block.hour >= first);
        }
    }

    /// Examines a release `looks` days before the end, without a change.
    pub(crate) fn examine(&mut self, looks: i64) -> Report {
        let since = (self.days - looks) * 24;
        for block in self.routes.iter_mut().flat_map(|route| &mut route.blocks) {
            block.release = u32::from(block.hour >= since);
        }
        let release = Release {
            name: "next".to_owned(),
            since,
        };
        let routes = self.routes.iter().map(|route| RouteHours {
            route: &route.name,
            functions: &route.functions,
            paths: &route.paths,
            blocks: &route.blocks,
        });
        Detector::new(Options::default()).examine(&release, 1, None, self.days * 24 + 1, routes)
    }

    /// The same with a change of one path of one route.
    pub(crate) fn examine_changed(
        &mut self,
        looks: i64,
        route: usize,
        path: u32,
        change: Change,
    ) -> Report {
        let since = (self.days - looks) * 24;
        let saved = self.routes[route].blocks.clone();
        for block in &mut self.routes[route].blocks {
            if block.hour >= since {
                change.apply(block, path);
            }
        }
        let report = self.examine(looks);
        self.routes[route].blocks = saved;
        report
    }
}

impl Change {
    fn apply(self, block: &mut Block, path: u32) {
        let mut moved = 0.0;
        for cell in &mut block.cells {
            if cell.path != path {
                continue;
            }
            let runs = cell.runs as f64;
            let before = cell.self_ns as f64;
            match self {
                Self::Slower(factor) => {
                    cell.ln_self += runs * factor.ln();
                    cell.self_ns = (before * factor) as u64;
                }
                Self::MoreCalls(factor) => {
                    cell.calls *= factor;
                    cell.ln_self += runs * (factor as f64).ln();
                    cell.self_ns *= factor;
                }
                Self::Memory(bytes) => cell.memory += bytes * cell.runs as i64,
                Self::Moved(part, _) => {
                    cell.ln_self += runs * (1.0 - part).ln();
                    cell.self_ns = (before * (1.0 - part)) as u64;
                    moved = before * part;
                }
            }
            block.wall_ns = (block.wall_ns as f64 + cell.self_ns as f64 - before).max(0.0) as u64;
        }
        if let Self::Moved(_, to) = self {
            for cell in &mut block.cells {
                if cell.path == to {
                    let factor = 1.0 + moved / (cell.self_ns as f64).max(1.0);
                    cell.ln_self += cell.runs as f64 * factor.ln();
                    cell.self_ns += moved as u64;
                    block.wall_ns += moved as u64;
                }
            }
        }
    }
}

/// Whether a report has exactly one finding, of that kind, at that path.
pub(crate) fn has_found(report: &Report, route: &Route, path: u32, kind: Kind) -> bool {
    let function = &route.functions[route.paths[path as usize].function as usize];
    report.findings.iter().any(|finding| {
        finding.kind == kind
            && finding.function == *function
            && finding.places.iter().any(|place| place.route == route.name)
    })
}
