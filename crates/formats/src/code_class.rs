//! Which part of a program a function belongs to: its own code, a package, PHP.
//!
//! Flame graphs, tables and pictures colour functions by it. A file's path
//! decides; where a profile has no paths, a function's namespace does.
//!
//! **Invariant:** the class depends on the symbol alone, so a function has the
//! same class in each view.

use profile::Symbol;

/// The part of a program that a function belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeClass<'a> {
    /// The program's own code.
    Own,
    /// Code that others wrote.
    Package(Package<'a>),
    /// What a template engine compiled.
    Template,
    /// PHP itself or an extension.
    Php,
    /// A function of PHP that waits for a database, a network, a file or a timer.
    Waiting,
    /// Not a function: a file that is compiled, `[truncated]`.
    Other,
}

/// A package of code that others wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Package<'a> {
    /// Who made it: `symfony`. Packages of one vendor have one hue.
    pub vendor: &'a [u8],
    /// The package: `symfony/http-kernel`, or the vendor if that is all that is known.
    pub name: &'a [u8],
}

impl<'a> Package<'a> {
    fn of_vendor(vendor: &'a [u8]) -> Self {
        Self {
            vendor,
            name: vendor,
        }
    }
}

impl<'a> CodeClass<'a> {
    /// The class of a symbol.
    ///
    /// ```
    /// use formats::CodeClass;
    /// use profile::Symbol;
    ///
    /// let mut symbol = Symbol::new(*b"Twig\\Lexer::lex");
    /// symbol.file = Some(b"/app/vendor/twig/twig/src/Lexer.php"[..].into());
    /// let CodeClass::Package(package) = CodeClass::of(&symbol) else { panic!() };
    /// assert_eq!((package.vendor, package.name), (&b"twig"[..], &b"twig/twig"[..]));
    /// ```
    #[must_use]
    pub fn of(symbol: &'a Symbol) -> Self {
        let name = &*symbol.name;
        if symbol.internal {
            // `[flock /srv/a.lock]`: what `xhprof attach --native` saw a call wait for.
            return if is_waiting(name) || name.starts_with(b"[") {
                Self::Waiting
            } else {
                Self::Php
            };
        }
        let is_loaded = [&b"["[..], b"load::", b"eval::"];
        if is_loaded.iter().any(|start| name.starts_with(start)) {
            return Self::Other;
        }
        // The root's own cost is that of the script that was run.
        if name == Symbol::MAIN {
            return Self::Own;
        }
        let file = symbol.file.as_deref().filter(|file| !file.is_empty());
        if is_template(name, file.unwrap_or_default()) {
            return Self::Template;
        }
        match file {
            Some(file) => package_of_file(file).map_or(Self::Own, Self::Package),
            None if is_waiting(name) => Self::Waiting,
            None if name.starts_with(b"run_init::") => Self::Other,
            None => package_of_name(name).map_or(Self::Own, Self::Package),
        }
    }

    /// The name of the class for people; of a package, its vendor.
    #[must_use]
    pub fn title(self) -> &'a [u8] {
        match self {
            Self::Own => b"own code",
            Self::Package(package) => package.vendor,
            Self::Template => b"templates",
            Self::Php => b"PHP",
            Self::Waiting => b"waiting",
            Self::Other => b"loading",
        }
    }

    /// The same, finer: the package, or the module of own code.
    #[must_use]
    pub fn part(self, symbol: &'a Symbol) -> &'a [u8] {
        match self {
            Self::Package(package) => package.name,
            Self::Own => {
                let module = symbol.file.as_deref().and_then(own_module);
                module.unwrap_or(self.title())
            }
            _ => self.title(),
        }
    }
}

/// The module that a file of own code belongs to: `Acme/Checkout` of Magento's
/// `app/code`, `shop` of Drupal's `modules/custom`.
fn own_module(file: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = after_last(file, b"/app/code/") {
        return two_parts(rest);
    }
    let folders = [&b"/modules/custom/"[..], b"/themes/custom/"];
    let mut found = folders.iter().filter_map(|folder| after_last(file, folder));
    found.next().and_then(first_part)
}

