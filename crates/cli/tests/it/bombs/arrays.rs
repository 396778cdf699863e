//! XHProf's array in PHP's serialization and in JSON, with its metadata.

use super::{Bomb, Expect, Packed, bomb};

pub(super) const BOMBS: &[Bomb] = &[
    bomb("xhprof: rows", Expect::Limit, |out| {
        write!(out, "a:500001:{{")?;
        for number in 0..500_000 {
            write!(out, "s:11:\"f{number:06}==>g\";a:1:{{s:2:\"wt\";i:1;}}")?;
        }
        out.write_all(b"s:6:\"main()\";a:1:{s:2:\"wt\";i:9;}}")
    }),
    bomb("xhprof: a claim of rows", Expect::Refused, |out| {
        out.write_all(b"a:4000000000:{s:6:\"main()\";a:1:{s:2:\"wt\";i:9;}}")
    }),
    bomb("xhprof: nesting", Expect::Refused, |out| {
        for _ in 0..1_000_000 {
            out.write_all(b"a:1:{i:0;")?;
        }
        Ok(())
    }),
    bomb("xhprof: samples of long stacks", Expect::Limit, |out| {
        write!(out, "a:40:{{")?;
        for number in 10..50 {
            let stack = "f==>".repeat(500_000 + number);
            write!(
                out,
                "s:12:\"1700000000.{number}\";s:{}:\"{stack}g\";",
                stack.len() + 1
            )?;
        }
        out.write_all(b"}")
    }),
    bomb("xhprof: one long name", Expect::Limit, |out| {
        write!(out, "a:2:{{s:100000000:\"")?;
        for _ in 0..100_000 {
            out.write_all(&[b'x'; 1000])?;
        }
        out.write_all(b"\";a:0:{}s:6:\"main()\";a:1:{s:2:\"wt\";i:9;}}")
    }),
    bomb("xhprof-json: rows", Expect::Limit, |out| {
        out.write_all(b"{")?;
        for number in 0..500_000 {
            write!(out, "\"f{number}==>g\":{{\"wt\":1}},")?;
        }
        out.write_all(b"\"main()\":{\"wt\":1}}")
    }),
    bomb("xhprof-json: metrics of one row", Expect::Read, |out| {
        out.write_all(b"{\"main()==>f\":{")?;
        for number in 0..300_000 {
            write!(out, "\"{number}\":{{\"\":[[]]}},")?;
        }
        out.write_all(b"\"wt\":1},\"main()\":{\"wt\":1}}")
    }),
    bomb("xhprof-json: one long name", Expect::Refused, |out| {
        out.write_all(b"{\"main()==>")?;
        for _ in 0..20_000 {
            out.write_all(&[b'x'; 1000])?;
        }
        out.write_all(b"\":{\"wt\":1},\"main()\":{\"wt\":1}}")
    }),
    bomb("xhprof-json: nothing but blanks", Expect::Limit, |out| {
        out.write_all(b"{\"main()\":{\"wt\":1}")?;
        for _ in 0..100_000 {
            out.write_all(&[b' '; 1000])?;
        }
        out.write_all(b"}")
    }),
    bomb("xhprof-json: nesting", Expect::Refused, |out| {
        out.write_all(b"{\"main()\":{\"wt\":1},\"meta\":")?;
        for _ in 0..1_000_000 {
            out.write_all(b"[")?;
        }
        Ok(())
    }),
    bomb("xhgui: what is around the profile", Expect::Read, |out| {
        out.write_all(b"{\"profile\":{\"main()\":{\"wt\":1}},\"meta\":{\"env\":[{\"\":0}")?;
        for _ in 0..2_000_000 {
            out.write_all(b",{\"\":0}")?;
        }
        out.write_all(b"],\"url\":\"/\"}}")
    }),
    bomb("buggregator: tags", Expect::Read, |out| {
        out.write_all(b"{\"profile\":{\"main()\":{\"wt\":1}},\"tags\":{\"a\":[{\"\":0}")?;
        for _ in 0..2_000_000 {
            out.write_all(b",{\"\":0}")?;
        }
        out.write_all(b"],\"b\":1}}")
    }),
];

/// 3 MB of small objects beside the profile.
pub(super) const XHPROF_JSON_AROUND: Bomb = bomb("xhprof-json: around", Expect::Read, |out| {
    out.write_all(b"{\"profile\":{\"main()\":{\"wt\":1}},\"meta\":{\"x\":[{\"\":0}")?;
    for _ in 0..430_000 {
        out.write_all(b",{\"\":0}")?;
    }
    out.write_all(b"]}}")
})
.packed(Packed::No);

/// 3 MB of rows.
pub(super) const XHPROF_JSON_ROWS: Bomb = bomb("xhprof-json: 3 MB of rows", Expect::Read, |out| {
    out.write_all(b"{")?;
    for number in 0..145_000 {
        write!(out, "\"{number:05}==>b\":{{\"ct\":1}},")?;
    }
    out.write_all(b"\"main()\":{\"wt\":1}}")
})
.packed(Packed::No);
