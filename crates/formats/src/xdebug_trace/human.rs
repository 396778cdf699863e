//! Parses a line of a trace in format 0: time, memory, and an arrow indented by
//! the call's level: `0.0003  406784     -> App\run() /t.php:25`.

use super::{Reason, Record, at};

/// Parses a line.
pub(super) fn record(line: &[u8]) -> Result<Record<'_>, Reason> {
    let line = line.trim_ascii_start();
    // `=> $a = 5`: an assignment to a variable.
    if line.starts_with(b"=>") {
        return Ok(Record::Other);
    }
    let (wall, rest) = word(line);
    let (memory, rest) = word(rest.trim_ascii_start());
    let at = at(wall, memory)?;
    let indent = rest.iter().take_while(|&&byte| byte == b' ').count();
    match rest.get(indent..).unwrap_or_default() {
        [] => Ok(Record::End(at)),
        [b'-', b'>', b' ', call @ ..] => {
            let (name, file) = called(call).ok_or("a call without a name")?;
            Ok(Record::Enter {
                level: indent.saturating_sub(1) / 2,
                number: None,
                at,
                name,
                is_internal: false,
                file,
            })
        }
        // `>=> 5`: a return value, and so the time of the return.
        [b'>', b'=', b'>', ..] => Ok(Record::LeaveLevel {
            level: indent.saturating_sub(2) / 2,
            at,
        }),
        _ => Err("neither a call nor a return value"),
    }
}

fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| byte == b' ');
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or_default()
}

/// The name in `name(arguments) file:line`, and the file that `include` loads.
fn called(call: &[u8]) -> Option<(&[u8], &[u8])> {
    // A closure's name contains its file in braces, with arbitrary characters.
    let braces = match call.iter().position(|&byte| matches!(byte, b'{' | b'('))? {
        at if call.get(at) == Some(&b'{') => call.iter().position(|&byte| byte == b'}')?,
        _ => 0,
    };
    let end = call.get(braces..)?.iter().position(|&byte| byte == b'(')?;
    let (name, rest) = call.split_at_checked(braces + end)?;
    let is_file = [
        &b"include"[..],
        b"include_once",
        b"require",
        b"require_once",
    ]
    .contains(&name);
    let file = if is_file {
        let end = rest.windows(2).rposition(|two| two == b") ")?;
        rest.get(1..end)?
    } else {
        b""
    };
    (!name.is_empty()).then_some((name, file))
}

#[cfg(test)]
mod tests {
    use super::super::At;
    use super::*;

    #[test]
    fn the_arrow_says_how_deep_a_call_is() {
        let at = At {
            wall_ns: 300_000,
            memory: 406_784,
        };
        let enter = |level, name, file| Record::Enter {
            level,
            number: None,
            at,
            name,
            is_internal: false,
            file,
        };
        for (line, expected) in [
            (
                "    0.0003     406784   -> {main}() /t.php:0",
                enter(1, &b"{main}"[..], &b""[..]),
            ),
            (
                "    0.0003     406784     -> App\\C->get($k = '(k0)') /t.php:12",
                enter(2, b"App\\C->get", b""),
            ),
            (
                "    0.0003     406784     -> A\\{closure:/a (1)/t.php:1-5}($x = 1) /t.php:15",
                enter(2, b"A\\{closure:/a (1)/t.php:1-5}", b""),
            ),
            (
                "    0.0003     406784     -> include(/a (1)/inc.php) /t.php:19",
                enter(2, b"include", b"/a (1)/inc.php"),
            ),
            (
                "    0.0003     406784     -> eval('f(1);') /t.php:19",
                enter(2, b"eval", b""),
            ),
            (
                "    0.0003     406784      >=> NULL",
                Record::LeaveLevel { level: 2, at },
            ),
            ("    0.0003     406784", Record::End(at)),
            (
                "                             => $a = 'q' /e.php:3",
                Record::Other,
            ),
        ] {
            assert_eq!(record(line.as_bytes()), Ok(expected), "{line}");
        }
        for line in [
            "x",
            "0.1",
            "0.1 5 f()",
            "0.1 5 -> f",
            "0.1 5 -> (1) /a",
            "0.1 5 -> {x( /a",
        ] {
            assert!(record(line.as_bytes()).is_err(), "{line}");
        }
    }
}
