//! One header of ours in an answer.
//!
//! It is added at the moment when the server interface sends the headers. So
//! the program never sees it, and neither `header_remove()` nor a status of 304
//! nor a callback of `header_register_callback()` can lose it.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::fn_addr_eq;

use ext_php_rs::ffi::{self, sapi_header_struct, sapi_headers_struct};

use super::bindings;

type SendHeaders = unsafe extern "C" fn(*mut sapi_headers_struct) -> c_int;

/// How long a header may be, with the NUL at its end.
const MAX_LENGTH: usize = 64;
/// `SAPI.h`, of a header handler: the header belongs into the list.
const SAPI_HEADER_ADD: c_int = 1;

/// What the server interface did without us.
struct Previous(Cell<Option<SendHeaders>>);

// SAFETY: written at MINIT and MSHUTDOWN, when there are no other threads.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(Cell::new(None));

thread_local! {
    /// The header of this request's answer. Plain data: the engine may jump
    /// over the frame that reads it.
    static HEADER: Cell<Option<[u8; MAX_LENGTH]>> = const { Cell::new(None) };
}

/// MINIT of a server: sees to it that headers can be added.
pub(crate) fn arm() {
    // SAFETY: see `PREVIOUS`; the server interface has filled its table.
    unsafe {
        if let Some(previous) = ffi::sapi_module.send_headers
            && PREVIOUS.0.get().is_none()
        {
            PREVIOUS.0.set(Some(previous));
            ffi::sapi_module.send_headers = Some(send);
        }
    }
}

/// MSHUTDOWN: takes [`arm`] back, unless another extension stands on top.
pub(crate) fn disarm() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if let Some(current) = ffi::sapi_module.send_headers
            && fn_addr_eq(current, send as SendHeaders)
        {
            ffi::sapi_module.send_headers = PREVIOUS.0.take();
        }
    }
}

/// Adds the header, `Name: value`, to this request's answer; none for no header.
/// A longer one than [`MAX_LENGTH`] is left out.
pub(crate) fn set_header(header: Option<&str>) {
    HEADER.set(header.and_then(|header| {
        let mut line = [0; MAX_LENGTH];
        let place = line
            .get_mut(..header.len())
            .filter(|place| place.len() < MAX_LENGTH);
        place?.copy_from_slice(header.as_bytes());
        Some(line)
    }));
}

unsafe extern "C" fn send(headers: *mut sapi_headers_struct) -> c_int {
    if let Some(line) = HEADER.take() {
        // SAFETY: the headers of this request, which PHP hands over to be sent.
        unsafe { add(headers, &line) };
    }
    match PREVIOUS.0.get() {
        // SAFETY: passes on what PHP handed us.
        Some(previous) => unsafe { previous(headers) },
        // `SAPI_HEADER_DO_SEND`: PHP sends one after the other.
        None => 2,
    }
}

/// Adds a header as `sapi_header_op()` does.
///
/// # Safety
///
/// `headers` must be those of the request that runs.
unsafe fn add(headers: *mut sapi_headers_struct, line: &[u8; MAX_LENGTH]) {
    let length = line.iter().position(|&byte| byte == 0).unwrap_or(0);
    // SAFETY: the line ends with a NUL. PHP frees the copy with the list, or a
    // handler that does not want it in the list leaves it to us.
    unsafe {
        let mut header = sapi_header_struct {
            header: ffi::_estrdup(line.as_ptr().cast()),
            header_len: length,
        };
        let operation = ffi::sapi_header_op_enum_SAPI_HEADER_ADD;
        let is_listed = ffi::sapi_module.header_handler.is_none_or(|handler| {
            handler(&raw mut header, operation, headers) & SAPI_HEADER_ADD != 0
        });
        if is_listed {
            let list = &raw mut (*headers).headers;
            bindings::zend_llist_add_element(list, (&raw const header).cast());
        } else {
            ffi::_efree(header.header.cast());
        }
    }
}
