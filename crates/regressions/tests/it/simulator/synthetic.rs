//! Noise that is drawn: hosts, neighbours, hours, days, inputs and heavy tails.
//!
//! Sums of logarithms over the runs of an hour are drawn directly, because sums
//! of normal numbers are normal; calls are drawn run by run.

use rand::SeedableRng;
use regressions::{Block, Cell, Path};

use super::random::{Drift, exponential, normal, poisson, uniform};
use super::{Noise, Rng, Route};

/// The functions of a route, `main()` excluded.
pub(crate) const FUNCTIONS: usize = 200;

/// The calls of a route that depend on its input: parents are functions 0 to 39,
/// their callees 40 to 79.
const EDGES: usize = 40;

const HOSTS: usize = 6;

/// The kinds of input, which have different calls.
const INPUTS: usize = 3;

/// A tenth of the time of the functions that changes are put into.
const TENTH: f64 = 0.1;

/// How much a function's time varies. Standard deviations of logarithms.
struct Function {
    /// The mean logarithm of its microseconds.
    mean: f64,
    run: f64,
    day: Drift,
    hour: Drift,
    /// How much it depends on the hour of the day.
    tilt: f64,
    memory: f64,
    memory_day: Drift,
}

/// The calls of one edge.
struct Edge {
    /// The parent's mean calls in a run, by input.
    parent: [f64; INPUTS],
    /// The mean calls beyond one for each call of the parent.
    more: f64,
    depends_on_items: bool,
}

struct RouteNoise {
    functions: Vec<Function>,
    edges: Vec<Edge>,
    inputs: [f64; INPUTS],
    mix: [Drift; INPUTS],
}

/// The model.
pub(crate) struct Synthetic {
    rng: Rng,
    runs_a_day: f64,
    day: i64,
    routes: Vec<RouteNoise>,
    /// The persistent speed of each host.
    hosts: [f64; HOSTS],
    host_hours: [Drift; HOSTS],
    /// The hours that a neighbour still disturbs a host, and how much.
    neighbours: [(i64, f64); HOSTS],
    app: Drift,
}

impl Synthetic {
    /// The model and its routes.
    pub(crate) fn new(seed: u64, routes: usize, runs_a_day: f64) -> (Self, Vec<Route>) {
        let mut rng = Rng::seed_from_u64(seed);
        let noise = (0..routes).map(|_| RouteNoise::new(&mut rng)).collect();
        let hosts = std::array::from_fn(|_| 0.1 * normal(&mut rng));
        let host_hours = std::array::from_fn(|_| Drift::new(&mut rng, 0.7, 0.08));
        let app = Drift::new(&mut rng, 0.5, 0.03);
        let model = Self {
            rng,
            runs_a_day,
            day: 0,
            routes: noise,
            hosts,
            host_hours,
            neighbours: [(0, 0.0); HOSTS],
            app,
        };
        (model, (0..routes).map(route).collect())
    }

    /// One hour of the hosts: the shift of each.
    fn hosts(&mut self) -> [f64; HOSTS] {
        let rng = &mut self.rng;
        let mut shifts = [0.0; HOSTS];
        for (host, shift) in shifts.iter_mut().enumerate() {
            let (hours, size) = &mut self.neighbours[host];
            *hours -= 1;
            if *hours <= 0 && uniform(rng) < 1.0 / 120.0 {
                *hours = 1 + (uniform(rng) * 8.0) as i64;
                *size = (1.5 + 1.5 * uniform(rng)).ln();
            }
            let neighbour = if *hours > 0 { *size } else { 0.0 };
            *shift = self.hosts[host] + self.host_hours[host].step(rng) + neighbour;
        }
        shifts
    }
}

