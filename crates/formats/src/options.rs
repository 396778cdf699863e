//! What can be said about how to write.

use profile::{Metric, Profile};

/// How to write a profile. What a format has no place for is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// The title, in place of the profile's own.
    pub title: Option<String>,
    /// The cost that formats with room for one write.
    pub metric: Metric,
    /// An earlier profile, to show what has changed since.
    pub base: Option<Profile>,
    /// Whether stacks may be guessed where a format needs them, and the profile
    /// knows edges only. It is refused otherwise.
    pub estimate: bool,
    /// Formats that are made to be looked at whole leave out functions whose
    /// inclusive cost is less than so many millionths of the profile's.
    pub threshold_ppm: u32,
    /// How flame graphs look.
    pub flame: FlameOptions,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            title: None,
            metric: Metric::default(),
            base: None,
            estimate: false,
            // gprof2dot's, whose graphs people know.
            threshold_ppm: 5_000,
            flame: FlameOptions::default(),
        }
    }
}

/// How flame graphs look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlameOptions {
    /// What the colours mean; none to choose by what is known.
    pub colour: Option<FlameColour>,
    /// Which way the stacks grow.
    pub direction: FlameDirection,
    /// What there is one graph of.
    pub per: FlamePer,
    /// Nothing in it runs: an SVG without script, for a site whose visitors are
    /// logged in. A picture in a page runs no script anyway.
    pub is_static: bool,
}

/// What the colours of a flame graph mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlameColour {
    /// The class, so that it keeps its colour from graph to graph. PHP's own
    /// functions are grey.
    #[default]
    Package,
    /// What it costs by itself: the redder, the more.
    Own,
    /// Calls against cost: warm for many short calls, cool for few long ones.
    Calls,
    /// What has changed since the base: red costs more by itself, blue less.
    Difference,
}

impl FlameColour {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Package, Self::Own, Self::Calls, Self::Difference];

    /// What users call it: `package`, `self`, `calls`, `diff`.
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

/// Which way the stacks of a flame graph grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlameDirection {
    /// Down: `main()` is at the top.
    #[default]
    Icicle,
    /// Up: `main()` is at the bottom.
    Flame,
}

/// What there is one flame graph of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlamePer {
    /// The whole program.
    #[default]
    Program,
    /// Each class: what its methods cost, whoever called them.
    Class,
    /// Each file.
    File,
}
