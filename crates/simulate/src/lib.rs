//! Profiles of a shop that does not exist.
//!
//! A month of requests to 40 routes on four hosts, under releases that follow each
//! other, with the noise of real servers. Three releases have a defect each. The
//! demo of the server and the tests of the detector use it.
//!
//! [`Fleet`] is larger: any number of runs of many applications, for measurements.
//! [`SmallShop`] makes single runs, for tests.
//!
//! Its main types: [`Shop`], its [`Options`], and [`Fleet`].
//!
//! ```
//! use simulate::{Options, Shop};
//!
//! let shop = Shop::new(Options { runs: 100, ..Options::default() });
//! assert_eq!(shop.defects().len(), 3);
//! let run = shop.runs().next().unwrap();
//! assert!(run.meta.tag("release").is_some());
//! ```
//!
//! **Invariant:** the same options give the same profiles, byte for byte.

#![forbid(unsafe_code)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and nanoseconds become random numbers and back"
)]

mod fleet;
mod noise;
mod run;
mod shop;
mod template;

pub use fleet::{Fleet, FleetOptions, OutOfRange, RunAt, SmallShop};
pub use noise::Random;
pub use shop::{Defect, DefectKind, Options, Release, Runs, Shop};
