//! Formats of whole stacks: speedscope, PerfView, collapsed stacks.

use std::io::{self, Write};

use super::{Bomb, Expect, Packed, bomb};

const HEAD: &[u8] = b"{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[";

pub(super) const BOMBS: &[Bomb] = &[
    bomb("speedscope: a deep stack", Expect::Limit, |out| {
        sampled(out, b"0", 2_000_000)
    }),
    bomb("speedscope: empty stacks", Expect::Limit, |out| {
        out.write_all(HEAD)?;
        out.write_all(b"{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[],\"samples\":[[]")?;
        list(out, b",[]", 10_000_000)?;
        out.write_all(b"]}]}")
    }),
    bomb("speedscope: weights", Expect::Limit, |out| {
        out.write_all(HEAD)?;
        out.write_all(b"{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[0")?;
        list(out, b",0", 10_000_000)?;
        out.write_all(b"],\"samples\":[]}]}")
    }),
    bomb("speedscope: profiles", Expect::Limit, |out| {
        out.write_all(HEAD)?;
        for number in 0..500_000 {
            write!(out, "{{\"name\":\"{number}\"}},")?;
        }
        out.write_all(b"{}]}")
    }),
    bomb("speedscope: frames", Expect::Limit, |out| {
        out.write_all(b"{\"shared\":{\"frames\":[{\"name\":\"f\"}")?;
        for number in 0..500_000 {
            write!(out, ",{{\"name\":\"{number}\"}}")?;
        }
        out.write_all(b"]},\"profiles\":[]}")
    }),
    bomb("speedscope: frames of one name", Expect::Refused, |out| {
        out.write_all(b"{\"shared\":{\"frames\":[{\"name\":\"f\"}")?;
        list(out, b",{}", 3_000_000)?;
        out.write_all(b"]},\"profiles\":[]}")
    }),
    bomb("speedscope: one long name", Expect::Refused, |out| {
        out.write_all(b"{\"shared\":{\"frames\":[{\"name\":\"")?;
        for _ in 0..20_000 {
            out.write_all(&[b'x'; 1000])?;
        }
        out.write_all(b"\"}]},\"profiles\":[]}")
    }),
    bomb("speedscope: what is not known", Expect::Refused, |out| {
        out.write_all(b"{\"shared\":{\"frames\":[]},\"x\":[{}")?;
        list(out, b",{\"\":[]}", 1_000_000)?;
        out.write_all(b"]}")
    }),
    bomb("speedscope: nesting", Expect::Refused, |out| {
        out.write_all(b"{\"shared\":{\"frames\":[]},\"x\":")?;
        list(out, b"[", 1_000_000)
    }),
    bomb("speedscope-evented: open calls", Expect::Limit, |out| {
        out.write_all(HEAD)?;
        out.write_all(b"{\"type\":\"evented\",\"unit\":\"none\",\"events\":[{\"type\":\"O\"}")?;
        list(out, b",{\"type\":\"O\"}", 2_000_000)?;
        out.write_all(b"]}]}")
    }),
    bomb("speedscope-evented: events", Expect::Limit, |out| {
        out.write_all(HEAD)?;
        out.write_all(b"{\"type\":\"evented\",\"unit\":\"none\",\"events\":[{}")?;
        list(out, b",{}", 5_000_000)?;
        out.write_all(b"]}]}")
    }),
    bomb("perfview: samples", Expect::Limit, |out| {
        out.write_all(b"<StackSource><Frames><Frame ID=\"0\">f</Frame></Frames><Stacks>")?;
        out.write_all(b"<Stack ID=\"0\" CallerID=\"-1\" FrameID=\"0\"/></Stacks><Samples>")?;
        for number in 0..1_000_000 {
            write!(out, "<Sample Time=\"{number}\" StackID=\"0\"/>")?;
        }
        out.write_all(b"</Samples></StackSource>")
    }),
    bomb("perfview: equal samples", Expect::Read, |out| {
        out.write_all(b"<StackSource><Frames><Frame ID=\"0\">f</Frame></Frames><Stacks>")?;
        out.write_all(b"<Stack ID=\"0\" CallerID=\"-1\" FrameID=\"0\"/></Stacks><Samples>")?;
        list(out, b"<Sample StackID=\"0\"/>", 500_000)?;
        out.write_all(b"</Samples></StackSource>")
    })
    .packed(Packed::No),
    bomb("perfview: stacks", Expect::Limit, |out| {
        out.write_all(b"<StackSource><Stacks>")?;
        for number in 0..1_500_000 {
            write!(
                out,
                "<Stack ID=\"{number}\" CallerID=\"{}\" FrameID=\"0\"/>",
                number - 1
            )?;
        }
        out.write_all(b"</Stacks><Samples></Samples></StackSource>")
    }),
    bomb("perfview, zip: frames", Expect::Limit, |out| {
        out.write_all(b"<StackSource><Frames>")?;
        for number in 0..500_000 {
            write!(out, "<Frame ID=\"{number}\">{number}</Frame>")?;
        }
        out.write_all(b"</Frames></StackSource>")
    })
    .packed(Packed::Zip),
    bomb("perfview: one long text", Expect::Limit, |out| {
        out.write_all(b"<StackSource><Samples><Sample>")?;
        list(out, b"f\n", 20_000_000)?;
        out.write_all(b"</Sample></Samples></StackSource>")
    }),
    bomb("perfview: nesting", Expect::Refused, |out| {
        list(out, b"<StackSource>", 1_000_000)
    }),
    bomb("perfview-json: samples", Expect::Limit, |out| {
        out.write_all(b"{\"StackSource\":{\"Samples\":[")?;
        for number in 0..1_000_000 {
            write!(out, "{{\"Time\":{number},\"Stack\":[\"f\"]}},")?;
        }
        out.write_all(b"{\"Stack\":[\"f\"]}]}}")
    }),
    bomb("perfview-json, zip: a deep stack", Expect::Limit, |out| {
        out.write_all(b"{\"StackSource\":{\"Samples\":[{\"Stack\":[\"f\"")?;
        list(out, b",\"f\"", 20_000_000)?;
        out.write_all(b"]}]}}")
    })
    .packed(Packed::Zip),
    bomb("collapsed: equal stacks", Expect::Read, |out| {
        list(out, b"main();a;b 1\n", 1_000_000)
    }),
    bomb("collapsed: a deep stack", Expect::Limit, |out| {
        list(out, b"a;", 4_000_000)?;
        out.write_all(b"a 1\n")
    }),
    bomb("collapsed: a line without end", Expect::Refused, |out| {
        list(out, b"a;", 20_000_000)
    }),
    bomb("collapsed: long names", Expect::Limit, |out| {
        out.write_all(b"main();a 1\n")?;
        for number in 0..100 {
            write!(out, "{number}")?;
            list(out, &[b'x'; 1000], 1000)?;
            out.write_all(b" 1\n")?;
        }
        Ok(())
    }),
    bomb("collapsed: names", Expect::Limit, |out| {
        for number in 0..500_000 {
            writeln!(out, "main();{number} 1")?;
        }
        Ok(())
    }),
];

