//! What few users set.

use crate::parser::{FileName, InputName, List, Number, Permissions, Raised, Switch, Words};
use crate::{
    ClockChoice, ClosureNames, DIRECTORY, Definition, EngineChoice, Kind, SampledClock, Scope,
    Setting, Text,
};

/// The settings of this group, in the order of the documents.
pub static EXPERT: &[&dyn Definition] = &[
    &AUTOMATIC_DIR,
    &CAPTURE,
    &CLOCK,
    &CLOSURE_NAMES,
    &COLLECT_ADDITIONAL_INFO,
    &DEBUG,
    &ENGINE,
    &FILE_PERMISSIONS,
    &OUTPUT_NAME,
    &RUN_INIT,
    &SAMPLING_CLOCK,
    &SAMPLING_INTERVAL,
    &SPECIAL_FUNCTIONS,
];

/// The directory in which `xhprof run` collects automatic profiles; empty for
/// [`OUTPUT_DIR`](super::OUTPUT_DIR).
pub static AUTOMATIC_DIR: Setting<Text> = Setting {
    name: c"xhprof.automatic_dir",
    default: Text::Borrowed(""),
    scope: Scope::System,
    kind: Kind::Plain,
    parser: DIRECTORY,
    about: "directory for automatic profiles alone, native and called `%i.%s`, beside all limits of \
        `output_dir`; what the program writes itself stays in `output_dir`. `xhprof run` sets it",
    comment: "A directory only for automatic profiles; xhprof run sets it.",
};

/// The names of headers, cookies, query parameters and environment variables
/// whose values may be recorded.
pub static CAPTURE: Setting<Vec<String>> = Setting {
    name: c"xhprof.capture",
    default: Vec::new(),
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &List {
        is_valid: InputName::is_valid,
        expected: "names of letters, digits, _, - and ., with spaces or commas between them",
    },
    about: "names of headers, cookies, query parameters and environment variables whose values are \
        recorded with the profile; no others are",
    comment: "Headers, cookies, query parameters and variables whose values are recorded with the \
        profile.",
};

/// Which clock is read.
pub static CLOCK: Setting<ClockChoice> = Setting {
    name: c"xhprof.clock",
    default: ClockChoice::Auto,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Words(&[
        ("auto", ClockChoice::Auto),
        ("tsc", ClockChoice::Counter),
        ("monotonic", ClockChoice::Monotonic),
        ("pinned", ClockChoice::Pinned),
    ]),
    about: "auto: the CPU's cycle counter where it is reliable, else the kernel's clock; tsc: the \
        counter; monotonic: the kernel's clock; pinned: the counter, and PHP stays on one CPU while \
        it profiles",
    comment: "auto, tsc (the CPU's cycle counter), monotonic (the kernel's clock) or pinned (tsc, on \
        one CPU).",
};

/// Which closures are named by file and line.
pub static CLOSURE_NAMES: Setting<ClosureNames> = Setting {
    name: c"xhprof.closure_names",
    default: ClosureNames::Auto,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Words(&[
        ("auto", ClosureNames::Auto),
        ("0", ClosureNames::Plain),
        ("1", ClosureNames::Place),
    ]),
    about: "1: closures are named by file and line, `{closure:dir/file.php:12}`; 0: as XHProf names \
        them; auto: 1 for files (`auto_enable`, `xhprof run`), 0 for the arrays that programs \
        get",
    comment: "Closures by file and line: auto (in files), 1 (everywhere), 0 (nowhere).",
};

/// Which hooks are used.
pub static ENGINE: Setting<EngineChoice> = Setting {
    name: c"xhprof.engine",
    default: EngineChoice::Auto,
    scope: Scope::System,
    kind: Kind::Plain,
    parser: &Words(&[
        ("auto", EngineChoice::Auto),
        ("execute", EngineChoice::Execute),
        ("observer", EngineChoice::Observer),
        ("off", EngineChoice::Off),
        // php.ini's `off` without quotes.
        ("", EngineChoice::Off),
    ]),
    about: "auto: observer where a JIT is configured or PHP is thread-safe, else execute; but off with \
        a JIT and `mode=sample`; execute; observer; off: nothing is hooked, and only sampling works",
    comment: "auto, execute, observer, or off: nothing is hooked, and only sampling works.",
};

/// The permissions of profile files.
pub static FILE_PERMISSIONS: Setting<u32> = Setting {
    name: c"xhprof.file_permissions",
    default: 0o600,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Permissions,
    about: "permissions of profile files",
    comment: "The permissions of profile files.",
};

/// Whether the top level of files is recorded.
pub static RUN_INIT: Setting<bool> = Setting {
    name: c"xhprof.run_init",
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Switch,
    about: "1: the top level of a file is a function, `run_init::folder/file.php`",
    comment: "1: the top level of a file is a function, run_init::folder/file.php.",
};

/// The clock of the time between two samples.
pub static SAMPLING_CLOCK: Setting<SampledClock> = Setting {
    name: c"xhprof.sampling_clock",
    default: SampledClock::Wall,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Words(&[("wall", SampledClock::Wall), ("cpu", SampledClock::Cpu)]),
    about: "time between two samples. wall: includes waiting; cpu: only while PHP computes",
    comment: "The clock between two samples: wall, or cpu (only while PHP computes); and the interval \
        in microseconds.",
};

/// The time between two samples.
pub static SAMPLING_INTERVAL: Setting<u64> = Setting {
    name: c"xhprof.sampling_interval",
    default: 100_000,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Raised {
        least: 100,
        number: Number {
            what: "microseconds,",
            limits: 1..=3_600_000_000,
        },
    },
    about: "microseconds between two samples; at least 100",
    comment: "",
};

/// Whether functions that PHP compiles to opcodes, like `strlen()`, are compiled
/// to calls.
pub static SPECIAL_FUNCTIONS: Setting<bool> = Setting {
    name: c"xhprof.special_functions",
    default: false,
    scope: Scope::System,
    kind: Kind::Plain,
    parser: &Switch,
    about: "1: `strlen()`, `count()` and others that PHP compiles to opcodes become calls and are \
        recorded. They get slower, profiled or not, and [stack traces \
        change](production.md#what-special_functions-changes)",
    comment: "1: also record strlen(), count() and others that PHP compiles to opcodes; they get \
        slower.",
};

/// Whether SQL statements, URLs and commands are recorded.
pub static COLLECT_ADDITIONAL_INFO: Setting<bool> = Setting {
    name: c"xhprof.collect_additional_info",
    default: false,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Switch,
    about: "1: SQL statements, URLs and commands of Redis and Memcached are recorded; literals, URL \
        queries and passwords are removed. Native files keep them beside the calls (`xhprof \
        report FILE --spans`), arrays as part of names",
    comment: "1: record SQL statements, URLs and commands of Redis and Memcached, without literals \
        and passwords.",
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
