//! What the text of a setting means; none if it means nothing.

use super::{ClockChoice, EngineChoice, Mode, OutputFormat, PinCpu};

pub(super) const MAX_DEPTH: u64 = 100_000_000;
pub(super) const MAX_NODES: u64 = 100_000_000;
pub(super) const MAX_SAMPLING_DEPTH: u64 = 2_147_483_647;
pub(super) const MAX_SAMPLING_INTERVAL_US: u64 = 3_600_000_000;

/// What php.ini takes for a yes or a no.
pub(super) fn boolean(value: &str) -> Option<bool> {
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
        _ => None,
    }
}

pub(super) fn output_format_of(value: &str) -> Option<OutputFormat> {
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
pub(super) fn size(value: &str) -> Option<u64> {
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

pub(super) fn pin(value: &str) -> Option<PinCpu> {
    if value.trim().eq_ignore_ascii_case("auto") {
        return Some(PinCpu::Auto);
    }
    boolean(value).map(|pin| if pin { PinCpu::Always } else { PinCpu::Never })
}
