//! Engine symbols that ext-php-rs does not bind.
//!
//! Signatures are from the headers named at each block. They are the same from
//! PHP 8.2 to 8.5, except where a `cfg` says otherwise.

use std::ffi::{c_char, c_int, c_void};

use ext_php_rs::ffi::{
    zend_class_entry, zend_execute_data, zend_file_handle, zend_function, zend_object,
    zend_op_array, zend_string, zval,
};

/// `zend_execute_ex`: runs the `op_array` of a frame.
pub(crate) type ExecuteEx = unsafe extern "C" fn(*mut zend_execute_data);
/// `zend_execute_internal`: calls the handler of an internal function.
pub(crate) type ExecuteInternal = unsafe extern "C" fn(*mut zend_execute_data, *mut zval);
/// `zend_compile_file`.
pub(crate) type CompileFile =
    unsafe extern "C" fn(*mut zend_file_handle, c_int) -> *mut zend_op_array;
/// `zend_compile_string`; the last argument is a `zend_compile_position`.
pub(crate) type CompileString =
    unsafe extern "C" fn(*mut zend_string, *const c_char, c_int) -> *mut zend_op_array;
/// `zend_observer_fcall_handlers`: an observer's answer.
#[repr(C)]
pub(crate) struct ObserverHandlers {
    pub(crate) begin: Option<ExecuteEx>,
    pub(crate) end: Option<ExecuteInternal>,
}

/// A fiber's context. Only its address is used.
#[repr(C)]
pub(crate) struct FiberContext {
    _opaque: [u8; 0],
}

/// `zend_compile.h`: user functions are called by `DO_FCALL`, which checks the hooks.
pub(crate) const ZEND_COMPILE_IGNORE_USER_FUNCTIONS: u32 = 1 << 9;
/// `zend_compile.h`: no function is compiled to an opcode of its own.
pub(crate) const ZEND_COMPILE_NO_BUILTINS: u32 = 1 << 11;
/// `zend_compile.h`: the frame belongs to a generator that exists already.
pub(crate) const ZEND_CALL_GENERATOR: u32 = 1 << 24;
/// `zend_compile.h`: the operand is one of the function's constants.
#[cfg(property_hooks)]
pub(crate) const IS_CONST: u8 = 1;
/// `zend_types.h`: result of a callback that succeeded.
pub(crate) const SUCCESS: c_int = 0;
/// `zend_types.h`: result of a callback that failed.
pub(crate) const FAILURE: c_int = -1;

