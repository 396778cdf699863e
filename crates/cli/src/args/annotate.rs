//! `xhprof annotate`.

use std::path::PathBuf;

use clap::Args;

use super::{Cost, MemoryArguments};

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  xhprof annotate Cart::total run.xhp
  xhprof annotate src/Cart.php run.xhp --all
  xhprof annotate src/Cart.php server.xhp --source ~/shop
  xhprof annotate Cart::total run.xhp --json
  xhprof annotate src/Cart.php run.xhp --html > cart.html

Before each line of the source stands what it cost: by itself, with PHP's own functions that it \
calls, and with all that it calls. Below it stand the functions that it calls.

Without --source the file is read where the profile says that it is, if it is PHP code there, or \
below the working directory by the end of its path. If it is another one than was profiled, a note \
says so: a function begins on another line, or the file was changed since.

Samples have lines; `xhprof report --lines` ranks the lines of all files.";

/// Prints the lines of a file or function with their costs.
#[derive(Debug, Args)]
#[command(after_help = ANNOTATE_EXAMPLES)]
pub(crate) struct AnnotateArguments {
    /// A file, by its path or the end of it, or a function, by its name or the end of it
    #[arg(value_name = "FILE|FUNCTION")]
    pub(crate) target: String,
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// Where the source is: a directory with files that end as the profile's paths do
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    /// The cost of the lines
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// Print all lines, also those far from one that has a cost
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, for programs: the lines that have costs
    #[arg(long, conflicts_with_all = ["pager", "all"])]
    pub(crate) json: bool,
    /// Print a page for the browser: all lines of the file or function
    #[arg(long, conflicts_with_all = ["pager", "all", "json"])]
    pub(crate) html: bool,
    /// Print through $PAGER if standard output is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
