//! Adds headers to the response.
//!
//! They are added when the SAPI sends the headers. So the program never sees them, and
//! neither `header_remove()`, nor a status of 304, nor a callback of
//! `header_register_callback()` removes them.

use std::cell::Cell;
use std::ffi::c_int;
use std::fmt::{self, Write};
use std::ptr::fn_addr_eq;

use ext_php_rs::alloc::{efree, estrdup};
use ext_php_rs::ffi::{self, sapi_header_struct, sapi_headers_struct};

use super::{HookPointer, bindings};

type SendHeaders = unsafe extern "C" fn(*mut sapi_headers_struct) -> c_int;

/// The longest header, with the NUL at its end.
const MAX_LENGTH: usize = 512;
/// `SAPI.h`: a header handler's result that adds the header to the list.
const SAPI_HEADER_ADD: c_int = 1;

/// The SAPI's own `send_headers`.
static PREVIOUS: HookPointer<Option<SendHeaders>> = HookPointer::new(None);

thread_local! {
    /// The header of this response. Plain data: a bailout may skip the frame that
    /// reads it.
    static HEADER: Cell<Option<Line>> = const { Cell::new(None) };
    /// What makes a second one when the headers are sent.
    static MAKE: Cell<Option<Make>> = const { Cell::new(None) };
    /// The second one, if it was made before.
    static LATE: Cell<Option<Line>> = const { Cell::new(None) };
}

/// Writes a header.
type Make = fn(&mut Line) -> fmt::Result;

/// The text of a header, which ends with a NUL. A longer one is none.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    bytes: [u8; MAX_LENGTH],
    length: usize,
}

impl Line {
    const EMPTY: Self = Self {
        bytes: [0; MAX_LENGTH],
        length: 0,
    };

    fn made_by(make: impl FnOnce(&mut Self) -> fmt::Result) -> Option<Self> {
        let mut line = Self::EMPTY;
        make(&mut line).ok()?;
        Some(line)
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end);
        let place = place.filter(|_| end < MAX_LENGTH).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// MINIT of a server: installs the hook in `send_headers`.
pub(crate) fn arm() {
    // SAFETY: MINIT runs before any thread; the server interface has filled its table.
    unsafe {
        if let Some(previous) = ffi::sapi_module.send_headers
            && PREVIOUS.get().is_none()
        {
            PREVIOUS.set(Some(previous));
            ffi::sapi_module.send_headers = Some(send);
        }
    }
}

/// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
pub(crate) fn disarm() {
    // SAFETY: as in `arm`: there are no threads any more.
    unsafe {
        if let Some(current) = ffi::sapi_module.send_headers
            && fn_addr_eq(current, send as SendHeaders)
        {
            ffi::sapi_module.send_headers = PREVIOUS.get();
            PREVIOUS.set(None);
        }
    }
}

/// Sets the header, `Name: value`, of this request's response; none for no header.
/// A header longer than [`MAX_LENGTH`] is left out.
pub(crate) fn set_header(header: Option<&str>) {
    HEADER.set(header.and_then(|header| Line::made_by(|line| line.write_str(header))));
    MAKE.set(None);
    LATE.set(None);
}

/// Sets what makes another header when the headers are sent.
pub(crate) fn set_late_header(make: Make) {
    MAKE.set(Some(make));
}

/// Makes that header now, unless it was sent.
pub(crate) fn make_late_header() {
    if let Some(make) = MAKE.take() {
        LATE.set(Line::made_by(make));
    }
}

unsafe extern "C" fn send(headers: *mut sapi_headers_struct) -> c_int {
    make_late_header();
    for line in [HEADER.take(), LATE.take()].iter().flatten() {
        // SAFETY: the headers of this request, which PHP hands over to be sent.
        unsafe { add(headers, line) };
    }
    match PREVIOUS.get() {
        // SAFETY: passes on what PHP handed us.
        Some(previous) => unsafe { previous(headers) },
        // `SAPI_HEADER_DO_SEND`: PHP sends the headers one by one.
        None => 2,
    }
}

/// Adds a header as `sapi_header_op()` does.
///
/// # Safety
///
/// `headers` must be those of the request that runs.
unsafe fn add(headers: *mut sapi_headers_struct, line: &Line) {
    // SAFETY: the line ends with a NUL. PHP frees the copy with the list; if the
    // handler does not add it to the list, it is freed here.
    unsafe {
        let mut header = sapi_header_struct {
            header: estrdup(line.bytes.get(..line.length).unwrap_or_default()),
            header_len: line.length,
        };
        let operation = ffi::sapi_header_op_enum_SAPI_HEADER_ADD;
        let is_listed = ffi::sapi_module.header_handler.is_none_or(|handler| {
            handler(&raw mut header, operation, headers) & SAPI_HEADER_ADD != 0
        });
        if is_listed {
            let list = &raw mut (*headers).headers;
            bindings::zend_llist_add_element(list, (&raw const header).cast());
        } else {
            efree(header.header.cast());
        }
    }
}
