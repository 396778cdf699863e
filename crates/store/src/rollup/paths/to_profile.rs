//! Paths as a profile.

use profile::{
    Activation, Body, Cost, Edge, EdgeTable, Metrics, NodeId, NumberMap, Profile, SelfCost, Symbol,
    SymbolId, TreeBuilder, WallUnit,
};

use super::{LEVEL_BITS, Paths};

impl Paths {
    /// As a profile, with these names.
    pub(crate) fn to_profile(&self, names: &[Symbol]) -> Profile {
        let mut symbols = vec![Symbol::new(Symbol::MAIN)];
        let mut numbers: NumberMap<u32, SymbolId> = NumberMap::default();
        // The root is symbol 0, whatever its name: an entry point of another tool.
        if let Some(root) = self.names().next() {
            numbers.insert(root, SymbolId::ROOT);
            if let Some(name) = names.get(root as usize) {
                symbols = vec![name.clone()];
            }
        }
        let mut number = |name: u32| {
            *numbers.entry(name).or_insert_with(|| {
                let next = SymbolId(u32::try_from(symbols.len()).unwrap_or(u32::MAX));
                let symbol = names.get(name as usize).cloned();
                symbols.push(symbol.unwrap_or_else(|| Symbol::new(*b"[unknown]")));
                next
            })
        };
        let body = if self.is_edges() {
            Body::Edges(self.to_edges(&mut number))
        } else {
            let mut builder = TreeBuilder::new();
            let mut places = Vec::with_capacity(self.rows.len());
            for (index, row) in self.rows.iter().enumerate() {
                let place = if index == 0 {
                    NodeId::ROOT
                } else {
                    let parent = usize::try_from(row.from)
                        .ok()
                        .and_then(|from| places.get(from))
                        .copied()
                        .unwrap_or(NodeId::ROOT);
                    builder.child(parent, number(u32::try_from(row.to).unwrap_or(0)))
                };
                let cost = builder.cost(place);
                cost.calls = cost.calls.saturating_add(row.calls);
                builder.add_self(
                    place,
                    SelfCost {
                        wall: row.wall,
                        cpu: row.cpu,
                        memory: row.memory,
                        peak: row.peak,
                    },
                );
                places.push(place);
            }
            Body::Tree(builder.finish_signed_self_costs())
        };
        Profile {
            symbols,
            body,
            metrics: Metrics {
                calls: self.rows.iter().any(|row| row.calls > 0),
                wall_unit: WallUnit::Nanoseconds,
                cpu: self.rows.iter().any(|row| row.cpu != 0),
                memory: self.rows.iter().any(|row| row.memory != 0 || row.peak != 0),
            },
            ..Profile::empty()
        }
    }

    fn to_edges(&self, number: &mut impl FnMut(u32) -> SymbolId) -> EdgeTable {
        let mut table = EdgeTable::default();
        for (index, row) in self.rows.iter().enumerate() {
            let cost = Cost {
                calls: row.calls,
                wall: row.wall.max(0).unsigned_abs(),
                cpu: row.cpu.max(0).unsigned_abs(),
                memory: row.memory,
                peak: row.peak,
            };
            if index == 0 {
                table.root = cost;
                continue;
            }
            let mut end = |packed: u64| Activation {
                symbol: number(u32::try_from(packed >> LEVEL_BITS).unwrap_or(0)),
                level: u32::try_from(packed & ((1 << LEVEL_BITS) - 1)).unwrap_or(0),
            };
            table.edges.push(Edge {
                caller: end(row.from),
                callee: end(row.to),
                cost,
            });
        }
        table
    }
}
