//! Asks PHP for its version, extensions and settings.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::php::{Php, Sapi, definition};

/// Prints one fact a line: the name, a tab, the value.
const QUESTIONS: &str = r#"
$facts = [
    'version' => PHP_VERSION,
    'zts' => PHP_ZTS,
    'debug' => (int) PHP_DEBUG,
    'binary' => PHP_BINARY,
    'sapi' => PHP_SAPI,
    'ini' => (string) php_ini_loaded_file(),
    'more ini' => count(array_filter(explode(',', (string) php_ini_scanned_files()), 'trim')),
    'scanned ini' => (string) php_ini_scanned_files(),
    'scan dir' => getenv('PHP_INI_SCAN_DIR') ?: PHP_CONFIG_FILE_SCAN_DIR,
    'extension_dir' => ini_get('extension_dir'),
    'extensions' => implode(',', array_map('strtolower', array_merge(get_loaded_extensions(), get_loaded_extensions(true)))),
    'temporary' => sys_get_temp_dir(),
    'output_dir' => (string) ini_get('xhprof.output_dir'),
    'opcache' => (int) ini_get('opcache.enable'),
    'opcache cli' => (int) ini_get('opcache.enable_cli'),
    'jit' => (string) ini_get('opcache.jit'),
    'jit buffer' => (string) ini_get('opcache.jit_buffer_size'),
    'xdebug mode' => (string) (getenv('XDEBUG_MODE') ?: ini_get('xdebug.mode')),
];
foreach ($facts as $name => $value) {
    echo "xhprof-fact\t$name\t", strtr((string) $value, "\t\r\n", '   '), "\n";
}
"#;

/// PHP's answers, by the names in [`QUESTIONS`].
#[derive(Debug, Default)]
pub(crate) struct Facts(HashMap<String, String>);

impl Facts {
    /// Asks PHP, started with `options`.
    pub(crate) fn ask(php: &Php, options: &[OsString]) -> Result<Self> {
        let facts = match php.sapi() {
            Sapi::CommandLine => {
                let mut arguments = options.to_vec();
                arguments.extend(definition("display_errors", "0"));
                arguments.extend(["-r".into(), QUESTIONS.into()]);
                Self::parse(&php.ask(&arguments)?)
            }
            Sapi::Cgi => Self::of_script(php, options)?,
            Sapi::Fpm => {
                let ask = |what: &str| php.ask(&[options, &[what.into()]].concat());
                Self::of_information(&ask("-i")?, &ask("-m")?, &php.binary)
            }
        };
        if facts.get("version").is_empty() {
            bail!(
                "{} does not answer as PHP's command line does",
                php.binary.display()
            );
        }
        Ok(facts)
    }

    /// Asks a PHP binary that only runs files.
    fn of_script(php: &Php, options: &[OsString]) -> Result<Self> {
        let mut script = tempfile::NamedTempFile::new()?;
        script.write_all(b"<?php")?;
        script.write_all(QUESTIONS.as_bytes())?;
        let mut arguments = vec!["-q".into()];
        arguments.extend_from_slice(options);
        arguments.extend(definition("display_errors", "0"));
        arguments.extend(["-f".into(), script.path().into()]);
        Ok(Self::parse(&php.ask(&arguments)?))
    }

