//! php.ini: every setting, what it may hold, and what it holds now.
//!
//! A setting is checked when it is set, wherever that is (php.ini, `-d`,
//! `ini_set()`): a wrong value gives one warning, and the old value, or the
//! default, stays. So reading one cannot fail.

use crate::clock::SampledClock;
use crate::zend::ini::{self, Scope, Setting};

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
    fn from_words(words: &str) -> Option<Self> {
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

/// The smallest `xhprof.sampling_interval` that is used; smaller ones are
/// raised to it.
const MIN_SAMPLING_INTERVAL_US: u64 = 100;

/// Every setting, in the order of `phpinfo()`.
pub(crate) static SETTINGS: [Setting; 18] = [
    Setting {
        name: c"xhprof.auto_enable",
        default: c"0",
        scope: Scope::PerDirectory,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.clock",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| clock(value).is_some(),
        expected: "auto, tsc or monotonic",
    },
    Setting {
        name: c"xhprof.collect_additional_info",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.compensate",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.engine",
        default: c"auto",
        scope: Scope::System,
        is_valid: |value| engine(value).is_some(),
        expected: "auto, execute, observer or off",
    },
    Setting {
        name: c"xhprof.flags",
        default: c"cpu memory",
        scope: Scope::Anywhere,
        is_valid: |value| Flags::from_words(value).is_some(),
        expected: "any of the words cpu, memory and no_builtins",
    },
    Setting {
        name: c"xhprof.max_depth",
        default: c"25000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_DEPTH).is_some(),
        expected: "a number from 1 to 100000000",
    },
    Setting {
        name: c"xhprof.max_file_size",
        default: c"1G",
        scope: Scope::Anywhere,
        is_valid: |value| size(value).is_some(),
        expected: "a size of at least 64K, as in 256M or 1G",
    },
    Setting {
        name: c"xhprof.max_nodes",
        default: c"10000000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 100, MAX_NODES).is_some(),
        expected: "a number from 100 to 100000000",
    },
    Setting {
        name: c"xhprof.mode",
        default: c"tree",
        scope: Scope::PerDirectory,
        is_valid: |value| mode_of(value).is_some(),
        expected: "edges, tree, events or sample",
    },
    Setting {
        name: c"xhprof.output_dir",
        default: c"",
        scope: Scope::Anywhere,
        is_valid: |value| !value.contains('\0'),
        expected: "a directory",
    },
    Setting {
        name: c"xhprof.output_format",
        default: c"native",
        scope: Scope::Anywhere,
        is_valid: |value| output_format_of(value).is_some(),
        expected: "native, xhprof or json",
    },
    Setting {
        name: c"xhprof.output_name",
        default: c"%i.%s",
        scope: Scope::Anywhere,
        is_valid: crate::output::is_pattern,
        expected: "a file's name without slash or ending, in which %a %H %i %p %r %R %s %t and %u stand for something",
    },
    Setting {
        name: c"xhprof.pin_cpu",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| pin(value).is_some(),
        expected: "auto, 1 or 0",
    },
    Setting {
        name: c"xhprof.run_init",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.sampling_clock",
        default: c"wall",
        scope: Scope::Anywhere,
        is_valid: |value| sampling_clock_of(value).is_some(),
        expected: "wall or cpu",
    },
    Setting {
        name: c"xhprof.sampling_depth",
        default: c"2147483647",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_SAMPLING_DEPTH).is_some(),
        expected: "a number from 1 to 2147483647",
    },
    Setting {
        name: c"xhprof.sampling_interval",
        default: c"100000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_SAMPLING_INTERVAL_US).is_some(),
        expected: "microseconds, from 1 to 3600000000",
    },
];

const MAX_DEPTH: u64 = 100_000_000;
const MAX_NODES: u64 = 100_000_000;
const MAX_SAMPLING_DEPTH: u64 = 2_147_483_647;
const MAX_SAMPLING_INTERVAL_US: u64 = 3_600_000_000;

/// Whether each request is profiled from its first line.
pub(crate) fn auto_enable() -> bool {
    read(c"xhprof.auto_enable", boolean, false)
}

/// Which clock to read.
pub(crate) fn clock_choice() -> ClockChoice {
    read(c"xhprof.clock", clock, ClockChoice::Auto)
}

/// Whether statements and addresses become part of names.
pub(crate) fn collect_additional_info() -> bool {
    read(c"xhprof.collect_additional_info", boolean, false)
}

/// Whether what the profiler costs is left out of profiles.
pub(crate) fn compensate() -> bool {
    read(c"xhprof.compensate", boolean, false)
}

/// Which hooks to use.
pub(crate) fn engine_choice() -> EngineChoice {
    read(c"xhprof.engine", engine, EngineChoice::Auto)
}

/// What an automatic profile records.
pub(crate) fn flags() -> Flags {
    read(c"xhprof.flags", Flags::from_words, Flags::default())
}

/// How deep a stack is recorded.
pub(crate) fn max_depth() -> usize {
    read_number(c"xhprof.max_depth", MAX_DEPTH, 25_000)
}

/// How many edges, or nodes of a call tree, are recorded.
pub(crate) fn max_nodes() -> usize {
    read_number(c"xhprof.max_nodes", MAX_NODES, 10_000_000)
}

/// How large a file of call events may get, in bytes.
pub(crate) fn max_file_size() -> u64 {
    read(c"xhprof.max_file_size", size, 1 << 30)
}

