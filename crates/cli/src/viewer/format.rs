//! The viewer's page as a format to write: `convert --to html`, and
//! `flamegraph … .html`, which begins with the flame graph.

use std::io::{self, Write};

use formats::{FlameColour, FlameDirection, Format, Holds, WriteError, WriteOptions, Writes};
use profile::Profile;
use view::Document;

use super::page::{Embedded, Page};
use super::{answers, plain};

/// The page, which begins with the overview.
pub(crate) const PAGE: Format = page(
    "html",
    "the viewer's page",
    &["html", "htm"],
    Holds::StacksOrEdges,
    write,
);

/// The page, which begins with the flame graph.
pub(crate) const FLAME_PAGE: Format = page(
    "flamegraph-html",
    "flame graph (HTML)",
    &["flame.html"],
    Holds::Stacks,
    write_flame,
);

/// Both; the longer ending first.
pub(crate) static PAGES: [Format; 2] = [FLAME_PAGE, PAGE];

type WritePage = fn(&Profile, &WriteOptions, &mut dyn Write) -> Result<(), WriteError>;

const fn page(
    id: &'static str,
    name: &'static str,
    endings: &'static [&'static str],
    holds: Holds,
    write: WritePage,
) -> Format {
    Format {
        id,
        name,
        endings,
        warning: None,
        reads: None,
        writes: Some(Writes {
            holds,
            all_metrics: true,
            has_threshold: false,
            in_order: true,
            write,
        }),
    }
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    write_page(profile, options, None, out)
}

fn write_flame(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    write_page(profile, options, Some(start(options)), out)
}

fn write_page(
    profile: &Profile,
    options: &WriteOptions,
    start: Option<String>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut files = Vec::new();
    for (side, is_base) in [(options.base.as_ref(), true), (Some(profile), false)] {
        if let Some(side) = side {
            files.push(Embedded::new(name(side, is_base), is_base, native(side)?)?);
        }
    }
    let mut document = Document::new(profile.clone(), vec![name(profile, false)]);
    let answers = match options.base {
        None if !options.estimate => answers::first(&mut document, options.metric.into())?,
        _ => None,
    };
    let own = profile.meta.title.clone();
    let title = options.title.clone().or(own);
    let page = Page {
        title: title.unwrap_or_else(|| "xhprof".to_owned()),
        is_titled: options.title.is_some(),
        metric: options.metric.name(),
        estimate: options.estimate,
        editor: None,
        editor_paths: Vec::new(),
        start,
        plain: plain::page(&mut document),
        files,
        answers,
        sources: None,
    };
    Ok(page.write(out)?)
}

/// What the page calls a profile that has no title.
fn name(profile: &Profile, is_base: bool) -> String {
    let title = profile.meta.title.clone().filter(|title| !title.is_empty());
    title.unwrap_or_else(|| if is_base { "base" } else { "profile" }.to_owned())
}

fn native(profile: &Profile) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    profile::native::write(profile, &mut bytes)?;
    Ok(bytes)
}

/// The view of the page's address.
fn start(options: &WriteOptions) -> String {
    let mut parameters = Vec::new();
    if let Some(colour) = options.flame.colour {
        parameters.push(match colour {
            FlameColour::Package => "colour=class",
            FlameColour::Own => "colour=own",
            FlameColour::Calls => "colour=calls",
            FlameColour::Difference => "colour=difference",
        });
    }
    if options.flame.direction == FlameDirection::Flame {
        parameters.push("up=1");
    }
    format!("flame?{}", parameters.join("&"))
}
