//! `xhprof init`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  xhprof init --dry-run
  xhprof init
  sudo xhprof init --yes /srv/shop

It finds every PHP, the folders of ini files of its servers (command line, php-fpm, Apache) and the \
framework, shows what it would write, and asks once. It writes:
  90-xhprof.ini  loads the extension, and profiles requests with the cookie XHPROF and a secret
  xhprof.yaml    a first file of budgets for `xhprof check`
  .gitignore     the line *.xhp, in a git repository
A file that exists is left as it is. Each file is written only by the owner of its folder: as root \
those of PHP, as yourself those of the project. The commands that take all of it back are printed.";

/// Sets a project up: ini files, first budgets, a line of .gitignore.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// The project's directory
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub(crate) project: PathBuf,
    /// Write without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show every file that would be written, and write none
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// The folder for profiles of web servers; by default /var/lib/xhprof as root, else
    /// ~/.local/state/xhprof
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,
    /// This PHP only: php, php-cgi or php-fpm; may be given again
    #[arg(long, value_name = "PHP", env = "XHPROF_PHP", hide_env = true)]
    pub(crate) php: Vec<OsString>,
    /// The extension's file; by default beside this program, else in PHP's extension directory
    #[arg(long, value_name = "SO", env = "XHPROF_EXTENSION", hide_env = true)]
    pub(crate) extension: Option<PathBuf>,
}
