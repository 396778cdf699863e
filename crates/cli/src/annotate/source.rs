//! The source of a file, and whether it is that which was profiled.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use profile::{Body, Symbol};
use view::{Document, LineRow};

use super::chosen::Chosen;
use crate::terminal::printable;
use crate::viewer::sources::{Found, Root, Text};

/// Where sources are looked for.
pub(super) struct Sources {
    roots: Vec<Root>,
    is_asked: bool,
}

/// The source of a file.
pub(super) struct SourceText {
    pub(super) lines: Vec<String>,
    /// When it was changed, if it is the very file that was executed.
    modified: Option<SystemTime>,
}

impl Sources {
    /// Below these directories; without any, at the place that the profile names, and below the
    /// working directory.
    pub(super) fn new(directories: &[PathBuf]) -> Result<Self> {
        let here = [PathBuf::from(".")];
        let named = if directories.is_empty() {
            &here[..]
        } else {
            directories
        };
        let roots = named.iter().map(|directory| Root::new(directory));
        Ok(Self {
            roots: roots.collect::<Result<_>>()?,
            is_asked: !directories.is_empty(),
        })
    }

    /// The source of a file of the profile.
    pub(super) fn find(&self, file: &[u8]) -> Option<SourceText> {
        let path = std::str::from_utf8(file).ok()?;
        let below = self.roots.iter().find_map(|root| root.read(path));
        let found = match below {
            None if !self.is_asked => in_its_place(path),
            found => found,
        };
        let Found::Text(Text {
            text,
            modified,
            is_itself,
        }) = found?
        else {
            return None;
        };
        Some(SourceText {
            lines: text.lines().map(shown).collect(),
            modified: modified.filter(|_| is_itself),
        })
    }
}

/// The file itself, if it is PHP code: the profile may come from another machine and name any file.
fn in_its_place(path: &str) -> Option<Found> {
    let directory = Path::new(path).parent().filter(|path| path.is_absolute())?;
    let found = Root::new(directory).ok()?.read(path)?;
    matches!(&found, Found::Text(Text { text, .. }) if text.contains("<?")).then_some(found)
}

/// A line as it can be printed.
fn shown(line: &str) -> String {
    printable(line.trim_end().replace('\t', "    ").as_bytes())
}

