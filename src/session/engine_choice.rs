//! Which engine records, and why there may be none.

use crate::engine::{self, Engine};
use recorder::Shape;

use crate::settings::{self, EngineChoice, Timing};
use crate::zend;

/// Why nothing can be recorded in that mode; none if it can.
pub(crate) fn problem(mode: settings::Mode) -> Option<&'static str> {
    let timing = settings::value(&settings::TIMING);
    match mode {
        settings::Mode::Sample if timing == Timing::Adaptive => Some(
            "samples are taken at intervals and time no call; set xhprof.timing=exact for \
             xhprof.mode=sample",
        ),
        // Sampling needs no engine.
        settings::Mode::Sample => zend::interrupts_harm(),
        settings::Mode::Events => engine_in_use()
            .err()
            .or_else(|| problem_of_timing(timing, Shape::Events)),
        settings::Mode::Edges | settings::Mode::Tree => engine_in_use()
            .err()
            .or_else(|| problem_of_timing(timing, Shape::Edges)),
    }
}

/// Why calls cannot be timed that way for that shape; none if they can.
pub(crate) fn problem_of_timing(timing: Timing, shape: Shape) -> Option<&'static str> {
    if timing == Timing::Exact {
        return None;
    }
    if shape == Shape::Events {
        return Some(
            "call events have the time of every call; set timing to exact, or mode to tree or edges",
        );
    }
    settings::value(&settings::COMPENSATE).then_some(
        "xhprof.compensate needs the time of every call; set it to 0, or timing to exact: \
         adaptive timing subtracts its own cost anyway",
    )
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
