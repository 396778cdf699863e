//! XHProf for PHP: the extension's module entry and its callbacks.
//!
//! PHP calls MINIT once, then RINIT and RSHUTDOWN around every request, then
//! MSHUTDOWN. ARCHITECTURE.md describes the life of a call.

#![deny(unsafe_code)]

// A run-time slot is one pointer and holds a `u64` (`zend::Call::slot`): with
// pointers of 32 bits the hooks would write behind it.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("xhprof needs a 64-bit PHP: it keeps 64 bits in a pointer-sized slot");

mod autostart;
#[allow(unsafe_code)]
mod clock;
#[allow(unsafe_code)]
mod engine;
mod functions;
mod information;
mod inputs;
mod log_throttled;
mod naming;
mod options;
mod output;
mod program;
mod session;
mod settings;
#[allow(unsafe_code)]
mod zend;

use ext_php_rs::builders::ModuleBuilder;
use ext_php_rs::prelude::*;

/// MINIT, once for a process, before any code is compiled; except by `dl()`.
extern "C" fn module_starts(kind: i32, number: i32) -> i32 {
    zend::ini::register(settings::all(), number);
    zend::parameters::may_return_false(functions::RETURNS_STRING_OR_FALSE);
    if zend::is_loaded_late(kind) {
        engine::refuse_to_arm();
    } else if let Some(engine) = session::engine_to_arm() {
        engine::arm(engine);
    }
    engine::sampled::arm();
    if settings::value(&settings::SPECIAL_FUNCTIONS) {
        zend::make_special_functions_visible();
    }
    engine::follow_forks();
    if !zend::is_command_line() {
        log_throttled::share_with_forks();
        zend::response::arm();
    }
    if FORKING_SERVERS.contains(&zend::sapi_name()) {
        clock::warm_up();
    }
    0
}

/// MSHUTDOWN, before the library may be unloaded.
extern "C" fn module_ends(_kind: i32, number: i32) -> i32 {
    zend::response::disarm();
    engine::sampled::disarm();
    engine::disarm();
    clock::end_kept_timer();
    zend::ini::unregister(number);
    0
}

/// RINIT.
extern "C" fn request_starts(_kind: i32, _number: i32) -> i32 {
    engine::arm_thread();
    #[cfg(php_zts)]
    if settings::value(&settings::SPECIAL_FUNCTIONS) {
        zend::make_special_functions_visible();
    }
    settings::report_former();
    autostart::request_starts();
    0
}

/// RSHUTDOWN, after the last destructor.
extern "C" fn request_ends(_kind: i32, _number: i32) -> i32 {
    autostart::request_ends();
    0
}

/// `post_deactivate`: after the request's memory has been freed.
extern "C" fn request_is_over() -> i32 {
    autostart::request_is_over();
    engine::request_is_over();
    0
}

/// Servers whose master starts the modules and then forks the workers.
const FORKING_SERVERS: [&str; 2] = ["fpm-fcgi", "apache2handler"];

mod table {
    use super::*;

    /// The extension's table, which PHP asks for when it loads the library.
    #[php_module]
    pub fn module(module: ModuleBuilder) -> ModuleBuilder {
        let module = module
            .name("xhprof")
            .version(env!("CARGO_PKG_VERSION"))
            .startup_function(module_starts)
            .shutdown_function(module_ends)
            .request_startup_function(request_starts)
            .request_shutdown_function(request_ends)
            .post_deactivate_function(request_is_over)
            .info_function(information::print);
        functions::register(module)
    }
}
