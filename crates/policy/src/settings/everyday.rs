//! What most users set.

use std::ffi::CStr;
use std::time::Duration;

use super::parser::{
    AnyText, FileName, FlagWords, Fraction, InputName, List, Milliseconds, Switch, Words,
};
use super::{
    AutoEnable, DIRECTORY, Definition, Flags, Kind, Mode, OutputFormat, PATTERNS, Scope, Setting,
    Text, is_text,
};

/// The settings of this group, in the order of the documents.
pub static EVERYDAY: &[&dyn Definition] = &[
    &AUTO_ENABLE,
    &MODE,
    &FLAGS,
    &OUTPUT_DIR,
    &OUTPUT_NAME,
    &OUTPUT_FORMAT,
    &APP,
    &RELEASE,
    &RATE,
    &MATCH,
    &SKIP,
    &TRIGGER,
    &TRIGGER_SECRET,
    &MIN_DURATION,
    &KEEP_ERRORS,
    &IGNORED_FUNCTIONS,
    &EXCLUDE,
    &SPANS,
    &COLLECT_ADDITIONAL_INFO,
    &DEBUG,
];

const SPANS_NAME: &CStr = c"xhprof.spans";
const COLLECT_ADDITIONAL_INFO_NAME: &CStr = c"xhprof.collect_additional_info";

/// Which requests are profiled without a call of `xhprof_enable()`.
pub static AUTO_ENABLE: Setting<AutoEnable> = Setting {
    name: c"xhprof.auto_enable",
    default: AutoEnable::Never,
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: &Words(&[
        ("0", AutoEnable::Never),
        ("1", AutoEnable::Always),
        ("trigger", AutoEnable::Trigger),
    ]),
    about: "1: profile every request and write a file, subject to `rate`, `match` and `skip`; \
        trigger: only requests that carry `xhprof.trigger`",
    comment: "1: profile every request and write a file; 0: none; trigger: only requests with the \
        trigger and its secret.",
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
        ..Flags::NONE
    },
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &FlagWords,
    about: "any of: cpu, memory, no_builtins, and sql, which is `xhprof.spans`. Wall time and calls \
        are always recorded",
    comment: "What they measure in addition to wall time and calls: any of cpu, memory, no_builtins, \
        sql.",
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

/// The pattern of the names of files.
pub static OUTPUT_NAME: Setting<Text> = Setting {
    name: c"xhprof.output_name",
    default: Text::Borrowed("%i.%s"),
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &FileName,
    about: "file name without its ending: `%i` run id, `%s` script, `%p` process id, `%t` seconds, \
        `%u` microseconds, `%r` random digits, `%H` host, `%R` route, `%a` server interface \
        (SAPI)",
    comment: "The file's name: %i run id, %s script, %p process, %t seconds, %u microseconds, %r \
        random, %H host, %R route, %a server interface.",
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

/// Patterns of the requests to profile; empty for all.
pub static MATCH: Setting<Vec<String>> = Setting {
    name: c"xhprof.match",
    default: Vec::new(),
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: PATTERNS,
    about: "patterns of hosts, paths or scripts to profile, see \
        [production.md](production.md#which-requests)",
    comment: "Patterns of hosts, paths or scripts to profile, and to skip; skip wins.",
};

/// Patterns of the requests not to profile.
pub static SKIP: Setting<Vec<String>> = Setting {
    name: c"xhprof.skip",
    default: Vec::new(),
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: PATTERNS,
    about: "patterns of what is not profiled; wins over `match`",
    comment: "",
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

/// Profiles of shorter requests are not written.
pub static MIN_DURATION: Setting<Duration> = Setting {
    name: c"xhprof.min_duration",
    default: Duration::ZERO,
    scope: Scope::Anywhere,
    kind: Kind::Limit,
    parser: &Milliseconds {
        limits: 0..=86_400_000,
    },
    about: "milliseconds; profiles of shorter requests are not written",
    comment: "Milliseconds: profiles of shorter requests are not written.",
};

/// Whether profiles of failed requests are written however short they were.
pub static KEEP_ERRORS: Setting<bool> = Setting {
    name: c"xhprof.keep_errors",
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Switch,
    about: "1: requests that end in a fatal error, an uncaught exception or a status of 500 or more \
        are written, however short",
    comment: "1: write the profiles of requests that fail (fatal error, status 500 and more) however \
        short they were.",
};

/// The functions that automatic profiles leave out.
pub static IGNORED_FUNCTIONS: Setting<Vec<String>> = Setting {
    name: c"xhprof.ignored_functions",
    default: Vec::new(),
    scope: Scope::PerDirectory,
    kind: Kind::Plain,
    parser: &List {
        is_valid: is_text,
        expected: "functions' names or patterns, with spaces or commas between them",
    },
    about: "functions that automatic profiles leave out. A name is exact; a name with a `*` is a \
        pattern that ignores case (`PDO::*`, `*Sniff::process`)",
    comment: "Functions that automatic profiles leave out, by name or pattern (PDO::*), separated by \
        spaces.",
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

/// Whether SQL statements, URLs and commands are recorded.
pub static SPANS: Setting<bool> = Setting {
    name: SPANS_NAME,
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Alias(COLLECT_ADDITIONAL_INFO_NAME),
    parser: &Switch,
    about: "1: SQL statements, URLs and commands of Redis and Memcached are recorded; literals, URL \
        queries and passwords are removed. Native files keep them beside the calls (`xhprof \
        report FILE --spans`), arrays as part of names",
    comment: "1: record SQL statements, URLs and commands of Redis and Memcached, without literals \
        and passwords.\nBoth names are the same setting.",
};

/// XHProf's own name of [`SPANS`].
pub static COLLECT_ADDITIONAL_INFO: Setting<bool> = Setting {
    name: COLLECT_ADDITIONAL_INFO_NAME,
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Alias(SPANS_NAME),
    parser: &Switch,
    about: "XHProf's own name of `xhprof.spans`: both always have the same value. If php.ini has \
        both, `xhprof.spans` wins",
    comment: "",
};

/// Whether each request logs a line.
pub static DEBUG: Setting<bool> = Setting {
    name: c"xhprof.debug",
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Switch,
    about: "1: each request writes one line to PHP's log: profiled or not, by which rule, and where \
        the profile is",
    comment: "1: each request writes one line to PHP's log: profiled or not, and by which rule.",
};
