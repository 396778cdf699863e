//! `xhprof html`, `xhprof view`.

use std::path::PathBuf;

use clap::Args;

use super::editor::{Editor, EditorPath};
use super::{Cost, MemoryArguments};

const HTML_EXAMPLES: &str = "\
Examples:
  xhprof html run.xhp
  xhprof html run.xhp --source src -o run.html
  xhprof html new.xhp --base old.xhp -o change.html
  xhprof html new.xhp --base old-1.xhp --base old-2.xhp -o change.html

One file with everything in it, the profiles too: flame graph, order of time, functions with their \
callers and callees, and export to other formats. It loads nothing and sends nothing. Several \
profiles, and those of a directory, are added up. A profile that has only caller and callee pairs, as \
XHProf's files have, has no flame graph, unless --estimate estimates the stacks.";

const VIEW_EXAMPLES: &str = "\
Examples:
  xhprof view run.xhp
  xhprof view new.xhp --base old.xhp
  ssh -L 8123:127.0.0.1:8123 server xhprof view --port 8123 run.xhp

The same page as that of `xhprof html`, served to this machine only, at an address with a secret in \
it. Where there is a desktop, the browser opens. Without a profile the page opens those that are \
dropped onto it.";

/// Makes one HTML page with everything in a profile.
#[derive(Debug, Args)]
#[command(after_help = HTML_EXAMPLES)]
pub(crate) struct HtmlArguments {
    /// The profiles; `-` reads standard input
    #[arg(value_name = "IN", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The page; `-` writes to standard output. By default the name of the first IN, ending in
    /// .html, in the working directory
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Shows profiles in the browser.
#[derive(Debug, Args)]
#[command(after_help = VIEW_EXAMPLES)]
pub(crate) struct ViewerArguments {
    /// The profiles; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The port to listen on; by default one that is free
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    /// Print the address, and open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// What is in the page, and how it begins.
#[derive(Debug, Args)]
pub(crate) struct PageArguments {
    /// An earlier profile, to show what has changed since; several, or a directory of them, count as
    /// their mean
    #[arg(long, value_name = "OLD")]
    pub(crate) base: Vec<PathBuf>,
    /// Put the source files of the profile's functions that are below DIR into the page, for the view
    /// Source: every reader of the page gets them
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    /// Let the page open files in an editor of its reader: `phpstorm`, `vscode`, or an address with
    /// `{file}` and `{line}`
    #[arg(long, value_name = "EDITOR")]
    pub(crate) editor: Option<Editor>,
    /// Where a folder of the profile is on the reader's machine: /app=/home/me/app
    #[arg(long, value_name = "FROM=TO", requires = "editor")]
    pub(crate) editor_path: Vec<EditorPath>,
    /// The cost that comes first
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// The title of the page
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    /// Estimate the stacks if the profile holds only caller and callee pairs
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
