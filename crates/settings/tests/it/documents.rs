//! The documents have the settings as the statics define them.
//!
//! `BLESS=1 cargo test -p xhprof-settings --test it documents::` writes the tables of
//! docs/settings.md, and scripts/xhprof.ini.

use std::fs;
use std::path::{Path, PathBuf};

use settings::{Definition, EVERYDAY, EXPERT, LIMITS, Scope};

type Group = (&'static str, &'static [&'static dyn Definition]);

fn groups() -> [Group; 3] {
    [
        ("Everyday", EVERYDAY),
        ("Limits", LIMITS),
        ("Expert", EXPERT),
    ]
}

/// Fails if the file has another text, or writes it if that is asked for.
fn compare(path: &Path, text: &str) {
    let is_same = fs::read_to_string(path).is_ok_and(|found| found == text);
    let is_written = || std::env::var_os("BLESS").is_some() && fs::write(path, text).is_ok();
    assert!(
        is_same || is_written(),
        "{} differs from the settings in crates/settings: `./x bless` writes it",
        path.display()
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of a group in docs/settings.md.
fn rows(settings: &[&dyn Definition]) -> String {
    let row = |setting: &&dyn Definition| {
        let place = match setting.scope() {
            Scope::Anywhere => "anywhere",
            Scope::PerDirectory => "request",
            Scope::System => "start",
        };
        let default = match setting.default_text() {
            default if default.is_empty() => default,
            default => format!("`{default}`"),
        };
        format!(
            "| `{}` | {default} | {} | {place} |\n",
            setting.name(),
            setting.about()
        )
    };
    settings.iter().map(row).collect()
}

#[test]
fn docs_settings_has_the_table_of_each_group() {
    let path = root().join("docs/settings.md");
    let mut page = fs::read_to_string(&path).unwrap();
    for (group, settings) in groups() {
        let heading = format!("\n## {group}\n");
        let section = page.find(&heading).expect(group);
        let line = "|---|---|---|---|\n";
        let start = section + page[section..].find(line).expect(group) + line.len();
        let end = start + page[start..].find("\n\n").expect(group) + 1;
        page.replace_range(start..end, &rows(settings));
    }
    compare(&path, &page);
}

#[test]
fn the_ini_file_has_each_setting_as_a_comment() {
    let mut text =
        "; XHProf. Remove the \";\" of a line to change a setting; each line has the default.\n\
        ; docs/settings.md describes the settings. php --ri xhprof prints the current values.\n\
        extension=xhprof\n"
            .to_owned();
    for (group, settings) in groups() {
        text.push_str(&format!("\n; --- {group} ---\n"));
        for setting in settings {
            if !setting.comment().is_empty() {
                text.push('\n');
            }
            for line in setting.comment().lines() {
                text.push_str(&format!("; {line}\n"));
            }
            text.push_str(&assignment(*setting));
        }
    }
    compare(&root().join("scripts/xhprof.ini"), &text);
}

/// `;name = value`, with quotes where php.ini needs them.
fn assignment(setting: &dyn Definition) -> String {
    let value = setting.default_text();
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let value = match (value.is_empty(), is_plain) {
        (true, _) => String::new(),
        (_, true) => format!(" {value}"),
        (_, false) => format!(" \"{value}\""),
    };
    format!(";{} ={value}\n", setting.name())
}

/// Everything after `xhprof.` that reads like the name of a setting and is not a
/// file or a host: the names, and what is assigned to them.
fn mentioned(text: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (start, _) in line.match_indices("xhprof.") {
            let before = line[..start].chars().next_back();
            if before.is_some_and(|letter| letter.is_alphanumeric() || "/-_.$~".contains(letter)) {
                continue;
            }
            let rest = &line[start + "xhprof.".len()..];
            let length = rest
                .find(|letter: char| !(letter.is_ascii_lowercase() || letter == '_'))
                .unwrap_or(rest.len());
            let (name, rest) = rest.split_at(length);
            // `xhprof.max_…` are several; `xhprof.io` and files are none.
            let is_other = [
                "name", "ini", "php", "so", "stub", "io", "json", "dev", "sh", "conf", "yaml",
            ];
            if name.is_empty() || name.ends_with('_') || is_other.contains(&name) {
                continue;
            }
            found.push((name.to_owned(), value_in(rest)));
        }
    }
    found
}

/// The value in ` = value`, `=value`, `="a value"` or `] = value`, without quotes.
fn value_in(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(']').unwrap_or(rest);
    let rest = rest.trim_start().strip_prefix('=')?;
    if rest.starts_with(['>', '=']) {
        return None;
    }
    let rest = rest.trim_start_matches(' ');
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest
            .split([' ', '`', ')', '\'', '"', ';', '|'])
            .next()
            .map(|value| value.trim_end_matches([',', '.', ':'])),
    };
    value.map(str::to_owned)
}

/// The Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn documents_and_sources_name_no_other_setting_and_no_invalid_value() {
    let mut pages = vec![root().join("README.md"), root().join("scripts/xhprof.ini")];
    let documents = fs::read_dir(root().join("docs")).unwrap().flatten();
    pages.extend(documents.map(|entry| entry.path()));
    // It has the editor's settings, which are other ones.
    pages.retain(|page| !page.ends_with("editor.md"));
    for top in ["src", "crates/cli/src"] {
        sources(&root().join(top), &mut pages);
    }
    let (mut names, mut values) = (0, 0);
    for page in pages.iter().filter(|page| page.is_file()) {
        let text = fs::read_to_string(page).unwrap();
        // Tests have wrong names and values, too.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (name, value) in mentioned(text) {
            let full = format!("xhprof.{name}");
            let setting = settings::named(&full);
            let setting = setting.unwrap_or_else(|| panic!("{}: {full}", page.display()));
            names += 1;
            let Some(value) = value else { continue };
            // A placeholder of the text: `$secret`, `<value>`, `…`; or 10,000.
            if value.contains(['$', '<', '…', ',']) {
                continue;
            }
            assert!(
                setting.is_valid(&value),
                "{}: {full} must be {}, not \"{value}\"",
                page.display(),
                setting.expected()
            );
            values += 1;
        }
    }
    // The search still finds what the documents have now.
    assert!(names > 150 && values > 60, "{names} names, {values} values");
}

#[test]
fn values_are_found_in_each_way_of_writing_them() {
    let found = |text: &str| mentioned(text).pop().and_then(|(_, value)| value);
    assert_eq!(found("xhprof.rate = 0.01").as_deref(), Some("0.01"));
    assert_eq!(found("`php -d xhprof.rate=1 x.php`").as_deref(), Some("1"));
    assert_eq!(
        found("php_value[xhprof.rate] = 0.5").as_deref(),
        Some("0.5")
    );
    assert_eq!(
        found("xhprof.flags = \"cpu sql\"").as_deref(),
        Some("cpu sql")
    );
    assert_eq!(found("`xhprof.rate` is"), None);
    assert!(mentioned("/etc/xhprof.ini, xhprof.so, ab12.xhprof.gz").is_empty());
}
