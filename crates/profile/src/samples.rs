//! Samples: what the stack was, at some instants.
//!
//! A sampled run counts where a program *was*, and knows neither calls nor
//! costs. A function's share is the part of all samples it is in.

use crate::{Symbol, SymbolId};

/// One stack, taken at one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Microseconds since the Unix epoch.
    pub taken_unix_us: u64,
    /// Root first.
    pub stack: Box<[SymbolId]>,
}

/// Everything one sampled run recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// The functions, in the order in which they were first seen.
    pub symbols: Vec<Symbol>,
    /// In the order of the file they come from.
    pub samples: Vec<Sample>,
}

/// How often one function was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledFunction {
    /// The function.
    pub symbol: SymbolId,
    /// Samples with the function anywhere on the stack, each counted once.
    pub inclusive: u64,
    /// Samples with the function on top.
    pub own: u64,
}

impl Samples {
    /// How often each function was seen, in the order of `symbols`.
    #[must_use]
    pub fn functions(&self) -> Vec<SampledFunction> {
        let mut functions: Vec<_> = (0..)
            .zip(&self.symbols)
            .map(|(number, _)| SampledFunction {
                symbol: SymbolId(number),
                inclusive: 0,
                own: 0,
            })
            .collect();
        // The number of the sample a function was last counted in, so that
        // recursion counts once.
        let mut counted_in = vec![usize::MAX; functions.len()];
        for (number, sample) in self.samples.iter().enumerate() {
            for symbol in &sample.stack {
                let index = symbol.index();
                if let (Some(function), Some(counted_in)) =
                    (functions.get_mut(index), counted_in.get_mut(index))
                    && *counted_in != number
                {
                    *counted_in = number;
                    function.inclusive += 1;
                }
            }
            let top = sample.stack.last();
            if let Some(function) = top.and_then(|top| functions.get_mut(top.index())) {
                function.own += 1;
            }
        }
        functions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recursive_function_is_counted_once_in_a_sample() {
        let samples = Samples {
            symbols: vec![Symbol::new(*b"main()"), Symbol::new(*b"f")],
            samples: vec![
                Sample {
                    taken_unix_us: 1,
                    stack: [SymbolId(0), SymbolId(1), SymbolId(1)].into(),
                },
                Sample {
                    taken_unix_us: 2,
                    stack: [SymbolId(0)].into(),
                },
            ],
        };
        let counts: Vec<_> = samples
            .functions()
            .iter()
            .map(|f| (f.inclusive, f.own))
            .collect();
        assert_eq!(counts, [(2, 1), (1, 1)]);
    }
}
