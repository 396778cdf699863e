//! The viewer's page as a format to write: `convert --to html`, and
//! `flamegraph … .html`, which begins with the flame graph.

use std::io::{self, Write};

use formats::{FlameColour, FlameDirection, Format, Holds, WriteError, WriteOptions};
use profile::Profile;
use view::Document;

use super::page::{Embedded, Page};
use super::plain;

/// The page of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageFormat {
    /// It begins with the overview.
    Overview,
    /// It begins with the flame graph.
    Flame,
}

/// Both, as formats.
pub(crate) static PAGES: [&dyn Format; 2] = [&PageFormat::Flame, &PageFormat::Overview];

impl Format for PageFormat {
    fn id(&self) -> &'static str {
        match self {
            Self::Overview => "html",
            Self::Flame => "flamegraph-html",
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Overview => "the viewer's page",
            Self::Flame => "the viewer's page, at the flame graph",
        }
    }

    fn endings(&self) -> &'static [&'static str] {
        match self {
            Self::Overview => &["html", "htm"],
            Self::Flame => &["flame.html"],
        }
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: *self == Self::Flame,
            stacks: true,
            calls: true,
            all_metrics: true,
            times: true,
        })
    }

    fn write(
        &self,
        profile: &Profile,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let mut files = Vec::new();
        for (side, is_base) in [(options.base.as_ref(), true), (Some(profile), false)] {
            if let Some(side) = side {
                files.push(Embedded::new(name(side, is_base), is_base, native(side)?)?);
            }
        }
        let mut document = Document::new(profile.clone(), vec![name(profile, false)]);
        let own = profile.meta.title.clone();
        let title = options.title.clone().or(own);
        let page = Page {
            title: title.unwrap_or_else(|| "xhprof".to_owned()),
            is_titled: options.title.is_some(),
            metric: options.metric.name(),
            estimate: options.estimate,
            start: match self {
                Self::Overview => None,
                Self::Flame => Some(start(options)),
            },
            plain: plain::page(&mut document),
            files,
            sources: None,
        };
        Ok(page.write(out)?)
    }
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
