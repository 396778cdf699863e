//! `xhprof convert`, `xhprof flamegraph`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use formats::{FlameColour, FlameDirection, FlamePer};

use super::{Cost, MemoryArguments};

const CONVERT_EXAMPLES: &str = "\
Examples:
  xhprof convert run.xhprof -o run.xhp
  xhprof convert run.xhp --to pprof
  xhprof convert run.xhprof --to xhprof-json -o - | jq keys
  xhprof convert run.xhprof -o run.svg --estimate
  xhprof convert run.xhp --to dot --threshold 2 -o - | dot -Tsvg > graph.svg
  xhprof convert --list

A format of whole stacks refuses a profile that has only caller and callee pairs, as XHProf's files \
have. --estimate estimates the stacks, and the output says so where its format can.

With --threshold, graphs (dot) and tables (markdown) leave out functions whose inclusive cost is \
less; other formats get [other] in place of paths that cost less, or, without stacks, of functions \
that cost less. Every other cost stays as it is.";

/// Writes a profile in another format.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN", required_unless_present = "list")]
    pub(crate) file: Option<PathBuf>,
    /// The output file; `-` writes to standard output. By default the name of IN, with the ending of
    /// the format, in the working directory
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["list", "to"])]
    pub(crate) output: Option<PathBuf>,
    /// The output format; by default the file name of OUT decides
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// The cost to write, in formats that hold only one
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// Leave out what costs less than this share of the total, in percent; graphs and tables use
    /// 0.5 by default, and 0 draws everything
    #[arg(long, value_name = "PERCENT", alias = "min", value_parser = percent)]
    pub(crate) threshold: Option<f64>,
    /// The title of the profile
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Estimate the stacks if the profile holds only caller and callee pairs
    #[arg(long)]
    pub(crate) estimate: bool,
    /// Name Twig's and Blade's templates, by the compiled files, which must be on this machine
    #[arg(long)]
    pub(crate) templates: bool,
    /// Print the list of formats, and do nothing else
    #[arg(long, exclusive = true)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

fn percent(text: &str) -> Result<f64, &'static str> {
    let number = text.strip_suffix('%').unwrap_or(text).parse();
    let percent = number
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or("not a share of 0 to 100 percent")
}

const FLAMEGRAPH_EXAMPLES: &str = "\
Examples:
  xhprof flamegraph run.xhp
  xhprof flamegraph run.xhp --metric memory -o run.html
  xhprof flamegraph new.xhp --base old.xhp -o diff.html
  xhprof flamegraph run.xhprof --estimate -o - > run.svg

An SVG is a picture for documents and pages; a browser that opens the file itself zooms and searches \
in it. The HTML is the page of `xhprof html`, opened at the flame graph. Both load nothing.";

/// Draws a flame graph: the width of a box is its cost.
#[derive(Debug, Args)]
#[command(after_help = FLAMEGRAPH_EXAMPLES)]
pub(crate) struct FlamegraphArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// An earlier profile, to colour changes since; the mean of several, or of a directory of them
    #[arg(long, value_name = "OLD")]
    pub(crate) base: Vec<PathBuf>,
    /// The output file, ending in .svg or .html; `-` writes to standard output. By default the name
    /// of IN, ending in .svg, in the working directory
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The output format; by default the file name of OUT decides, else it is an SVG
    #[arg(long, value_name = "KIND")]
    pub(crate) to: Option<Picture>,
    /// The cost that sets the widths
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// What the colours show; by default class, or diff if there is a base
    #[arg(long, value_name = "MEANING", alias = "color")]
    pub(crate) colour: Option<Colour>,
    /// The direction in which stacks grow
    #[arg(long, value_name = "WAY", default_value = "down")]
    pub(crate) direction: Direction,
    /// What to draw one graph of
    #[arg(long, value_name = "PART", default_value = "program")]
    pub(crate) per: Per,
    /// The title
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Leave out the script by which a browser zooms and searches in an SVG
    #[arg(long)]
    pub(crate) still: bool,
    /// Estimate the stacks if the profile holds only caller and callee pairs
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// A kind of flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// A picture, SVG
    Svg,
    /// A page, HTML
    Html,
}

/// What the colours show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// Whose code it is: own code, each vendor of packages, templates, PHP, waiting
    #[value(alias = "package")]
    Class,
    /// Self cost: redder costs more
    #[value(name = "self")]
    Own,
    /// Calls per time: many short calls are warm (orange), few long ones cool (blue)
    Calls,
    /// Changes since the base: red costs more, blue less
    Diff,
}

impl From<Colour> for FlameColour {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Class => Self::Package,
            Colour::Own => Self::Own,
            Colour::Calls => Self::Calls,
            Colour::Diff => Self::Difference,
        }
    }
}

/// The direction in which stacks grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    /// `main()` is at the top
    #[value(alias = "icicle")]
    Down,
    /// `main()` is at the bottom
    #[value(alias = "flame")]
    Up,
}

impl From<Direction> for FlameDirection {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Down => Self::Icicle,
            Direction::Up => Self::Flame,
        }
    }
}

/// What to draw one graph of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Per {
    /// The whole program
    Program,
    /// Each class
    Class,
    /// Each file
    File,
}

impl From<Per> for FlamePer {
    fn from(per: Per) -> Self {
        match per {
            Per::Program => Self::Program,
            Per::Class => Self::Class,
            Per::File => Self::File,
        }
    }
}