impl Noise for Synthetic {
    fn day(&mut self, routes: &mut [Route]) {
        for host in &mut self.hosts {
            if uniform(&mut self.rng) < 0.05 {
                *host = 0.1 * normal(&mut self.rng);
            }
        }
        let app = self.app.step(&mut self.rng);
        let hosts: Vec<[f64; HOSTS]> = (0..24).map(|_| self.hosts()).collect();
        for (noise, route) in self.routes.iter_mut().zip(routes) {
            noise.next_day(&mut self.rng);
            let traffic = self.runs_a_day * (0.15 * normal(&mut self.rng)).exp();
            for (hour, hosts) in hosts.iter().enumerate() {
                let at = std::f64::consts::TAU * hour as f64 / 24.0;
                let runs = poisson(&mut self.rng, traffic / 24.0 * (1.0 + 0.7 * at.sin()));
                let block = noise.hour(&mut self.rng, runs, at, app, hosts);
                route.blocks.push(Block {
                    hour: self.day * 24 + hour as i64,
                    ..block
                });
            }
        }
        self.day += 1;
    }
}

impl RouteNoise {
    fn new(rng: &mut Rng) -> Self {
        let mut functions: Vec<Function> = (0..FUNCTIONS)
            .map(|number| {
                // The first after the edges computes, the second waits.
                let is_io = match number {
                    n if n == 2 * EDGES => false,
                    n if n == 2 * EDGES + 1 => true,
                    _ => uniform(rng) < 0.3,
                };
                Function::new(rng, is_io)
            })
            .collect();
        let total: f64 = functions.iter().map(Function::usual).sum();
        for function in &mut functions[2 * EDGES..2 * EDGES + 2] {
            function.mean += (TENTH * total / function.usual()).ln();
        }
        let edges = (0..EDGES).map(|_| Edge::new(rng)).collect();
        Self {
            functions,
            edges,
            inputs: std::array::from_fn(|_| 0.7 * normal(rng)),
            mix: std::array::from_fn(|_| Drift::new(rng, 0.5, 0.3)),
        }
    }

    fn next_day(&mut self, rng: &mut Rng) {
        for function in &mut self.functions {
            function.day.step(rng);
            function.memory_day.step(rng);
        }
        for mix in &mut self.mix {
            mix.step(rng);
        }
    }

    fn hour(&mut self, rng: &mut Rng, runs: u64, at: f64, app: f64, hosts: &[f64; HOSTS]) -> Block {
        // What a run's functions share: its host, the load, and its own speed.
        let mut shared = 0.0;
        let mut ln_wall = 0.0;
        let total: f64 = self.functions.iter().map(Function::usual).sum::<f64>().ln();
        for _ in 0..runs {
            let host = hosts[(uniform(rng) * HOSTS as f64) as usize % HOSTS];
            let is_cold = at == 0.0 && uniform(rng) < 0.25;
            let warm_up = if is_cold { 1.3_f64.ln() } else { 0.0 };
            let of = 0.35 * normal(rng) + 0.15 * at.sin() + app + host + warm_up;
            shared += of;
            ln_wall += total + of + 0.05 * normal(rng);
        }
        let counts = self.calls(rng, runs, at);
        let mut cells = Vec::with_capacity(1 + self.functions.len());
        let mut wall_ns = 0;
        cells.push(Cell {
            path: 0,
            runs,
            calls: runs,
            self_ns: runs * 1000,
            ln_self: runs as f64 * 2.0_f64.ln(),
            memory: 0,
        });
        for (number, function) in self.functions.iter_mut().enumerate() {
            let (called, calls) = counts.get(number).copied().unwrap_or((runs, runs));
            let hour = function.hour.step(rng);
            if called == 0 || runs == 0 {
                continue;
            }
            let count = called as f64;
            let part = count / runs as f64;
            let own = function.mean + function.day.value + hour + function.tilt * (at + 1.0).sin();
            let mut ln_self =
                count * own + count.sqrt() * function.run * normal(rng) + shared * part;
            for _ in 0..poisson(rng, 0.005 * count) {
                ln_self += 0.7 + exponential(rng, 1.0 / 1.8);
            }
            let mean = (ln_self / count + function.run * function.run / 2.0).exp();
            let self_ns = (count * mean * 1000.0) as u64;
            wall_ns += self_ns;
            let memory = function.memory
                * (count * (1.0 + function.memory_day.value) + 0.5 * count.sqrt() * normal(rng));
            cells.push(Cell {
                path: number as u32 + 1,
                runs: called,
                calls,
                self_ns,
                ln_self,
                memory: memory as i64,
            });
        }
        Block {
            runs,
            wall_ns,
            ln_wall,
            peak_bytes: runs * (8 << 20),
            cells,
            ..Block::default()
        }
    }

