//! The calls of a route, before chance decides how long they take.

use profile::Symbol;

use crate::catalogue::{Part, ROUTES, RouteSpec, Times, Work};

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
    pub(crate) spec: &'static RouteSpec,
    pub(crate) calls: Vec<Call>,
    /// The symbol of each call.
    pub(crate) symbols: Vec<Symbol>,
}

/// The functions that the defects are in.
pub(crate) const SLOWER: &str = "Shop\\Price\\TaxCalculator::rates";
pub(crate) const LOOP: &str = "Shop\\Catalogue\\ProductRepository::hydrate";
pub(crate) const QUERY: &str = "Shop\\Catalogue\\ReviewRepository::average";
pub(crate) const LEAK: &str = "Shop\\Search\\SynonymCache::load";

impl Template {
    /// The templates of all routes.
    pub(crate) fn all() -> Vec<Self> {
        ROUTES.iter().map(Self::new).collect()
    }

    fn new(spec: &'static RouteSpec) -> Self {
        let mut template = Self {
            spec,
            calls: Vec::new(),
            symbols: Vec::new(),
        };
        template.build();
        template.symbols = template.calls.iter().map(symbol).collect();
        template
    }

    fn build(&mut self) {
        let main = self.call(0, "main()", 60, 8);
        let front = self.call(main, "run_init::public/index.php", 40, 4);
        let autoload = self.call(front, "require::vendor/autoload.php", 90, 30);
        self.call(autoload, "Composer\\Autoload\\ClassLoader::register", 35, 6);
        let load = self.times(
            autoload,
            "Composer\\Autoload\\ClassLoader::loadClass",
            9,
            3,
            62,
        );
        self.call(
            load,
            "Composer\\Autoload\\ClassLoader::findFileWithExtension",
            3,
            0,
        );
        let boot = self.call(front, "Shop\\Kernel::boot", 210, 90);
        let container = self.call(boot, "Shop\\Container::build", 380, 160);
        self.times(container, "Shop\\Container::resolve", 7, 1, 45);
        self.call(boot, "Shop\\Config::load", 160, 50);
        let handle = self.call(front, "Shop\\Kernel::handle", 80, 10);
        let matcher = self.call(handle, "Shop\\Routing\\Router::match", 120, 12);
        self.times(matcher, "preg_match", 2, 0, 18);
        let stack = self.call(handle, "Shop\\Http\\MiddlewareStack::process", 50, 4);
        self.call(stack, "Shop\\Http\\TrustedProxies::process", 15, 1);
        self.call(stack, "Shop\\Http\\Locale::process", 30, 2);
        self.call(stack, "Shop\\Http\\RateLimit::process", 25, 1);
        if self.uses(Part::Session) {
            let session = self.call(stack, "Shop\\Session\\Session::start", 70, 12);
            self.waits(session, "Redis::get", 320, Work::Redis("GET"));
            self.call(session, "unserialize", 40, 20);
        }
        let controller = self.call(stack, self.spec.controller, 190, 20);
        for part in self.spec.parts {
            self.part(controller, *part);
        }
        let send = self.call(handle, "Shop\\Http\\Response::send", 60, 2);
        self.call(send, "header", 4, 0);
        if self.uses(Part::Session) {
            let save = self.call(handle, "Shop\\Session\\Session::save", 40, 3);
            self.call(save, "serialize", 30, 10);
            self.waits(save, "Redis::setex", 340, Work::Redis("SETEX"));
        }
        self.call(front, "Shop\\Kernel::terminate", 45, -40);
    }

