//! Sizes, as people read them.

/// Bytes, as people read them.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", size as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", size as f64 / 1_073_741_824.0),
    }
}
