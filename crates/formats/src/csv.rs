//! The function table as CSV (RFC 4180), for spreadsheets and scripts.
//!
//! Every function is there, those that cost most by themselves first, and every
//! cost in the finest unit: nothing is rounded and nothing left out. The
//! columns are part of the format: new ones come at the end.

use std::borrow::Cow;
use std::io::{BufWriter, Write};

use profile::{Profile, WallUnit};

use crate::graph::rows_by_own_wall;
use crate::text::lossy;
use crate::{Format, Holds, WriteError, WriteOptions};

/// The function table as CSV.
#[derive(Debug, Clone, Copy)]
pub struct Csv;

impl Format for Csv {
    fn id(&self) -> &'static str {
        "csv"
    }

    fn name(&self) -> &'static str {
        "CSV"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: false,
            stacks: false,
            calls: true,
            all_metrics: true,
            times: false,
        })
    }

    fn write(
        &self,
        profile: &Profile,
        _options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let metrics = profile.metrics;
        let mut out = BufWriter::new(out);
        let unit = match metrics.wall_unit {
            WallUnit::Nanoseconds => "ns",
            WallUnit::Samples => &word(profile.counted()),
        };
        write!(out, "function,calls,self_wall_{unit},inclusive_wall_{unit}")?;
        if metrics.cpu {
            out.write_all(b",self_cpu_ns,inclusive_cpu_ns")?;
        }
        if metrics.memory {
            out.write_all(b",self_memory_bytes,inclusive_memory_bytes")?;
            out.write_all(b",self_peak_bytes,inclusive_peak_bytes")?;
        }
        out.write_all(b",file,line\r\n")?;
        for row in rows_by_own_wall(profile).rows {
            let (own, all) = (row.own, row.inclusive);
            let name = lossy(profile.name(row.symbol));
            write!(
                out,
                "{},{},{},{}",
                field(&name),
                all.calls,
                own.wall,
                all.wall
            )?;
            if metrics.cpu {
                write!(out, ",{},{}", own.cpu, all.cpu)?;
            }
            if metrics.memory {
                write!(out, ",{},{}", own.memory, all.memory)?;
                write!(out, ",{},{}", own.peak, all.peak)?;
            }
            let symbol = profile.symbols.get(row.symbol.index());
            let file = symbol.and_then(|symbol| symbol.file.as_deref());
            let file = lossy(file.unwrap_or_default());
            let line = symbol.map_or(0, |symbol| symbol.line);
            write!(out, ",{},{line}\r\n", field(&file))?;
        }
        Ok(out.flush()?)
    }
}

/// What is counted, as part of a column's name.
fn word(text: &str) -> String {
    let letters = text.chars();
    letters
        .map(|letter| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect()
}

/// A field, in quotes where it needs them.
fn field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
