//! Readings of the clocks and of PHP's memory, in the units of their sources. Reads no clock itself.

mod cpu_time;
mod reading;
mod ticks;

pub use cpu_time::CpuClock;
pub use reading::{Plan, Reading};
pub use ticks::{TickRate, Ticks};
