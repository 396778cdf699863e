//! A profile between the process that read it and the store.

use profile::Profile;

use crate::admission::memory::Lease;
use crate::metadata::Metadata;
use crate::refused::Refused;

/// A profile that was read, or why it is none.
pub(crate) type Received = Result<Uploaded, Refused>;

/// A profile that was uploaded.
#[derive(Debug)]
pub(crate) struct Uploaded {
    pub(crate) profile: Profile,
    /// What its sender says beside it.
    pub(crate) metadata: Metadata,
    /// The size of the upload.
    pub(crate) bytes: u64,
    /// The memory that it takes.
    pub(crate) lease: Lease,
}

impl Uploaded {
    /// Gives the profile its metadata: that of the upload, and then that of all of its body.
    pub(crate) fn with(mut self, metadata: &Metadata) -> Self {
        self.metadata.apply(&mut self.profile);
        metadata.apply(&mut self.profile);
        self
    }
}
