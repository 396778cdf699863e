//! The call paths of a route, before chance decides how long they take.
//!
//! Half of a route's paths, at most 400, are those of its application's framework:
//! all routes of the application share them. The rest are its own. Some of those
//! come with a release, and some are only in a part of the runs.

use std::collections::{HashMap, HashSet};

use profile::Symbol;

use super::{At, FleetOptions, STREAM_APPS, STREAM_ROUTES, names};
use crate::noise::Random;

/// The most paths that all routes of an application share.
const SHARED: u32 = 400;

/// The most calls of a path in a run, and those of a statement.
const MAX_CALLS: u32 = 60;
const MAX_QUERIES: u32 = 3;

/// One call path.
#[derive(Debug)]
pub(super) struct Node {
    /// The caller's number, which is lower.
    pub(super) parent: u32,
    /// A number of the plan's symbols.
    pub(super) symbol: u32,
    /// Self time of all calls, in nanoseconds.
    pub(super) time: f32,
    pub(super) memory: i32,
    pub(super) calls: u32,
    /// The first release that has it.
    pub(super) since: u32,
    /// Whether it waits for the database.
    pub(super) is_query: bool,
    /// Whether only some runs have it.
    pub(super) is_rare: bool,
}

/// All call paths of a route, callers before those that they call.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    pub(super) symbols: Vec<Symbol>,
    /// The number of each symbol.
    numbers: HashMap<String, u32>,
    /// The paths that are there, by caller and symbol.
    paths: HashSet<(u32, u32)>,
}

impl FleetOptions {
    /// The paths of a route. Their number is between the least and the most, all
    /// magnitudes alike.
    pub(super) fn plan(&self, at: At) -> Plan {
        let mut of_route = Random::new(self.seed, STREAM_ROUTES + u64::from(at.route));
        let mut of_app = Random::new(self.seed, STREAM_APPS + u64::from(at.app));
        let (least, most) = (f64::from(self.paths.0), f64::from(self.paths.1));
        let paths = least * (most / least).powf(of_route.uniform());
        let paths = (paths as u32).clamp(self.paths.0, self.paths.1);
        let mut plan = Plan::default();
        let main = plan.symbol("main()".to_owned(), false);
        plan.nodes.push(Node {
            parent: 0,
            symbol: main,
            time: 20_000.0,
            memory: 4096,
            calls: 1,
            since: 0,
            is_query: false,
            is_rare: false,
        });
        let shared = (paths / 2).min(SHARED);
        while (plan.nodes.len() as u32) < shared {
            plan.grow(&mut of_app, "Framework", 1);
        }
        let namespace = format!("App{}", at.app + 1);
        while (plan.nodes.len() as u32) < paths {
            plan.grow(&mut of_route, &namespace, self.releases);
        }
        plan.keep_large_parts();
        plan
    }
}

impl Plan {
    /// Adds a path.
    fn grow(&mut self, random: &mut Random, namespace: &str, releases: u32) {
        let last = self.nodes.len() as u32 - 1;
        // Deep and narrow, as programs are: often below the latest path.
        let back = random.below(6).pow(2).min(u64::from(last)) as u32;
        let mut parent = last - back;
        // What PHP itself does calls nothing.
        while let Some(node) = self.nodes.get(parent as usize) {
            let symbol = self.symbols.get(node.symbol as usize);
            if !symbol.is_some_and(|symbol| symbol.internal) {
                break;
            }
            parent = node.parent;
        }
        let kind = random.below(100);
        let is_query = kind < 4;
        let is_internal = kind < 25;
        let name = match kind {
            0..4 => "PDOStatement::execute".to_owned(),
            4..25 => names::internal(random),
            _ => names::method(random, namespace),
        };
        let mut symbol = self.symbol(name, is_internal);
        let mut more = 0;
        // A caller has one path for each function that it calls.
        while self.paths.contains(&(parent, symbol)) {
            more += 1;
            symbol = self.symbol(format!("{namespace}\\Helper{more}::call"), false);
        }
        self.paths.insert((parent, symbol));
        let times = [1, 1, 1, 1, 1, 1, 1, 2, 4];
        let times = times.get(random.below(9) as usize).copied().unwrap_or(1);
        let calls = self
            .nodes
            .get(parent as usize)
            .map_or(1, |parent| parent.calls);
        let calls = (calls * times).min(if is_query { MAX_QUERIES } else { MAX_CALLS });
        let one = if is_query { 250_000.0 } else { 400.0 } * (1.6 * random.normal()).exp();
        self.nodes.push(Node {
            parent,
            symbol,
            time: (one * f64::from(calls)) as f32,
            // Half of the functions of real programs keep no memory.
            memory: (random.below(512) as i32 - 256).max(0) * 8,
            calls,
            since: if random.below(20) == 0 {
                random.below(u64::from(releases)) as u32
            } else {
                0
            },
            is_query,
            is_rare: random.below(20) == 0,
        });
    }

    /// A path with much below it is in every run, or few runs had most paths.
    fn keep_large_parts(&mut self) {
        let mut sizes = vec![1_u32; self.nodes.len()];
        let most = 1 + self.nodes.len() as u32 / 50;
        for place in (1..self.nodes.len()).rev() {
            let size = sizes.get(place).copied().unwrap_or(1);
            let Some(node) = self.nodes.get_mut(place) else {
                continue;
            };
            if size > most {
                node.is_rare = false;
                node.since = 0;
            }
            if let Some(parent) = sizes.get_mut(node.parent as usize) {
                *parent += size;
            }
        }
    }

    pub(super) fn symbol(&mut self, name: String, is_internal: bool) -> u32 {
        let next = self.symbols.len() as u32;
        let symbols = &mut self.symbols;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            let mut symbol = Symbol::new(name.clone().into_bytes());
            symbol.internal = is_internal;
            symbols.push(symbol);
            next
        })
    }
}
