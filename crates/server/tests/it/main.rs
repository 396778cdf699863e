//! The program `xhprof-server` as its users run it, one module an area.

mod agent;
#[path = "../../../cli/tests/it/another_user.rs"]
mod another_user;
mod fleet_kills;
mod help;

mod machine;
mod mcp;
#[path = "../../../cli/tests/it/mcp_client.rs"]
mod mcp_client;
#[path = "../../../cli/tests/it/program.rs"]
mod program;
mod serve;
mod simulate;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_xhprof-server");