/// Whether a function of PHP waits: on a busy machine the wall time of all others is
/// longer than their CPU time, too, and says nothing.
#[must_use]
pub fn is_waiting(name: &[u8]) -> bool {
    let class = name.windows(2).position(|pair| pair == b"::");
    let class = class.and_then(|end| name.get(..end)).unwrap_or_default();
    WAITING_CLASSES.contains(&class) || WAITING.contains(&name)
}

/// All methods of these classes ask a server.
const WAITING_CLASSES: [&[u8]; 6] = [
    b"Memcache",
    b"Memcached",
    b"Redis",
    b"RedisCluster",
    b"Relay\\Relay",
    b"SoapClient",
];

const WAITING: [&[u8]; 53] = [
    b"PDO::__construct",
    b"PDO::beginTransaction",
    b"PDO::commit",
    b"PDO::connect",
    b"PDO::exec",
    b"PDO::query",
    b"PDO::rollBack",
    b"PDOStatement::execute",
    b"SQLite3::exec",
    b"SQLite3::query",
    b"SQLite3Stmt::execute",
    b"curl_exec",
    b"curl_multi_exec",
    b"curl_multi_select",
    b"exec",
    b"fgets",
    b"file",
    b"file_get_contents",
    b"file_put_contents",
    b"flock",
    b"fopen",
    b"fread",
    b"fsockopen",
    b"fwrite",
    b"gethostbyname",
    b"mail",
    b"mysqli::__construct",
    b"mysqli::execute_query",
    b"mysqli::query",
    b"mysqli::real_connect",
    b"mysqli_connect",
    b"mysqli_query",
    b"mysqli_real_connect",
    b"mysqli_stmt::execute",
    b"mysqli_stmt_execute",
    b"passthru",
    b"pg_connect",
    b"pg_execute",
    b"pg_query",
    b"pg_query_params",
    b"proc_close",
    b"session_start",
    b"shell_exec",
    b"sleep",
    b"socket_read",
    b"socket_select",
    b"stream_get_contents",
    b"stream_select",
    b"stream_socket_client",
    b"system",
    b"time_nanosleep",
    b"time_sleep_until",
    b"usleep",
];

/// Names that template engines give, or that this program's `templates` makes of them.
const TEMPLATE_NAMES: [&[u8]; 5] = [
    b"twig::",
    b"blade::",
    b"__TwigTemplate_",
    b"content_",
    b"Latte\\Templates\\",
];

fn is_template(name: &[u8], file: &[u8]) -> bool {
    let is_named = |start: &&[u8]| {
        name.starts_with(start)
            // Smarty's functions: `content_` and a hash.
            && (*start != b"content_" || name.len() > 30)
    };
    let ends = [&b".twig"[..], b".blade.php", b".latte", b".phtml", b".tpl"];
    TEMPLATE_NAMES.iter().any(is_named)
        || ends.iter().any(|end| file.ends_with(end))
        || position(file, b"/storage/framework/views/").is_some()
}

fn package_of_file(file: &[u8]) -> Option<Package<'_>> {
    // The innermost: a package may have packages.
    if let Some(rest) = after_last(file, b"/vendor/").or_else(|| file.strip_prefix(b"vendor/")) {
        return composer(rest);
    }
    for folder in [&b"/usr/share/php/"[..], b"/usr/share/pear/"] {
        if let Some(rest) = file.strip_prefix(folder) {
            return Some(debian(rest));
        }
    }
    let folders = [
        &b"/wp-content/plugins/"[..],
        b"/wp-content/mu-plugins/",
        b"/wp-content/themes/",
        b"/modules/contrib/",
        b"/themes/contrib/",
    ];
    for folder in folders {
        if let Some(rest) = after_last(file, folder) {
            // A plugin may be one file.
            let name = first_part(rest).or_else(|| rest.strip_suffix(b".php"));
            return name.map(Package::of_vendor);
        }
    }
    for folder in [&b"/core/modules/"[..], b"/core/themes/"] {
        if let Some(name) = after_last(file, folder).and_then(first_part) {
            let vendor = b"drupal";
            return Some(Package { vendor, name });
        }
    }
    let cores: [(&[u8], &[u8]); 3] = [
        (b"/wp-includes/", b"wordpress"),
        (b"/wp-admin/", b"wordpress"),
        (b"/core/lib/Drupal/", b"drupal"),
    ];
    let core = cores
        .iter()
        .find(|(folder, _)| position(file, folder).is_some());
    core.map(|(_, vendor)| Package::of_vendor(vendor))
}

