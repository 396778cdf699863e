//! `xhprof flamegraph`: writes a picture of a profile.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use formats::flamegraph::FLAMEGRAPH_SVG;
use formats::{FlameOptions, FlamePer, Format, WriteOptions};

use crate::args::{FlamegraphArguments, Picture};
use crate::export::Export;
use crate::viewer::FLAME_PAGE;
use crate::{input, output};

/// Draws a flame graph.
pub(crate) fn flamegraph(arguments: &FlamegraphArguments) -> Result<()> {
    let FlamegraphArguments {
        file, base, output, ..
    } = arguments;
    let kind = kind(arguments.to, output.as_deref())?;
    let (format, ending): (&'static Format, _) = match kind {
        Picture::Svg => (&FLAMEGRAPH_SVG, "svg"),
        Picture::Html => (&FLAME_PAGE, "html"),
    };
    let output = match output {
        Some(output) => output.clone(),
        None => output::default_path(file, ending)?,
    };
    let per = FlamePer::from(arguments.per);
    if per != FlamePer::Program && format.id != FLAMEGRAPH_SVG.id {
        bail!(
            "--per draws graphs into an SVG: give --to svg, or leave --per out; the page's table of \
             functions has the costs of each class"
        );
    }
    let inputs: Vec<&PathBuf> = base.iter().chain([file]).collect();
    let export = Export::new(format, &output, arguments.estimate, inputs)?;
    let options = WriteOptions {
        title: arguments.title.clone(),
        metric: arguments.metric.into(),
        base: export.base(base)?,
        flame: FlameOptions {
            colour: arguments.colour.map(Into::into),
            direction: arguments.direction.into(),
            per,
            is_still: arguments.still,
        },
        ..WriteOptions::default()
    };
    export.write(input::read(file)?, &options)
}

/// The output format: as requested, else by the ending of the file's name.
fn kind(to: Option<Picture>, out: Option<&Path>) -> Result<Picture> {
    let Some(out) = out else {
        return Ok(to.unwrap_or(Picture::Svg));
    };
    let ending = out.extension().map(OsStr::to_ascii_lowercase);
    let by_name = match ending.as_ref().and_then(|ending| ending.to_str()) {
        _ if input::is_standard(out) => Some(Picture::Svg),
        Some("svg") => Some(Picture::Svg),
        Some("html" | "htm") => Some(Picture::Html),
        _ => None,
    };
    to.or(by_name).ok_or_else(|| {
        anyhow!(
            "{} has neither the ending .svg nor .html: give --to svg or --to html",
            out.display()
        )
    })
}