    /// For parents and callees: the runs with a call, and the calls.
    fn calls(&self, rng: &mut Rng, runs: u64, at: f64) -> Vec<(u64, u64)> {
        let mut counts = vec![(0, 0); 2 * EDGES];
        let phase = |input: usize| 0.3 * (at + 2.0 * input as f64).sin();
        let weight =
            |input: usize| (self.inputs[input] + self.mix[input].value + phase(input)).exp();
        let weights: [f64; INPUTS] = std::array::from_fn(weight);
        let sum: f64 = weights.iter().sum();
        for _ in 0..runs {
            let mut left = uniform(rng) * sum;
            let mut input = 0;
            while input + 1 < INPUTS && left > weights[input] {
                left -= weights[input];
                input += 1;
            }
            // The items of the page: negative binomial as a mixture of Poisson.
            let mean = [3.0, 10.0, 30.0][input] / 2.0;
            let rate = exponential(rng, mean) + exponential(rng, mean);
            let items = 1 + poisson(rng, rate);
            for (number, edge) in self.edges.iter().enumerate() {
                let parent = poisson(rng, edge.parent[input]);
                if parent == 0 {
                    continue;
                }
                let size = if edge.depends_on_items {
                    items as f64 / 10.0
                } else {
                    1.0
                };
                let child = parent + poisson(rng, parent as f64 * edge.more * size);
                for (place, calls) in [(number, parent), (EDGES + number, child)] {
                    counts[place].0 += 1;
                    counts[place].1 += calls;
                }
            }
        }
        counts
    }
}

impl Function {
    fn new(rng: &mut Rng, is_io: bool) -> Self {
        let (run, day, hour) = if is_io {
            (0.8, 0.04, 0.08)
        } else {
            (0.4, 0.015, 0.03)
        };
        Self {
            mean: 5.0 + 1.5 * normal(rng),
            run,
            day: Drift::new(rng, 0.5, day),
            hour: Drift::new(rng, 0.8, hour),
            tilt: if uniform(rng) < 0.3 { 0.1 } else { 0.0 },
            memory: if uniform(rng) < 0.3 {
                (9.0 + 2.0 * normal(rng)).exp()
            } else {
                0.0
            },
            memory_day: Drift::new(rng, 0.5, 0.02),
        }
    }

    /// Its usual microseconds in a run.
    fn usual(&self) -> f64 {
        (self.mean + self.run * self.run / 2.0).exp()
    }
}

impl Edge {
    fn new(rng: &mut Rng) -> Self {
        let mut parent = std::array::from_fn(|_| {
            let mean = (0.5 + normal(rng)).exp();
            if uniform(rng) < 0.7 { mean } else { 0.0 }
        });
        parent[0] = f64::max(parent[0], 0.2);
        let is_constant = uniform(rng) < 0.4;
        Self {
            parent,
            more: if is_constant {
                0.0
            } else {
                (normal(rng) - 0.5).exp()
            },
            depends_on_items: uniform(rng) < 0.5,
        }
    }
}

/// The paths of a route: all functions below `main()`, callees below parents.
fn route(number: usize) -> Route {
    let name = |function: usize| match function {
        0 => "main()".to_owned(),
        n => format!("App\\Class{}::method{n}", n % 23),
    };
    let parent = |function: usize| match function {
        0 => None,
        n if (EDGES + 1..=2 * EDGES).contains(&n) => Some((n - EDGES) as u32),
        _ => Some(0),
    };
    Route {
        name: format!("/route/{number}"),
        functions: (0..=FUNCTIONS).map(name).collect(),
        paths: (0..=FUNCTIONS)
            .map(|function| Path {
                parent: parent(function),
                function: function as u32,
            })
            .collect(),
        blocks: Vec::new(),
        cpu: Some(2 * EDGES as u32 + 1),
        io: Some(2 * EDGES as u32 + 2),
        edges: (EDGES as u32 + 1..=2 * EDGES as u32).collect(),
    }
}
