//! The program `xhprof` as its users run it, one module an area.

mod another_user;
mod bombs;
mod check;
mod directories;
mod doctor;
mod files;
mod init;
mod mcp;
mod mcp_client;
mod program;
mod regressions;
mod run;
mod same;
mod server;
mod terminal;
mod transcripts;
mod viewer;
mod write_program;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_xhprof");
