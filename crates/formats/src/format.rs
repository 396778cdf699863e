//! What a format is: plain data, one `const` for each, in the format's own
//! module. `registry` lists them.

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::{ReadError, WriteError, WriteOptions};

/// A format that this crate can recognize, read or write.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The value of `--to`: `callgrind`. Lower case and hyphens; never changes.
    pub id: &'static str,
    /// The name for people: `Callgrind`.
    pub name: &'static str,
    /// The endings of file names that select this format for writing, without
    /// the first dot: `perfView.xml.zip`. The longest match wins.
    pub endings: &'static [&'static str],
    /// A note for users before writing, if any: a sentence without its full
    /// stop.
    pub warning: Option<&'static str>,
    /// How it is read; none if it cannot be read.
    pub reads: Option<Reads>,
    /// How it is written; none if it cannot be written.
    pub writes: Option<Writes>,
}

/// How a format is read.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// Examines the beginning of an unpacked input.
    pub detect: fn(&[u8]) -> Detection,
    /// Reads a whole unpacked input. Callers use [`read_within`], which also
    /// checks that the budget was not exceeded.
    ///
    /// A reader must count what it keeps on the budget: with [`Budget::room`]
    /// before it pushes, with [`Budget::take`] before it copies. The shared
    /// tables (symbols, call trees, samples) do so themselves and stop growing
    /// once the budget is exceeded. A reader calls [`Budget::check`] once a
    /// record, to stop soon after.
    ///
    /// [`read_within`]: crate::read_within
    pub read: fn(&mut dyn BufRead, &Budget) -> Result<Profile, ReadError>,
}

/// How a format is written, and what a file of it can hold.
#[derive(Debug, Clone, Copy)]
pub struct Writes {
    /// Stacks, edges or both.
    pub holds: Holds,
    /// A file holds several costs at once; else [`WriteOptions::metric`]
    /// selects one.
    pub all_metrics: bool,
    /// The format itself leaves out costs below
    /// [`WriteOptions::threshold_ppm`]; zero leaves out nothing.
    pub has_threshold: bool,
    /// A file keeps the order of calls in time, if the profile has events.
    pub in_order: bool,
    /// Writes a whole profile. Callers use [`write`](fn@crate::write), which
    /// first checks that the format can hold it.
    pub write: WriteProfile,
}

type WriteProfile = fn(&Profile, &WriteOptions, &mut dyn Write) -> Result<(), WriteError>;

impl Writes {
    /// A format whose files have one cost, and no threshold of their own.
    pub(crate) const fn new(holds: Holds, write: WriteProfile) -> Self {
        Self {
            holds,
            all_metrics: false,
            has_threshold: false,
            in_order: false,
            write,
        }
    }

    /// The same with several costs at once.
    pub(crate) const fn all_metrics(self) -> Self {
        Self {
            all_metrics: true,
            ..self
        }
    }

    /// The same with the order of calls in time.
    pub(crate) const fn in_order(self) -> Self {
        Self {
            in_order: true,
            ..self
        }
    }

    /// The same with a threshold.
    pub(crate) const fn with_threshold(self) -> Self {
        Self {
            has_threshold: true,
            ..self
        }
    }
}

/// What a format holds of the paths to a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Whole stacks: edges are not enough.
    Stacks,
    /// Whole stacks, or edges if the profile has no stacks.
    StacksOrEdges,
    /// Edges only: stacks are folded.
    Edges,
}

/// Whether an input is in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// The input is in this format.
    Yes,
    /// The input is not in this format.
    No,
    /// More bytes are needed to decide.
    NeedMore,
}

impl Detection {
    /// By the bytes that every file begins with.
    pub(crate) fn by_first_bytes(head: &[u8], first: &[u8]) -> Self {
        if head.starts_with(first) {
            Self::Yes
        } else if first.starts_with(head) {
            Self::NeedMore
        } else {
            Self::No
        }
    }
}

/// For [`Reads::detect`], if another format of the list recognizes the same
/// files.
pub(crate) fn never(_head: &[u8]) -> Detection {
    Detection::No
}

impl Format {
    /// Examines the beginning of an unpacked input.
    #[must_use]
    pub fn detect(&self, head: &[u8]) -> Detection {
        self.reads
            .map_or(Detection::No, |reads| (reads.detect)(head))
    }

    /// Reads a whole unpacked input: [`Reads::read`].
    ///
    /// # Errors
    ///
    /// [`ReadError`] for an input that is not in this format, or that exceeds
    /// the budget.
    pub fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        let reads = self
            .reads
            .ok_or(ReadError::NotReadable { format: self.name })?;
        (reads.read)(input, budget)
    }

    /// Whether it can be written, but only from a profile with stacks.
    #[must_use]
    pub fn needs_stacks(&self) -> bool {
        self.writes
            .is_some_and(|writes| writes.holds == Holds::Stacks)
    }

    /// Whether a file of it distinguishes the paths to a function.
    #[must_use]
    pub fn holds_stacks(&self) -> bool {
        self.writes
            .is_some_and(|writes| writes.holds != Holds::Edges)
    }

    /// [`Writes::has_threshold`].
    #[must_use]
    pub fn has_threshold(&self) -> bool {
        self.writes.is_some_and(|writes| writes.has_threshold)
    }

    /// [`in_order`](field@Writes::in_order) of what it writes.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.writes.is_some_and(|writes| writes.in_order)
    }
}