unsafe extern "C" {
    // zend_execute.h
    pub(crate) static mut zend_execute_ex: ExecuteEx;
    pub(crate) static mut zend_execute_internal: Option<ExecuteInternal>;
    pub(crate) fn execute_ex(execute_data: *mut zend_execute_data);

    // zend_compile.h
    pub(crate) static mut zend_compile_file: CompileFile;
    pub(crate) static mut zend_compile_string: CompileString;

    // zend_alloc.h
    pub(crate) fn zend_mm_get_heap() -> *mut c_void;
    pub(crate) fn zend_memory_usage(real: bool) -> usize;
    pub(crate) fn zend_memory_peak_usage(real: bool) -> usize;

    // zend_observer.h
    pub(crate) fn zend_observer_fiber_init_register(
        handler: unsafe extern "C" fn(*mut FiberContext),
    );
    pub(crate) fn zend_observer_fiber_switch_register(
        handler: unsafe extern "C" fn(*mut FiberContext, *mut FiberContext),
    );
    pub(crate) fn zend_observer_fiber_destroy_register(
        handler: unsafe extern "C" fn(*mut FiberContext),
    );
    pub(crate) static mut zend_observer_fcall_op_array_extension: c_int;
    pub(crate) fn zend_observer_fcall_register(
        init: unsafe extern "C" fn(*mut zend_execute_data) -> ObserverHandlers,
    );
    pub(crate) fn zend_observer_add_begin_handler(function: *mut zend_function, begin: ExecuteEx);
    pub(crate) fn zend_observer_add_end_handler(function: *mut zend_function, end: ExecuteInternal);
    // Since 8.4 `next` is set to the handler that follows. build.rs compares the
    // number of parameters with the header.
    pub(crate) fn zend_observer_remove_begin_handler(
        function: *mut zend_function,
        begin: ExecuteEx,
        #[cfg(observer_removal_returns_next)] next: *mut Option<ExecuteEx>,
    ) -> bool;
    pub(crate) fn zend_observer_remove_end_handler(
        function: *mut zend_function,
        end: ExecuteInternal,
        #[cfg(observer_removal_returns_next)] next: *mut Option<ExecuteInternal>,
    ) -> bool;
    pub(crate) fn zend_observer_error_register(
        handler: unsafe extern "C" fn(c_int, *mut zend_string, u32, *mut zend_string),
    );

    // zend_modules.h
    pub(crate) static module_registry: ext_php_rs::ffi::HashTable;

    // zend_extensions.h
    pub(crate) fn zend_get_op_array_extension_handle(module_name: *const c_char) -> c_int;
    pub(crate) static mut zend_op_array_extension_handles: c_int;
    #[cfg(internal_extension_handle)]
    pub(crate) fn zend_get_internal_function_extension_handle(module_name: *const c_char) -> c_int;

    // zend_ini.h
    pub(crate) fn zend_unregister_ini_entries(module_number: c_int);
    pub(crate) fn display_ini_entries(module: *mut ext_php_rs::ffi::zend_module_entry);
    pub(crate) fn zend_ini_string_ex(
        name: *const c_char,
        name_length: usize,
        orig: c_int,
        exists: *mut bool,
    ) -> *mut c_char;

    // zend_execute.h
    pub(crate) static mut zend_interrupt_function:
        Option<unsafe extern "C" fn(*mut zend_execute_data)>;

    // zend_closures.h
    pub(crate) static zend_ce_closure: *mut zend_class_entry;
    pub(crate) fn zend_get_closure_method_def(closure: *mut zend_object) -> *const zend_function;

    // zend_extensions.h
    pub(crate) fn zend_get_extension(name: *const c_char) -> *mut c_void;

    // zend_ini.h, php_ini.h
    pub(crate) fn zend_get_configuration_directive(name: *mut zend_string) -> *mut zval;

    // zend_exceptions.h
    pub(crate) fn zend_clear_exception();
    pub(crate) fn zend_is_unwind_exit(exception: *const zend_object) -> bool;

    // main/php_main.h
    pub(crate) fn php_during_module_startup() -> c_int;
    #[cfg(jit_checks_observers)]
    pub(crate) fn php_version_id() -> std::ffi::c_uint;

    // zend_vm.h
    pub(crate) fn zend_vm_kind() -> c_int;

    // fopen_wrappers.h: the absolute path in a buffer of MAXPATHLEN, or null
    pub(crate) fn expand_filepath(path: *const c_char, buffer: *mut c_char) -> *mut c_char;
    // fopen_wrappers.h: 0, or a warning and another number
    pub(crate) fn php_check_open_basedir(path: *const c_char) -> c_int;

    // zend_llist.h
    pub(crate) fn zend_llist_add_element(
        list: *mut ext_php_rs::ffi::zend_llist,
        element: *const c_void,
    );

    // main/php.h
    pub(crate) fn php_log_err_with_severity(message: *const c_char, severity: c_int);

    // main/php_output.h
    pub(crate) fn php_output_write(text: *const c_char, length: usize) -> usize;

    // zend_constants.h
    pub(crate) fn zend_get_constant_str(name: *const c_char, length: usize) -> *mut zval;

    // zend_virtual_cwd / main: PHP's temporary directory
    pub(crate) fn php_get_temporary_directory() -> *const c_char;
}
