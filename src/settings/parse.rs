//! Parses the values of settings; none if a value is invalid.

use crate::clock::SampledClock;

use super::{
    AutoEnable, ClockChoice, ClosureNames, EngineChoice, Mode, OutputFormat, PinCpu, RouteOf,
};

pub(super) const MAX_DEPTH: u64 = 100_000_000;
pub(super) const MAX_NODES: u64 = 100_000_000;
pub(super) const MAX_PER_MINUTE: u64 = 1_000_000;
pub(super) const MAX_DURATION_MS: u64 = 86_400_000;
pub(super) const MAX_SAMPLING_DEPTH: u64 = 2_147_483_647;
pub(super) const MAX_SAMPLING_INTERVAL_US: u64 = 3_600_000_000;

/// A boolean, as php.ini spells it.
pub(crate) fn boolean(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "on" | "yes" | "true" => Some(true),
        "" | "0" | "off" | "no" | "false" | "none" => Some(false),
        _ => None,
    }
}

pub(super) fn number(value: &str, min: u64, max: u64) -> Option<u64> {
    let number = value.trim().parse().ok()?;
    (min..=max).contains(&number).then_some(number)
}

pub(super) fn closure_names(value: &str) -> Option<ClosureNames> {
    if value.trim().eq_ignore_ascii_case("auto") {
        return Some(ClosureNames::Auto);
    }
    boolean(value).map(|is_on| {
        if is_on {
            ClosureNames::Place
        } else {
            ClosureNames::Plain
        }
    })
}

pub(super) fn clock(value: &str) -> Option<ClockChoice> {
    match value.trim().to_ascii_lowercase().as_str() {
        "auto" => Some(ClockChoice::Auto),
        "tsc" => Some(ClockChoice::Counter),
        "monotonic" => Some(ClockChoice::Monotonic),
        _ => None,
    }
}

pub(super) fn engine(value: &str) -> Option<EngineChoice> {
    match value.trim().to_ascii_lowercase().as_str() {
        "auto" => Some(EngineChoice::Auto),
        "execute" => Some(EngineChoice::Execute),
        "observer" => Some(EngineChoice::Observer),
        "" | "off" => Some(EngineChoice::Off),
        _ => None,
    }
}

pub(super) fn mode_of(value: &str) -> Option<Mode> {
    match value.trim().to_ascii_lowercase().as_str() {
        "edges" => Some(Mode::Edges),
        "tree" => Some(Mode::Tree),
        "events" => Some(Mode::Events),
        "sample" => Some(Mode::Sample),
        _ => None,
    }
}

/// An output format by its name.
pub(crate) fn output_format_of(value: &str) -> Option<OutputFormat> {
    match value.trim().to_ascii_lowercase().as_str() {
        "native" => Some(OutputFormat::Native),
        "xhprof" => Some(OutputFormat::Xhprof),
        "json" => Some(OutputFormat::Json),
        _ => None,
    }
}

pub(super) fn route_of(value: &str) -> Option<RouteOf> {
    match value.trim().to_ascii_lowercase().as_str() {
        "pattern" => Some(RouteOf::Pattern),
        "exact" => Some(RouteOf::Exact),
        _ => None,
    }
}

pub(super) fn sampling_clock_of(value: &str) -> Option<SampledClock> {
    match value.trim().to_ascii_lowercase().as_str() {
        "wall" => Some(SampledClock::Wall),
        "cpu" => Some(SampledClock::Cpu),
        _ => None,
    }
}

/// The smallest limit of a size, in bytes.
const MIN_FILE_SIZE: u64 = 64 << 10;

/// A number of bytes with PHP's suffixes `K`, `M` and `G`, and `T`.
pub(super) fn size(value: &str) -> Option<u64> {
    let value = value.trim();
    let (digits, shift) = match value.as_bytes().last()? {
        b'k' | b'K' => (value.len() - 1, 10),
        b'm' | b'M' => (value.len() - 1, 20),
        b'g' | b'G' => (value.len() - 1, 30),
        b't' | b'T' => (value.len() - 1, 40),
        _ => (value.len(), 0),
    };
    let number: u64 = value.get(..digits)?.trim().parse().ok()?;
    let size = number.checked_mul(1 << shift)?;
    (size >= MIN_FILE_SIZE).then_some(size)
}

/// A number of bytes, or zero for no limit.
pub(super) fn size_or_zero(value: &str) -> Option<u64> {
    if value.trim() == "0" {
        return Some(0);
    }
    size(value)
}

pub(super) fn auto_enable(value: &str) -> Option<AutoEnable> {
    if value.trim().eq_ignore_ascii_case("trigger") {
        return Some(AutoEnable::Trigger);
    }
    boolean(value).map(|is_on| match is_on {
        true => AutoEnable::Always,
        false => AutoEnable::Never,
    })
}

/// A fraction from 0 to 1.
pub(super) fn share(value: &str) -> Option<f64> {
    let share = value.trim().parse().ok()?;
    (0.0..=1.0).contains(&share).then_some(share)
}

/// File permissions that allow at least the owner to read and write.
pub(super) fn file_mode(value: &str) -> Option<u32> {
    let value = value.trim();
    let is_octal =
        (3..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    let mode = u32::from_str_radix(value, 8).ok().filter(|_| is_octal)?;
    (mode <= 0o777 && mode & 0o600 == 0o600).then_some(mode)
}

/// A list of words, separated by commas or spaces.
pub(super) fn list(value: &str) -> Vec<String> {
    value
        .split([' ', ',', '\t', '\r', '\n'])
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether `value` is a valid name of an input.
pub(super) fn is_name(value: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=64).contains(&value.len()) && value.bytes().all(is_letter)
}

pub(super) fn pin(value: &str) -> Option<PinCpu> {
    if value.trim().eq_ignore_ascii_case("auto") {
        return Some(PinCpu::Auto);
    }
    boolean(value).map(|pin| if pin { PinCpu::Always } else { PinCpu::Never })
}
