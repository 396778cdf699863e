//! The extension's part of `phpinfo()` and `php --ri xhprof`.

use std::ffi::CString;

use ext_php_rs::ffi;

/// A table of two columns, printed row by row.
pub(crate) struct InfoTable(());

impl InfoTable {
    /// Begins a table.
    pub(crate) fn start() -> Self {
        // SAFETY: prints to the output that PHP set up for its info function.
        unsafe { ffi::php_info_print_table_start() };
        Self(())
    }

    /// Prints one row.
    pub(crate) fn row(&self, name: &str, value: &str) {
        let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value)) else {
            return;
        };
        // SAFETY: as many strings as the first argument says.
        unsafe { ffi::php_info_print_table_row(2, name.as_ptr(), value.as_ptr()) };
    }
}

impl Drop for InfoTable {
    fn drop(&mut self) {
        // SAFETY: as in `start`.
        unsafe { ffi::php_info_print_table_end() };
    }
}