/// `symfony/http-kernel/Kernel.php`: two folders. A file beside them is Composer's own.
fn composer(rest: &[u8]) -> Option<Package<'_>> {
    let Some(vendor) = first_part(rest) else {
        return Some(Package::of_vendor(b"composer"));
    };
    let name = two_parts(rest).unwrap_or(vendor);
    Some(Package { vendor, name })
}

/// `Twig/Environment.php`, `Symfony/Component/Yaml/Yaml.php`, `PHP/CodeSniffer.php`.
fn debian(rest: &[u8]) -> Package<'_> {
    let Some(vendor) = first_part(rest) else {
        return Package::of_vendor(rest.strip_suffix(b".php").unwrap_or(rest));
    };
    // PEAR's own folders are no vendors.
    let groups = [&b"PHP"[..], b"Net", b"HTTP", b"Text", b"File", b"Console"];
    if groups.contains(&vendor) {
        let below = rest.get(vendor.len() + 1..).unwrap_or_default();
        let part = first_part(below).map_or(below.len(), <[u8]>::len);
        let name = rest.get(..vendor.len() + 1 + part).unwrap_or(rest);
        return Package::of_vendor(name.strip_suffix(b".php").unwrap_or(name));
    }
    let mut parts = rest.split(|byte| *byte == b'/').skip(1);
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(group @ (b"Component" | b"Bundle" | b"Bridge")), Some(part), Some(_)) => {
            rest.get(..vendor.len() + group.len() + part.len() + 2)
        }
        _ => None,
    };
    Package {
        vendor,
        name: name.unwrap_or(vendor),
    }
}

/// Namespaces of packages that many programs have, for profiles without paths.
const NAMESPACES: [&[u8]; 36] = [
    b"Amp",
    b"Cake",
    b"Carbon",
    b"CodeIgniter",
    b"Composer",
    b"Doctrine",
    b"Drupal",
    b"Faker",
    b"GuzzleHttp",
    b"Illuminate",
    b"Laminas",
    b"Laravel",
    b"Latte",
    b"League",
    b"Livewire",
    b"Monolog",
    b"Nette",
    b"Nyholm",
    b"PHPStan",
    b"PHPUnit",
    b"PHP_CodeSniffer",
    b"Phalcon",
    b"PhpParser",
    b"Predis",
    b"Psr",
    b"Ramsey",
    b"React",
    b"Sebastian",
    b"SebastianBergmann",
    b"Slim",
    b"Spatie",
    b"Symfony",
    b"Twig",
    b"TYPO3",
    b"Yiisoft",
    b"yii",
];

fn package_of_name(name: &[u8]) -> Option<Package<'_>> {
    // A closure's name has that of its function behind a colon.
    let name = name.strip_prefix(b"{closure:").unwrap_or(name);
    let end = name.iter().position(|byte| *byte == b'\\')?;
    let root = name.get(..end)?;
    NAMESPACES.contains(&root).then(|| Package::of_vendor(root))
}

fn first_part(path: &[u8]) -> Option<&[u8]> {
    let end = path.iter().position(|byte| *byte == b'/')?;
    path.get(..end).filter(|part| !part.is_empty())
}

