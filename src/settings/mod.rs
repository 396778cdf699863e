//! The settings in php.ini: definitions, validation, and current values.
//!
//! A setting is validated when it is set, by php.ini, `-d` or `ini_set()`: an
//! invalid value gives one warning, and the old value, or the default, stays. So
//! reading a setting cannot fail.

mod automatic;
mod choices;
mod parse;
mod table;

pub(crate) use automatic::{
    auto_enable, capture, debug, exclude, file_permissions, ignored_functions, keep_errors,
    match_list, max_dir_size, max_per_minute, min_duration, rate, skip_list, trigger,
    trigger_secret,
};
pub(crate) use choices::{
    AutoEnable, ClockChoice, ClosureNames, EngineChoice, Flags, Mode, OutputFormat, PinCpu, RouteOf,
};
pub(crate) use parse::{boolean, output_format_of};
pub(crate) use table::{KINDS, SETTINGS};

use crate::clock::SampledClock;
use crate::zend::ini;
use parse::{
    MAX_DEPTH, MAX_NODES, MAX_SAMPLING_DEPTH, MAX_SAMPLING_INTERVAL_US, clock,
    closure_names as closure_names_of, engine, mode_of, number, pin, route_of, sampling_clock_of,
    size,
};

/// The smallest sampling interval; smaller values are raised to it.
const MIN_SAMPLING_INTERVAL_US: u64 = 100;

/// Which clock to read.
pub(crate) fn clock_choice() -> ClockChoice {
    read(c"xhprof.clock", clock, ClockChoice::Auto)
}

/// Which closures are named by file and line.
pub(crate) fn closure_names() -> ClosureNames {
    read(
        c"xhprof.closure_names",
        closure_names_of,
        ClosureNames::Auto,
    )
}

/// Whether functions that PHP compiles to opcodes, like `strlen()`, are compiled
/// to calls.
pub(crate) fn special_functions() -> bool {
    read(c"xhprof.special_functions", boolean, false)
}

/// Whether SQL statements, URLs and commands are recorded: `xhprof.spans`, an
/// alias of `xhprof.collect_additional_info`.
pub(crate) fn spans() -> bool {
    read(c"xhprof.spans", boolean, false)
}

/// Whether the profiler's own cost is subtracted.
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

/// The largest size of a file of call events, in bytes.
pub(crate) fn max_events_size() -> u64 {
    read(c"xhprof.max_events_size", size, 1 << 30)
}

/// The mode of automatic profiles.
pub(crate) fn mode() -> Mode {
    read(c"xhprof.mode", mode_of, Mode::Tree)
}

/// The format of automatic profiles.
pub(crate) fn output_format() -> OutputFormat {
    read(
        c"xhprof.output_format",
        output_format_of,
        OutputFormat::Native,
    )
}

/// The pattern of file names, without the extension.
pub(crate) fn output_name() -> String {
    read(
        c"xhprof.output_name",
        |name| Some(name.to_owned()),
        "%i.%s".to_owned(),
    )
}

/// The directory in which `xhprof run` collects automatic profiles; empty for
/// `output_dir`.
pub(crate) fn automatic_dir() -> Vec<u8> {
    ini::value(c"xhprof.automatic_dir")
}

/// The directory of profiles; empty for PHP's temporary directory.
pub(crate) fn output_dir() -> Vec<u8> {
    ini::value(c"xhprof.output_dir")
}

/// Whether to pin the thread to one CPU.
pub(crate) fn pin_cpu() -> PinCpu {
    read(c"xhprof.pin_cpu", pin, PinCpu::Auto)
}

/// How the route of a request is made from its path.
pub(crate) fn route() -> RouteOf {
    read(c"xhprof.route", route_of, RouteOf::Pattern)
}

/// Whether the top level of files is recorded.
pub(crate) fn run_init() -> bool {
    read(c"xhprof.run_init", boolean, false)
}

/// The clock of the sampling interval.
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
        .filter(|&number| number > 0)
        .unwrap_or(otherwise)
}
