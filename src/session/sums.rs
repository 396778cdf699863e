//! What a profile has measured so far, as a few sums.

use policy::naming::templates;
use profile::{Body, LeftOut, Profile, SpanKind, Spans, Tree};

use super::snapshot;
use crate::engine::{self, with_state};
use crate::naming::Symbols;

/// The largest profile of which a copy is made for the sums: a copy takes a millisecond.
const MAX_NODES: usize = 50_000;

/// How often, and how long in nanoseconds.
pub(crate) type Sum = LeftOut;

/// The sums of a profile.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(crate) sql: Sum,
    pub(crate) http: Sum,
    pub(crate) cache: Sum,
    /// Files and strings that were compiled or loaded; none of a large profile.
    pub(crate) compile: Sum,
    /// Templates that were rendered, those within others not counted again; none of a large
    /// profile, and none where whole call paths are not recorded.
    pub(crate) templates: Sum,
}

/// Those of the automatic profile so far; nothing if its state is in use.
pub(crate) fn sums_so_far() -> Sums {
    if engine::is_lent() {
        return Sums::default();
    }
    let mut sums = Sums::default();
    let is_small = with_state(|state| {
        // The script's own profile may be running in its place.
        let recording = state.suspended.as_deref().unwrap_or(&state.active);
        let log = recording.symbols().and_then(Symbols::spans);
        if let Some(log) = log.and_then(|log| log.try_borrow().ok()) {
            sums.add(log.spans());
        }
        state.suspended.is_none() && recording.recorder.nodes() <= MAX_NODES
    });
    if let Some(profile) = is_small.then(snapshot).flatten() {
        sums.compile = compiled(&profile);
        if let Body::Tree(tree) = &profile.body {
            sums.templates = rendered(&profile, tree);
        }
    }
    sums
}

impl Sums {
    fn add(&mut self, spans: &Spans) {
        for span in &spans.list {
            let sum = match span.kind {
                SpanKind::Sql => &mut self.sql,
                SpanKind::Http | SpanKind::Stream => &mut self.http,
                SpanKind::Redis | SpanKind::Memcached => &mut self.cache,
                SpanKind::Other(_) => continue,
            };
            sum.add(span.duration);
        }
    }
}

/// The compilations in a profile.
fn compiled(profile: &Profile) -> Sum {
    let mut sum = Sum::default();
    let mut add = |symbol, calls: u64, wall: u64| {
        let name = profile.name(symbol);
        if name.starts_with(b"load::") || name.starts_with(b"eval::") {
            sum = sum.plus(Sum {
                count: calls,
                duration: wall,
            });
        }
    };
    match &profile.body {
        Body::Tree(tree) => tree
            .nodes
            .iter()
            .for_each(|node| add(node.symbol, node.cost.calls, node.cost.wall)),
        Body::Edges(table) => table
            .edges
            .iter()
            .for_each(|edge| add(edge.callee.symbol, edge.cost.calls, edge.cost.wall)),
        Body::Samples(_) | Body::Events(_) => {}
    }
    sum
}

/// The templates in a profile: the outermost functions that render.
fn rendered(profile: &Profile, tree: &Tree) -> Sum {
    let symbols = profile.symbols.iter();
    let renders: Vec<bool> = symbols
        .map(|symbol| templates::renders(&symbol.name))
        .collect();
    let mut sum = Sum::default();
    // Parents come before children.
    let mut is_within = vec![false; tree.nodes.len()];
    for (id, node) in tree.numbered() {
        let is_nested = is_within.get(node.parent.index()) == Some(&true);
        let renders = renders.get(node.symbol.index()) == Some(&true);
        if renders && !is_nested {
            sum = sum.plus(Sum {
                count: node.cost.calls,
                duration: node.cost.wall,
            });
        }
        if let Some(is_within) = is_within.get_mut(id.index()) {
            *is_within = is_nested || renders;
        }
    }
    sum
}
