//! Which engine records, and why there may be none.

use crate::engine::{self, Engine};
use crate::settings::{self, EngineChoice};
use crate::zend;

/// Why nothing can be recorded in that mode; none if it can.
pub(crate) fn problem(mode: settings::Mode) -> Option<&'static str> {
    match mode {
        // Sampling needs no engine.
        settings::Mode::Sample => zend::php_for_faults().interrupts_harm(),
        settings::Mode::Events | settings::Mode::Edges | settings::Mode::Tree => {
            engine_in_use().err()
        }
    }
}

/// The engine that records, or why there is none.
pub(crate) fn engine_in_use() -> Result<Engine, &'static str> {
    match engine::armed() {
        None if engine::is_loaded_late() => {
            Err("xhprof was loaded by dl(), after PHP had compiled code; \
             load it in php.ini, by extension=xhprof")
        }
        None if settings::value(&settings::ENGINE) == EngineChoice::Auto => Err(
            "PHP was started with xhprof.mode=sample and a JIT, so it can only sample, and the JIT \
             pays nothing for it; to record calls, set xhprof.engine=observer, or another \
             xhprof.mode, in php.ini",
        ),
        None => Err("xhprof.engine is off"),
        Some(Engine::Execute) if zend::is_jit_on() => Err(
            "opcache's JIT is on, and the execute engine would break the program under it; \
             set xhprof.engine=auto or opcache.jit=disable",
        ),
        Some(engine) => Ok(engine),
    }
}

/// The engine to arm when PHP starts; none for `off`, and where a JIT is configured and
/// php.ini chooses sampling.
pub(crate) fn engine_to_arm() -> Option<Engine> {
    match settings::value(&settings::ENGINE) {
        EngineChoice::Off => None,
        EngineChoice::Execute => Some(Engine::Execute),
        EngineChoice::Observer => Some(Engine::Observer),
        // The observer costs JIT code a few percent, also while nothing is recorded.
        EngineChoice::Auto if zend::is_jit_configured() && only_samples() => None,
        // Threads share the hooks of *execute*, see `engine::execute`.
        EngineChoice::Auto if zend::is_jit_configured() || cfg!(php_zts) => Some(Engine::Observer),
        EngineChoice::Auto => Some(Engine::Execute),
    }
}

/// Whether php.ini chooses the mode that needs no engine.
fn only_samples() -> bool {
    settings::value(&settings::MODE) == settings::Mode::Sample
}