/// What an automatic profile is made of.
pub(crate) fn mode() -> Mode {
    read(c"xhprof.mode", mode_of, Mode::Tree)
}

/// How an automatic profile is written.
pub(crate) fn output_format() -> OutputFormat {
    read(
        c"xhprof.output_format",
        output_format_of,
        OutputFormat::Native,
    )
}

/// What an automatic profile's file is called, without its ending.
pub(crate) fn output_name() -> String {
    read(
        c"xhprof.output_name",
        |name| Some(name.to_owned()),
        "%i.%s".to_owned(),
    )
}

/// Where automatic profiles are written; empty for PHP's temporary directory.
pub(crate) fn output_dir() -> Vec<u8> {
    ini::value(c"xhprof.output_dir")
}

/// Whether to stay on one CPU.
pub(crate) fn pin_cpu() -> PinCpu {
    read(c"xhprof.pin_cpu", pin, PinCpu::Auto)
}

/// Whether the top level of files is recorded.
pub(crate) fn run_init() -> bool {
    read(c"xhprof.run_init", boolean, false)
}

/// Which time passes between two samples.
pub(crate) fn sampling_clock() -> SampledClock {
    read(
        c"xhprof.sampling_clock",
        sampling_clock_of,
        SampledClock::Wall,
    )
}

/// How many frames a sample keeps.
pub(crate) fn sampling_depth() -> usize {
    read_number(c"xhprof.sampling_depth", MAX_SAMPLING_DEPTH, usize::MAX)
}

/// The time between two samples, in microseconds.
pub(crate) fn sampling_interval_us() -> u64 {
    let interval = read(
        c"xhprof.sampling_interval",
        |value| number(value, 1, MAX_SAMPLING_INTERVAL_US),
        100_000,
    );
    interval.max(MIN_SAMPLING_INTERVAL_US)
}

fn read<T>(name: &std::ffi::CStr, parse: impl Fn(&str) -> Option<T>, otherwise: T) -> T {
    let value = ini::value(name);
    str::from_utf8(&value)
        .ok()
        .and_then(parse)
        .unwrap_or(otherwise)
}

fn read_number(name: &std::ffi::CStr, max: u64, otherwise: usize) -> usize {
    let parsed = read(name, |value| number(value, 1, max), 0);
    usize::try_from(parsed)
        .ok()
        .filter(|&it| it > 0)
        .unwrap_or(otherwise)
}

/// What php.ini takes for a yes or a no.
fn boolean(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "on" | "yes" | "true" => Some(true),
        "" | "0" | "off" | "no" | "false" | "none" => Some(false),
        _ => None,
    }
}

fn number(value: &str, min: u64, max: u64) -> Option<u64> {
    let number = value.trim().parse().ok()?;
    (min..=max).contains(&number).then_some(number)
}

fn clock(value: &str) -> Option<ClockChoice> {
    match value.trim().to_ascii_lowercase().as_str() {
        "auto" => Some(ClockChoice::Auto),
        "tsc" => Some(ClockChoice::Counter),
        "monotonic" => Some(ClockChoice::Monotonic),
        _ => None,
    }
}

fn engine(value: &str) -> Option<EngineChoice> {
    match value.trim().to_ascii_lowercase().as_str() {
        "auto" => Some(EngineChoice::Auto),
        "execute" => Some(EngineChoice::Execute),
        "observer" => Some(EngineChoice::Observer),
        "" | "off" => Some(EngineChoice::Off),
        _ => None,
    }
}

fn mode_of(value: &str) -> Option<Mode> {
    match value.trim().to_ascii_lowercase().as_str() {
        "edges" => Some(Mode::Edges),
        "tree" => Some(Mode::Tree),
        "events" => Some(Mode::Events),
        "sample" => Some(Mode::Sample),
        _ => None,
    }
}

/// The format that is called so.
pub(crate) fn output_format_of(value: &str) -> Option<OutputFormat> {
    match value.trim().to_ascii_lowercase().as_str() {
        "native" => Some(OutputFormat::Native),
        "xhprof" => Some(OutputFormat::Xhprof),
        "json" => Some(OutputFormat::Json),
        _ => None,
    }
}

/// The smallest file that is worth anything.
const MIN_FILE_SIZE: u64 = 64 << 10;

/// A number of bytes with PHP's own letters: `K`, `M`, `G`.
fn size(value: &str) -> Option<u64> {
    let value = value.trim();
    let (digits, shift) = match value.as_bytes().last()? {
        b'k' | b'K' => (value.len() - 1, 10),
        b'm' | b'M' => (value.len() - 1, 20),
        b'g' | b'G' => (value.len() - 1, 30),
        _ => (value.len(), 0),
    };
    let number: u64 = value.get(..digits)?.trim().parse().ok()?;
    let size = number.checked_mul(1 << shift)?;
    (size >= MIN_FILE_SIZE).then_some(size)
}

fn sampling_clock_of(value: &str) -> Option<SampledClock> {
    match value.trim().to_ascii_lowercase().as_str() {
        "wall" => Some(SampledClock::Wall),
        "cpu" => Some(SampledClock::Cpu),
        _ => None,
    }
}

fn pin(value: &str) -> Option<PinCpu> {
    if value.trim().eq_ignore_ascii_case("auto") {
        return Some(PinCpu::Auto);
    }
    boolean(value).map(|pin| if pin { PinCpu::Always } else { PinCpu::Never })
}
