//! Noise of real runs: `PHP_CodeSniffer` with five coding standards on small files,
//! recorded by `tests/data/record.php` on two shared cores under four loads.
//!
//! Each simulated host has one of the four loads in each hour, and takes its runs
//! from those that were recorded under it. So a busy hour slows functions down as
//! it really did: each a little differently.

#![expect(clippy::expect_used, reason = "the recorded file is part of the tests")]

use std::io::Read;

use rand::SeedableRng;
use regressions::{Block, Cell, Path};

use super::random::{Drift, normal, poisson, uniform};
use super::{Noise, Rng, Route};

const DATA: &[u8] = include_bytes!("../../data/codesniffer.bin.gz");

const HOSTS: usize = 6;
const LOADS: usize = 4;

/// One recorded run.
struct Run {
    /// For each function ln(1 + microseconds); none if it was not called.
    times: Vec<Option<f32>>,
    /// The same as what is added up.
    sums: Vec<Sum>,
    /// The microseconds of the run.
    wall: f64,
    /// For each edge the calls of the caller, and of the edge.
    calls: Vec<(u16, u16)>,
}

/// Runs that called a function: their number, logarithms and microseconds.
#[derive(Clone, Copy, Default)]
struct Sum {
    runs: u64,
    ln_self: f64,
    us: f64,
}

impl Sum {
    fn of(time: Option<f32>) -> Self {
        let Some(time) = time.map(f64::from) else {
            return Self::default();
        };
        Self {
            runs: 1,
            ln_self: time,
            us: time.exp() - 1.0,
        }
    }
}

/// The runs of one coding standard.
struct Recorded {
    functions: Vec<String>,
    edges: usize,
    /// The function that changes are put into: it is made a tenth of the time.
    target: usize,
    /// By load.
    runs: [Vec<Run>; LOADS],
}

/// The model.
pub(crate) struct Replay {
    rng: Rng,
    runs_a_day: f64,
    day: i64,
    recorded: Vec<Recorded>,
    /// How busy each host is; its load follows from it.
    hosts: [Drift; HOSTS],
    host_days: [Drift; HOSTS],
}

impl Replay {
    /// The model, and its routes: each standard is many of them, with runs drawn
    /// independently.
    pub(crate) fn new(seed: u64, routes: usize, runs_a_day: f64) -> (Self, Vec<Route>) {
        let mut rng = Rng::seed_from_u64(seed);
        let recorded = read();
        let hosts = std::array::from_fn(|_| Drift::new(&mut rng, 0.7, 0.7));
        let host_days = std::array::from_fn(|_| Drift::new(&mut rng, 0.5, 0.5));
        let routes = (0..routes)
            .map(|number| recorded[number % recorded.len()].route(number))
            .collect();
        let model = Self {
            rng,
            runs_a_day,
            day: 0,
            recorded,
            hosts,
            host_days,
        };
        (model, routes)
    }
}

impl Noise for Replay {
    fn day(&mut self, routes: &mut [Route]) {
        for host in &mut self.host_days {
            host.step(&mut self.rng);
        }
        let mut loads = Vec::new();
        for _ in 0..24 {
            let mut load = [0; HOSTS];
            for ((load, hour), day) in load.iter_mut().zip(&mut self.hosts).zip(&self.host_days) {
                let busy = hour.step(&mut self.rng) + day.value;
                *load = [-0.3, 0.5, 1.2]
                    .iter()
                    .filter(|limit| busy > **limit)
                    .count();
            }
            loads.push(load);
        }
        for (number, route) in routes.iter_mut().enumerate() {
            let recorded = &self.recorded[number % self.recorded.len()];
            let traffic = self.runs_a_day * (0.15 * normal(&mut self.rng)).exp();
            // Some inputs are more usual on some days.
            let favoured: Vec<f64> = (0..16)
                .map(|_| (0.3 * normal(&mut self.rng)).exp())
                .collect();
            for (hour, loads) in loads.iter().enumerate() {
                let at = std::f64::consts::TAU * hour as f64 / 24.0;
                let runs = poisson(&mut self.rng, traffic / 24.0 * (1.0 + 0.7 * at.sin()));
                let mut block = recorded.block(&mut self.rng, runs, loads, &favoured);
                block.hour = self.day * 24 + hour as i64;
                route.blocks.push(block);
            }
        }
        self.day += 1;
    }
}

