//! Hourly sums of profiles, for runs that are in no store, and those of a store.
//!
//! A whole tree gives call paths. A profile with edges only gives its functions,
//! each as a path below the root: calls are then compared with runs.
//!
//! **Invariant:** paths, functions and blocks of a route are bounded by
//! [`MOST_PATHS`]; costs beyond it belong to the caller's path.

use std::collections::{BTreeMap, HashMap};

use profile::{FlatTable, Profile, SelfCost, WallUnit};

use crate::detector::Detector;
use crate::finding::Report;
use crate::input::{Block, Cell, Path, Release, RouteHours, log_time};
use crate::options::Options;

/// The most paths of a route.
const MOST_PATHS: usize = 50_000;

const HOUR_US: u64 = 3_600_000_000;

/// Adds profiles up by route, release, hour and host.
#[derive(Debug, Default)]
pub struct Collector {
    routes: BTreeMap<String, Route>,
    /// Each release's number and first hour.
    releases: BTreeMap<String, (u32, i64)>,
    hosts: BTreeMap<String, u32>,
    until: i64,
}

/// Why a profile is not a part of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdded {
    /// It does not say when it began.
    Time,
    /// It has samples or another unit than time.
    Unit,
}

/// The sums of one hour of a route under one release, as a store has them.
#[derive(Debug, Clone, Copy)]
pub struct Hour<'a> {
    /// The route.
    pub route: &'a str,
    /// The release.
    pub release: &'a str,
    /// Runs and times. Its release, host and cells are not read.
    pub block: &'a Block,
}

/// The sums of one path of an [`Hour`].
#[derive(Debug, Clone, Copy)]
pub struct HourPath<'a> {
    /// The caller's place among the paths of the hour; none for the root.
    pub parent: Option<u32>,
    /// The function.
    pub function: &'a [u8],
    /// The sums. Its path is not read.
    pub cell: Cell,
}

#[derive(Debug, Default)]
struct Route {
    functions: Vec<String>,
    numbers: HashMap<String, u32>,
    paths: Vec<Path>,
    places: HashMap<(Option<u32>, u32), u32>,
    /// By hour, release and host.
    blocks: BTreeMap<(i64, u32, u32), Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    block: Block,
    cells: BTreeMap<u32, Cell>,
}

impl Collector {
    /// Adds a run of a route under a release.
    ///
    /// # Errors
    ///
    /// [`NotAdded`], and then nothing is added.
    pub fn add(&mut self, route: &str, release: &str, profile: &Profile) -> Result<(), NotAdded> {
        if profile.metrics.wall_unit != WallUnit::Nanoseconds
            || !profile.metrics.calls
            || profile.meta.counts.is_some()
        {
            return Err(NotAdded::Unit);
        }
        let start = profile.meta.started_unix_us.ok_or(NotAdded::Time)?;
        let hour = i64::try_from(start / HOUR_US).map_err(|_| NotAdded::Time)?;
        let release = self.release(release, hour);
        let host = profile.meta.host.clone().unwrap_or_default();
        let next = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
        let host = *self.hosts.entry(host).or_insert(next);
        let route = self.routes.entry(route.to_owned()).or_default();
        route.add((hour, release, host), profile);
        Ok(())
    }

    /// Adds the sums of an hour. Parents precede their children in `paths`.
    pub fn add_hour<'p>(&mut self, hour: Hour<'_>, paths: impl IntoIterator<Item = HourPath<'p>>) {
        let key = (
            hour.block.hour,
            self.release(hour.release, hour.block.hour),
            0,
        );
        let route = self.routes.entry(hour.route.to_owned()).or_default();
        let mut places: Vec<u32> = Vec::new();
        let mut cells = Vec::new();
        for path in paths {
            let parent = path.parent.and_then(|parent| places.get(parent as usize));
            let place = route.path(parent.copied(), path.function);
            places.push(place);
            cells.push(Cell {
                path: place,
                ..path.cell
            });
        }
        let sums = route.block(key);
        let block = &mut sums.block;
        block.runs = block.runs.saturating_add(hour.block.runs);
        block.wall_ns = block.wall_ns.saturating_add(hour.block.wall_ns);
        block.ln_wall += hour.block.ln_wall;
        block.peak_bytes = block.peak_bytes.saturating_add(hour.block.peak_bytes);
        for cell in cells {
            sums.add(cell);
        }
    }

    /// The number of a release that has runs in that hour.
    fn release(&mut self, name: &str, hour: i64) -> u32 {
        self.until = self.until.max(hour + 1);
        let next = u32::try_from(self.releases.len()).unwrap_or(u32::MAX);
        let known = self.releases.entry(name.to_owned());
        let (number, since) = known.or_insert((next, hour));
        *since = hour.min(*since);
        *number
    }

    /// The releases in the order of their first runs, with their numbers.
    #[must_use]
    pub fn releases(&self) -> Vec<(Release, u32)> {
        let mut releases: Vec<(Release, u32)> = self
            .releases
            .iter()
            .map(|(name, (number, since))| {
                let release = Release {
                    name: name.clone(),
                    since: *since,
                };
                (release, *number)
            })
            .collect();
        releases.sort_by_key(|(release, number)| (release.since, *number));
        releases
    }

    /// A report for each release after the first, oldest first.
    #[must_use]
    pub fn reports(&self, options: Options) -> Vec<Report> {
        let routes: Vec<(&String, &Route, Vec<Block>)> = self
            .routes
            .iter()
            .map(|(name, route)| (name, route, route.blocks()))
            .collect();
        let mut detector = Detector::new(options);
        let releases = self.releases();
        let next = releases.iter().skip(2).map(|next| Some(next.0.since));
        let next = next.chain([None]);
        let of = releases
            .iter()
            .skip(1)
            .zip(next)
            .map(|((release, number), next)| {
                let hours = routes.iter().map(|(name, route, blocks)| RouteHours {
                    route: name,
                    functions: &route.functions,
                    paths: &route.paths,
                    blocks,
                });
                detector.examine(release, *number, next, self.until, hours)
            });
        of.collect()
    }
}

