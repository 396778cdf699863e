//! The words that a setting chooses from, as types.

/// What `xhprof.auto_enable` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AutoEnable {
    /// Nothing is profiled that does not ask in code.
    Never,
    /// What the other settings leave of all requests.
    Always,
    /// Those that pull `xhprof.trigger`.
    Trigger,
}

/// What `xhprof.closure_names` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClosureNames {
    /// By their place in what is written to files; as XHProf has them in the
    /// arrays that a program gets.
    Auto,
    /// By their place, everywhere.
    Place,
    /// As PHP has them, everywhere.
    Plain,
}

/// What `xhprof.clock` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockChoice {
    /// The cycle counter where it is usable, else `CLOCK_MONOTONIC`.
    Auto,
    /// The cycle counter, wherever there is one.
    Counter,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
}

/// What `xhprof.pin_cpu` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PinCpu {
    /// Where the counter is not invariant.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What `xhprof.engine` says.
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

/// What `xhprof.mode` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Costs by caller and callee: XHProf's own array, and no more.
    Edges,
    /// Costs by whole path, which folds into edges.
    Tree,
    /// Every entry and exit, written as it goes.
    Events,
    /// Stacks, looked at now and then.
    Sample,
}

/// What `xhprof.output_format` says.
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
}

impl Flags {
    /// `XHPROF_FLAGS_NO_BUILTINS`.
    pub(crate) const NO_BUILTINS: i64 = 1;
    /// `XHPROF_FLAGS_CPU`.
    pub(crate) const CPU: i64 = 2;
    /// `XHPROF_FLAGS_MEMORY`.
    pub(crate) const MEMORY: i64 = 4;

    /// Reads the bits that `xhprof_enable()` takes; others mean nothing, as
    /// in every XHProf.
    pub(crate) fn from_bits(bits: i64) -> Self {
        Self {
            no_builtins: bits & Self::NO_BUILTINS != 0,
            cpu: bits & Self::CPU != 0,
            memory: bits & Self::MEMORY != 0,
        }
    }

    /// Reads words, separated by anything that is not part of one.
    pub(super) fn from_words(words: &str) -> Option<Self> {
        let mut flags = Self::default();
        for word in words
            .split([' ', ',', '|', '\t'])
            .filter(|word| !word.is_empty())
        {
            match word.to_ascii_lowercase().as_str() {
                "cpu" => flags.cpu = true,
                "memory" => flags.memory = true,
                "no_builtins" => flags.no_builtins = true,
                _ => return None,
            }
        }
        Some(flags)
    }
}
