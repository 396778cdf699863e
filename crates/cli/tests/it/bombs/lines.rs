//! Formats of lines: Callgrind, Blackfire, Xdebug's traces.

use super::stacks::list;
use super::{Bomb, Expect, bomb};

const XDEBUG: &[u8] = b"version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\nevents: Time_(10ns)\n\n";

pub(super) const BOMBS: &[Bomb] = &[
    bomb("callgrind: names", Expect::Limit, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\n")?;
        for number in 0..500_000 {
            write!(out, "fn=({number}) f{number}\n1 1\n")?;
        }
        Ok(())
    }),
    bomb("callgrind: numbers of names", Expect::Limit, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\n")?;
        for number in 0..2_000_000_u64 {
            writeln!(out, "fn=({}) f", number << 20)?;
        }
        out.write_all(b"1 1\n")
    }),
    bomb("callgrind: files", Expect::Limit, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\n")?;
        for number in 0..500_000 {
            writeln!(out, "fl=({number}) /{number}.php")?;
        }
        out.write_all(b"fn=f\n1 1\n")
    }),
    bomb("callgrind: edges", Expect::Limit, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\n")?;
        for number in 0..1000 {
            writeln!(out, "fn=({number}) f{number}\n1 1")?;
        }
        for number in 0..1000 {
            writeln!(out, "fn=({number})")?;
            for callee in 0..500 {
                write!(out, "cfn=({callee})\ncalls=1 1\n1 1\n")?;
            }
        }
        Ok(())
    }),
    bomb("callgrind: equal calls", Expect::Read, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\nfn=f\n1 1\n")?;
        list(out, b"cfn=g\ncalls=1 1\n1 1\n", 200_000)
    }),
    bomb(
        "callgrind-xdebug: calls without a caller",
        Expect::Read,
        |out| {
            // Too many to keep apart: they become edges.
            out.write_all(XDEBUG)?;
            list(out, b"fl=(1) /a.php\nfn=(1) f\n1 1\n\n", 400_000)
        },
    ),
    bomb(
        "callgrind-xdebug: calls of one block",
        Expect::Limit,
        |out| {
            out.write_all(XDEBUG)?;
            out.write_all(b"fl=(1) /a.php\nfn=(1) f\n1 1\n")?;
            list(out, b"cfn=(1)\ncalls=1 0\n1 1\n", 2_000_000)
        },
    ),
    bomb("callgrind: a line without end", Expect::Refused, |out| {
        out.write_all(b"# callgrind format\nevents: Ir\nfn=")?;
        list(out, b"x", 20_000_000)
    }),
    bomb("blackfire: rows", Expect::Limit, |out| {
        out.write_all(b"file-format: BlackfireProbe\ncost-dimensions: wt\n\nmain()//1 1\n")?;
        for number in 0..300_000 {
            writeln!(out, "main()==>f{number}//1 1")?;
        }
        Ok(())
    }),
    bomb("blackfire: a row for each sample", Expect::Read, |out| {
        out.write_all(b"file-format: BlackfireProbe\ncost-dimensions: wt\n\nmain()//1 1\n")?;
        list(out, b"main()==>f//1 1\n", 300_000)
    }),
    bomb("blackfire: headers", Expect::Refused, |out| {
        out.write_all(b"file-format: BlackfireProbe\n")?;
        for number in 0..300_000 {
            writeln!(out, "a{number}: {number}")?;
        }
        Ok(())
    }),
    bomb("xdebug-trace: open calls", Expect::Limit, |out| {
        out.write_all(b"Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-22 08:00:00]\n")?;
        for number in 0..700_000 {
            writeln!(out, "{number}\t{number}\t0\t0.1\t400\tf\t1\t\t/a.php\t1\t0")?;
        }
        Ok(())
    }),
    bomb(
        "xdebug-trace: open calls of people's format",
        Expect::Limit,
        |out| {
            out.write_all(b"TRACE START [2026-11-22 08:00:00]\n")?;
            for number in 0..700_000 {
                // As deep as a line may be, and then not deeper.
                writeln!(
                    out,
                    "0.1 400 {:1$}-> f{number}() /a.php:1",
                    "",
                    2 + number % 7
                )?;
            }
            Ok(())
        },
    ),
    bomb("xdebug-trace: names", Expect::Limit, |out| {
        out.write_all(b"TRACE START [2026-11-22 08:00:00]\n")?;
        for number in 0..500_000 {
            writeln!(out, "0.1 400   -> f{number}() /a.php:1")?;
        }
        Ok(())
    }),
];
