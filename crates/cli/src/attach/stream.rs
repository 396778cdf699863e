//! Stacks for a pipe, a line each: `main();a;b 12`.

use std::collections::HashMap;
use std::io::Write;

use ::attach::{Frame, Symbols};
use anyhow::{Context, Result};
use profile::SymbolId;

/// The stacks since the last [`write`](Self::write), with the number of their samples.
#[derive(Debug, Default)]
pub(super) struct Stream {
    stacks: HashMap<Vec<SymbolId>, u64>,
}

impl Stream {
    /// Adds a stack.
    pub(super) fn add(&mut self, frames: &[Frame]) {
        let stack = frames.iter().map(|frame| frame.symbol).collect();
        *self.stacks.entry(stack).or_default() += 1;
    }

    /// Adds a worker that waits for a request.
    pub(super) fn add_idle(&mut self) {
        *self.stacks.entry(vec![Symbols::IDLE]).or_default() += 1;
    }

    /// Writes the stacks, and forgets them.
    pub(super) fn write(&mut self, symbols: &Symbols, out: &mut impl Write) -> Result<()> {
        let mut lines = Vec::new();
        for (stack, number) in self.stacks.drain() {
            let mut line = profile::Symbol::MAIN.to_vec();
            for symbol in stack {
                line.push(b';');
                // The separators of the format have no escape.
                line.extend(symbols.name(symbol).iter().map(|byte| match byte {
                    b';' => b':',
                    b'\n' | b'\r' => b' ',
                    byte => *byte,
                }));
            }
            line.extend_from_slice(format!(" {number}\n").as_bytes());
            lines.push(line);
        }
        lines.sort_unstable();
        out.write_all(&lines.concat())
            .and_then(|()| out.flush())
            .context("cannot write to standard output")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one_line() {
        let symbols = Symbols::default();
        let idle = Frame::of(Symbols::IDLE);
        let mut stream = Stream::default();
        stream.add(&[]);
        stream.add(&[idle, idle]);
        stream.add(&[]);
        stream.add_idle();
        let mut written = Vec::new();
        stream.write(&symbols, &mut written).unwrap();
        assert_eq!(
            written,
            b"main() 2\nmain();[idle] 1\nmain();[idle];[idle] 1\n"
        );
        written.clear();
        stream.write(&symbols, &mut written).unwrap();
        assert!(written.is_empty());
    }
}
