//! `xhprof convert`, `xhprof flamegraph`, `xhprof html`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use formats::{FlameColour, FlameDirection, FlamePer};

use super::{Cost, MemoryArguments};

const CONVERT_EXAMPLES: &str = "\
Examples:
  xhprof convert run.xhprof -o run.xhp
  xhprof convert run.xhprof --to xhprof-json -o - | jq keys
  xhprof convert run.xhprof -o run.svg --estimate
  xhprof convert run.xhp --to dot --threshold 2 -o - | dot -Tsvg > graph.svg
  xhprof convert --list

A format that is made of whole stacks refuses a profile that knows only who called whom, as XHProf's
files do. With --estimate the stacks are guessed, and what is written says so where it can.

With --threshold, graphs (dot) and tables (markdown) leave out functions that cost less with all
they call; other formats get [other] in place of paths that cost less, or, if there are no stacks,
of such functions. Every other cost stays as it is.";

/// Writes a profile in another format.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN", required_unless_present = "list")]
    pub(crate) file: Option<PathBuf>,
    /// Where it goes; `-` writes to standard output
    #[arg(short, long, value_name = "OUT", required_unless_present = "list")]
    pub(crate) output: Option<PathBuf>,
    /// The format; by default what the end of OUT says
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// The cost to write, where there is room for one
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// Leave out what costs less than this share of the whole, in percent; graphs and tables leave
    /// out less than 0.5, and 0 draws everything
    #[arg(long, value_name = "PERCENT", alias = "min", value_parser = percent)]
    pub(crate) threshold: Option<f64>,
    /// What the profile is called
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Guess the stacks if the profile knows only who called whom
    #[arg(long)]
    pub(crate) estimate: bool,
    /// Print every format there is, and do nothing else
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
  xhprof flamegraph run.xhp -o run.svg
  xhprof flamegraph run.xhp --metric memory -o run.html
  xhprof flamegraph new.xhp --base old.xhp -o diff.html
  xhprof flamegraph run.xhprof --estimate -o - > run.svg

An SVG goes into any page, zooms and searches by itself. The HTML is a page of its own, with every
cost in it, and loads nothing.";

/// Draws a profile: boxes as wide as they are costly.
#[derive(Debug, Args)]
#[command(after_help = FLAMEGRAPH_EXAMPLES)]
pub(crate) struct FlamegraphArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// An earlier profile, to colour what has changed since; several, or a directory of them, count
    /// as their mean
    #[arg(long, value_name = "OLD")]
    pub(crate) base: Vec<PathBuf>,
    /// A file that ends in .svg or .html; `-` writes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What to make of it; by default what the end of OUT says, and an SVG on standard output
    #[arg(long, value_name = "KIND")]
    pub(crate) to: Option<Picture>,
    /// The cost that makes the widths
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// What the colours mean; by default class, or diff if there is a base
    #[arg(long, value_name = "MEANING", alias = "color")]
    pub(crate) colour: Option<Colour>,
    /// Which way the stacks grow
    #[arg(long, value_name = "WAY", default_value = "down")]
    pub(crate) direction: Direction,
    /// What there is one graph of
    #[arg(long, value_name = "PART", default_value = "program")]
    pub(crate) per: Per,
    /// Without script, for pages that must not run any
    #[arg(long = "static")]
    pub(crate) is_static: bool,
    /// What it is called
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Guess the stacks if the profile knows only who called whom
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// A kind of flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// A picture
    Svg,
    /// A page
    Html,
}

/// What colours mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// The class: each keeps its colour from graph to graph
    #[value(alias = "package")]
    Class,
    /// What it costs by itself: the redder, the more
    #[value(name = "self")]
    Own,
    /// Calls against time: many short calls are warm (orange), few long ones cool (blue)
    Calls,
    /// What has changed since the base: red costs more, blue less
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

/// Which way stacks grow.
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

/// What there is one graph of.
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

const HTML_EXAMPLES: &str = "\
Examples:
  xhprof html run.xhp -o run.html
  xhprof html new.xhp --base old.xhp -o change.html
  xhprof html new.xhp --base old-1.xhp --base old-2.xhp -o change.html

One file with everything in it: summary, flame graph, critical path, functions with their callers and
callees. It loads nothing and sends nothing. A profile that knows only who called whom, as XHProf's
files do, has no flame graph in it, unless --estimate guesses the stacks.";

/// Makes one page of all that a profile says.
#[derive(Debug, Args)]
#[command(after_help = HTML_EXAMPLES)]
pub(crate) struct HtmlArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// An earlier profile, to show what has changed since; several, or a directory of them, count as
    /// their mean
    #[arg(long, value_name = "OLD")]
    pub(crate) base: Vec<PathBuf>,
    /// The page; `-` writes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The cost that comes first
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// What it is called
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Guess the stacks if the profile knows only who called whom
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
