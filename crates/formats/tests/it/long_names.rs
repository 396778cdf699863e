//! The memory that a long name takes.

use formats::ReadError;
use profile::{Budget, Symbol};

#[test]
fn the_copy_of_a_name_is_counted_too() {
    let name = "x".repeat(8 << 20);
    let key = format!("main()==>{name}");
    let cost = "a:1:{s:2:\"wt\";i:7;}";
    let input = format!(
        "a:2:{{s:{}:\"{key}\";{cost}s:6:\"main()\";{cost}}}",
        key.len()
    );
    let read = |limit| formats::read_within(input.as_bytes(), &Budget::new(limit));
    // Reading may use half. The input, the label and the symbol take three of them.
    let Err(ReadError::Memory(over)) = read(2 * (20 << 20)) else {
        panic!("it fits");
    };
    assert_eq!(over.what, "names of functions");
    let symbols = read(2 * (64 << 20)).unwrap().symbols;
    assert!(symbols.contains(&Symbol::new(name.as_bytes())));
}
