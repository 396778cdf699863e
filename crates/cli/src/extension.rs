//! Finds the extension and checks whether PHP can load it.
//!
//! php.ini may already load an extension named xhprof, ours or another. Only
//! PHP can tell, so `xhprof` asks PHP, at most twice.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::php::{Php, Sapi, definition};

/// The extension, after a trial run of PHP with it.
#[derive(Debug)]
pub(crate) struct Extension {
    /// For `-d extension=`; none if php.ini loads it anyway.
    pub(crate) to_load: Option<OsString>,
    /// The output of `php --ri xhprof`, or the matching part of `-i`; warnings
    /// first.
    pub(crate) information: String,
}

impl Extension {
    /// Finds the extension and checks that `php` can load it.
    pub(crate) fn find(php: &Php, asked_for: Option<&Path>) -> Result<Self> {
        let candidate = candidate(asked_for)?;
        let name = candidate.clone().unwrap_or_else(|| "xhprof".into());
        let answer = ask(php, Some(&name))?;
        let is_twice = answer.contains("already loaded");
        let (answer, to_load) = if is_twice {
            (ask(php, None)?, None)
        } else {
            (answer, Some(name))
        };
        if is_ours(&answer) {
            return Ok(Self {
                to_load,
                information: section(&answer),
            });
        }
        if is_any(&answer) {
            bail!(
                "this PHP loads another extension named xhprof (PECL's, it seems), \
                 and two cannot live together: take it out of php.ini"
            );
        }
        let reason = load_error(&answer);
        match candidate {
            Some(path) => {
                let path = Path::new(&path).display();
                let said = || answer.lines().find(|line| !line.trim().is_empty());
                let reason = reason.or_else(|| Some(format!("it says {:?}", said()?)));
                let reason = reason.unwrap_or_else(|| "it does not say why".to_owned());
                let binary = Path::new(&php.binary).display();
                bail!("{binary} cannot load the extension {path}: {reason}")
            }
            None => bail!(
                "no xhprof extension: it is not beside this program, nor does PHP know it; \
                 name it with --extension or XHPROF_EXTENSION"
            ),
        }
    }

    /// The options that make PHP load it.
    pub(crate) fn options(&self) -> Vec<OsString> {
        self.to_load
            .iter()
            .flat_map(|name| definition("extension", name))
            .collect()
    }
}

/// The extension to try; none to let PHP search its extension directory.
fn candidate(asked_for: Option<&Path>) -> Result<Option<OsString>> {
    if let Some(path) = asked_for {
        if path.is_dir() {
            let file = path.join("xhprof.so");
            bail!(
                "{} is a directory: name the extension's file, as in --extension {}",
                path.display(),
                file.display()
            );
        }
        // PHP would look for `xhprof.so` in its own directory, not here.
        let found = path.canonicalize();
        let found = found.with_context(|| format!("no extension at {}", path.display()))?;
        return Ok(Some(found.into_os_string()));
    }
    let beside = std::env::current_exe().and_then(|program| program.canonicalize());
    let Some(directory) = beside
        .ok()
        .and_then(|program| program.parent().map(PathBuf::from))
    else {
        return Ok(None);
    };
    let names = ["libxhprof.so", "xhprof.so", "libxhprof.dylib"];
    let mut paths = names.iter().map(|name| directory.join(name));
    Ok(paths
        .find(|path| path.is_file())
        .map(PathBuf::into_os_string))
}

fn ask(php: &Php, extension: Option<&OsString>) -> Result<String> {
    let mut arguments: Vec<OsString> = Vec::new();
    arguments.extend(definition("display_startup_errors", "1"));
    arguments.extend(definition("display_errors", "1"));
    arguments.extend(definition("html_errors", "0"));
    arguments.extend(definition("log_errors", "0"));
    arguments.extend(
        extension
            .iter()
            .flat_map(|name| definition("extension", name)),
    );
    match php.sapi() {
        Sapi::CommandLine => arguments.extend(["--ri".into(), "xhprof".into()]),
        Sapi::Cgi | Sapi::Fpm => arguments.push("-i".into()),
    }
    let answer = php.ask(&arguments)?;
    Ok(if php.sapi() == Sapi::Cgi {
        without_markup(&answer)
    } else {
        answer
    })
}

