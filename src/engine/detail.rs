//! Additional info: the statement or the address behind a call, as part of
//! its name (`PDO::query#SELECT …`), for the few functions that have one.

use recorder::SymbolId;

use super::Hooks;
use super::state::{State, state};
use crate::symbols::DetailSource;
use crate::zend::{self, Call};

/// The symbol of this very call, of a function whose plain symbol is `plain`.
#[cold]
#[inline(never)]
pub(super) unsafe fn symbol(state: *mut State, call: Call<'_>, plain: SymbolId) -> SymbolId {
    // SAFETY: this thread's state; the reference ends here.
    let source = unsafe { (*state).symbols.as_ref() }.and_then(|symbols| symbols.detail_of(plain));
    let Some(source) = source else { return plain };
    // What asks the engine runs while no reference to the state is held.
    match source {
        DetailSource::Statement { argument } => {
            let statement = call.argument(argument).and_then(zend::Value::as_bytes);
            with_detail(plain, source, statement)
        }
        DetailSource::QueryString => {
            let statement = call
                .object()
                .and_then(|it| zend::string_property(it, "queryString"));
            with_detail(plain, source, statement)
        }
        DetailSource::Address => {
            let Some(handle) = call.argument(0) else {
                return plain;
            };
            // Our own call is not the program's: it must not be recorded.
            // SAFETY: as above.
            let hooks = unsafe { std::mem::replace(&mut (*state).hooks, Hooks::PASS) };
            let symbol = zend::curl_address(handle, |address| with_detail(plain, source, address));
            // SAFETY: as above.
            unsafe { (*state).hooks = hooks };
            symbol
        }
    }
}

fn with_detail(plain: SymbolId, source: DetailSource, text: Option<&[u8]>) -> SymbolId {
    let Some(text) = text else { return plain };
    // SAFETY: no hook holds a reference while a detail is looked up, and
    // naming calls nothing.
    let state: &mut State = unsafe { &mut *state() };
    match (&mut state.symbols, state.recorder.running()) {
        (Some(symbols), Some(recorder)) => {
            symbols.detailed(plain, source, text, &mut || recorder.add_symbol())
        }
        _ => plain,
    }
}