/// What the reader must know of the lines, and of their source: that it is not there, or another
/// one than was profiled.
pub(super) fn notes(
    document: &Document,
    chosen: &Chosen<'_>,
    source: Option<&SourceText>,
    lines: &[LineRow<'_>],
) -> Vec<String> {
    let profile = document.profile();
    let mut notes = source_note(document, chosen, source, lines)
        .into_iter()
        .collect::<Vec<_>>();
    // Of samples without such lines, each was in a function of PHP's own that a line calls.
    let are_samples = matches!(profile.body, Body::Samples(_));
    if !are_samples && !profile.lines.is_empty() && !profile.lines.has_own() {
        notes.push(
            "what a line costs beside its calls is not known: samples know it (--mode sample)"
                .to_owned(),
        );
    }
    notes
}

fn source_note(
    document: &Document,
    chosen: &Chosen<'_>,
    source: Option<&SourceText>,
    lines: &[LineRow<'_>],
) -> Option<String> {
    let Some(source) = source else {
        return Some(
            "the source is not here: --source DIR names a directory that has it".to_owned(),
        );
    };
    let profile = document.profile();
    // Other tools' files of costs by line say where a function's first cost is, not where it begins.
    let knows_begins = matches!(profile.body, Body::Samples(_)) || !profile.lines.calls.is_empty();
    let moved = profile.symbols.iter().enumerate().find(|(number, symbol)| {
        let is_shown = chosen
            .function
            .is_none_or(|function| function.index() == *number);
        knows_begins
            && is_shown
            && symbol.file.as_deref() == Some(chosen.file)
            && has_moved(symbol, &source.lines)
    });
    if let Some((_, symbol)) = moved {
        let name = printable(&symbol.name);
        return Some(format!(
            "the source is another one than was profiled: {name} does not begin on line {}",
            symbol.line
        ));
    }
    let of_file = lines.iter().filter(|row| row.file == Some(chosen.file));
    let last = of_file.map(|row| row.line).max().unwrap_or(0);
    if last as usize > source.lines.len() {
        return Some(format!(
            "the source is another one than was profiled: it has no line {last}"
        ));
    }
    let began = profile.meta.started_unix_us.map(Duration::from_micros);
    let is_newer = |(modified, began)| modified > UNIX_EPOCH + began;
    let is_changed = source.modified.zip(began).is_some_and(is_newer);
    is_changed.then(|| "the source was changed after the profile began".to_owned())
}

/// Whether the source defines the function on another line than the profile says.
fn has_moved(symbol: &Symbol, source: &[String]) -> bool {
    let name = String::from_utf8_lossy(&symbol.name);
    let name = name.rsplit(['\\', ':']).next().unwrap_or_default();
    let name = name.to_lowercase();
    let is_plain = |name: &str| {
        let mut letters = name.chars();
        !name.is_empty() && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if symbol.line == 0 || symbol.internal || !is_plain(&name) {
        return false;
    }
    let defines = |line: &String| {
        let line = line.to_lowercase();
        let after = line.split("function ").nth(1);
        let after = after.map(|after| after.trim_start_matches(['&', ' ']));
        after
            .and_then(|after| after.strip_prefix(name.as_str()))
            .is_some_and(|rest| rest.trim_start().starts_with('(') || rest.trim().is_empty())
    };
    // A method of a trait may have another name here. Attributes and modifiers may be lines of their own.
    let first = symbol.line as usize - 1;
    let mut here = source.iter().skip(first).take(4);
    !here.any(defines) && source.iter().any(defines)
}

#[cfg(test)]
mod tests {
    use profile::{Budget, LinedId, NodeId, Profile, Sample, SamplesBuilder, SymbolId};

    use super::*;

    #[test]
    fn of_samples_nothing_is_unknown() {
        // The only sample was in a function of PHP's own that the line calls.
        let mut builder = SamplesBuilder::default();
        let usleep = builder.push(NodeId::ROOT, SymbolId(1));
        let file = builder.line_file(b"/srv/index.php");
        let lined = builder.line(LinedId::UNKNOWN, NodeId::ROOT, file, 5);
        let lined = builder.line(lined, usleep, None, 0);
        builder.add(Sample {
            lined,
            ..Sample::new(0, 7, usleep)
        });
        let samples = builder.finish();
        let symbols = vec![
            Symbol::new(Symbol::MAIN),
            Symbol {
                internal: true,
                ..Symbol::new(&b"usleep"[..])
            },
        ];
        let profile = Profile {
            lines: samples.lines(&symbols, &Budget::unlimited()),
            symbols,
            body: Body::Samples(samples),
            ..Profile::empty()
        };
        let document = Document::of_costs(profile, Vec::new());
        let lines = document.lines();
        let chosen = Chosen::new(&document, "index.php", &lines).unwrap();
        let notes = notes(&document, &chosen, None, &lines);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("the source is not here"), "{notes:?}");
    }

    #[test]
    fn a_function_that_has_moved_is_noticed() {
        let source = [
            "<?php",
            "",
            "abstract class Cart {",
            "    public function &Total (array $items) {",
            "    }",
            "    function add($item) {}",
            "}",
        ];
        let source = source.map(str::to_owned);
        let symbol = |name: &str, line| Symbol {
            line,
            ..Symbol::new(name.as_bytes())
        };
        for (name, line, expected) in [
            ("Cart::total", 4, false),
            ("Cart::total", 3, false),
            ("Cart::total", 5, true),
            ("Shop\\Cart::add", 6, false),
            ("Shop\\Cart::add", 7, true),
            // Of a trait, by another name; a closure; not known.
            ("Cart::sum", 1, false),
            ("{closure:a/cart.php:1}", 1, false),
            ("Cart::add", 0, false),
        ] {
            assert_eq!(has_moved(&symbol(name, line), &source), expected, "{name}");
        }
    }
}
