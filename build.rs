//! Asks the PHP that this is built for what it is, and turns the differences
//! between versions into cfgs named by capability, never by version.
//!
//! `cfg(php_zts)` and the like of ext-php-rs do not reach the crates that use
//! it, so PHP is asked here again. `PHP=` chooses the binary. A PHP that is not
//! supported (older than 8.2, or 32-bit) ends the build.

use std::fs;
use std::path::Path;
use std::process::{Command, exit};

fn main() {
    println!("cargo:rerun-if-env-changed=PHP");
    println!("cargo:rerun-if-env-changed=PHP_CONFIG");
    println!("cargo:rerun-if-env-changed=PATH");
    for cfg in [
        "php_zts",
        "caches_each_request",
        "internal_extension_handle",
        "stack_limit",
        "property_hooks",
        "jit_off_by_default",
        "jit_checks_observers",
        "observer_removal_returns_next",
    ] {
        println!("cargo:rustc-check-cfg=cfg({cfg})");
    }
    let php = std::env::var("PHP").unwrap_or_else(|_| "php".into());
    let question = "echo (int) PHP_ZTS, ' ', PHP_VERSION_ID, ' ', PHP_INT_SIZE;";
    let output = Command::new(&php).args(["-n", "-r", question]).output();
    let answer = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => fail(&format!("`{php} -n -r …` ended with {}", output.status)),
        Err(error) => fail(&format!("cannot run `{php}`: {error}")),
    };
    let mut words = answer.split_whitespace();
    // PHP's symbols are resolved when PHP loads the extension; Apple's linker
    // would require them now.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup");
    }
    let is_zts = words.next() == Some("1");
    let version: u32 = match words.next().map(str::parse) {
        Some(Ok(version)) => version,
        _ => fail(&format!("`{php}` did not print its version but `{answer}`")),
    };
    if words.next() != Some("8") {
        fail(&format!(
            "`{php}` is a 32-bit PHP, and xhprof needs a 64-bit one"
        ));
    }
    if version < 80200 {
        fail(&format!(
            "{php} is PHP {version}, and the oldest supported one is 8.2"
        ));
    }
    if is_zts {
        println!("cargo:rustc-cfg=php_zts");
    }
    // PHP 8.2 allocates run-time caches of internal functions for each request; 8.4
    // keeps them. No 8.3 has been at hand: there nothing is changed, which costs some
    // microseconds a request if it does as 8.2.
    if version < 80300 {
        println!("cargo:rustc-cfg=caches_each_request");
    }
    // Since 8.3 PHP throws before the C stack ends, on systems where it knows its end
    // (`ZEND_CHECK_STACK_LIMIT`).
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if version >= 80300 && matches!(os.as_str(), "linux" | "macos" | "freebsd") {
        println!("cargo:rustc-cfg=stack_limit");
    }
    // Since 8.4 op_arrays and internal functions number their extension slots
    // separately; the number of the one used for the other writes out of bounds.
    if version >= 80400 {
        println!("cargo:rustc-cfg=internal_extension_handle");
        // A property's get and set are functions that no table holds.
        println!("cargo:rustc-cfg=property_hooks");
        println!("cargo:rustc-cfg=jit_off_by_default");
        // JIT code checks itself whether a function is observed.
        println!("cargo:rustc-cfg=jit_checks_observers");
    }
    // Since 8.4 `zend_observer_remove_*_handler` has a third parameter.
    let returns_next = version >= 80400;
    if returns_next {
        println!("cargo:rustc-cfg=observer_removal_returns_next");
    }
    check_observer_header(if returns_next { 3 } else { 2 });
}

/// Compares the parameters of `zend_observer_remove_*_handler` with PHP's header,
/// if it is installed: `src/zend/bindings.rs` declares them by the version.
fn check_observer_header(expected: usize) {
    let php_config = std::env::var("PHP_CONFIG").unwrap_or_else(|_| "php-config".into());
    let Ok(output) = Command::new(&php_config).arg("--include-dir").output() else {
        return;
    };
    let folder = String::from_utf8_lossy(&output.stdout).into_owned();
    let header = Path::new(folder.trim()).join("Zend/zend_observer.h");
    let Ok(text) = fs::read_to_string(&header) else {
        return;
    };
    for name in ["remove_begin_handler", "remove_end_handler"] {
        let Some((_, declaration)) = text.split_once(&format!("zend_observer_{name}(")) else {
            fail(&format!(
                "{} does not declare zend_observer_{name}",
                header.display()
            ));
        };
        let parameters = declaration.split(')').next().unwrap_or_default();
        let found = parameters.split(',').count();
        if found != expected {
            fail(&format!(
                "zend_observer_{name} has {found} parameters in {}, and {expected} were expected \
                 for this version of PHP",
                header.display()
            ));
        }
    }
}

fn fail(message: &str) -> ! {
    eprintln!("xhprof: {message}; set PHP= and PHP_CONFIG= to the PHP to build for");
    exit(1)
}
