//! Finds out which PHP this is built for and turns what differs between the
//! versions into cfgs named by capability, never by version.
//!
//! `cfg(php_zts)` and the like of ext-php-rs do not reach the crates that use
//! it, so the same question is asked here again. `PHP=` chooses the binary.

use std::process::{Command, exit};

fn main() {
    println!("cargo:rerun-if-env-changed=PHP");
    println!("cargo:rerun-if-env-changed=PHP_CONFIG");
    println!("cargo:rerun-if-env-changed=PATH");
    for cfg in [
        "php_zts",
        "caches_each_request",
        "internal_extension_handle",
        "property_hooks",
        "jit_off_by_default",
        "jit_checks_observers",
    ] {
        println!("cargo:rustc-check-cfg=cfg({cfg})");
    }
    let php = std::env::var("PHP").unwrap_or_else(|_| "php".into());
    let question = "echo (int) PHP_ZTS, ' ', PHP_VERSION_ID;";
    let output = Command::new(&php).args(["-n", "-r", question]).output();
    let answer = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => fail(&format!("`{php} -n -r …` ended with {}", output.status)),
        Err(error) => fail(&format!("cannot run `{php}`: {error}")),
    };
    let mut words = answer.split_whitespace();
    // PHP's symbols are found when PHP loads us; Apple's linker asks for them now.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-undefined,dynamic_lookup");
    }
    let is_zts = words.next() == Some("1");
    let version: u32 = match words.next().map(str::parse) {
        Some(Ok(version)) => version,
        _ => fail(&format!("`{php}` did not say its version but `{answer}`")),
    };
    if version < 80200 {
        fail(&format!(
            "{php} is PHP {version}, and the oldest supported one is 8.2"
        ));
    }
    if is_zts {
        println!("cargo:rustc-cfg=php_zts");
    }
    // When a request begins, internal functions get run-time caches anew. 8.4 keeps
    // them; 8.3 has not been looked at.
    if version < 80300 {
        println!("cargo:rustc-cfg=caches_each_request");
    }
    // Since 8.4 op_arrays and internal functions number their extension slots
    // apart; using the one for the other writes out of bounds.
    if version >= 80400 {
        println!("cargo:rustc-cfg=internal_extension_handle");
        // A property's get and set are functions that no table holds.
        println!("cargo:rustc-cfg=property_hooks");
        println!("cargo:rustc-cfg=jit_off_by_default");
        // JIT code looks itself whether a function is observed.
        println!("cargo:rustc-cfg=jit_checks_observers");
    }
}

fn fail(message: &str) -> ! {
    eprintln!("xhprof: {message}; set PHP= and PHP_CONFIG= to the PHP to build for");
    exit(1)
}
