//! One run: the plan of its route, and chance.

use profile::{
    Body, Meta, Metrics, Mode, NodeId, Profile, SelfCost, Span, SpanKind, Spans, SpansBuilder,
    Symbol, SymbolId, TreeBuilder,
};

use super::plan::{Node, Plan};
use super::{At, FleetOptions, STREAM_HOSTS, names};
use crate::noise::Random;

/// The most statements of a run with a span.
const MAX_SPANS: usize = 8;

/// The memory that PHP and the code take, in bytes.
const BASE_MEMORY: u64 = 8 << 20;

impl FleetOptions {
    /// The profile of a run.
    pub(super) fn record(&self, plan: &Plan, at: At, mut random: Random) -> Profile {
        let slower = self.load(at) + 0.3 * random.normal();
        let mut symbols = UsedSymbols::new(plan);
        let mut builder = TreeBuilder::new();
        let mut spans = SpansBuilder::new(MAX_SPANS);
        let mut clock = 0;
        // For each path of the plan, its node; none if this run does not have it.
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(plan.nodes.len());
        for (place, path) in plan.nodes.iter().enumerate() {
            let is_left_out = path.is_rare && random.below(3) == 0 || path.since > at.release;
            let parent = nodes.get(path.parent as usize).copied().flatten();
            let node = match parent {
                _ if place == 0 => NodeId::ROOT,
                Some(parent) if !is_left_out => builder.child(parent, symbols.number(path.symbol)),
                _ => {
                    nodes.push(None);
                    continue;
                }
            };
            if place == 0 {
                symbols.number(path.symbol);
            }
            nodes.push(Some(node));
            let own = own(path, slower, &mut random);
            builder.cost(node).calls += u64::from(path.calls);
            builder.add_self(node, own);
            clock += own.wall.unsigned_abs();
            if path.is_query && spans.spans().list.len() < MAX_SPANS {
                let text = names::statement(place as u32);
                let text = spans.text(text.as_bytes());
                let caller = parent.map_or(SymbolId::ROOT, |parent| builder.symbol(parent));
                spans.push(Span {
                    kind: SpanKind::Sql,
                    text: Some(text),
                    symbol: builder.symbol(node),
                    caller,
                    start: clock - own.wall.unsigned_abs(),
                    duration: own.wall.unsigned_abs() * 9 / 10 / u64::from(path.calls),
                    rows: Some(random.below(40)),
                });
            }
        }
        let tree = builder.finish_signed_self_costs();
        let own = tree.root_cost().memory.max(0).unsigned_abs();
        Profile {
            symbols: symbols.used,
            body: Body::Tree(tree),
            metrics: Metrics {
                cpu: true,
                memory: true,
                ..Metrics::default()
            },
            meta: meta(at, own, &mut random),
            spans: if spans.spans().is_empty() {
                Spans::default()
            } else {
                spans.finish()
            },
            ..Profile::empty()
        }
    }

    /// By how much the host is slower than usual in this hour, as a logarithm.
    fn load(&self, at: At) -> f64 {
        let host = STREAM_HOSTS + (u64::from(at.host) << 24);
        let always = Random::new(self.seed, host).normal();
        let now = Random::new(self.seed, host + 1 + at.hour).normal();
        0.06 * always + 0.08 * now
    }
}

/// The self cost of a path's calls.
fn own(path: &Node, slower: f64, random: &mut Random) -> SelfCost {
    let mut time = f64::from(path.time) * (slower + 0.4 * random.normal()).exp();
    // Single calls that take much longer.
    if random.below(2000) == 0 {
        time *= 30.0;
    }
    let wall = time.max(50.0) as i64;
    SelfCost {
        wall,
        cpu: if path.is_query { wall / 8 } else { wall },
        memory: i64::from(path.memory),
        peak: i64::from(path.memory) * i64::from(path.memory > 1400),
    }
}

fn meta(at: At, own: u64, random: &mut Random) -> Meta {
    let (method, route) = names::route(at.route);
    let id = random.below(100_000).to_string();
    let path = route.replace("{id}", &id).replace("POST ", "");
    let status = if random.below(200) == 0 { "500" } else { "200" };
    let mut meta = Meta {
        title: Some(format!("{method} {path}")),
        started_unix_us: Some(at.started_us),
        host: Some(names::host(at.host)),
        process: Some(1000 + random.below(30_000) as u32),
        sapi: Some("fpm-fcgi".to_owned()),
        php_version: Some("8.4.14".to_owned()),
        creator: Some("xhprof simulate".to_owned()),
        mode: Mode::Traced,
        peak_memory: Some(BASE_MEMORY + own),
        ..Meta::default()
    };
    meta.set_tag("app", names::app(at.app));
    meta.set_tag("route", route);
    meta.set_tag("release", names::release(at.release));
    meta.set_tag("method", method);
    meta.set_tag("path", path);
    meta.set_tag("status", status);
    // Runs of one microsecond with the same costs stay two.
    meta.set_tag("number", at.number.to_string());
    if status == "500" {
        meta.set_tag("failed", "1");
    }
    meta
}

/// The symbols of a plan that a run has met, in that order.
struct UsedSymbols<'a> {
    plan: &'a Plan,
    numbers: Vec<Option<SymbolId>>,
    used: Vec<Symbol>,
}

impl<'a> UsedSymbols<'a> {
    fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            numbers: vec![None; plan.symbols.len()],
            used: Vec::with_capacity(plan.symbols.len()),
        }
    }

    fn number(&mut self, symbol: u32) -> SymbolId {
        let known = self.numbers.get_mut(symbol as usize);
        let (Some(known), Some(symbol)) = (known, self.plan.symbols.get(symbol as usize)) else {
            return SymbolId::ROOT;
        };
        *known.get_or_insert_with(|| {
            self.used.push(symbol.clone());
            SymbolId(self.used.len() as u32 - 1)
        })
    }
}
