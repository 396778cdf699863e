//! The compiler's hooks: `load::…` for a file, `eval::…` for a string.
//!
//! The hook for strings is there from MINIT on, because it has a second task:
//! the code of `php -r` is compiled with options of its own, in which user
//! calls would not look at `zend_execute_ex`.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::fn_addr_eq;

use ext_php_rs::ffi::{zend_file_handle, zend_op_array, zend_string};
use recorder::{Entered, SymbolId, Token};

use super::state::{State, state};
use super::{sampling, suspended};
use crate::zend;
use crate::zend::bindings::{self, CompileFile, CompileString};

struct Previous {
    /// Below the cache of an opcache, if there is one: what really compiles.
    compiler: Cell<Option<CompileFile>>,
    /// What the hook for files calls. It stays when the hook is taken out: with
    /// threads, another one may be on its way into it.
    file: Cell<Option<CompileFile>>,
    is_in: Cell<bool>,
    string: Cell<Option<CompileString>>,
}

// SAFETY: as for the hooks in `execute`.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous {
    compiler: Cell::new(None),
    file: Cell::new(None),
    is_in: Cell::new(false),
    string: Cell::new(None),
};

/// MINIT: the hook for strings goes in for good, and one for files that sees to
/// it that all that is compiled has our slot.
pub(super) fn arm() {
    // SAFETY: MINIT runs before any thread; nobody compiles meanwhile.
    unsafe {
        PREVIOUS.compiler.set(Some(bindings::zend_compile_file));
        bindings::zend_compile_file = with_slots;
        PREVIOUS.string.set(Some(bindings::zend_compile_string));
        bindings::zend_compile_string = compile_string;
    }
}

/// MSHUTDOWN: it comes out again, unless somebody hooked on top of it.
pub(super) fn disarm() {
    uninstall();
    // SAFETY: as in `arm`.
    unsafe {
        if let Some(previous) = PREVIOUS.string.get()
            && fn_addr_eq(
                bindings::zend_compile_string,
                compile_string as CompileString,
            )
        {
            bindings::zend_compile_string = previous;
            PREVIOUS.string.set(None);
        }
        if let Some(previous) = PREVIOUS.compiler.get()
            && fn_addr_eq(bindings::zend_compile_file, with_slots as CompileFile)
        {
            bindings::zend_compile_file = previous;
            PREVIOUS.compiler.set(None);
        }
    }
}

/// Takes the hook for strings out for a moment; false if it is not on top.
pub(super) fn suspend() -> bool {
    // SAFETY: without threads, see `without_hooks`.
    unsafe {
        let hook = bindings::zend_compile_string;
        let is_on_top = fn_addr_eq(hook, compile_string as CompileString);
        if let (true, Some(previous)) = (is_on_top, PREVIOUS.string.get()) {
            bindings::zend_compile_string = previous;
            return true;
        }
    }
    false
}

/// Takes [`suspend`] back.
pub(super) fn resume() {
    // SAFETY: as in `suspend`.
    unsafe { bindings::zend_compile_string = compile_string };
}

/// A profile begins: the hook for files goes on top of whatever is there, so
/// that a file which opcache has compiled before is seen too.
pub(super) fn install() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        let below = bindings::zend_compile_file;
        // Never below itself, should two threads come here at once.
        if !PREVIOUS.is_in.get() && !fn_addr_eq(below, compile_file as CompileFile) {
            PREVIOUS.file.set(Some(below));
            PREVIOUS.is_in.set(true);
            bindings::zend_compile_file = compile_file;
        }
    }
}

/// No profile is running any more.
pub(super) fn uninstall() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if PREVIOUS.is_in.get()
            && fn_addr_eq(bindings::zend_compile_file, compile_file as CompileFile)
            && let Some(previous) = PREVIOUS.file.get()
        {
            bindings::zend_compile_file = previous;
            PREVIOUS.is_in.set(false);
        }
    }
}

unsafe extern "C" fn with_slots(file: *mut zend_file_handle, kind: c_int) -> *mut zend_op_array {
    zend::idle_slots::reclaim();
    match PREVIOUS.compiler.get() {
        // SAFETY: passes on what the engine handed us.
        Some(previous) => unsafe { previous(file, kind) },
        None => std::ptr::null_mut(),
    }
}

unsafe extern "C" fn compile_file(file: *mut zend_file_handle, kind: c_int) -> *mut zend_op_array {
    // SAFETY: the engine hands us an open file handle; `PREVIOUS` is set once
    // this hook is reachable. Plain data lives across the call.
    unsafe {
        let opened = zend::file_name(file).map(|path| enter(b"load::", path, true));
        let result = match PREVIOUS.file.get() {
            Some(previous) => previous(file, kind),
            None => std::ptr::null_mut(),
        };
        leave(opened.flatten());
        result
    }
}

unsafe extern "C" fn compile_string(
    source: *mut zend_string,
    file: *const c_char,
    position: c_int,
) -> *mut zend_op_array {
    // SAFETY: the engine's file name is NUL-terminated or null.
    unsafe {
        let name = if file.is_null() {
            c""
        } else {
            CStr::from_ptr(file)
        };
        let opened = enter(b"eval::", name.to_bytes(), false);
        zend::idle_slots::reclaim();
        if super::armed() == Some(super::Engine::Execute) {
            zend::make_user_calls_visible();
        }
        let result = match PREVIOUS.string.get() {
            Some(previous) => previous(source, file, position),
            None => std::ptr::null_mut(),
        };
        leave(opened);
        result
    }
}

/// What was entered, and is to be left.
#[derive(Clone, Copy)]
enum Opened {
    Traced(Token),
    Sampled { session: u32, symbol: SymbolId },
}

fn enter(prefix: &[u8], path: &[u8], is_file: bool) -> Option<Opened> {
    // What was seen so far was not the compiler.
    sampling::safe_point(None);
    // SAFETY: the compiler's hooks run between two functions, when no other
    // hook holds a reference; naming a file calls nothing.
    let state: &mut State = unsafe { &mut *state() };
    if state.guard.is_truncating() {
        return None;
    }
    let symbols = state.symbols.as_mut()?;
    if let Some(recorder) = state.recorder.running() {
        let symbol = symbols.file(prefix, path, is_file, &mut || recorder.add_symbol())?;
        return match (state.plan.enter_now)(recorder, symbol) {
            Entered::Recorded(token) => Some(Opened::Traced(token)),
            Entered::TooDeep => None,
        };
    }
    let sampler = state.sampler.as_mut()?;
    let symbol = symbols.file(prefix, path, is_file, &mut || sampler.add_symbol())?;
    let session = state.session;
    Some(Opened::Sampled { session, symbol })
}

fn leave(opened: Option<Opened>) {
    // SAFETY: as in `enter`.
    let state: &mut State = unsafe { &mut *state() };
    match opened {
        // SAFETY: as in `enter`; `state` is not used after it.
        Some(Opened::Traced(token)) => unsafe {
            let plan = state.plan;
            suspended::leave_by(state, plan, token);
        },
        Some(Opened::Sampled { session, symbol }) if state.session == session => {
            sampling::safe_point(Some(symbol));
        }
        _ => {}
    }
}
