//! Parses a line of a trace in format 1: fields separated by tabs. Level,
//! number of the call, type: 0 is an entry, 1 an exit, R a return value, A an
//! assignment to a variable.

use super::{Reason, Record, at, number};

/// Parses a line.
pub(super) fn record(line: &[u8]) -> Result<Record<'_>, Reason> {
    let mut fields = line.split(|&byte| byte == b'\t');
    let mut field = || fields.next().unwrap_or_default();
    let (level, call, kind) = (field(), field(), field());
    match kind {
        b"0" => {
            let at = at(field(), field())?;
            let (name, is_user, file) = (field(), field(), field());
            if name.is_empty() {
                return Err("an entry without a name");
            }
            let level = number(level).and_then(|level| usize::try_from(level).ok());
            // The code of `eval` is in the same field: it is not a file name.
            let is_file = name.starts_with(b"include") || name.starts_with(b"require");
            Ok(Record::Enter {
                level: level.ok_or("the level is not a number")?,
                number: Some(number(call).ok_or("the number of the call is not a number")?),
                at,
                name,
                is_internal: is_user == b"0",
                file: if is_file { file } else { b"" },
            })
        }
        b"1" => Ok(Record::Leave {
            number: number(call).ok_or("the number of the call is not a number")?,
            at: at(field(), field())?,
        }),
        b"R" | b"A" => Ok(Record::Other),
        b"" if level.is_empty() && call.is_empty() => Ok(Record::End(at(field(), field())?)),
        _ => Err("neither an entry nor an exit"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::At;
    use super::*;

    #[test]
    fn lines_are_entries_and_ends() {
        let at = At {
            wall_ns: 338_000,
            memory: 406_824,
        };
        let enter = |name, is_internal, file| Record::Enter {
            level: 4,
            number: Some(6),
            at,
            name,
            is_internal,
            file,
        };
        for (line, expected) in [
            (
                "4\t6\t0\t0.000338\t406824\tstrlen\t0\t\t/t.php\t4\t1\t'k1'",
                enter(b"strlen", true, b""),
            ),
            (
                "4\t6\t0\t0.000338\t406824\tinclude\t1\t/inc.php\t/t.php\t19\t0",
                enter(b"include", false, b"/inc.php"),
            ),
            (
                "4\t6\t0\t0.000338\t406824\teval\t1\t'a();'\t/t.php\t19\t0",
                enter(b"eval", false, b""),
            ),
            ("4\t6\t1\t0.000338\t406824", Record::Leave { number: 6, at }),
            ("\t\t\t0.000338\t406824", Record::End(at)),
            ("2\t3\tR\t\t\tNULL", Record::Other),
            ("2\t\tA\t\t\t\t\t\t/e.php\t3\t$a = 'q'", Record::Other),
        ] {
            assert_eq!(record(line.as_bytes()), Ok(expected), "{line}");
        }
        for line in [
            "x",
            "1\t2\t3",
            "1\t2\t0",
            "x\t2\t0\t0.1\t1\tf",
            "1\t\t1\t0.1\t1",
            "1\t2\t1\t0.1\t-1",
            "1\t2\t0\t0.1\t1\t",
        ] {
            assert!(record(line.as_bytes()).is_err(), "{line}");
        }
    }
}
