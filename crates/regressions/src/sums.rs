//! The hourly sums of one route, added up from profiles or from the sums of a store.
//!
//! A whole tree gives call paths. A profile with edges only gives its functions,
//! each as a path below the root: calls are then compared with runs.
//!
//! **Invariants:**
//! - Paths and functions of a route are bounded by [`MAX_PATHS`]; costs beyond it
//!   belong to the caller's path.
//! - Blocks are in the order of hour, release and host; their cells in that of the
//!   paths.

use std::collections::{BTreeMap, HashMap};

use profile::{FlatTable, NumberMap, Profile, SelfCost};

use crate::input::{Block, Cell, Hours, Path, RouteHours, log_time};

/// The most paths of a route.
const MAX_PATHS: usize = 50_000;

/// The sums of a route.
#[derive(Debug, Clone, Default)]
pub struct RouteSums {
    name: String,
    functions: Vec<String>,
    numbers: HashMap<String, u32>,
    paths: Vec<Path>,
    /// By the caller's path, `u32::MAX` for the root, and the function.
    places: NumberMap<(u32, u32), u32>,
    blocks: Vec<Block>,
}

/// The sums of one path in an hour of a store.
#[derive(Debug, Clone, Copy)]
pub struct HourPath {
    /// The caller's place among the paths of the hour; none for the root.
    pub parent: Option<u32>,
    /// The function, as [`RouteSums::function`] gave it.
    pub function: Option<u32>,
    /// The sums. Its path is not read.
    pub cell: Cell,
}

impl Hours for RouteSums {
    fn hours(&self) -> RouteHours<'_> {
        RouteHours {
            route: &self.name,
            functions: &self.functions,
            paths: &self.paths,
            blocks: &self.blocks,
        }
    }
}

impl RouteSums {
    /// No sums of the route with that name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// The number of a function; none if there are too many.
    pub fn function(&mut self, name: &[u8]) -> Option<u32> {
        let name = String::from_utf8_lossy(name);
        if let Some(known) = self.numbers.get(name.as_ref()) {
            return Some(*known);
        }
        if self.functions.len() >= MAX_PATHS {
            return None;
        }
        let next = u32::try_from(self.functions.len()).ok()?;
        self.functions.push(name.clone().into_owned());
        self.numbers.insert(name.into_owned(), next);
        Some(next)
    }

    /// Adds the sums of an hour: its block, whose cells are not read, and its
    /// paths, parents before their children.
    pub fn add_hour(&mut self, block: &Block, paths: impl IntoIterator<Item = HourPath>) {
        let paths = paths.into_iter();
        let mut places: Vec<u32> = Vec::with_capacity(paths.size_hint().0);
        let mut cells = Vec::with_capacity(paths.size_hint().0);
        for path in paths {
            let parent = path.parent.and_then(|parent| places.get(parent as usize));
            let place = self.path(parent.copied(), path.function);
            places.push(place);
            cells.push(Cell {
                path: place,
                ..path.cell
            });
        }
        self.add_block(block, cells);
    }

    /// Adds a run in that hour, under that release, on that host.
    pub(crate) fn add_run(&mut self, (hour, release, host): (i64, u32, u32), profile: &Profile) {
        let (costs, wall) = self.costs(profile);
        let block = Block {
            hour,
            release,
            host,
            runs: 1,
            wall_ns: wall,
            ln_wall: log_time(wall),
            peak_bytes: profile.meta.peak_memory.unwrap_or(0),
            cells: Vec::new(),
        };
        let cell = |(path, (calls, own)): (u32, (u64, SelfCost))| {
            let time = u64::try_from(own.wall).unwrap_or(0);
            Cell {
                path,
                runs: 1,
                calls,
                self_ns: time,
                ln_self: log_time(time),
                memory: own.memory,
            }
        };
        self.add_block(&block, costs.into_iter().map(cell).collect());
    }

    /// Adds to the block of the same hour, release and host.
    fn add_block(&mut self, more: &Block, mut cells: Vec<Cell>) {
        let key = |block: &Block| (block.hour, block.release, block.host);
        let place = match self.blocks.binary_search_by_key(&key(more), key) {
            Ok(place) => place,
            Err(place) => {
                let empty = Block {
                    hour: more.hour,
                    release: more.release,
                    host: more.host,
                    ..Block::default()
                };
                self.blocks.insert(place, empty);
                place
            }
        };
        let block = &mut self.blocks[place];
        block.runs = block.runs.saturating_add(more.runs);
        block.wall_ns = block.wall_ns.saturating_add(more.wall_ns);
        block.ln_wall += more.ln_wall;
        block.peak_bytes = block.peak_bytes.saturating_add(more.peak_bytes);
        block.cells.append(&mut cells);
        // Two sorted lists in a row: that takes one comparison a cell.
        block.cells.sort_by_key(|cell| cell.path);
        block.cells.dedup_by(|next, sum| {
            let is_same = next.path == sum.path;
            if is_same {
                sum.add(next);
            }
            is_same
        });
        block.cells.shrink_to_fit();
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
                let place = self.named_path(parent, profile.name(node.symbol));
                places.push(place);
                add(place, node.cost.calls, own);
            }
            return (costs, tree.root_cost().wall);
        }
        let table = FlatTable::new(profile);
        let root = self.named_path(None, profile.name(profile::SymbolId::ROOT));
        for row in &table.rows {
            let place = match row.symbol {
                profile::SymbolId::ROOT => root,
                symbol => self.named_path(Some(root), profile.name(symbol)),
            };
            add(place, row.inclusive.calls, row.own);
        }
        (costs, table.total.wall)
    }

    fn named_path(&mut self, parent: Option<u32>, name: &[u8]) -> u32 {
        let function = self.function(name);
        self.path(parent, function)
    }

    /// The number of a path; that of its caller if there are too many.
    fn path(&mut self, parent: Option<u32>, function: Option<u32>) -> u32 {
        let Some(function) = function else {
            return parent.unwrap_or(0);
        };
        let key = (parent.unwrap_or(u32::MAX), function);
        if let Some(known) = self.places.get(&key) {
            return *known;
        }
        if self.paths.len() >= MAX_PATHS {
            return parent.unwrap_or(0);
        }
        let next = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        self.paths.push(Path { parent, function });
        self.places.insert(key, next);
        next
    }
}

impl Cell {
    fn add(&mut self, more: &Self) {
        self.runs = self.runs.saturating_add(more.runs);
        self.calls = self.calls.saturating_add(more.calls);
        self.self_ns = self.self_ns.saturating_add(more.self_ns);
        self.ln_self += more.ln_self;
        self.memory = self.memory.saturating_add(more.memory);
    }
}