    /// Parses `-i` and `-m`, of a PHP binary that runs no script here.
    fn of_information(information: &str, modules: &str, binary: &OsStr) -> Self {
        let mut rows: HashMap<&str, &str> = HashMap::new();
        for line in information.lines() {
            let mut columns = line.split(" => ").map(str::trim);
            if let (Some(name), Some(value)) = (columns.next(), columns.next()) {
                let value = if value == "no value" { "" } else { value };
                rows.entry(name).or_insert(value);
            }
        }
        let row = |name: &str| rows.get(name).copied().unwrap_or("");
        let is_on = |name: &str| matches!(row(name), "enabled" | "yes" | "On" | "1");
        let yes = |is: bool| if is { "1" } else { "0" }.to_owned();
        let mark = "Additional .ini files parsed => ";
        let scanned: Vec<&str> = information
            .lines()
            .skip_while(|line| !line.starts_with(mark))
            .map(|line| line.trim_start_matches(mark).trim())
            .take_while(|line| !line.is_empty() && !line.contains(" => "))
            .filter(|line| *line != "(none)")
            .collect();
        let modules: Vec<String> = modules
            .lines()
            .map(|line| line.trim().to_lowercase())
            .filter(|line| !line.is_empty() && !line.starts_with('['))
            .collect();
        let ini = match row("Loaded Configuration File") {
            "(none)" => "",
            ini => ini,
        };
        let temporary = match row("sys_temp_dir") {
            "" => std::env::temp_dir().display().to_string(),
            directory => directory.to_owned(),
        };
        let facts = [
            ("version", row("PHP Version").to_owned()),
            ("zts", yes(is_on("Thread Safety"))),
            ("debug", yes(is_on("Debug Build"))),
            ("binary", Path::new(binary).display().to_string()),
            ("sapi", row("Server API").to_owned()),
            ("ini", ini.to_owned()),
            ("more ini", scanned.len().to_string()),
            ("scanned ini", scanned.join("")),
            (
                "ini path",
                row("Configuration File (php.ini) Path").to_owned(),
            ),
            (
                "scan dir",
                row("Scan this dir for additional .ini files").to_owned(),
            ),
            ("extension_dir", row("extension_dir").to_owned()),
            ("extensions", modules.join(",")),
            ("temporary", temporary),
            ("output_dir", row("xhprof.output_dir").to_owned()),
            ("opcache", yes(is_on("opcache.enable"))),
            ("opcache cli", yes(is_on("opcache.enable_cli"))),
            ("jit", row("opcache.jit").to_owned()),
            ("jit buffer", row("opcache.jit_buffer_size").to_owned()),
            ("xdebug mode", row("xdebug.mode").to_owned()),
        ];
        Self(facts.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// The ini files, in the order in which PHP reads them.
    pub(super) fn ini_files(&self) -> Vec<PathBuf> {
        let scanned = self.get("scanned ini").split(',').map(str::trim);
        let all = [self.get("ini")].into_iter().chain(scanned);
        all.filter(|file| !file.is_empty())
            .map(PathBuf::from)
            .collect()
    }

    /// Parses the output of the questions.
    pub(crate) fn parse(answer: &str) -> Self {
        let facts = answer.lines().filter_map(|line| {
            let (name, value) = line.strip_prefix("xhprof-fact\t")?.split_once('\t')?;
            Some((name.to_owned(), value.trim().to_owned()))
        });
        Self(facts.collect())
    }

    /// One fact; empty if PHP did not answer.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Whether the fact is a number other than zero.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        !matches!(self.get(name), "" | "0")
    }

    /// Whether an extension of this name is loaded.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.get("extensions")
            .split(',')
            .any(|extension| extension == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_information_has_the_same_facts() {
        let information = "phpinfo()\nPHP Version => 8.2.36\nServer API => FPM/FastCGI\n\
            Loaded Configuration File => /etc/php/fpm/php.ini\nAdditional .ini files parsed => /etc/a.ini,\n\
            /etc/b.ini\n\nDebug Build => no\nThread Safety => enabled\n\
            opcache.enable => On => On\nsys_temp_dir => no value => no value\nxhprof.output_dir => /x => /x\n";
        let facts = Facts::of_information(
            information,
            "[PHP Modules]\nCore\nxhprof\n\n[Zend Modules]\nZend OPcache\n",
            OsStr::new("php-fpm"),
        );
        assert_eq!(facts.get("version"), "8.2.36");
        assert!(facts.is_on("zts") && !facts.is_on("debug") && facts.is_on("opcache"));
        assert!(facts.has_extension("zend opcache"));
        assert_eq!(facts.get("output_dir"), "/x");
        let files = ["/etc/php/fpm/php.ini", "/etc/a.ini", "/etc/b.ini"];
        assert_eq!(facts.ini_files(), files.map(PathBuf::from));
    }
}