impl Recorded {
    fn block(&self, rng: &mut Rng, runs: u64, loads: &[usize; HOSTS], favoured: &[f64]) -> Block {
        let functions = self.functions.len();
        let mut sums = vec![Sum::default(); functions];
        let mut calls = vec![(0_u64, 0_u64, 0_u64, 0_u64); self.edges];
        let (mut wall_ns, mut ln_wall) = (0.0, 0.0);
        for _ in 0..runs {
            let load = loads[(uniform(rng) * HOSTS as f64) as usize % HOSTS];
            let of = &self.runs[load];
            let run = loop {
                let place = (uniform(rng) * of.len() as f64) as usize % of.len();
                if uniform(rng) * 2.5 < favoured[place % favoured.len()] {
                    break &of[place];
                }
            };
            for (sum, of) in sums.iter_mut().zip(&run.sums) {
                sum.runs += of.runs;
                sum.ln_self += of.ln_self;
                sum.us += of.us;
            }
            for (sum, (caller, child)) in calls.iter_mut().zip(&run.calls) {
                sum.0 += u64::from(*caller > 0);
                sum.1 += u64::from(*caller);
                sum.2 += u64::from(*child > 0);
                sum.3 += u64::from(*child);
            }
            wall_ns += run.wall * 1000.0;
            ln_wall += run.wall.ln_1p();
        }
        let mut cells = vec![Cell {
            path: 0,
            runs,
            calls: runs,
            ..Cell::default()
        }];
        for (number, sum) in sums.into_iter().enumerate() {
            if sum.runs > 0 {
                cells.push(Cell {
                    path: number as u32 + 1,
                    runs: sum.runs,
                    calls: sum.runs,
                    self_ns: (sum.us * 1000.0) as u64,
                    ln_self: sum.ln_self,
                    memory: 0,
                });
            }
        }
        for (number, (callers, caller, children, child)) in calls.into_iter().enumerate() {
            let path = (functions + 1 + 2 * number) as u32;
            for (path, runs, calls) in [(path, callers, caller), (path + 1, children, child)] {
                if runs > 0 {
                    cells.push(Cell {
                        path,
                        runs,
                        calls,
                        ..Cell::default()
                    });
                }
            }
        }
        Block {
            runs,
            wall_ns: wall_ns as u64,
            ln_wall,
            cells,
            ..Block::default()
        }
    }

    /// Makes the function that is nearest to a tenth of the time, among those that
    /// all runs call and that wait for no file, exactly a tenth of it.
    fn choose_target(&mut self) {
        let mean = |function: usize| {
            let runs = || self.runs.iter().flatten();
            let times = || runs().filter_map(|run| run.times[function]);
            let sum = times().map(|time| f64::from(time).exp()).sum::<f64>();
            (sum, times().count() == runs().count())
        };
        let means: Vec<(f64, bool)> = (0..self.functions.len()).map(mean).collect();
        let total: f64 = means.iter().map(|mean| mean.0).sum();
        let distance = |function: &usize| (means[*function].0 / total * 10.0).ln().abs();
        let is_io = |function: &usize| {
            let name = self.functions[*function].as_str();
            [
                "fgets",
                "fopen",
                "file_get_contents",
                "is_file",
                "file_exists",
            ]
            .contains(&name)
        };
        let usual = (0..means.len()).filter(|function| means[*function].1 && !is_io(function));
        self.target = usual
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .expect("one");
        let own = means[self.target].0;
        let shift = (0.1 / 0.9 * (total - own) / own).ln() as f32;
        for run in self.runs.iter_mut().flatten() {
            if let Some(time) = &mut run.times[self.target] {
                *time += shift;
            }
        }
        for run in self.runs.iter_mut().flatten() {
            run.sums = run.times.iter().map(|time| Sum::of(*time)).collect();
            run.wall = run.sums.iter().map(|sum| sum.us).sum();
        }
    }

    /// A route with these functions below `main()`; each edge has a caller of its
    /// own there.
    fn route(&self, number: usize) -> Route {
        let mut functions = vec!["main()".to_owned()];
        functions.extend(self.functions.iter().cloned());
        let mut paths = vec![Path {
            parent: None,
            function: 0,
        }];
        paths.extend((1..functions.len()).map(|function| Path {
            parent: Some(0),
            function: function as u32,
        }));
        let mut edges = Vec::new();
        for edge in 0..self.edges {
            let caller = paths.len() as u32;
            for (parent, name) in [(0, "caller"), (caller, "callee")] {
                paths.push(Path {
                    parent: Some(parent),
                    function: functions.len() as u32,
                });
                functions.push(format!("{name} {edge}"));
            }
            edges.push(caller + 1);
        }
        Route {
            name: format!("/check/{number}"),
            functions,
            paths,
            blocks: Vec::new(),
            cpu: Some(self.target as u32 + 1),
            io: None,
            edges,
        }
    }
}

/// The recorded runs, as `record.php` describes the file.
fn read() -> Vec<Recorded> {
    let mut bytes = Vec::new();
    let mut file = flate2::read::GzDecoder::new(DATA);
    file.read_to_end(&mut bytes).expect("a gzip file");
    let mut rest = bytes.as_slice();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let functions = number(&mut rest) as usize;
        let edges = number(&mut rest) as usize;
        let runs = number(&mut rest);
        let mut names = (0..functions + edges)
            .map(|_| line(&mut rest))
            .collect::<Vec<_>>();
        names.truncate(functions);
        let mut recorded = Recorded {
            functions: names,
            edges,
            target: 0,
            runs: std::array::from_fn(|_| Vec::new()),
        };
        for _ in 0..runs {
            let (load, after) = rest.split_first().expect("a load");
            rest = after;
            let time = |code: u16| (code > 0).then(|| f32::from(code - 1) / 1000.0);
            let run = Run {
                times: (0..functions).map(|_| time(number(&mut rest))).collect(),
                sums: Vec::new(),
                wall: 0.0,
                calls: (0..edges)
                    .map(|_| (number(&mut rest), number(&mut rest)))
                    .collect(),
            };
            recorded.runs[usize::from(*load)].push(run);
        }
        recorded.choose_target();
        all.push(recorded);
    }
    all
}

fn number(rest: &mut &[u8]) -> u16 {
    let (bytes, after) = rest.split_first_chunk().expect("a number");
    *rest = after;
    u16::from_le_bytes(*bytes)
}

fn line(rest: &mut &[u8]) -> String {
    let end = rest.iter().position(|byte| *byte == b'\n').expect("a line");
    let name = String::from_utf8_lossy(&rest[..end]).into_owned();
    *rest = &rest[end + 1..];
    name
}
