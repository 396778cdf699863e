//! The native file: a written profile reads back the same; other input is
//! refused, without a panic and without allocating the memory that it claims.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod assembled;
mod contents;
mod damage;
mod events;
mod examples;
mod hostile;
mod titled;
mod versions;

use crate::amount::cases;
use crate::strategies::any_profile;
use profile::Profile;
use profile::native::{self, Error, Limits};
use proptest::prelude::*;

fn written(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<Profile, Error> {
    native::read(bytes, &Limits::default())
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_was_written_reads_back_the_same(profile in any_profile()) {
        let bytes = written(&profile);
        prop_assert_eq!(&read(&bytes).unwrap(), &profile);
        prop_assert_eq!(written(&profile), bytes);
    }
}
