//! The lines of the instructions that frames execute.

use profile::NumberMap;

use crate::memory::Memory;

/// How many lines are remembered.
const MAX_LINES: usize = 1 << 18;

/// The lines of one process, by the address of an instruction and the number of its function:
/// another function at the same address has another number.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    known: NumberMap<(u64, u64), u32>,
}

impl Lines {
    /// Reads the lines of `oplines`, each the address of an instruction and the number of its function. A line is
    /// `lineno` bytes behind the address; zero if it cannot be read. An address of zero has none.
    pub(crate) fn read<'l, M: Memory>(
        &mut self,
        memory: &M,
        lineno: u64,
        oplines: &[(u64, u64)],
        lines: impl Iterator<Item = &'l mut u32>,
    ) {
        let mut missing = Vec::new();
        for (opline, line) in oplines.iter().zip(lines) {
            match self.known.get(opline) {
                Some(known) => *line = *known,
                None if opline.0 != 0 => missing.push((*opline, line, [0; 4])),
                None => {}
            }
        }
        if missing.is_empty() {
            return;
        }
        let pieces = missing.iter_mut().map(|(opline, _, bytes)| {
            let address = opline.0.wrapping_add(lineno);
            (address, bytes.as_mut_slice())
        });
        let mut pieces: Vec<_> = pieces.collect();
        if memory.read_all(&mut pieces).is_err() {
            for (address, bytes) in &mut pieces {
                if memory.read(*address, bytes).is_err() {
                    bytes.fill(0);
                }
            }
        }
        for (opline, line, bytes) in missing {
            *line = u32::from_le_bytes(bytes);
            if *line != 0 {
                if self.known.len() >= MAX_LINES {
                    self.known.clear();
                }
                self.known.insert(opline, *line);
            }
        }
    }
}