impl Sums {
    fn add(&mut self, more: Cell) {
        let cell = self.cells.entry(more.path).or_insert(Cell {
            path: more.path,
            ..Cell::default()
        });
        cell.runs = cell.runs.saturating_add(more.runs);
        cell.calls = cell.calls.saturating_add(more.calls);
        cell.self_ns = cell.self_ns.saturating_add(more.self_ns);
        cell.ln_self += more.ln_self;
        cell.memory = cell.memory.saturating_add(more.memory);
    }
}

impl Route {
    fn add(&mut self, key: (i64, u32, u32), profile: &Profile) {
        let (costs, wall) = self.costs(profile);
        let sums = self.block(key);
        let block = &mut sums.block;
        block.runs += 1;
        block.wall_ns = block.wall_ns.saturating_add(wall);
        block.ln_wall += log_time(wall);
        let peak = profile.meta.peak_memory.unwrap_or(0);
        block.peak_bytes = block.peak_bytes.saturating_add(peak);
        for (path, (calls, own)) in costs {
            let time = u64::try_from(own.wall).unwrap_or(0);
            sums.add(Cell {
                path,
                runs: 1,
                calls,
                self_ns: time,
                ln_self: log_time(time),
                memory: own.memory,
            });
        }
    }

    /// The sums of an hour, a release and a host.
    fn block(&mut self, key: (i64, u32, u32)) -> &mut Sums {
        let sums = self.blocks.entry(key).or_default();
        (sums.block.hour, sums.block.release, sums.block.host) = key;
        sums
    }

    /// The calls and self costs of one run's paths, and its time.
    fn costs(&mut self, profile: &Profile) -> (BTreeMap<u32, (u64, SelfCost)>, u64) {
        let mut costs: BTreeMap<u32, (u64, SelfCost)> = BTreeMap::new();
        let mut add = |path: u32, calls: u64, own: SelfCost| {
            let sum = costs.entry(path).or_default();
            sum.0 = sum.0.saturating_add(calls);
            sum.1 += own;
        };
        if let Some(tree) = profile.tree() {
            let mut places: Vec<u32> = Vec::with_capacity(tree.nodes.len());
            for (node, own) in tree.nodes.iter().zip(tree.self_costs()) {
                let parent = places.get(node.parent.index()).copied();
                let place = self.path(parent, profile.name(node.symbol));
                places.push(place);
                add(place, node.cost.calls, own);
            }
            return (costs, tree.root_cost().wall);
        }
        let table = FlatTable::new(profile);
        let root = self.path(None, profile.name(profile::SymbolId::ROOT));
        for row in &table.rows {
            let place = match row.symbol {
                profile::SymbolId::ROOT => root,
                symbol => self.path(Some(root), profile.name(symbol)),
            };
            add(place, row.inclusive.calls, row.own);
        }
        (costs, table.total.wall)
    }

    /// The number of a path; that of its caller if there are too many.
    fn path(&mut self, parent: Option<u32>, name: &[u8]) -> u32 {
        let name = String::from_utf8_lossy(name);
        let next = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        let function = match self.numbers.get(name.as_ref()) {
            Some(known) => *known,
            None if self.functions.len() >= MOST_PATHS => return parent.unwrap_or(0),
            None => {
                self.functions.push(name.clone().into_owned());
                self.numbers.insert(name.into_owned(), next);
                next
            }
        };
        let next = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        if let Some(known) = self.places.get(&(parent, function)) {
            return *known;
        }
        if self.paths.len() >= MOST_PATHS {
            return parent.unwrap_or(0);
        }
        self.paths.push(Path { parent, function });
        self.places.insert((parent, function), next);
        next
    }

    fn blocks(&self) -> Vec<Block> {
        let blocks = self.blocks.values().map(|sums| Block {
            cells: sums.cells.values().copied().collect(),
            ..sums.block.clone()
        });
        blocks.collect()
    }
}
