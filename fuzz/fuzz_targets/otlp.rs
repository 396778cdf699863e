//! Any input, for the reader of `otlp-profiles-1-11`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut input = input;
    let format = formats::by_id("otlp-profiles-1-11").unwrap();
    if let Ok(profile) = format.read(&mut input, &profile::Budget::new(256 << 20)) {
        let _ = profile::FlatTable::new(&profile);
    }
});
