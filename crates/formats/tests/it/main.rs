//! Each format, as its readers and writers are used.

mod amount;
mod arrays;
mod below_zero;
mod callgrind;
mod callgrind_written;
mod common;
mod flamegraph;
mod go;
mod golden;
mod hostile;
mod hostile_lines;
mod hostile_stacks;
mod lines;
mod long_names;
mod nasty;
mod programs;
mod sentry;
mod speedscope;
mod stacks;
mod tables;
mod traces;
mod units;
mod xdebug_trace;