    fn part(&mut self, controller: usize, part: Part) {
        match part {
            Part::Session => {}
            Part::Customer => {
                let of = self.call(
                    controller,
                    "Shop\\Customer\\CustomerProvider::current",
                    60,
                    8,
                );
                self.query(of, "SELECT * FROM customers WHERE id = ?", 700);
                self.call(of, "Shop\\Customer\\Customer::fromRow", 35, 6);
                let groups = self.call(of, "Shop\\Customer\\GroupResolver::groups", 45, 4);
                self.query(
                    groups,
                    "SELECT group_id FROM customer_groups WHERE customer_id = ?",
                    500,
                );
            }
            Part::Products => {
                let of = self.call(
                    controller,
                    "Shop\\Catalogue\\ProductRepository::findListed",
                    140,
                    30,
                );
                self.query(of, "SELECT p.* FROM products p JOIN category_products c ON c.product_id = p.id WHERE c.category_id = ? ORDER BY p.position LIMIT ?", 3200);
                self.query(
                    of,
                    "SELECT * FROM product_images WHERE product_id IN (?)",
                    1300,
                );
                let hydrate = self.items(of, LOOP, 55, 9);
                self.call(hydrate, "Shop\\Catalogue\\Product::fromRow", 24, 5);
                self.call(hydrate, "Shop\\Catalogue\\ImageUrl::of", 9, 1);
                self.call(hydrate, "json_decode", 7, 2);
                self.call(of, "Shop\\Catalogue\\Facets::count", 420, 40);
            }
            Part::Product => {
                let of = self.call(
                    controller,
                    "Shop\\Catalogue\\ProductRepository::find",
                    90,
                    14,
                );
                self.query(of, "SELECT * FROM products WHERE id = ?", 600);
                self.query(
                    of,
                    "SELECT * FROM product_attributes WHERE product_id = ?",
                    900,
                );
                let attributes = self.call(of, "Shop\\Catalogue\\Attributes::normalise", 260, 22);
                self.times(attributes, "Shop\\Catalogue\\Attribute::value", 6, 0, 22);
                let related =
                    self.call(controller, "Shop\\Catalogue\\RelatedProducts::of", 130, 12);
                self.query(
                    related,
                    "SELECT related_id FROM product_relations WHERE product_id = ? LIMIT ?",
                    1100,
                );
                let more = self.items(related, "Shop\\Catalogue\\Product::fromRow", 24, 5);
                self.call(more, "Shop\\Catalogue\\ImageUrl::of", 9, 1);
            }
            Part::Reviews => {
                let of = self.call(
                    controller,
                    "Shop\\Catalogue\\ReviewRepository::latest",
                    75,
                    9,
                );
                self.query(
                    of,
                    "SELECT * FROM reviews WHERE product_id = ? ORDER BY created DESC LIMIT ?",
                    1400,
                );
                let review = self.times(of, "Shop\\Catalogue\\Review::fromRow", 18, 3, 10);
                self.call(review, "Shop\\Text\\Sanitizer::clean", 22, 1);
            }
            Part::Prices => {
                let of = self.call(controller, "Shop\\Price\\PriceCalculator::forList", 80, 6);
                self.query(
                    of,
                    "SELECT * FROM price_rules WHERE valid_from <= ? AND valid_to > ?",
                    800,
                );
                let tax = self.call(of, "Shop\\Price\\TaxCalculator::prepare", 60, 4);
                self.call(tax, SLOWER, 950, 8);
                let price = self.items(of, "Shop\\Price\\PriceCalculator::price", 42, 2);
                self.call(price, "Shop\\Price\\Money::add", 5, 0);
                self.call(price, "Shop\\Price\\Rounding::round", 6, 0);
                self.call(price, "Shop\\Price\\Discounts::apply", 19, 1);
            }
            Part::Cart => {
                let of = self.call(controller, "Shop\\Cart\\CartRepository::current", 70, 8);
                self.query(of, "SELECT * FROM carts WHERE session = ?", 650);
                self.query(of, "SELECT * FROM cart_items WHERE cart_id = ?", 750);
                let item = self.items(of, "Shop\\Cart\\Item::fromRow", 20, 3);
                self.call(item, "Shop\\Cart\\Item::options", 12, 1);
                self.call(controller, "Shop\\Cart\\Totals::collect", 240, 8);
                self.call(controller, "Shop\\Cart\\Validator::check", 130, 2);
            }
            Part::Order => {
                let of = self.call(controller, "Shop\\Order\\OrderRepository::find", 95, 10);
                self.query(
                    of,
                    "SELECT * FROM orders WHERE customer_id = ? ORDER BY id DESC LIMIT ?",
                    1500,
                );
                let order = self.items(of, "Shop\\Order\\Order::fromRow", 38, 6);
                self.call(order, "Shop\\Order\\Status::label", 6, 0);
                self.call(of, "Shop\\Order\\History::merge", 170, 12);
            }
            Part::Search => {
                let of = self.call(controller, "Shop\\Search\\SearchService::search", 150, 16);
                let words = self.call(of, "Shop\\Search\\QueryParser::parse", 210, 12);
                self.times(words, "preg_split", 4, 1, 3);
                self.call(words, LEAK, 180, 6);
                self.waits(
                    of,
                    "curl_exec",
                    9000,
                    Work::Http("https://search.internal/products/_search"),
                );
                self.call(of, "json_decode", 320, 120);
                let hit = self.items(of, "Shop\\Search\\Hit::fromArray", 26, 4);
                self.call(hit, "Shop\\Search\\Highlighter::mark", 31, 1);
            }
            Part::Stock => {
                let of = self.call(controller, "Shop\\Stock\\StockService::levels", 60, 4);
                self.waits(of, "Redis::mget", 380, Work::Redis("MGET"));
                self.sometimes(of, "Shop\\Stock\\StockService::refresh", 240, 0.2);
                self.call(of, "Shop\\Stock\\Availability::texts", 85, 3);
            }
            Part::Payment => {
                let of = self.call(controller, "Shop\\Payment\\Gateway::methods", 120, 9);
                self.waits(
                    of,
                    "curl_exec",
                    38_000,
                    Work::Http("https://payments.example/v2/methods"),
                );
                self.call(of, "Shop\\Payment\\Signature::verify", 190, 2);
            }
            Part::Shipping => {
                let of = self.call(controller, "Shop\\Shipping\\RateTable::quote", 320, 10);
                self.query(of, "SELECT * FROM shipping_rates WHERE country = ?", 900);
            }
            Part::Mail => {
                let of = self.call(controller, "Shop\\Mail\\Mailer::queue", 140, 18);
                self.query(
                    of,
                    "INSERT INTO mail_queue (template, data) VALUES (?, ?)",
                    1100,
                );
                self.call(of, "Shop\\Mail\\Template::render", 520, 30);
            }
            Part::Admin => {
                let of = self.call(controller, "Shop\\Admin\\Acl::check", 220, 10);
                self.query(of, "SELECT * FROM admin_roles WHERE user_id = ?", 700);
            }
            Part::Page => {
                let of = self.call(controller, "Shop\\View\\Renderer::render", 180, 30);
                let layout = self.call(of, "Shop\\View\\Template::layout", 640, 60);
                self.times(layout, "Shop\\View\\Helper::url", 4, 0, 40);
                self.times(layout, "htmlspecialchars", 1, 0, 160);
                let header = self.call(layout, "Shop\\View\\Block::header", 280, 12);
                let menu = self.call(header, "Shop\\View\\Menu::tree", 340, 25);
                self.waits(menu, "Redis::get", 310, Work::Redis("GET"));
                let translate = self.times(layout, "Shop\\I18n\\Translator::translate", 5, 0, 70);
                self.call(translate, "strtr", 2, 0);
                if self.spec.items > 0.0 {
                    let card = self.items(layout, "Shop\\View\\Block::card", 95, 4);
                    self.times(card, "Shop\\View\\Helper::money", 8, 0, 2);
                }
                self.call(layout, "Shop\\View\\Block::footer", 190, 8);
            }
            Part::Json => {
                let of = self.call(controller, "Shop\\Http\\JsonResponse::of", 60, 8);
                self.call(of, "json_encode", 110, 24);
            }
            Part::Export => {
                let of = self.call(controller, "Shop\\Export\\CsvWriter::write", 240, 30);
                let row = self.items(of, "Shop\\Export\\CsvWriter::row", 33, 1);
                self.call(row, "fputcsv", 9, 0);
            }
        }
    }

