//! What the program reads and prints fits its schemas. A test program of its own: only
//! `cargo test -p xhprof-cli --features schemas --test schemas` compiles `jsonschema`.

mod check;
#[path = "../it/documented.rs"]
mod documented;
mod report;
