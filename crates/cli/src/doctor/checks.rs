//! Judges each fact about PHP by its effect on profiles.

use std::path::Path;

use super::facts::Facts;
use super::{Finding, Grade};
use crate::extension::Extension;
use crate::php::Sapi;

/// Extensions that observe calls too, and their effect on a profile.
const OTHER_PROFILERS: [(&str, &str); 9] = [
    (
        "xdebug",
        "it makes every call slower, unless XDEBUG_MODE=off: its times are not those in production",
    ),
    (
        "pcov",
        "it traces lines while it collects coverage: set pcov.enabled=0 when profiling",
    ),
    (
        "tideways_xhprof",
        "it hooks the same calls; use one profiler at a time",
    ),
    (
        "tideways",
        "it hooks the same calls; use one profiler at a time",
    ),
    (
        "spx",
        "it hooks the same calls while it profiles; use one profiler at a time",
    ),
    (
        "ddtrace",
        "its tracing shows up in the profile as time of the traced functions",
    ),
    (
        "blackfire",
        "it hooks the same calls while it profiles; use one profiler at a time",
    ),
    (
        "newrelic",
        "its tracing shows up in the profile as time of the traced functions",
    ),
    ("excimer", "its sampling has little effect on the profile"),
];

/// The PHP version and build.
pub(super) fn php(facts: &Facts) -> Finding {
    let threads = if facts.is_on("zts") {
        "thread-safe"
    } else {
        "not thread-safe"
    };
    let debug = if facts.is_on("debug") {
        ", debug build"
    } else {
        ""
    };
    let what = format!(
        "PHP {} ({}, {threads}{debug})",
        facts.get("version"),
        facts.get("sapi")
    );
    let ini = match facts.get("ini") {
        "" => "none".to_owned(),
        ini => ini.to_owned(),
    };
    let ini = match facts.get("more ini") {
        "" | "0" => ini,
        more => format!("{ini}, and {more} more"),
    };
    let finding = if facts.is_on("debug") {
        Finding::new(Grade::Warning, what)
            .advise("a debug build is several times slower: profile a release build")
    } else {
        Finding::new(Grade::Good, what)
    };
    let details = [
        ("binary", facts.get("binary")),
        ("php.ini", &ini),
        ("extensions", facts.get("extension_dir")),
    ];
    finding.detail(
        details
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    )
}

/// The extension's version and file.
pub(super) fn extension(extension: &Extension, sapi: Sapi, facts: &Facts) -> Finding {
    let rows = information_rows(&extension.information);
    let version = rows
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("version"));
    let version = version.map_or("of unknown version", |(_, version)| version);
    match &extension.to_load {
        None => Finding::new(Grade::Good, format!("xhprof {version}, loaded by php.ini")),
        Some(name) => {
            let path = Path::new(name).display();
            if sapi != Sapi::CommandLine {
                let ini = match facts.get("ini") {
                    "" => "php.ini",
                    ini => ini,
                };
                let what = format!("xhprof {version} can be loaded, but php.ini does not load it");
                return Finding::new(Grade::Wrong, what).advise(format!(
                    "no request is profiled: add extension={path} to {ini}, then restart it"
                ));
            }
            let finding = Finding::new(Grade::Good, format!("xhprof {version}, loads from {path}"));
            finding.advise(format!(
                "`xhprof run` loads it by itself; for anything else, add extension={path} to php.ini"
            ))
        }
    }
}

/// Whether php.ini chooses the mode that needs no engine.
fn samples(information: &str) -> bool {
    let mode = |line: &str| line.starts_with("xhprof.mode => sample ");
    information.lines().any(mode)
}

/// The extension's row for a fault of PHP that is known; there may be several.
const FAULT: &str = "Fault of PHP";