/// The HTML of php-cgi's `-i`, converted to the text that other PHPs print.
fn without_markup(page: &str) -> String {
    let page = page
        .replace("</td><td", " => <td")
        .replace("</th><th", " => <th")
        .replace("<br", "\n<br");
    let mut text = String::with_capacity(page.len());
    let mut is_tag = false;
    for character in page.chars() {
        match character {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            character if !is_tag => text.push(character),
            _ => {}
        }
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#039;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ];
    for (entity, character) in entities {
        text = text.replace(entity, character);
    }
    text.replace("  => ", " => ")
}

/// The relevant part of an answer: startup warnings, and the extension's own
/// section. `--ri` prints nothing else.
///
/// The command line prints the warnings before the page, php-fpm and php-cgi
/// behind it.
fn section(answer: &str) -> String {
    let Some((before, all)) = answer.split_once("phpinfo()") else {
        return answer.to_owned();
    };
    let warnings: Vec<&str> = all
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("Warning: ") && line.contains("xhprof."))
        .collect();
    let mut is_ours = false;
    let mut has_table = false;
    let ours = all.lines().filter(|line| {
        let line = line.trim();
        if line == "xhprof" {
            is_ours = true;
        } else if line.starts_with("xhprof.") {
            has_table = true;
        } else if has_table {
            is_ours = false;
        }
        is_ours
    });
    let ours: Vec<&str> = ours.map(str::trim).collect();
    format!("{before}\n{}\n{}\n", warnings.join("\n"), ours.join("\n"))
}

/// Whether any extension named xhprof answered.
fn is_any(answer: &str) -> bool {
    answer.contains(&format!("{} => ", settings::OUTPUT_DIR.name()))
}

/// Whether it is this extension: no other has this setting.
fn is_ours(answer: &str) -> bool {
    answer.contains(&format!("{} => ", settings::AUTO_ENABLE.name()))
}

/// PHP's error message about an extension that it could not load.
fn load_error(answer: &str) -> Option<String> {
    let marks = [
        "Unable to load dynamic library",
        "Unable to initialize module",
        "Invalid library",
    ];
    let start = marks.iter().find_map(|mark| answer.find(mark))?;
    let text = answer.get(start..)?;
    let end = text.find(" in Unknown on line").unwrap_or(text.len());
    let words: Vec<&str> = text.get(..end)?.split_whitespace().collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_php_says() {
        let answer = "\nWarning: xhprof: Unable to initialize module\nModule compiled with module API=1\n\
                      PHP    compiled with module API=2\n in Unknown on line 0\nExtension 'xhprof' not present.\n";
        assert_eq!(
            load_error(answer).as_deref(),
            Some(
                "Unable to initialize module Module compiled with module API=1 PHP compiled with module API=2"
            )
        );
        assert_eq!(load_error("Extension 'xhprof' not present."), None);
    }

    #[test]
    fn our_section_is_found_in_the_whole_page() {
        let answer = "Warning: xhprof.rate is odd\nphpinfo()\nPHP Version => 8.2\n\nctype\n\nctype => enabled\n\n\
                      xhprof\n\nxhprof => enabled\nVersion => 1\n\nDirective => Local Value => Master Value\n\
                      xhprof.rate => 1 => 1\n\nzip\n\nZip => enabled\nDirective => x\n";
        let section = section(answer);
        assert!(section.starts_with("Warning: xhprof.rate is odd\n"));
        assert!(
            section.ends_with("Value\nxhprof.rate => 1 => 1\n"),
            "{section}"
        );
        assert!(!section.contains("ctype") && !section.contains("PHP Version"));
    }

    #[test]
    fn warnings_behind_the_page_are_kept() {
        let answer = "phpinfo()\nPHP Version => 8.2\n\nxhprof\n\nxhprof => enabled\nxhprof.rate => 1 => 1\n\n\
                      zip\n\nZip => enabled\n\nWarning: PHP Startup: xhprof.rate is odd in Unknown on line 0\n";
        let section = section(answer);
        assert!(section.starts_with("\nWarning: PHP Startup: xhprof.rate is odd"));
        assert!(section.ends_with("xhprof => enabled\nxhprof.rate => 1 => 1\n"));
    }

    #[test]
    fn a_page_of_php_cgi_is_read_like_the_others() {
        let page = "<tr><td class=\"e\">xhprof.mode</td><td class=\"v\">tree</td><td class=\"v\">a &amp;&lt; b</td></tr>\n";
        assert_eq!(without_markup(page), "xhprof.mode => tree => a &< b\n");
    }

    #[test]
    fn an_extension_that_is_not_there_is_an_error() {
        let error = candidate(Some(Path::new("/nonexistent/xhprof.so"))).unwrap_err();
        assert_eq!(error.to_string(), "no extension at /nonexistent/xhprof.so");
    }
}
