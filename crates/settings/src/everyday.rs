//! What most users set.

use crate::parser::{AnyText, FlagWords, Fraction, InputName, Words};
use crate::{
    AutoEnable, DIRECTORY, Definition, Flags, Kind, Mode, OutputFormat, PATTERNS, Scope, Setting,
    Text,
};

/// The settings of this group, in the order of the documents.
pub static EVERYDAY: &[&dyn Definition] = &[
    &AUTO_ENABLE,
    &MODE,
    &FLAGS,
    &OUTPUT_DIR,
    &OUTPUT_FORMAT,
    &APP,
    &RELEASE,
    &RATE,
    &MATCH,
    &TRIGGER,
    &TRIGGER_SECRET,
    &EXCLUDE,
];

/// Which requests are profiled without a call of `xhprof_enable()`.
pub static AUTO_ENABLE: Setting<AutoEnable> = Setting {
    name: c"xhprof.auto_enable",
    default: AutoEnable::Off,
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: &Words(&[
        ("0", AutoEnable::Off),
        ("1", AutoEnable::Always),
        ("trigger", AutoEnable::Trigger),
        ("never", AutoEnable::Never),
    ]),
    about: "1: profile every request and write a file, subject to `rate` and `match`; \
        trigger: only requests that carry `xhprof.trigger`; with each, and with 0, `xhprof attach --trace` can ask \
        for the next requests; never: it cannot",
    comment: "1: profile every request and write a file; 0: none; trigger: only requests with the \
        trigger and its secret; never: none, and `xhprof attach --trace` cannot ask for one.",
};

/// What automatic profiles record.
pub static MODE: Setting<Mode> = Setting {
    name: c"xhprof.mode",
    default: Mode::Tree,
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: &Words(&[
        ("edges", Mode::Edges),
        ("tree", Mode::Tree),
        ("events", Mode::Events),
        ("sample", Mode::Sample),
    ]),
    about: "what automatic profiles record. edges: cost by caller and callee; tree: cost by whole \
        call path; events: every entry and exit; sample: stacks at a regular interval",
    comment: "What automatic profiles record: edges, tree (whole paths), events (every call) or \
        sample (stacks).",
};

/// What automatic profiles measure.
pub static FLAGS: Setting<Flags> = Setting {
    name: c"xhprof.flags",
    default: Flags {
        cpu: true,
        memory: true,
        sql: true,
        ..Flags::NONE
    },
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &FlagWords,
    about: "any of: cpu, lines, memory, no_builtins, sql. Wall time and calls are always recorded. sql: native \
        files have the SQL statements, URLs and commands, with private data removed. lines: those of call trees \
        and events have the line of each call",
    comment: "What they measure in addition to wall time and calls: any of cpu, lines, memory, \
        no_builtins, sql.",
};

/// The directory of profiles; empty for PHP's temporary directory.
pub static OUTPUT_DIR: Setting<Text> = Setting {
    name: c"xhprof.output_dir",
    default: Text::Borrowed(""),
    scope: Scope::Anywhere,
    kind: Kind::Directory,
    parser: DIRECTORY,
    about: "directory for profiles; PHP's temporary directory if empty. A relative path belongs to \
        the working directory in which the request starts, or in which the program sets it",
    comment: "The directory for profiles, writable by the server's user; PHP's temporary directory if \
        empty.",
};

/// The format of files.
pub static OUTPUT_FORMAT: Setting<OutputFormat> = Setting {
    name: c"xhprof.output_format",
    default: OutputFormat::Native,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Words(&[
        ("native", OutputFormat::Native),
        ("xhprof", OutputFormat::Xhprof),
        ("json", OutputFormat::Json),
    ]),
    about: "native: `*.xhp`, everything that was recorded; xhprof: `*.xhprof`, XHProf's array \
        serialized by PHP; json: the same array as JSON",
    comment: "native (*.xhp, for the program xhprof), or XHProf's array: xhprof (serialized) or json.",
};

/// The application's name, in its profiles.
pub static APP: Setting<Text> = Setting {
    name: c"xhprof.app",
    default: Text::Borrowed(""),
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &AnyText {
        expected: "text in UTF-8",
    },
    about: "the application's name, for `xhprof serve`; if empty, the environment's \
        `OTEL_SERVICE_NAME` or `DD_SERVICE`",
    comment: "The names of the application and of its release, for xhprof serve. If empty: \
        OTEL_SERVICE_NAME or DD_SERVICE, and SENTRY_RELEASE or DD_VERSION, of the environment.",
};

/// The release's name, in its profiles.
pub static RELEASE: Setting<Text> = Setting {
    name: c"xhprof.release",
    default: Text::Borrowed(""),
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &AnyText {
        expected: "text in UTF-8",
    },
    about: "the name of the deployed release, so that releases can be compared; if empty, the \
        environment's `SENTRY_RELEASE` or `DD_VERSION`",
    comment: "",
};

/// The fraction of requests to profile.
pub static RATE: Setting<f64> = Setting {
    name: c"xhprof.rate",
    default: 1.0,
    scope: Scope::PerDirectory,
    kind: Kind::Limit,
    parser: &Fraction,
    about: "fraction of requests to profile, from 0 to 1; `0.01` is one of a hundred",
    comment: "The fraction of requests to profile: 0.01 is one of a hundred.",
};

/// Patterns of the requests to profile, and with a `!` of those not to profile; empty
/// for all.
pub static MATCH: Setting<Vec<String>> = Setting {
    name: c"xhprof.match",
    default: Vec::new(),
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: PATTERNS,
    about: "patterns of hosts, paths or scripts to profile; with a `!` before it, not to profile, \
        which wins; see [production.md](production.md#which-requests)",
    comment: "Patterns of hosts, paths or scripts to profile; with a ! before it, not to profile.",
};

/// The name of the trigger; empty for none.
pub static TRIGGER: Setting<Text> = Setting {
    name: c"xhprof.trigger",
    default: Text::Borrowed(""),
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: &InputName,
    about: "name of a header, cookie, query parameter or environment variable. A request that \
        carries it with the secret is profiled",
    comment: "The header, cookie, query parameter or variable that asks for a profile, and the secret \
        it must carry.",
};

/// The value that the trigger must have.
pub static TRIGGER_SECRET: Setting<Text> = Setting {
    name: c"xhprof.trigger_secret",
    default: Text::Borrowed(""),
    scope: Scope::PerDirectory,
    kind: Kind::Secret,
    parser: &AnyText {
        expected: "text in UTF-8",
    },
    about: "the value that the trigger must have; if empty, only the command line has a trigger",
    comment: "",
};

/// Patterns of the functions and files that every profile leaves out.
pub static EXCLUDE: Setting<Vec<String>> = Setting {
    name: c"xhprof.exclude",
    default: Vec::new(),
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: PATTERNS,
    about: "patterns of functions (`Symfony\\*`) and of files (`vendor/*`, with a slash) that every \
        profile leaves out, see [below](#what-is-left-out)",
    comment: "Functions (Symfony\\*) and files (vendor/*) that every profile leaves out.",
};
