//! Options of writing.

use profile::{Metric, Profile};

/// How to write a profile. A format ignores options that do not apply to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// The title; by default the profile's own.
    pub title: Option<String>,
    /// The cost for formats that hold only one.
    pub metric: Metric,
    /// An earlier profile, to show changes since.
    pub base: Option<Profile>,
    /// Whether stacks may be estimated if a format needs them and the profile
    /// has only edges. Otherwise such a profile is refused.
    pub estimate: bool,
    /// Graphs and tables leave out functions whose inclusive cost is below this
    /// many millionths of the profile's.
    pub threshold_ppm: u32,
    /// The appearance of flame graphs.
    pub flame: FlameOptions,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            title: None,
            metric: Metric::default(),
            base: None,
            estimate: false,
            // The default of gprof2dot.
            threshold_ppm: 5_000,
            flame: FlameOptions::default(),
        }
    }
}

/// The appearance of flame graphs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlameOptions {
    /// What the colours show; none for the default.
    pub colour: Option<FlameColour>,
    /// The direction in which the stacks grow.
    pub direction: FlameDirection,
    /// What to draw one graph of.
    pub per: FlamePer,
    /// Whether the picture has no script to zoom and search.
    pub is_still: bool,
}

/// What the colours of a flame graph show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlameColour {
    /// Whose code it is: own code, each vendor of packages, templates, PHP, waiting.
    #[default]
    Package,
    /// Self cost: redder costs more.
    Own,
    /// Calls per cost: warm for many short calls, cool for few long ones.
    Calls,
    /// Changes since the base: a red box has a higher self cost, a blue one a
    /// lower.
    Difference,
}

impl FlameColour {
    /// All values, in the order of the help.
    pub const ALL: [Self; 4] = [Self::Package, Self::Own, Self::Calls, Self::Difference];

    /// The name on the command line: `package`, `self`, `calls`, `diff`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Own => "self",
            Self::Calls => "calls",
            Self::Difference => "diff",
        }
    }
}

/// The direction in which the stacks of a flame graph grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlameDirection {
    /// Down: `main()` is at the top.
    #[default]
    Icicle,
    /// Up: `main()` is at the bottom.
    Flame,
}

/// What to draw one flame graph of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlamePer {
    /// The whole program.
    #[default]
    Program,
    /// Each class, with the cost of its methods for any caller.
    Class,
    /// Each file.
    File,
}
