//! Which engine records, and why there may be none.

use crate::engine::{self, Engine};
use crate::settings::{self, EngineChoice};
use crate::zend;

/// Why nothing can be recorded in that mode; none if it can.
pub(crate) fn problem(mode: settings::Mode) -> Option<&'static str> {
    match mode {
        // Sampling needs no engine.
        settings::Mode::Sample => zend::interrupts_harm(),
        _ => engine_in_use().err(),
    }
}

/// The engine that records, or why there is none.
pub(crate) fn engine_in_use() -> Result<Engine, &'static str> {
    match engine::armed() {
        None if engine::is_loaded_late() => {
            Err("xhprof was loaded by dl(), after PHP had compiled code; \
             load it in php.ini, by extension=xhprof")
        }
        None => Err("xhprof.engine is off"),
        Some(Engine::Execute) if zend::is_jit_on() => Err(
            "opcache's JIT is on, and the execute engine would break the program under it; \
             set xhprof.engine=auto or opcache.jit=disable",
        ),
        Some(engine) => Ok(engine),
    }
}

/// The engine to arm when PHP starts; none for `off`.
pub(crate) fn engine_to_arm() -> Option<Engine> {
    match settings::value(&settings::ENGINE) {
        EngineChoice::Off => None,
        EngineChoice::Execute => Some(Engine::Execute),
        EngineChoice::Observer => Some(Engine::Observer),
        // Threads share the hooks of *execute*, see `engine::execute`.
        EngineChoice::Auto if zend::is_jit_configured() || cfg!(php_zts) => Some(Engine::Observer),
        EngineChoice::Auto => Some(Engine::Execute),
    }
}
