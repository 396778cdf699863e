//! The values of settings that take one of several words, as enums.

/// The value of `xhprof.auto_enable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AutoEnable {
    /// No automatic profiles.
    Never,
    /// All requests that the other settings select.
    Always,
    /// Requests with `xhprof.trigger`.
    Trigger,
}

/// The value of `xhprof.closure_names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClosureNames {
    /// By file and line in files; as XHProf names them in arrays.
    Auto,
    /// By file and line, everywhere.
    Place,
    /// As PHP names them, everywhere.
    Plain,
}

/// The value of `xhprof.clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockChoice {
    /// The cycle counter where it is usable, else `CLOCK_MONOTONIC`.
    Auto,
    /// The cycle counter, if there is one.
    Counter,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
}

/// The value of `xhprof.pin_cpu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PinCpu {
    /// Where the counter is not invariant.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The value of `xhprof.engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// *observer* where a JIT is configured or PHP has threads, else *execute*.
    Auto,
    /// Hooks in `zend_execute_ex` and `zend_execute_internal`.
    Execute,
    /// The engine's observer API.
    Observer,
    /// Nothing is hooked.
    Off,
}

/// The value of `xhprof.mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Costs by caller and callee, as in XHProf's array.
    Edges,
    /// Costs by whole call path.
    Tree,
    /// Every entry and exit, written while the profile runs.
    Events,
    /// Stacks at a regular interval.
    Sample,
}

/// The value of `xhprof.route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteOf {
    /// The path with `?` for each part that is not a word.
    Pattern,
    /// The path as it is.
    Exact,
}

/// The value of `xhprof.output_format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// `*.xhp`.
    Native,
    /// `*.xhprof`: the array as PHP serializes it.
    Xhprof,
    /// The same array as JSON.
    Json,
}

/// `XHPROF_FLAGS_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags {
    /// `XHPROF_FLAGS_NO_BUILTINS`: internal functions are not recorded.
    pub(crate) no_builtins: bool,
    /// `XHPROF_FLAGS_CPU`.
    pub(crate) cpu: bool,
    /// `XHPROF_FLAGS_MEMORY`.
    pub(crate) memory: bool,
    /// SQL statements, URLs and commands are recorded, as by `xhprof.spans`.
    pub(crate) sql: bool,
}

impl Flags {
    /// `XHPROF_FLAGS_NO_BUILTINS`.
    pub(crate) const NO_BUILTINS: i64 = 1;
    /// `XHPROF_FLAGS_CPU`.
    pub(crate) const CPU: i64 = 2;
    /// `XHPROF_FLAGS_MEMORY`.
    pub(crate) const MEMORY: i64 = 4;

    /// Reads the bits of `xhprof_enable()`; other bits are ignored, as in XHProf.
    pub(crate) fn from_bits(bits: i64) -> Self {
        Self {
            no_builtins: bits & Self::NO_BUILTINS != 0,
            cpu: bits & Self::CPU != 0,
            memory: bits & Self::MEMORY != 0,
            sql: false,
        }
    }

    /// Reads words, separated by spaces, tabs, commas or `|`.
    pub(crate) fn from_words(words: &str) -> Option<Self> {
        let mut flags = Self::default();
        for word in words
            .split([' ', ',', '|', '\t'])
            .filter(|word| !word.is_empty())
        {
            match word.to_ascii_lowercase().as_str() {
                "cpu" => flags.cpu = true,
                "memory" => flags.memory = true,
                "no_builtins" => flags.no_builtins = true,
                "sql" => flags.sql = true,
                _ => return None,
            }
        }
        Some(flags)
    }
}