/// `symfony/http-kernel` of `symfony/http-kernel/Kernel.php`.
fn two_parts(path: &[u8]) -> Option<&[u8]> {
    let first = first_part(path)?.len() + 1;
    let second = first_part(path.get(first..)?)?.len();
    path.get(..first + second)
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn after_last<'t>(text: &'t [u8], part: &[u8]) -> Option<&'t [u8]> {
    let at = text
        .windows(part.len())
        .rposition(|window| window == part)?;
    text.get(at + part.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, file: &str, internal: bool) -> String {
        let symbol = Symbol {
            file: (!file.is_empty()).then(|| file.as_bytes().into()),
            internal,
            ..Symbol::new(name.as_bytes())
        };
        match CodeClass::of(&symbol) {
            CodeClass::Package(package) => [package.vendor, package.name]
                .map(|part| String::from_utf8_lossy(part).into_owned())
                .join(": "),
            class => format!("{class:?}"),
        }
    }

    #[test]
    fn a_path_says_whose_code_it_is() {
        let of = |file| class("a", file, false);
        assert_eq!(of("/app/src/Shop/Cart.php"), "Own");
        assert_eq!(
            of("/app/vendor/symfony/http-kernel/Kernel.php"),
            "symfony: symfony/http-kernel"
        );
        assert_eq!(of("vendor/twig/twig/src/A.php"), "twig: twig/twig");
        assert_eq!(of("/app/vendor/twig/Lexer.php"), "twig: twig");
        assert_eq!(of("/app/vendor/autoload.php"), "composer: composer");
        assert_eq!(
            of("/a/vendor/b/c/vendor/d/e/F.php"),
            "d: d/e",
            "the innermost"
        );
        assert_eq!(of("/usr/share/php/Twig/Environment.php"), "Twig: Twig");
        assert_eq!(
            of("/usr/share/php/Symfony/Component/Yaml/Yaml.php"),
            "Symfony: Symfony/Component/Yaml"
        );
        assert_eq!(
            of("/usr/share/php/PHP/CodeSniffer/File.php"),
            "PHP/CodeSniffer: PHP/CodeSniffer"
        );
        assert_eq!(of("/usr/share/php/Mail.php"), "Mail: Mail");
        assert_eq!(of("/srv/wp-content/plugins/woo/a.php"), "woo: woo");
        assert_eq!(of("/srv/wp-content/plugins/hello.php"), "hello: hello");
        assert_eq!(of("/srv/wp-content/mu-plugins/a/b.php"), "a: a");
        assert_eq!(
            of("/srv/web/modules/contrib/pathauto/src/A.php"),
            "pathauto: pathauto"
        );
        assert_eq!(of("/srv/web/core/modules/node/a.php"), "drupal: node");
        assert_eq!(
            of("/srv/vendor/magento/module-catalog/Model/Product.php"),
            "magento: magento/module-catalog"
        );
        assert_eq!(of("/srv/wp-includes/plugin.php"), "wordpress: wordpress");
    }

    #[test]
    fn own_code_has_modules() {
        let of = |file: &str| {
            let symbol = Symbol {
                file: Some(file.as_bytes().into()),
                ..Symbol::new(*b"a")
            };
            let class = CodeClass::of(&symbol);
            assert_eq!(class, CodeClass::Own, "{file}");
            String::from_utf8_lossy(class.part(&symbol)).into_owned()
        };
        assert_eq!(
            of("/srv/app/code/Acme/Checkout/Model/Total.php"),
            "Acme/Checkout"
        );
        assert_eq!(of("/srv/web/modules/custom/shop/src/Cart.php"), "shop");
        assert_eq!(of("/srv/web/modules/custom/shop.php"), "own code");
        assert_eq!(of("/srv/src/Cart.php"), "own code");
    }

    #[test]
    fn without_a_path_the_namespace_does() {
        assert_eq!(class("Twig\\Lexer::lex", "", false), "Twig: Twig");
        assert_eq!(
            class("{closure:Symfony\\A::b}", "", false),
            "Symfony: Symfony"
        );
        assert_eq!(class("App\\Cart::add", "", false), "Own");
        assert_eq!(class("Twigs", "", false), "Own");
        assert_eq!(class("Twig\\Mine", "/app/src/a.php", false), "Own");
    }

    #[test]
    fn php_waiting_templates_and_the_rest() {
        assert_eq!(class("strlen", "", true), "Php");
        assert_eq!(class("PDOStatement::execute", "", true), "Waiting");
        assert_eq!(class("Redis::get", "", true), "Waiting");
        assert_eq!(class("usleep", "", false), "Waiting");
        assert_eq!(class("[flock /srv/a.lock]", "", true), "Waiting");
        assert_eq!(class("usleep", "/app/a.php", false), "Own");
        assert_eq!(
            class("twig::page.html.twig", "page.html.twig", false),
            "Template"
        );
        assert_eq!(class("a", "/app/page.phtml", false), "Template");
        assert_eq!(class("content_of", "", false), "Own");
        for name in [
            "load::a.php",
            "eval::a.php",
            "[truncated]",
            "run_init::a.php",
        ] {
            assert_eq!(class(name, "", false), "Other");
        }
        assert_eq!(class("run_init::a.php", "/app/a.php", false), "Own");
        assert_eq!(class("main()", "", false), "Own");
    }
}
