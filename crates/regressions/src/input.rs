//! What a caller passes in: hourly sums of the runs of a route.
//!
//! A store keeps exactly these numbers, so it can be asked for them; a folder
//! of profiles is added up to them. All of them are sums, so two blocks of the
//! same hour may be passed as they are or added up first.

/// A release of the application, with the time at which it was deployed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Its name, such as `2026.11.3`.
    pub name: String,
    /// The first hour with a run of it, in hours since the Unix epoch.
    pub since: i64,
}

/// The hourly sums of one route.
#[derive(Debug, Clone, Copy)]
pub struct RouteHours<'a> {
    /// The name of the route.
    pub route: &'a str,
    /// The functions, by number.
    pub functions: &'a [String],
    /// The call paths, by number: a parent precedes its children.
    pub paths: &'a [Path],
    /// The hours, in any order.
    pub blocks: &'a [Block],
}

/// Has the hourly sums of one route.
pub trait Hours {
    /// The sums.
    fn hours(&self) -> RouteHours<'_>;
}

impl Hours for RouteHours<'_> {
    fn hours(&self) -> RouteHours<'_> {
        *self
    }
}

impl<H: Hours> Hours for &H {
    fn hours(&self) -> RouteHours<'_> {
        H::hours(self)
    }
}

impl RouteHours<'_> {
    /// Whether there is a root, all numbers are of functions and paths that there
    /// are, and parents precede their children.
    pub(crate) fn is_consistent(&self) -> bool {
        let is_path = |(place, path): (usize, &Path)| {
            (path.function as usize) < self.functions.len()
                && path.parent.is_none_or(|parent| (parent as usize) < place)
        };
        let mut cells = self.blocks.iter().flat_map(|block| &block.cells);
        !self.paths.is_empty()
            && self.paths.iter().enumerate().all(is_path)
            && cells.all(|cell| (cell.path as usize) < self.paths.len())
    }
}

/// A call path: its caller's path, and one more function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The path of the caller; none for the root.
    pub parent: Option<u32>,
    /// The number of the function.
    pub function: u32,
}

/// The runs of one route in one hour, under one release, on one host.
///
/// Hosts may be added up to one. Keep them apart if the store can: a function
/// that only some hosts' runs call is then compared more precisely.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// The hour, in hours since the Unix epoch.
    pub hour: i64,
    /// The number of the release in the list that the caller passes beside.
    pub release: u32,
    /// A number for the host, or 0.
    pub host: u32,
    /// The number of runs.
    pub runs: u64,
    /// The sum of the runs' times, in nanoseconds.
    pub wall_ns: u64,
    /// The sum of [`log_time`] of the runs' times.
    pub ln_wall: f64,
    /// The sum of the runs' peak memory, in bytes; 0 if not measured.
    pub peak_bytes: u64,
    /// The paths that were called, each once.
    pub cells: Vec<Cell>,
}

/// The sums of one path in one block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cell {
    /// The number of the path.
    pub path: u32,
    /// The number of runs that called it.
    pub runs: u64,
    /// The number of calls.
    pub calls: u64,
    /// The sum of the self times, in nanoseconds.
    pub self_ns: u64,
    /// The sum, over the runs that called it, of [`log_time`] of the run's self
    /// time on this path.
    pub ln_self: f64,
    /// The sum of the self changes of memory, in bytes.
    pub memory: i64,
}

/// The logarithm of a time that the detector works with: ln(1 + microseconds).
///
/// Times of a path multiply rather than add: a slow host makes everything some
/// percent slower. The 1 keeps times near the resolution of clocks from having
/// logarithms that vary more than those of the paths that matter.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "2^53 nanoseconds are 104 days, and a rounding error is no error here"
)]
pub fn log_time(nanoseconds: u64) -> f64 {
    (nanoseconds as f64 / 1000.0).ln_1p()
}