/// 2.9 MB of profiles that are empty.
pub(super) const SPEEDSCOPE_PROFILES: Bomb = bomb("speedscope: 2.9 MB", Expect::Read, |out| {
    out.write_all(HEAD)?;
    list(out, b"{},", 966_000)?;
    out.write_all(b"{}]}")
})
.packed(Packed::No);

/// 2.9 MB of one stack.
pub(super) const SPEEDSCOPE_DEEP: Bomb = bomb("speedscope: 2.9 MB deep", Expect::Read, |out| {
    sampled(out, b"0", 1_450_000)
})
.packed(Packed::No);

fn sampled(out: &mut dyn Write, frame: &[u8], depth: usize) -> io::Result<()> {
    out.write_all(HEAD)?;
    out.write_all(b"{\"type\":\"sampled\",\"unit\":\"none\",\"weights\":[1],\"samples\":[[0")?;
    list(out, &[b",", frame].concat(), depth)?;
    out.write_all(b"]]}]}")
}

/// The same, many times.
pub(super) fn list(out: &mut dyn Write, bytes: &[u8], times: usize) -> io::Result<()> {
    let count = (1 << 20) / bytes.len();
    let many = bytes.repeat(count.min(times));
    for _ in 0..times / count {
        out.write_all(&many)?;
    }
    for _ in 0..times % count {
        out.write_all(bytes)?;
    }
    Ok(())
}
