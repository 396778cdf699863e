//! Time that goes into finding and compiling files.

use super::facts::Facts;
use super::{Evidence, Hint};

pub(super) const COMPILATION: &str = "compilation";
pub(super) const CLASS_SEARCH: &str = "class-search";

/// The share of the time that compiling takes.
const LEAST_COMPILATION: f64 = 0.10;
/// The same of a command, which compiles its files once in any case.
const LEAST_OF_COMMAND: f64 = 0.25;
/// The share of the time that Composer searches directories for classes.
const LEAST_SEARCH: f64 = 0.03;
/// The tag that says whether OPcache was on.
const TAG: &str = "opcache";

pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    compilation(facts)
        .into_iter()
        .chain(class_search(facts))
        .collect()
}

/// The self time of all `load::`: what compiling takes, autoloaders that it
/// calls left out.
fn compilation(facts: &Facts<'_>) -> Option<Hint> {
    let loads = facts.rows(|name| name.starts_with(b"load::"));
    let own = loads.iter().map(|row| row.own.wall);
    let time = own.fold(0, i64::saturating_add);
    let meta = &facts.profile.meta;
    let is_command = meta.sapi.as_deref() == Some("cli");
    let least = if is_command {
        LEAST_OF_COMMAND
    } else {
        LEAST_COMPILATION
    };
    facts.is_worth(time, least).then_some(())?;
    let costliest = loads.iter().max_by_key(|row| row.own.wall)?;
    let opcache = meta.tag(TAG);
    let text = match opcache {
        Some("on") => {
            "OPcache was on, and these files were not in it: it was just started, its memory or \
             opcache.max_accelerated_files is too small, or the files changed. \
             opcache_get_status() says which."
        }
        _ if is_command => {
            "A command compiles its files in each run. opcache.enable_cli=1 together with \
             opcache.file_cache=DIRECTORY keeps them compiled between runs."
        }
        Some(_) => "OPcache was off. Turn it on: opcache.enable=1.",
        None => {
            "OPcache keeps compiled files in memory. Check that it is on and large enough: \
             opcache_get_status()."
        }
    };
    let mut evidence = Vec::new();
    if facts.profile.metrics.calls {
        let files = loads.iter().map(|row| row.inclusive.calls).sum();
        evidence.push(Evidence::count("files", files));
    }
    evidence.push(Evidence::time("time", facts, time));
    evidence.push(Evidence::text(
        "OPcache",
        opcache.unwrap_or("not known").as_bytes(),
    ));
    Some(Hint {
        id: COMPILATION,
        title: "Much of the time goes into compiling PHP files".to_owned(),
        text: text.to_owned(),
        evidence,
        function: Some(costliest.symbol.0),
        share: Some(facts.share_of_time(time)),
    })
}

/// Composer's search in directories, which an optimized class map saves.
fn class_search(facts: &Facts<'_>) -> Option<Hint> {
    let rows = facts.rows(|name| name == b"Composer\\Autoload\\ClassLoader::findFileWithExtension");
    let row = rows.first()?;
    let time = i64::try_from(row.inclusive.wall).unwrap_or(i64::MAX);
    facts.is_worth(time, LEAST_SEARCH).then_some(())?;
    let mut evidence = Vec::new();
    if facts.profile.metrics.calls {
        evidence.push(Evidence::count("searches", row.inclusive.calls));
    }
    evidence.push(Evidence::time("time", facts, time));
    Some(Hint {
        id: CLASS_SEARCH,
        title: "Composer's autoloader searches directories for classes".to_owned(),
        text: "In production, install with `composer install --optimize-autoloader` or \
               `composer dump-autoload --classmap-authoritative`: the autoloader then knows the \
               file of each class."
            .to_owned(),
        evidence,
        function: Some(row.symbol.0),
        share: Some(facts.share_of_time(time)),
    })
}
