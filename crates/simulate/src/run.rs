//! One request: a template, and chance.

use profile::{
    Body, Meta, Metrics, Mode, NodeId, Profile, SelfCost, Span, SpanKind, Spans, SpansBuilder,
    SymbolId, TreeBuilder,
};

use crate::noise::Random;
use crate::template::{Call, LEAK, LOOP, QUERY, SLOWER, Template, Times, Work};

/// The most spans of one run.
const MAX_SPANS: usize = 300;

/// The memory that PHP and the code take, in bytes.
const BASE_MEMORY: u64 = 6 << 20;

/// The circumstances of one request.
pub(crate) struct Request<'a> {
    pub(crate) template: &'a Template,
    pub(crate) started_us: u64,
    pub(crate) host: usize,
    /// By how much code and waiting take longer, as logarithms.
    pub(crate) load: f64,
    pub(crate) waiting: f64,
    pub(crate) release: &'a str,
    /// The first minutes after a deployment: caches are cold.
    pub(crate) is_cold: bool,
    pub(crate) defects: Defects,
    /// The requests that the worker served before, and its process.
    pub(crate) served: u64,
    pub(crate) process: u32,
}

/// The defects that the request's release has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Defects {
    /// The tax rates take this many times as long; 0 without the defect.
    pub(crate) slower: f64,
    /// Each product of a list asks for its reviews.
    pub(crate) query_in_loop: bool,
    /// Bytes that the synonyms keep in each run.
    pub(crate) leak: f64,
}

/// A profile in the making.
struct Recording<'a> {
    request: &'a Request<'a>,
    random: Random,
    builder: TreeBuilder,
    /// The number of each function in the profile, by its number in the template.
    numbers: Vec<Option<SymbolId>>,
    symbols: Vec<profile::Symbol>,
    spans: SpansBuilder,
    now: u64,
    common: f64,
    items: u32,
}

impl Request<'_> {
    /// The profile of the request.
    pub(crate) fn record(&self, random: Random) -> Profile {
        let template = self.template;
        let mut recording = Recording {
            request: self,
            random,
            builder: TreeBuilder::new(),
            numbers: vec![None; template.calls.len()],
            symbols: Vec::with_capacity(template.calls.len()),
            spans: SpansBuilder::new(MAX_SPANS),
            now: 0,
            common: 0.0,
            items: 0,
        };
        recording.calls();
        recording.finish()
    }
}

