//! The values of settings that take one of several words, as enums.

/// The value of `xhprof.auto_enable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoEnable {
    /// Only what `xhprof attach --trace` asks for.
    Off,
    /// No automatic profiles at all.
    Never,
    /// All requests that the other settings select.
    Always,
    /// Requests with `xhprof.trigger`.
    Trigger,
}

/// The value of `xhprof.closure_names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosureNames {
    /// By file and line in files; as XHProf names them in arrays.
    Auto,
    /// By file and line, everywhere.
    Place,
    /// As PHP names them, everywhere.
    Plain,
}

/// The value of `xhprof.clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockChoice {
    /// The cycle counter where it is usable, else `CLOCK_MONOTONIC`.
    Auto,
    /// The cycle counter, if there is one.
    Counter,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// The cycle counter, with PHP kept on one CPU while it profiles.
    Pinned,
}

/// The value of `xhprof.engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
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
pub enum Mode {
    /// Costs by caller and callee, as in XHProf's array.
    Edges,
    /// Costs by whole call path.
    Tree,
    /// Every entry and exit, written while the profile runs.
    Events,
    /// Stacks at a regular interval.
    Sample,
}

/// The value of `xhprof.sampling_clock`: the clock of the time between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampledClock {
    /// Time that passes, whatever the process does.
    Wall,
    /// CPU time of the thread: samples where PHP computes, not where it waits.
    Cpu,
}

/// The value of `xhprof.output_format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// `*.xhp`.
    Native,
    /// `*.xhprof`: the array as PHP serializes it.
    Xhprof,
    /// The same array as JSON.
    Json,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Native, Self::Xhprof, Self::Json];

    /// The file name extension.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Native => "xhp",
            Self::Xhprof => "xhprof",
            Self::Json => "json",
        }
    }

    /// The format of a file name extension.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|format| format.ending() == ending)
    }
}

/// `XHPROF_FLAGS_*`, and the words of `xhprof.flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// `XHPROF_FLAGS_NO_BUILTINS`: internal functions are not recorded.
    pub no_builtins: bool,
    /// `XHPROF_FLAGS_CPU`.
    pub cpu: bool,
    /// `XHPROF_FLAGS_MEMORY`.
    pub memory: bool,
    /// SQL statements, URLs and commands are recorded, in files that have a place for them.
    pub sql: bool,
    /// Call trees have the lines of calls, in files that have a place for them.
    pub lines: bool,
}

impl Flags {
    /// No flag: wall time and calls only.
    pub const NONE: Self = Self {
        no_builtins: false,
        cpu: false,
        memory: false,
        sql: false,
        lines: false,
    };
    /// `XHPROF_FLAGS_NO_BUILTINS`.
    pub const NO_BUILTINS: i64 = 1;
    /// `XHPROF_FLAGS_CPU`.
    pub const CPU: i64 = 2;
    /// `XHPROF_FLAGS_MEMORY`.
    pub const MEMORY: i64 = 4;

    /// Reads the bits of `xhprof_enable()`; other bits are ignored, as in XHProf.
    #[must_use]
    pub fn from_bits(bits: i64) -> Self {
        Self {
            no_builtins: bits & Self::NO_BUILTINS != 0,
            cpu: bits & Self::CPU != 0,
            memory: bits & Self::MEMORY != 0,
            ..Self::NONE
        }
    }

    /// The words, in the order in which they are printed.
    const WORDS: [(&str, Self); 5] = [
        (
            "cpu",
            Self {
                cpu: true,
                ..Self::NONE
            },
        ),
        (
            "lines",
            Self {
                lines: true,
                ..Self::NONE
            },
        ),
        (
            "memory",
            Self {
                memory: true,
                ..Self::NONE
            },
        ),
        (
            "no_builtins",
            Self {
                no_builtins: true,
                ..Self::NONE
            },
        ),
        (
            "sql",
            Self {
                sql: true,
                ..Self::NONE
            },
        ),
    ];

    /// Reads words, separated by spaces, tabs, commas or `|`.
    #[must_use]
    pub fn from_words(words: &str) -> Option<Self> {
        let words = words.split([' ', ',', '|', '\t']);
        words
            .filter(|word| !word.is_empty())
            .try_fold(Self::NONE, |flags, word| {
                let known = |(known, _): &&(&str, Self)| known.eq_ignore_ascii_case(word);
                let (_, flag) = Self::WORDS.iter().find(known)?;
                Some(flags.and(*flag))
            })
    }

    /// The words of these flags, with spaces between them.
    #[must_use]
    pub fn words(self) -> String {
        let is_set = |(_, flag): &&(&str, Self)| self.and(*flag) == self;
        let words = Self::WORDS.iter().filter(is_set).map(|(word, _)| *word);
        words.collect::<Vec<_>>().join(" ")
    }

    /// All words, for a message.
    #[must_use]
    pub fn all_words() -> String {
        let [others @ .., last] = Self::WORDS.map(|(word, _)| word);
        format!("{} and {last}", others.join(", "))
    }

    /// The flags that are set in either.
    fn and(self, other: Self) -> Self {
        Self {
            no_builtins: self.no_builtins || other.no_builtins,
            cpu: self.cpu || other.cpu,
            memory: self.memory || other.memory,
            sql: self.sql || other.sql,
            lines: self.lines || other.lines,
        }
    }
}
