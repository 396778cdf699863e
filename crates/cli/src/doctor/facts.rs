//! What PHP says about itself.

use std::collections::HashMap;
use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::php::{Php, definition};

/// Prints one fact a line, name and value apart by a tab.
const QUESTIONS: &str = r#"
$facts = [
    'version' => PHP_VERSION,
    'zts' => PHP_ZTS,
    'debug' => (int) PHP_DEBUG,
    'binary' => PHP_BINARY,
    'sapi' => PHP_SAPI,
    'ini' => (string) php_ini_loaded_file(),
    'more ini' => count(array_filter(explode(',', (string) php_ini_scanned_files()), 'trim')),
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

/// What PHP says about itself, by the names of [`QUESTIONS`].
#[derive(Debug, Default)]
pub(crate) struct Facts(HashMap<String, String>);

impl Facts {
    /// Asks PHP, started with `options`.
    pub(crate) fn ask(php: &Php, options: &[OsString]) -> Result<Self> {
        let mut arguments = options.to_vec();
        arguments.extend(definition("display_errors", "0"));
        // Else the question itself would be profiled.
        arguments.extend(definition("xhprof.auto_enable", "0"));
        arguments.extend(["-r".into(), QUESTIONS.into()]);
        let facts = Self::parse(&php.ask(&arguments)?);
        if facts.get("version").is_empty() {
            bail!(
                "{} does not answer as PHP's command line would",
                php.binary.display()
            );
        }
        Ok(facts)
    }

    /// Takes the facts out of what PHP printed.
    pub(crate) fn parse(answer: &str) -> Self {
        let facts = answer.lines().filter_map(|line| {
            let (name, value) = line.strip_prefix("xhprof-fact\t")?.split_once('\t')?;
            Some((name.to_owned(), value.trim().to_owned()))
        });
        Self(facts.collect())
    }

    /// One fact; empty if PHP did not say.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Whether PHP said a number other than zero.
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