impl Recording<'_> {
    fn calls(&mut self) {
        self.common = self.request.load + 0.3 * self.random.normal();
        if self.request.is_cold {
            self.common += 0.25 * self.random.uniform();
        }
        self.items = self.random.items(self.request.template.spec.items);
        // For each call of the template, its node and its count.
        let mut nodes: Vec<(NodeId, u64)> = Vec::with_capacity(self.numbers.len());
        for (place, call) in self.request.template.calls.iter().enumerate() {
            let (parent, count) = nodes.get(call.parent).copied().unwrap_or((NodeId::ROOT, 1));
            let count = match call.times {
                _ if place == 0 => 1,
                Times::Always(times) => count * u64::from(times),
                Times::Items => count * u64::from(self.items),
                Times::Sometimes(part) => count * u64::from(self.random.uniform() < part),
            };
            if count == 0 {
                nodes.push((parent, 0));
                continue;
            }
            let symbol = self.symbol(place);
            let node = if place == 0 {
                NodeId::ROOT
            } else {
                self.builder.child(parent, symbol)
            };
            nodes.push((node, count));
            let caller = self.builder.symbol(parent);
            self.spend(call, node, symbol, caller, count);
            if call.name == LOOP && self.request.defects.query_in_loop {
                self.reviews(node, symbol, count);
            }
        }
    }

    /// The time and memory of a path's calls.
    fn spend(&mut self, call: &Call, node: NodeId, symbol: SymbolId, caller: SymbolId, count: u64) {
        let defects = self.request.defects;
        let (deviation, shift) = match call.work {
            Work::Cpu => (0.25, self.common),
            _ => (0.55, self.request.waiting + 0.3 * self.common),
        };
        let mut time = call.time * count as f64 * self.random.factor(deviation) * shift.exp();
        if self.random.uniform() < 0.0008 {
            time *= 3.0 + 4.0 * self.random.exponential();
        }
        let mut memory = call.memory * count as f64 * self.random.factor(0.1);
        if call.name == SLOWER && defects.slower > 0.0 {
            time *= defects.slower;
        }
        if call.name == LEAK && defects.leak > 0.0 {
            memory += defects.leak;
        }
        self.add(node, count, time, memory, call.work == Work::Cpu);
        let (kind, text) = match call.work {
            Work::Cpu => return,
            Work::Sql(text) => (SpanKind::Sql, text),
            Work::Redis(text) => (SpanKind::Redis, text),
            Work::Http(text) => (SpanKind::Http, text),
        };
        self.wait(kind, text, symbol, caller, count, time);
    }

    /// The defect of the list: one query for each product.
    fn reviews(&mut self, parent: NodeId, caller: SymbolId, count: u64) {
        let review = self.new_symbol(QUERY, false);
        let execute = self.new_symbol("PDOStatement::execute", true);
        let node = self.builder.child(parent, review);
        let time = 20_000.0 * count as f64 * self.random.factor(0.25) * self.common.exp();
        self.add(node, count, time, 512.0 * count as f64, true);
        let query = self.builder.child(node, execute);
        let shift = (self.request.waiting + 0.3 * self.common).exp();
        let time = 380_000.0 * count as f64 * self.random.factor(0.3) * shift;
        self.add(query, count, time, 2048.0, false);
        let text = "SELECT AVG(stars) FROM reviews WHERE product_id = ?";
        debug_assert!(caller != review, "the caller is the loop");
        self.wait(SpanKind::Sql, text, execute, review, count, time);
    }

    fn add(&mut self, node: NodeId, count: u64, time: f64, memory: f64, is_cpu: bool) {
        self.builder.cost(node).calls += count;
        let wall = time.max(50.0) as i64;
        let cpu = if is_cpu { wall - wall / 50 } else { wall / 8 };
        let own = SelfCost {
            wall,
            cpu,
            memory: memory as i64,
            peak: (0.3 * memory.max(0.0)) as i64,
        };
        self.builder.add_self(node, own);
        self.now += wall.unsigned_abs();
    }

    fn wait(
        &mut self,
        kind: SpanKind,
        text: &str,
        symbol: SymbolId,
        caller: SymbolId,
        count: u64,
        time: f64,
    ) {
        let text = self.spans.text(text.as_bytes());
        let duration = (time * 0.97 / count as f64) as u64;
        let first = self.now.saturating_sub(time as u64);
        for number in 0..count {
            let rows = (kind == SpanKind::Sql).then(|| self.random.below(30));
            self.spans.push(Span {
                kind,
                text: Some(text),
                symbol,
                caller,
                start: first + number * (time / count as f64) as u64,
                duration,
                rows,
            });
        }
    }

    /// The number of a template's function in the profile.
    fn symbol(&mut self, place: usize) -> SymbolId {
        if let Some(Some(known)) = self.numbers.get(place) {
            return *known;
        }
        let Some(symbol) = self.request.template.symbols.get(place) else {
            return SymbolId::ROOT;
        };
        let number = match self.symbols.iter().position(|of| of.name == symbol.name) {
            Some(known) => known,
            None => {
                self.symbols.push(symbol.clone());
                self.symbols.len() - 1
            }
        };
        let number = SymbolId(u32::try_from(number).unwrap_or(0));
        if let Some(known) = self.numbers.get_mut(place) {
            *known = Some(number);
        }
        number
    }

    fn new_symbol(&mut self, name: &str, internal: bool) -> SymbolId {
        let known = self
            .symbols
            .iter()
            .position(|of| *of.name == *name.as_bytes());
        let number = known.unwrap_or_else(|| {
            let mut symbol = profile::Symbol::new(name.as_bytes());
            symbol.internal = internal;
            if !internal {
                symbol.file = Some(b"/srv/shop/src/Catalogue/ReviewRepository.php"[..].into());
                symbol.line = 61;
            }
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        SymbolId(u32::try_from(number).unwrap_or(0))
    }

    fn finish(mut self) -> Profile {
        let request = self.request;
        let spec = &request.template.spec;
        let id = 1 + self.random.below(900);
        let path = spec.route.replace("{id}", &id.to_string());
        let path = path
            .replace("{slug}", &format!("no-{id}"))
            .replace("{name}", "monthly");
        let status = match self.random.below(1000) {
            0..4 => "500",
            4..12 if spec.route.contains('{') => "404",
            _ => "200",
        };
        let tree = self.builder.finish_signed_self_costs();
        let kept = request.defects.leak * request.served as f64;
        let own = tree.root_cost().memory.max(0).unsigned_abs();
        let mut meta = Meta {
            title: Some(format!("{} {path}", spec.method)),
            started_unix_us: Some(request.started_us),
            host: Some(format!("web-{}", request.host + 1)),
            process: Some(request.process),
            sapi: Some("fpm-fcgi".to_owned()),
            php_version: Some("8.4.14".to_owned()),
            creator: Some("xhprof demo data".to_owned()),
            mode: Mode::Traced,
            peak_memory: Some(BASE_MEMORY + own + kept as u64),
            ..Meta::default()
        };
        for (name, value) in [
            ("app", "shop"),
            ("route", spec.route),
            ("release", request.release),
            ("method", spec.method),
            ("http_host", "shop.example"),
            ("path", path.as_str()),
            ("status", status),
        ] {
            meta.set_tag(name, value);
        }
        // GET and POST of one path are different routes.
        if spec.method != "GET" {
            meta.set_tag("route", format!("{} {}", spec.method, spec.route));
        }
        if status == "500" {
            meta.set_tag("failed", "1");
        }
        Profile {
            symbols: self.symbols,
            body: Body::Tree(tree),
            metrics: Metrics {
                cpu: true,
                memory: true,
                ..Metrics::default()
            },
            meta,
            lines: Default::default(),
            spans: if self.spans.spans().is_empty() {
                Spans::default()
            } else {
                self.spans.finish()
            },
        }
    }
}
