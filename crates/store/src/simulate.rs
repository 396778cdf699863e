//! Runs of a shop that does not exist.
//!
//! The shop has routes, releases and hosts; its times have the noise of real
//! ones: slow hosts, busy hours, single slow calls. Three things go wrong with
//! its releases, see [`Change`]. The same settings give the same runs.

use profile::{
    Body, Meta, Metrics, Mode, NodeId, Profile, SelfCost, Span, SpanKind, Spans, SpansBuilder,
    Symbol, SymbolId, TreeBuilder,
};

/// What changes with a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// The functions of one path take longer by this factor.
    Slower {
        /// The route's number.
        route: usize,
        /// The first release with it.
        release: usize,
        /// The factor.
        factor: f64,
    },
    /// A loop calls its query once for each item.
    QueryInLoop {
        /// The route's number.
        route: usize,
        /// The first release with it.
        release: usize,
        /// How many queries instead of one.
        queries: u64,
    },
    /// Memory grows with each run of a day.
    Leak {
        /// The route's number.
        route: usize,
        /// The first release with it.
        release: usize,
        /// Bytes more for each run of the day.
        bytes: i64,
    },
}

/// The settings of a shop.
#[derive(Debug, Clone)]
pub struct Shop {
    /// The application's name.
    pub app: String,
    /// The number of routes.
    pub routes: usize,
    /// The paths of each route.
    pub paths: usize,
    /// The hosts.
    pub hosts: usize,
    /// The releases, in order.
    pub releases: Vec<String>,
    /// What changes.
    pub changes: Vec<Change>,
    /// Statements of each run, at most.
    pub spans: usize,
}

impl Default for Shop {
    fn default() -> Self {
        Self {
            app: "shop".to_owned(),
            routes: 50,
            paths: 1000,
            hosts: 2,
            releases: (1..=4).map(|number| format!("2026.11.{number}")).collect(),
            changes: Vec::new(),
            spans: 8,
        }
    }
}

const NAMES: [&str; 40] = [
    "/",
    "/cart",
    "/checkout",
    "/product/?",
    "/category/?",
    "/search",
    "/login",
    "/account",
    "/account/orders",
    "/account/orders/?",
    "/api/v1/products",
    "/api/v1/products/?",
    "/api/v1/cart",
    "/api/v1/stock",
    "/api/v1/prices",
    "/wishlist",
    "/compare",
    "/newsletter",
    "/contact",
    "/blog",
    "/blog/?",
    "/sitemap.xml",
    "/feed",
    "/admin",
    "/admin/orders",
    "/admin/orders/?",
    "/admin/products",
    "/admin/products/?",
    "/admin/customers",
    "/admin/customers/?",
    "/admin/reports",
    "/admin/export",
    "/payment/notify",
    "/payment/return",
    "/shipping/rates",
    "/reviews/?",
    "/coupons",
    "/brands/?",
    "/stores",
    "/health",
];

const CLASSES: [&str; 24] = [
    "Kernel",
    "Router",
    "Container",
    "Session",
    "Cart",
    "Catalog",
    "Price",
    "Tax",
    "Stock",
    "Repository",
    "Query",
    "Hydrator",
    "Cache",
    "View",
    "Template",
    "Form",
    "Validator",
    "Translator",
    "Event",
    "Logger",
    "Mailer",
    "Customer",
    "Order",
    "Search",
];

const METHODS: [&str; 25] = [
    "handle",
    "get",
    "set",
    "load",
    "save",
    "find",
    "findAll",
    "build",
    "render",
    "apply",
    "calculate",
    "normalize",
    "resolve",
    "create",
    "dispatch",
    "filter",
    "map",
    "format",
    "escape",
    "merge",
    "hydrate",
    "validate",
    "compile",
    "fetch",
    "rate",
];

const INTERNAL: [&str; 12] = [
    "PDOStatement::execute",
    "PDO::prepare",
    "json_encode",
    "json_decode",
    "preg_match",
    "array_map",
    "array_merge",
    "str_replace",
    "htmlspecialchars",
    "file_get_contents",
    "unserialize",
    "hash",
];

