//! Any input, recognized by content, also inside gzip and zip.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Ok(profile) = formats::read(input) {
        let _ = profile::FlatTable::new(&profile);
    }
});
