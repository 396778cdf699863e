//! Browsers' formats: Chrome's trace events, V8's CPU profiles, Firefox.

use super::stacks::list;
use super::{Bomb, Expect, bomb};

const NODES: &[u8] =
    b"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\"}}],\"endTime\":9";
const CALL: &[u8] = b"{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"f\"}";

pub(super) const BOMBS: &[Bomb] = &[
    bomb("chrome-trace: calls", Expect::Limit, |out| {
        out.write_all(b"[")?;
        list(out, &[CALL, b","].concat(), 1_000_000)?;
        out.write_all(b"{}]")
    }),
    bomb(
        "chrome-trace: events without a phase",
        Expect::Read,
        |out| {
            out.write_all(b"[")?;
            out.write_all(CALL)?;
            list(out, b",{}", 1_000_000)?;
            out.write_all(b"]")
        },
    ),
    bomb("chrome-trace: threads", Expect::Limit, |out| {
        out.write_all(b"[")?;
        for number in 0..400_000 {
            write!(
                out,
                "{{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"f\",\"tid\":{number}}},"
            )?;
        }
        out.write_all(b"{}]")
    }),
    bomb("cpuprofile: samples", Expect::Limit, |out| {
        out.write_all(NODES)?;
        out.write_all(b",\"samples\":[1")?;
        list(out, b",1", 9_000_000)?;
        out.write_all(b"]}")
    }),
    bomb("cpuprofile: times", Expect::Limit, |out| {
        out.write_all(NODES)?;
        out.write_all(b",\"samples\":[1],\"timeDeltas\":[1")?;
        list(out, b",1", 9_000_000)?;
        out.write_all(b"]}")
    }),
    bomb("cpuprofile: nodes", Expect::Limit, |out| {
        out.write_all(b"{\"nodes\":[")?;
        for number in 0..500_000 {
            write!(
                out,
                "{{\"id\":{number},\"callFrame\":{{\"functionName\":\"f\"}}}},"
            )?;
        }
        out.write_all(b"{\"id\":-1,\"callFrame\":{}}],\"endTime\":9,\"samples\":[]}")
    }),
    bomb("firefox: stacks", Expect::Limit, |out| {
        out.write_all(b"{\"meta\":{\"preprocessedProfileVersion\":55},\"threads\":[")?;
        out.write_all(b"{\"samples\":{\"stack\":[0")?;
        list(out, b",0", 18_000_000)?;
        out.write_all(b"]}}]}")
    }),
];
