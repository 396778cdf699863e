//! Any input, for the reader of `chrome-trace`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut input = input;
    let format = formats::by_id("chrome-trace").unwrap();
    if let Ok(profile) = format.read(&mut input, &profile::Budget::new(256 << 20)) {
        let _ = profile::FlatTable::new(&profile);
    }
});
