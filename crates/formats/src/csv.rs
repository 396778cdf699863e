//! The function table as CSV (RFC 4180), for spreadsheets and scripts.
//!
//! Every function is in the table, the largest self cost first, and every cost
//! in the finest unit, without rounding. The columns are part of the format:
//! new ones are added at the end.
//!
//! A name or a path that a spreadsheet would evaluate as a formula (`=`, `+`,
//! `-`, `@` or a tab at its beginning, after blanks) gets an apostrophe before
//! it: names come from programs, which may be hostile. Numbers stay numbers,
//! also negative ones. This crate has no CSV reader, so no reader has to remove
//! the apostrophe.

use std::borrow::Cow;
use std::io::{BufWriter, Write};

use profile::{Profile, WallUnit};

use crate::format::{Format, Holds, Writes};
use crate::shared::graph::rows_by_own_wall;
use crate::shared::text::lossy;
use crate::{WriteError, WriteOptions};

/// The function table as CSV.
pub const CSV: Format = Format {
    id: "csv",
    name: "CSV",
    endings: &["csv"],
    warning: None,
    reads: None,
    writes: Some(Writes::new(Holds::Edges, write).all_metrics()),
};

fn write(
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
    let table = rows_by_own_wall(profile);
    for row in &table.rows {
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
        let symbol = profile.symbol(row.symbol);
        let (file, line) = (symbol.file.as_deref(), symbol.line);
        let file = lossy(file.unwrap_or_default());
        write!(out, ",{},{line}\r\n", field(&file))?;
    }
    Ok(out.flush()?)
}

/// The counted unit, as part of a column's name.
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

/// A field of text, in quotes if necessary, and never a formula.
fn field(text: &str) -> Cow<'_, str> {
    let mark = if is_formula(text) { "'" } else { "" };
    if text.contains([',', '"']) {
        Cow::Owned(format!("\"{mark}{}\"", text.replace('"', "\"\"")))
    } else if mark.is_empty() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{mark}{text}"))
    }
}

/// Whether a spreadsheet would evaluate it. Some remove blanks first.
fn is_formula(text: &str) -> bool {
    let begin = text.trim_start_matches(' ');
    begin.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use profile::{Body, Cost, NodeId, Symbol, SymbolId, TreeBuilder};

    use super::*;

    #[test]
    fn text_is_no_formula_whatever_it_begins_with() {
        for (text, expected) in [
            ("strlen", "strlen"),
            ("a-b=c", "a-b=c"),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-x", "'-x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("  =1", "'  =1"),
            ("=cmd|'/c calc'!A1,2", "\"'=cmd|'/c calc'!A1,2\""),
            ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("", ""),
        ] {
            assert_eq!(field(text), expected);
        }
    }

    #[test]
    fn numbers_below_zero_stay_numbers() {
        let mut profile = Profile::empty();
        let mut symbol = Symbol::new(&b"=1+1"[..]);
        symbol.file = Some(b"-f.php"[..].into());
        profile.symbols.push(symbol);
        let mut builder = TreeBuilder::new();
        let node = builder.child(NodeId::ROOT, SymbolId(1));
        *builder.cost(node) += Cost {
            calls: 1,
            memory: -48,
            ..Cost::default()
        };
        profile.body = Body::Tree(builder.finish_self_costs());
        profile.metrics.memory = true;
        let mut out = Vec::new();
        write(&profile, &WriteOptions::default(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains("\r\n'=1+1,1,0,0,-48,-48,0,0,'-f.php,0\r\n"),
            "{text}"
        );
    }
}