    fn uses(&self, part: Part) -> bool {
        self.spec.parts.contains(&part)
    }

    /// A call of so many microseconds, which keeps so many KiB.
    fn call(&mut self, parent: usize, name: &'static str, us: i32, kib: i32) -> usize {
        self.times(parent, name, us, kib, 1)
    }

    fn times(&mut self, parent: usize, name: &'static str, us: i32, kib: i32, count: u32) -> usize {
        self.push(parent, name, us, kib, Work::Cpu, Times::Always(count))
    }

    fn items(&mut self, parent: usize, name: &'static str, us: i32, kib: i32) -> usize {
        self.push(parent, name, us, kib, Work::Cpu, Times::Items)
    }

    fn sometimes(&mut self, parent: usize, name: &'static str, us: i32, part: f64) -> usize {
        self.push(parent, name, us, 2, Work::Cpu, Times::Sometimes(part))
    }

    fn waits(&mut self, parent: usize, name: &'static str, us: i32, work: Work) -> usize {
        self.push(parent, name, us, 2, work, Times::Always(1))
    }

    fn query(&mut self, parent: usize, sql: &'static str, us: i32) {
        let of = self.call(parent, "Shop\\Database\\Connection::select", 16, 1);
        let prepare = self.call(of, "PDO::prepare", 24, 1);
        debug_assert!(prepare > of, "parents precede children");
        self.waits(of, "PDOStatement::execute", us, Work::Sql(sql));
        self.call(of, "PDOStatement::fetchAll", 45, 6);
    }

    fn push(
        &mut self,
        parent: usize,
        name: &'static str,
        us: i32,
        kib: i32,
        work: Work,
        times: Times,
    ) -> usize {
        // The same function below the same caller is the same path: several
        // queries of one function are one path with several statements.
        let place = self.calls.len();
        self.calls.push(Call {
            parent,
            name,
            work,
            times,
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
