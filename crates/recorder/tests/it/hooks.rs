//! Calls as the hooks make them: by the fast path, or else by the slow one.

use recorder::{CallSite, Plan, Reading, Recorder, SymbolId, Token};

/// An open call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    token: Token,
    is_fast: bool,
}

/// A call on a stack that has room for it.
pub(crate) fn enter<P: Plan>(
    recorder: &mut Recorder,
    symbol: SymbolId,
    site: &impl CallSite,
    read: impl Fn() -> Reading,
) -> Open {
    match try_enter::<P>(recorder, symbol, site, read) {
        Some(call) => call,
        None => unreachable!("there is room"),
    }
}

/// None if the stack has its maximum depth.
pub(crate) fn try_enter<P: Plan>(
    recorder: &mut Recorder,
    symbol: SymbolId,
    site: &impl CallSite,
    read: impl Fn() -> Reading,
) -> Option<Open> {
    let fast = recorder.enter::<P>(symbol.index(), site, &read);
    let is_fast = fast.is_some();
    let token = fast.or_else(|| recorder.enter_slowly::<P>(symbol, site, read))?;
    Some(Open { token, is_fast })
}

/// False if the call is not open.
pub(crate) fn leave<P: Plan>(
    recorder: &mut Recorder,
    call: Open,
    read: impl Fn() -> Reading,
) -> bool {
    if call.is_fast {
        recorder.leave::<P>(call.token, read)
    } else {
        recorder.leave_slowly::<P>(call.token, read)
    }
}
