//! Operations on profiles, each in its own file.
//!
//! Every front end uses these, so that a terminal, a flame graph and a web page
//! show the same results.

mod called_lines;
mod canonical;
mod critical_path;
mod diff;
mod estimate;
mod filter;
mod groups;
mod inverted;
mod mean;
mod merge;
mod neighbours;
mod own_tree;
mod recursion;
mod repeats;
mod sampled_lines;
mod statistic;
mod threshold;

pub use called_lines::CalledTree;
pub use critical_path::{Step, critical_path};
pub use diff::{CostChanges, Diff, EdgeDiff, FunctionDiff, Impact};
pub use estimate::EstimateLimits;
pub use inverted::{InvertLimits, InvertedNode, InvertedTree};
pub use merge::{MergeError, Merger, merge};
pub use neighbours::{Neighbour, Neighbours, Pair, pairs};
pub use repeats::{Repeat, repeats};
pub use sampled_lines::LineCall;
pub use statistic::{Change, Statistic};
pub use threshold::OTHER;
