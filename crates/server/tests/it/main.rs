//! The program `xhprof-server` as its users run it, one module an area.

mod agent;
mod another_user;
mod fleet_kills;
mod help;
mod machine;
mod program;
mod serve;
mod simulate;