/// The extension's own rows of information.
pub(super) fn rows(information: &str) -> Vec<Finding> {
    let rows = information_rows(information);
    let value = |wanted: &str| {
        let row = rows
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        row.map(|(_, value)| value.as_str())
    };
    let mut findings = Vec::new();
    match value("Engine") {
        Some(engine) if engine.starts_with("off") && samples(information) => findings.push(
            Finding::new(Grade::Good, "engine: off, which sampling does not need")
                .advise("calls cannot be recorded; for that, set xhprof.engine=observer"),
        ),
        Some(engine) if engine.starts_with("off") => findings.push(
            Finding::new(
                Grade::Wrong,
                format!("only samples can be taken, no call is recorded: the engine is {engine}"),
            )
            .advise("xhprof.engine in php.ini decides; `auto` is its default"),
        ),
        Some(engine) => findings.push(Finding::new(Grade::Good, format!("engine: {engine}"))),
        None => {}
    }
    let faults = rows
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(FAULT));
    findings.extend(faults.map(|(_, fault)| {
        // Where nothing is sampled, a fault that only samples meet does no harm.
        let is_met = !fault.starts_with("nothing is sampled") || samples(information);
        let grade = if is_met { Grade::Wrong } else { Grade::Warning };
        Finding::new(grade, format!("this PHP has a known fault: {fault}"))
    }));
    let is_invariant = rows
        .iter()
        .find(|(name, _)| name.to_lowercase().contains("invariant"));
    let clock = value("Clock").unwrap_or("unknown");
    findings.push(match is_invariant {
        Some((_, answer)) if answer == "no" => Finding::new(
            Grade::Warning,
            format!("clock: {clock}, not invariant on this machine"),
        )
        .advise("profiled processes are pinned to one CPU, unless xhprof.clock is monotonic"),
        _ => Finding::new(Grade::Good, format!("clock: {clock}")),
    });
    let said = ["version", "engine", "clock", "xhprof", "fault of php"];
    let rest = rows
        .iter()
        .filter(|(name, _)| !said.contains(&name.to_lowercase().as_str()));
    if let Some(last) = findings.last_mut() {
        last.details = rest.cloned().collect();
    }
    findings
}

/// Whether PHP accepts every setting. `unseen` are the complaints that PHP does
/// not make here.
pub(super) fn settings(information: &str, unseen: Option<String>) -> Finding {
    let lines = information.lines().map(str::trim);
    let complaints: Vec<_> = lines
        .filter(|line| line.contains("Warning: ") && line.contains("xhprof."))
        .map(|line| {
            let start = line.find("xhprof.").unwrap_or(0);
            let text = line.get(start..).unwrap_or(line);
            let end = text.find(" in Unknown on line").unwrap_or(text.len());
            text.get(..end).unwrap_or(text).to_owned()
        })
        .chain(unseen)
        .map(|complaint| (complaint, String::new()))
        .collect();
    if complaints.is_empty() {
        return Finding::new(Grade::Good, "every xhprof setting is in its range");
    }
    Finding::new(
        Grade::Wrong,
        "settings with invalid values; PHP uses their defaults",
    )
    .detail(complaints)
}

/// Other extensions, the JIT, and the output directory.
pub(super) fn environment(facts: &Facts, sapi: Sapi) -> Vec<Finding> {
    let mut findings = vec![jit(facts)];
    let others = OTHER_PROFILERS
        .iter()
        .filter(|(name, _)| facts.has_extension(name));
    for (name, meaning) in others {
        let is_idle = *name == "xdebug" && facts.get("xdebug mode") == "off" || *name == "excimer";
        let grade = if is_idle { Grade::Good } else { Grade::Warning };
        findings.push(Finding::new(grade, format!("{name} is loaded")).advise(*meaning));
    }
    // With php-fpm the pools write there, and each is checked separately.
    if sapi != Sapi::Fpm {
        findings.push(output_directory(facts));
    }
    findings
}

fn jit(facts: &Facts) -> Finding {
    if !facts.has_extension("zend opcache") && facts.get("jit").is_empty() {
        return Finding::new(Grade::Good, "OPcache is not loaded");
    }
    let is_sized = !matches!(facts.get("jit buffer"), "" | "0" | "0M" | "0K");
    let is_jit = !matches!(facts.get("jit"), "" | "0" | "off" | "disable" | "no");
    let on = |name| if facts.is_on(name) { "on" } else { "off" };
    let opcache = format!(
        "OPcache {}, on the command line {}",
        on("opcache"),
        on("opcache cli")
    );
    if is_sized && is_jit {
        let what = format!("{opcache}, with a JIT ({})", facts.get("jit"));
        return Finding::new(Grade::Warning, what)
            .advise("other extensions' hooks can switch the JIT off; its times are then not those in production");
    }
    Finding::new(Grade::Good, format!("{opcache}, no JIT"))
}

fn output_directory(facts: &Facts) -> Finding {
    let (directory, name) = match facts.get("output_dir") {
        "" => (facts.get("temporary"), "the temporary directory"),
        directory => (directory, "xhprof.output_dir"),
    };
    let path = Path::new(directory);
    let what = format!("{name} {directory}");
    if !path.is_dir() {
        return Finding::new(Grade::Wrong, format!("{what} is not a directory")).advise(
            "profiles of xhprof.auto_enable are lost: create it, or change xhprof.output_dir",
        );
    }
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    match rustix::fs::access(path, access) {
        Ok(()) => Finding::new(Grade::Good, format!("{what} can be written to")),
        Err(_) => Finding::new(Grade::Wrong, format!("{what} cannot be written to")).advise(
            "profiles of xhprof.auto_enable are lost; this was tested for the present user",
        ),
    }
}

