//! The names of functions, by numbers of this process.
//!
//! Cells have names of their own, so that servers need no common numbering. A
//! question that adds cells up gives each name a number here.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use profile::Symbol;

/// All names that questions met so far.
#[derive(Debug)]
pub(super) struct Names {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    list: Arc<Vec<Symbol>>,
    numbers: HashMap<Box<[u8]>, u32>,
}

impl Default for Names {
    fn default() -> Self {
        // 0 is no function.
        let list = Arc::new(vec![Symbol::new(*b"[unknown]")]);
        let numbers = HashMap::new();
        Self {
            state: Mutex::new(State { list, numbers }),
        }
    }
}

impl Names {
    /// The numbers of these symbols.
    pub(super) fn numbers(&self, symbols: &[Symbol]) -> Vec<u32> {
        let mut state = self.state.lock();
        let State { list, numbers } = &mut *state;
        let number = |symbol: &Symbol| {
            if let Some(&number) = numbers.get(&symbol.name) {
                return number;
            }
            let number = u32::try_from(list.len()).unwrap_or(0);
            Arc::make_mut(list).push(symbol.clone());
            numbers.insert(symbol.name.clone(), number);
            number
        };
        symbols.iter().map(number).collect()
    }

    /// All names so far.
    pub(super) fn all(&self) -> Arc<Vec<Symbol>> {
        Arc::clone(&self.state.lock().list)
    }
}
