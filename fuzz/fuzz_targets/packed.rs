//! Any input, packed by gzip, with a budget of 16 MiB: reading or refusing it never
//! uses more memory than the budget.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use profile::Budget;

fuzz_target!(|input: &[u8]| {
    let level = flate2::Compression::fast();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), level);
    // Repeated, as bombs are.
    for _ in 0..64 {
        packed.write_all(input).unwrap();
    }
    let packed = packed.finish().unwrap();
    let budget = Budget::new(16 << 20);
    let outcome = formats::read_within(packed.as_slice(), &budget);
    assert!(budget.used() <= 8 << 20);
    assert!(outcome.is_err() || budget.check().is_ok());
});
