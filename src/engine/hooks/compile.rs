//! The compiler's hooks: `load::…` for a file, `eval::…` for a string.
//!
//! The hook for strings is installed from MINIT on, because it has a second
//! task: `php -r` compiles its code with other compiler options (`zend_eval_stringl` sets
//! `ZEND_COMPILE_DEFAULT_FOR_EVAL`), under which user calls would not check
//! `zend_execute_ex`.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::fn_addr_eq;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::{zend_file_handle, zend_op_array, zend_string};
use recorder::{SymbolId, Token};

use super::sampled;
use crate::engine::state::with_state;
use crate::engine::tracing::ends;
use crate::naming::Symbols;
use crate::zend::bindings::{self, CompileFile, CompileString};
use crate::zend::{self, HookPointer};

/// The hooks that were there before ours.
struct Previous {
    /// The hook below ours at MINIT. OPcache installs its hook later, on top
    /// (`accel_post_startup`).
    compiler: HookPointer<Option<CompileFile>>,
    /// The hook that `compile_file` calls. It stays when `compile_file` is taken
    /// out: with ZTS, another thread may be about to call it.
    file: HookPointer<Option<CompileFile>>,
    string: HookPointer<Option<CompileString>>,
}

static PREVIOUS: Previous = Previous {
    compiler: HookPointer::new(None),
    file: HookPointer::new(None),
    string: HookPointer::new(None),
};

/// `compile_file` is in the chain.
static IS_IN: AtomicBool = AtomicBool::new(false);

/// MINIT: installs the hook for strings, and one for files that makes sure that
/// every `op_array` has our run-time slot.
pub(in crate::engine) fn arm() {
    // SAFETY: MINIT runs before any thread, and compiles nothing.
    unsafe {
        PREVIOUS.compiler.set(Some(bindings::zend_compile_file));
        bindings::zend_compile_file = with_slots;
        PREVIOUS.string.set(Some(bindings::zend_compile_string));
        bindings::zend_compile_string = compile_string;
    }
}

/// MSHUTDOWN: takes the hooks out, unless another extension hooked on top.
pub(in crate::engine) fn disarm() {
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

/// A profile begins: installs the hook for files on top of all others, so that
/// it also sees a file that opcache has cached.
pub(in crate::engine) fn install() {
    // SAFETY: PHP's global pointer, which is always set.
    unsafe {
        let below = bindings::zend_compile_file;
        // Two threads may come here at once: the hook must not call itself.
        if !fn_addr_eq(below, compile_file as CompileFile) && !IS_IN.swap(true, Ordering::AcqRel) {
            PREVIOUS.file.set(Some(below));
            bindings::zend_compile_file = compile_file;
        }
    }
}

/// The last profile has ended: takes the hook for files out.
pub(in crate::engine) fn uninstall() {
    // SAFETY: as in `install`.
    unsafe {
        if fn_addr_eq(bindings::zend_compile_file, compile_file as CompileFile)
            && let Some(previous) = PREVIOUS.file.get()
            && IS_IN.swap(false, Ordering::AcqRel)
        {
            bindings::zend_compile_file = previous;
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
        if crate::engine::armed() == Some(crate::engine::Engine::Execute) {
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

/// An entered compilation, to be left afterwards.
#[derive(Clone, Copy)]
enum Opened {
    Traced(Token),
    Sampled { session: u32, symbol: SymbolId },
}

fn enter(prefix: &[u8], path: &[u8], is_file: bool) -> Option<Opened> {
    // Samples taken so far belong to the caller, not to the compiler.
    sampled::safe_point(None);
    with_state(|state| {
        if state.guard.is_truncating() {
            return None;
        }
        let name = |symbols: &mut Symbols, add_symbol: &mut dyn FnMut() -> SymbolId| {
            symbols.file(prefix, path, is_file, add_symbol)
        };
        let symbol = state.active.naming(name)??;
        if state.active.sampling().is_some() {
            let session = state.active.session;
            return Some(Opened::Sampled { session, symbol });
        }
        let hooks = state.active.cold();
        let recorder = state.active.recorder.running()?;
        hooks.enter_now(recorder, symbol).map(Opened::Traced)
    })
}

fn leave(opened: Option<Opened>) {
    let sampled = with_state(|state| match opened {
        Some(Opened::Traced(token)) => {
            let hooks = state.active.cold();
            ends::leave_by(state, hooks, token);
            None
        }
        Some(Opened::Sampled { session, symbol }) => {
            Some(symbol).filter(|_| state.active.session == session)
        }
        None => None,
    });
    if sampled.is_some() {
        sampled::safe_point(sampled);
    }
}
