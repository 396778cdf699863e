//! The extension's part of `phpinfo()` and `php --ri xhprof`.

use ext_php_rs::zend::ModuleEntry;
use policy::php_faults::Cause;

use crate::clock;
use crate::engine::Engine;
use crate::session;
use crate::settings;
use crate::zend::InfoTable;

/// Prints our part of `phpinfo()`.
pub(crate) extern "C" fn print(_module: *mut ModuleEntry) {
    {
        let table = InfoTable::start();
        table.row("xhprof", "enabled");
        table.row("Version", env!("CARGO_PKG_VERSION"));
        match session::engine_in_use() {
            Ok(Engine::Execute) => table.row("Engine", "execute"),
            Ok(Engine::Observer) => table.row("Engine", "observer"),
            Err(reason) => table.row("Engine", &format!("off: {reason}")),
        }
        for fault in crate::zend::php_for_faults().faults() {
            match fault.cause {
                Cause::Interrupt => {
                    table.row("Fault of PHP", &format!("{REFUSED}{}", fault.text));
                }
                Cause::Observer => table.row("Fault of PHP", fault.text),
            }
        }
        print_clock(&table);
        table.row("CPU time", cpu_time());
        table.row(
            "Pinned to a CPU",
            if session::is_pinned() { "yes" } else { "no" },
        );
    }
    crate::zend::ini::print_table();
}

/// What stands before a fault for which sampling is refused; `xhprof doctor` reads it.
const REFUSED: &str = "nothing is sampled: ";

fn cpu_time() -> &'static str {
    // Probing would stop the clock of a running profile.
    let in_use = session::cpu_time();
    in_use
        .unwrap_or_else(|| clock::cpu_time_in_use(settings::value(&settings::CLOCK)))
        .name()
}

fn print_clock(table: &InfoTable) {
    let (exists, is_invariant) = clock::counter_state();
    if !exists {
        table.row("Clock", "CLOCK_MONOTONIC");
        return;
    }
    // Measuring takes five milliseconds, once, which is acceptable here.
    clock::warm_up();
    let name = clock::COUNTER_NAME;
    table.row("Clock", name);
    table.row(
        &format!("{name} invariant"),
        if is_invariant { "yes" } else { "no" },
    );
    for (cpu, calibration) in clock::measured() {
        let whose = cpu.map_or_else(|| "all CPUs".to_owned(), |cpu| format!("CPU {cpu}"));
        #[expect(clippy::cast_precision_loss, reason = "shown with six digits")]
        let megahertz = calibration.rate.hertz() as f64 / 1e6;
        table.row(
            &format!("{name} frequency, {whose}"),
            &format!(
                "{megahertz:.6} MHz, measured to within {:.3} ppm",
                calibration.error_ppm
            ),
        );
    }
}
