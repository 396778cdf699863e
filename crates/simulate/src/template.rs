//! The calls of a route, before chance decides how long they take.
//!
//! `routes.txt` and `calls.txt` have the routes and what they call.

use profile::Symbol;

const ROUTES: &str = include_str!("routes.txt");
const CALLS: &str = include_str!("calls.txt");

/// What a call spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Computing.
    Cpu,
    /// Waiting for a database.
    Sql(&'static str),
    /// Waiting for Redis.
    Redis(&'static str),
    /// Waiting for another server.
    Http(&'static str),
}

/// How often a call is made by its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Times {
    /// That often, always.
    Always(u32),
    /// Once for each item of the page.
    Items,
    /// In that part of the runs.
    Sometimes(f64),
}

/// One route.
pub(crate) struct RouteSpec {
    pub(crate) method: &'static str,
    pub(crate) route: &'static str,
    controller: &'static str,
    /// Its share of the requests, in any unit.
    pub(crate) traffic: f64,
    /// The mean number of items of its page; 0 for none.
    pub(crate) items: f64,
    parts: Vec<&'static str>,
}

/// One call path of a route.
pub(crate) struct Call {
    /// The caller's number; the root is its own.
    pub(crate) parent: usize,
    pub(crate) name: &'static str,
    pub(crate) work: Work,
    pub(crate) times: Times,
    /// Self time of one call, in nanoseconds.
    pub(crate) time: f64,
    /// Self memory of one call, in bytes.
    pub(crate) memory: f64,
}

/// All call paths of a route, parents before children.
pub(crate) struct Template {
    pub(crate) spec: RouteSpec,
    pub(crate) calls: Vec<Call>,
    /// The symbol of each call.
    pub(crate) symbols: Vec<Symbol>,
}

/// The functions that the defects are in.
pub(crate) const SLOWER: &str = "Shop\\Price\\TaxCalculator::rates";
pub(crate) const LOOP: &str = "Shop\\Catalogue\\ProductRepository::hydrate";
pub(crate) const QUERY: &str = "Shop\\Catalogue\\ReviewRepository::average";
pub(crate) const LEAK: &str = "Shop\\Search\\SynonymCache::load";

impl RouteSpec {
    /// The route of a line.
    fn parse(line: &'static str) -> Option<Self> {
        let mut words = line.split_whitespace();
        Some(Self {
            method: words.next().filter(|word| *word != "#")?,
            route: words.next()?,
            controller: words.next()?,
            traffic: words.next()?.parse().ok()?,
            items: words.next()?.parse().ok()?,
            parts: words.next()?.split(',').collect(),
        })
    }
}

impl Template {
    /// The templates of all routes.
    pub(crate) fn all() -> Vec<Self> {
        let routes = ROUTES.lines().filter_map(RouteSpec::parse);
        routes.map(Self::new).collect()
    }

    fn new(spec: RouteSpec) -> Self {
        let mut template = Self {
            spec,
            calls: Vec::new(),
            symbols: Vec::new(),
        };
        template.section("request", 0);
        template.symbols = template.calls.iter().map(symbol).collect();
        template
    }

    /// Adds the calls of a section below a call.
    fn section(&mut self, name: &str, parent: usize) {
        let lines = CALLS.lines().skip_while(|line| {
            let title = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'));
            title != Some(name)
        });
        // The callers of the next line, by its indentation.
        let mut callers = vec![parent];
        for line in lines.skip(1).take_while(|line| !line.is_empty()) {
            let text = line.trim_start();
            let depth = (line.len() - text.len()) / 2;
            let parent = callers.get(depth).copied().unwrap_or(parent);
            callers.truncate(depth + 1);
            if let Some(name) = text.strip_prefix("+ ") {
                self.include(name, parent);
            } else if let Some(call) = self.line(text, parent) {
                callers.push(call);
            }
        }
    }

    /// Adds the calls of a section that not all requests have.
    fn include(&mut self, name: &str, parent: usize) {
        match name {
            "controller" => {
                let controller = self.call(parent, self.spec.controller, 190, 20);
                for part in self.spec.parts.clone() {
                    if part != "session" {
                        self.section(part, controller);
                    }
                }
            }
            "card" if self.spec.items == 0.0 => {}
            "session" | "session.save" if !self.spec.parts.contains(&"session") => {}
            _ => self.section(name, parent),
        }
    }

    /// Adds the call of a line; returns its number.
    fn line(&mut self, text: &'static str, parent: usize) -> Option<usize> {
        let (call, waits) = text.split_once(" = ").unwrap_or((text, ""));
        if let Some(query) = text.strip_prefix("query ") {
            let (us, sql) = query.split_once(' ')?;
            return Some(self.query(parent, sql, us.parse().ok()?));
        }
        let mut words = call.split(' ');
        let (name, us, kib) = (words.next()?, words.next()?, words.next()?);
        let place = self.call(parent, name, us.parse().ok()?, kib.parse().ok()?);
        let added = self.calls.last_mut()?;
        added.times = match words.next() {
            None => Times::Always(1),
            Some("items") => Times::Items,
            Some(times) => match times.strip_prefix('x') {
                Some(count) => Times::Always(count.parse().ok()?),
                None => Times::Sometimes(times.parse().ok()?),
            },
        };
        added.work = match waits.split_once(' ') {
            Some(("redis", command)) => Work::Redis(command),
            Some(("http", url)) => Work::Http(url),
            _ => Work::Cpu,
        };
        Some(place)
    }

    /// A statement, with the calls of the database layer.
    fn query(&mut self, parent: usize, sql: &'static str, us: i32) -> usize {
        let of = self.call(parent, "Shop\\Database\\Connection::select", 16, 1);
        self.call(of, "PDO::prepare", 24, 1);
        let execute = self.call(of, "PDOStatement::execute", us, 2);
        self.calls[execute].work = Work::Sql(sql);
        self.call(of, "PDOStatement::fetchAll", 45, 6);
        of
    }

    /// A call of so many microseconds, which keeps so many KiB.
    fn call(&mut self, parent: usize, name: &'static str, us: i32, kib: i32) -> usize {
        let place = self.calls.len();
        self.calls.push(Call {
            parent,
            name,
            work: Work::Cpu,
            times: Times::Always(1),
            time: f64::from(us) * 1000.0,
            memory: f64::from(kib) * 1024.0,
        });
        place
    }
}

fn symbol(call: &Call) -> Symbol {
    let mut symbol = Symbol::new(call.name.as_bytes());
    let (class, is_method) = match call.name.split_once("::") {
        Some((class, _)) => (class, true),
        None => (call.name, false),
    };
    let is_ours = class.starts_with("Shop\\") || class.starts_with("Composer\\");
    let is_file = class == "run_init" || class == "require";
    symbol.internal = call.name != "main()" && !is_file && !(is_method && is_ours);
    if is_ours {
        let (folder, rest) = match class.strip_prefix("Shop\\") {
            Some(rest) => ("/srv/shop/src/", rest),
            None => ("/srv/shop/vendor/composer/", class),
        };
        let file = format!("{folder}{}.php", rest.replace('\\', "/"));
        symbol.file = Some(file.into_bytes().into());
        symbol.line = 20 + u32::try_from(call.name.len() * 7 % 180).unwrap_or(0);
    }
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let templates = Template::all();
        let lines = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(templates.len(), lines(ROUTES));
        let names = templates.iter().flat_map(|template| &template.calls);
        let names: Vec<&str> = names.map(|call| call.name).collect();
        for line in CALLS.lines().map(str::trim_start) {
            let name = line.split(' ').next().unwrap_or_default();
            let is_call = !matches!(name, "" | "#" | "+" | "query") && !line.starts_with('[');
            assert!(!is_call || names.contains(&name), "{line}");
        }
        let parts = templates.iter().flat_map(|template| &template.spec.parts);
        for part in parts {
            assert!(CALLS.contains(&format!("\n[{part}]\n")), "{part}");
        }
    }
}
