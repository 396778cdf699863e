//! Nested entries and exits, for formats with one stack: when another fiber
//! resumes, the calls of the current one are closed, and opened again when it
//! resumes.
//!
//! **Invariant:** every opened function is closed, the last one first.

use std::collections::HashMap;
use std::io;

use profile::{EventKind, Events, Instant, SymbolId};

/// The open calls of one fiber.
#[derive(Debug, Default)]
struct Stack {
    open: Vec<SymbolId>,
    /// How many of them belong to the function that started the fiber.
    base: usize,
}

/// Calls `visit` with every entry (true) and exit, that of `main()` first and
/// last.
pub(crate) fn visit(
    events: &Events,
    mut visit: impl FnMut(bool, SymbolId, Instant) -> io::Result<()>,
) -> io::Result<()> {
    visit(true, SymbolId::ROOT, Instant::default())?;
    let mut stacks: HashMap<u32, Stack> = HashMap::new();
    let mut current = Stack::default();
    let mut number = 0;
    for event in &events.events {
        match event.kind {
            EventKind::Enter(symbol) => {
                current.open.push(symbol);
                visit(true, symbol, event.at)?;
            }
            EventKind::Leave if current.open.len() > current.base => {
                if let Some(symbol) = current.open.pop() {
                    visit(false, symbol, event.at)?;
                }
            }
            EventKind::Leave => {}
            EventKind::Switch(to) if to == number => {}
            EventKind::Switch(to) => {
                let next = stacks.remove(&to).unwrap_or_else(|| Stack {
                    base: current.open.len(),
                    open: current.open.clone(),
                });
                let pairs = current.open.iter().zip(&next.open);
                let same = pairs.take_while(|(one, other)| one == other).count();
                for &symbol in current.open.iter().skip(same).rev() {
                    visit(false, symbol, event.at)?;
                }
                for &symbol in next.open.iter().skip(same) {
                    visit(true, symbol, event.at)?;
                }
                stacks.insert(number, std::mem::replace(&mut current, next));
                number = to;
            }
        }
    }
    for &symbol in current.open.iter().rev() {
        visit(false, symbol, events.end)?;
    }
    visit(false, SymbolId::ROOT, events.end)
}