/// Where a simulated run happens.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// A number that no other run of the shop has.
    pub number: u64,
    /// The route's number.
    pub route: usize,
    /// The release's number.
    pub release: usize,
    /// The start, in microseconds since 1970.
    pub started_us: u64,
}

impl Shop {
    /// The name of a route.
    #[must_use]
    pub fn route(&self, number: usize) -> String {
        match NAMES.get(number) {
            Some(name) => (*name).to_owned(),
            None => format!("/page-{}", letters(number)),
        }
    }

    /// One run.
    #[must_use]
    pub fn run(&self, at: At) -> Profile {
        let mut plan = Random::new(at.route as u64 + 1);
        let mut noise = Random::new(at.number.wrapping_mul(7919).wrapping_add(13));
        let host = noise.below(self.hosts.max(1) as u64);
        let hour = at.started_us / 3_600_000_000;
        let mut of_hour = Random::new(host.wrapping_mul(1_000_003).wrapping_add(hour));
        // The host's speed, and how busy its hour and the run itself are.
        let speed = (1.0 + 0.1 * Random::new(host + 99).normal())
            * (0.08 * of_hour.normal()).exp()
            * (0.3 * noise.normal()).exp();
        let mut symbols = vec![Symbol::new(Symbol::MAIN)];
        let mut numbers = std::collections::HashMap::new();
        let mut builder = TreeBuilder::new();
        let mut spans = SpansBuilder::new(Spans::MOST);
        let mut nodes: Vec<(NodeId, f64)> = vec![(NodeId::ROOT, 1.0)];
        builder.cost(NodeId::ROOT).calls = 1;
        builder.add_self(NodeId::ROOT, own(20_000.0 * speed, 1.0, 4096));
        let marked = self.paths / 10;
        let mut clock = 0;
        for path in 1..self.paths.max(2) {
            // Deep and narrow, as frameworks are: often below the latest path.
            let back = plan.below(6).pow(2).min(nodes.len() as u64 - 1);
            let parent = nodes.len() - 1 - usize::try_from(back).unwrap_or(0);
            let (parent, parent_calls) = nodes.get(parent).copied().unwrap_or((NodeId::ROOT, 1.0));
            let is_internal = plan.below(4) == 0;
            let name = self.name(&mut plan, is_internal, path == marked);
            let calls = (parent_calls * [1.0, 1.0, 1.0, 2.0, 5.0][plan.index(5)]).min(400.0);
            let time = 400.0 * (1.6 * plan.normal()).exp() * calls;
            // Half of the functions of real programs keep no memory.
            let memory = (plan.below(512).cast_signed() - 256).max(0) * 8;
            let rarely = plan.below(20) == 0;
            // A path that only some runs have, with all that it calls.
            if rarely && noise.below(3) == 0 {
                nodes.push((parent, parent_calls));
                continue;
            }
            let next = SymbolId(u32::try_from(symbols.len()).unwrap_or(u32::MAX));
            let symbol = *numbers.entry(name.clone()).or_insert(next);
            if symbol == next {
                let mut symbol = Symbol::new(name.clone().into_bytes());
                symbol.internal = is_internal;
                symbols.push(symbol);
            }
            let node = builder.child(parent, symbol);
            let (mut calls, mut time) = (calls, time * speed * (0.4 * noise.normal()).exp());
            let mut memory = memory;
            if noise.below(2000) == 0 {
                time *= 30.0;
            }
            if path == marked {
                (calls, time, memory) = self.changed(&at, calls, time * 40.0, memory);
            }
            let cost = builder.cost(node);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some hundred calls"
            )]
            let count = calls.max(1.0) as u64;
            cost.calls += count;
            let is_query = name == "PDOStatement::execute" || path == marked;
            // As in real profiles: only what waits takes less CPU time than time.
            let is_waiting = is_query || name == "file_get_contents" || noise.below(50) == 0;
            builder.add_self(node, own(time, if is_waiting { 0.3 } else { 1.0 }, memory));
            if is_query && spans.spans().list.len() < self.spans.max(count.min(60) as usize) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "below a second"
                )]
                let duration = (time * 0.8 / calls.max(1.0)) as u64;
                let text = spans.text(statement(path).as_bytes());
                for _ in 0..count.min(60) {
                    spans.push(Span {
                        kind: SpanKind::Sql,
                        text: Some(text),
                        symbol,
                        caller: SymbolId::ROOT,
                        start: clock,
                        duration,
                        rows: Some(noise.below(40)),
                    });
                    clock += duration + 1000;
                }
            }
            nodes.push((node, calls));
        }
        let tree = builder.finish_signed_self_costs();
        let total = tree.root_cost();
        let failed = noise.below(200) == 0;
        let mut meta = Meta {
            title: Some(
                self.route(at.route)
                    .replace('?', &noise.below(9999).to_string()),
            ),
            started_unix_us: Some(at.started_us),
            host: Some(format!("web{}", host + 1)),
            process: u32::try_from(1000 + noise.below(30_000)).ok(),
            sapi: Some("fpm-fcgi".to_owned()),
            php_version: Some("8.4.14".to_owned()),
            creator: Some("xhprof simulation".to_owned()),
            mode: Mode::Traced,
            peak_memory: Some((8 << 20) + total.memory.max(0).unsigned_abs()),
            ..Meta::default()
        };
        meta.set_tag("app", self.app.clone());
        meta.set_tag("route", self.route(at.route));
        let release = self.releases.get(at.release);
        meta.set_tag("release", release.cloned().unwrap_or_default());
        meta.set_tag("method", "GET");
        meta.set_tag("status", if failed { "500" } else { "200" });
        if failed {
            meta.set_tag("failed", "1");
        }
        Profile {
            symbols,
            body: Body::Tree(tree),
            metrics: Metrics {
                cpu: true,
                memory: true,
                ..Metrics::default()
            },
            meta,
            spans: spans.finish(),
            ..Profile::empty()
        }
    }

    fn name(&self, plan: &mut Random, is_internal: bool, is_marked: bool) -> String {
        let class = CLASSES[plan.index(CLASSES.len())];
        let method = METHODS[plan.index(METHODS.len())];
        if is_marked {
            return "Repository::find".to_owned();
        }
        if is_internal {
            return INTERNAL[plan.index(INTERNAL.len())].to_owned();
        }
        format!("Shop\\{class}::{method}")
    }

    /// Calls, time and memory of the route's marked path under a release.
    fn changed(&self, at: &At, calls: f64, time: f64, memory: i64) -> (f64, f64, i64) {
        let (mut calls, mut time, mut memory) = (calls, time, memory);
        let is_on = |route, release| at.route == route && at.release >= release;
        for change in &self.changes {
            match *change {
                Change::Slower {
                    route,
                    release,
                    factor,
                } if is_on(route, release) => time *= factor,
                Change::QueryInLoop {
                    route,
                    release,
                    queries,
                } if is_on(route, release) => {
                    #[expect(clippy::cast_precision_loss, reason = "some dozen")]
                    let queries = queries as f64;
                    calls *= queries;
                    time *= queries;
                }
                Change::Leak {
                    route,
                    release,
                    bytes,
                } if is_on(route, release) => {
                    let second = (at.started_us / 1_000_000 % 86_400).cast_signed();
                    memory += bytes * (second / 60);
                }
                _ => {}
            }
        }
        (calls, time, memory)
    }
}

/// `busy` is the share of the time in which the CPU works.
fn own(time: f64, busy: f64, memory: i64) -> SelfCost {
    #[expect(clippy::cast_possible_truncation, reason = "some seconds at most")]
    let (wall, cpu) = (time as i64, (time * busy) as i64);
    SelfCost {
        wall,
        cpu,
        memory,
        // Only few calls raise the peak.
        peak: if memory > 1400 { memory } else { 0 },
    }
}

fn statement(path: usize) -> String {
    let table = ["products", "prices", "stock", "orders", "customers"][path % 5];
    format!("SELECT * FROM {table} WHERE id = ? /* {} */", letters(path))
}

fn letters(mut number: usize) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b"abcdefghij"[number % 10]));
        number /= 10;
        if number == 0 {
            return text;
        }
    }
}

/// The generator `SplitMix64`: the numbers need to look random, and nothing else.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers that follow from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit.max(1)
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// A number of the standard normal distribution, nearly: a sum of twelve.
    fn normal(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a random fraction")]
        let mut uniform = || (self.number() >> 11) as f64 / (1_u64 << 53) as f64;
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}