/// The rows of `php --ri` above its table of settings.
fn information_rows(information: &str) -> Vec<(String, String)> {
    let above = information
        .lines()
        .take_while(|line| !line.starts_with("Directive => "));
    let rows = above.filter_map(|line| line.split_once(" => "));
    rows.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFORMATION: &str = "\nWarning: xhprof.flags must be words, not \"x\" in Unknown on line 0\n\
        xhprof\n\nxhprof => enabled\nVersion => 0.1.0\nEngine => execute\nClock => TSC\n\
        TSC invariant => no\n\nDirective => Local Value => Master Value\nxhprof.engine => auto => auto\n";

    fn facts(pairs: &[(&str, &str)]) -> Facts {
        let line = |(name, value): &(&str, &str)| format!("xhprof-fact\t{name}\t{value}\n");
        Facts::parse(&pairs.iter().map(line).collect::<String>())
    }

    fn grades(findings: &[Finding]) -> Vec<Grade> {
        findings.iter().map(|finding| finding.grade).collect()
    }

    #[test]
    fn an_engine_that_is_off_is_wrong() {
        let off = INFORMATION.replace("execute", "off: a JIT is configured");
        assert_eq!(grades(&rows(&off)), [Grade::Wrong, Grade::Warning]);
        let sampling = format!("{off}xhprof.mode => sample => sample\n");
        assert_eq!(grades(&rows(&sampling)), [Grade::Good, Grade::Warning]);
        assert_eq!(grades(&rows(INFORMATION)), [Grade::Good, Grade::Warning]);
        let invariant = INFORMATION.replace("=> no", "=> yes");
        assert_eq!(grades(&rows(&invariant)), [Grade::Good, Grade::Good]);
    }

    #[test]
    fn faults_of_php_are_named_each_by_itself() {
        let faults = "Fault of PHP => php-src issue 22158: x\n\
                      Fault of PHP => nothing is sampled: y\nClock";
        let text = INFORMATION.replace("Clock", faults);
        let findings = rows(&text);
        let expected = [Grade::Good, Grade::Wrong, Grade::Warning, Grade::Warning];
        assert_eq!(grades(&findings), expected);
        assert!(findings[1].what.contains("22158"));
        let sampling = format!("{text}xhprof.mode => sample => sample\n");
        assert_eq!(rows(&sampling)[2].grade, Grade::Wrong);
    }

    #[test]
    fn unknown_rows_are_shown() {
        let findings = rows(&INFORMATION.replace("TSC invariant", "Flux => 7\nTSC invariant"));
        let details = &findings.last().unwrap().details;
        assert_eq!(details[0], ("Flux".to_owned(), "7".to_owned()));
        assert_eq!(details.len(), 2);
    }

    #[test]
    fn a_setting_out_of_range_is_named() {
        let finding = settings(INFORMATION, None);
        assert_eq!(finding.grade, Grade::Wrong);
        assert_eq!(
            finding.details[0].0,
            "xhprof.flags must be words, not \"x\""
        );
        assert_eq!(settings("xhprof => enabled", None).grade, Grade::Good);
        let unseen = Some("xhprof.mode is odd".to_owned());
        let finding = settings("xhprof => enabled", unseen);
        assert_eq!(finding.grade, Grade::Wrong);
        assert_eq!(finding.details[0].0, "xhprof.mode is odd");
    }

    #[test]
    fn extensions_that_watch_calls_are_warned_of() {
        let loaded = facts(&[
            ("extensions", "core,xdebug,pcov"),
            ("temporary", "/tmp"),
            ("xdebug mode", "develop"),
        ]);
        let named: Vec<_> = environment(&loaded, Sapi::CommandLine)
            .into_iter()
            .map(|finding| (finding.grade, finding.what))
            .collect();
        assert!(named.contains(&(Grade::Warning, "xdebug is loaded".to_owned())));
        assert!(named.contains(&(Grade::Warning, "pcov is loaded".to_owned())));
        let off = facts(&[
            ("extensions", "xdebug"),
            ("temporary", "/tmp"),
            ("xdebug mode", "off"),
        ]);
        assert_eq!(
            grades(&environment(&off, Sapi::CommandLine)),
            [Grade::Good; 3]
        );
    }

    #[test]
    fn a_jit_is_warned_of_only_if_it_has_a_buffer() {
        let with = |buffer| {
            jit(&facts(&[
                ("extensions", "core,zend opcache"),
                ("jit", "tracing"),
                ("jit buffer", buffer),
            ]))
            .grade
        };
        assert_eq!(with("64M"), Grade::Warning);
        assert_eq!(with("0"), Grade::Good);
    }

    #[test]
    fn a_directory_that_is_not_there_is_wrong() {
        assert_eq!(
            output_directory(&facts(&[("output_dir", "/nonexistent")])).grade,
            Grade::Wrong
        );
        assert_eq!(
            output_directory(&facts(&[("temporary", "/tmp")])).grade,
            Grade::Good
        );
    }
}
