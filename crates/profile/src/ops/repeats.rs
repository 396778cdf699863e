//! Finds statements that one call repeats: the N+1 problem of databases.
//!
//! A span has its caller, but not the call of it; calls are counted by path. So
//! each result is a lower bound: of N statements in C calls, one call made at
//! least N / C. With the events of a profile the result is exact.
//!
//! **Invariant:** a statement is reported only if a single call of one of the
//! parents certainly made it [`Repeat::LEAST`] times or more.

use std::collections::{HashMap, HashSet};

use crate::table::known_mut;
use crate::{Body, EventKind, NodeId, Profile, Span, SpanKind, SymbolId, Table, TextId, Tree};

/// A statement that one caller made several times in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The kind of span.
    pub kind: SpanKind,
    /// The statement.
    pub text: TextId,
    /// The function that waited.
    pub symbol: SymbolId,
    /// The function that calls it.
    pub caller: SymbolId,
    /// How many times that caller made it, in the whole profile.
    pub calls: u64,
    /// Their total time, in nanoseconds.
    pub total: u64,
    /// The functions of which one call repeated it: the caller, or its direct
    /// or indirect callers. Several if the profile does not show which of them.
    pub parents: Vec<SymbolId>,
    /// The minimum number of times that one call of a parent made it.
    pub at_least: u64,
}

impl Repeat {
    /// The minimum number that counts as repeated: two may be a coincidence.
    pub const LEAST: u64 = 3;
    /// How many levels above the caller are examined.
    const LEVELS: usize = 64;
}

/// A statement and its caller.
type Key = (SpanKind, TextId, SymbolId, SymbolId);

/// How many times each call, by its number, of a function made a statement.
type PerCall = HashMap<usize, (SymbolId, u64)>;

/// The repeated statements, those with the most time first.
#[must_use]
pub fn repeats(profile: &Profile) -> Vec<Repeat> {
    let mut sums: HashMap<Key, (u64, u64)> = HashMap::new();
    for span in &profile.spans.list {
        if let Some(key) = key(span) {
            let (calls, total) = sums.entry(key).or_default();
            *calls += 1;
            *total = total.saturating_add(span.duration);
        }
    }
    sums.retain(|_, (calls, _)| *calls >= Repeat::LEAST);
    if sums.is_empty() {
        return Vec::new();
    }
    let exact = exact(profile);
    let graph = Graph::new(profile, sums.keys().map(|key| (key.3, key.2)).collect());
    let mut repeats: Vec<Repeat> = sums
        .into_iter()
        .filter_map(|(key, (calls, total))| {
            let (parents, at_least) = match &exact {
                Some(exact) => exact.get(&key).cloned()?,
                None => graph.parents((key.3, key.2), calls)?,
            };
            let (kind, text, symbol, caller) = key;
            Some(Repeat {
                kind,
                text,
                symbol,
                caller,
                calls,
                total,
                parents,
                at_least,
            })
        })
        .collect();
    let largest_first = |repeat: &Repeat| {
        let size = std::cmp::Reverse((repeat.total, repeat.calls));
        (size, repeat.kind, repeat.text, repeat.symbol, repeat.caller)
    };
    repeats.sort_by_key(largest_first);
    repeats
}

fn key(span: &Span) -> Option<Key> {
    Some((span.kind, span.text?, span.symbol, span.caller))
}

/// Open calls and the numbers of their events, the innermost first.
type Chain = Vec<(SymbolId, usize)>;

/// The statements that one call repeated, from the events; none if the events
/// do not match the spans.
fn exact(profile: &Profile) -> Option<HashMap<Key, (Vec<SymbolId>, u64)>> {
    let Body::Events(events) = &profile.body else {
        return None;
    };
    let waiting: HashSet<SymbolId> = profile.spans.list.iter().map(|span| span.symbol).collect();
    // The open calls around each span, the caller first.
    let mut chains: HashMap<SymbolId, Vec<Chain>> = HashMap::new();
    let mut open: Vec<(SymbolId, usize)> = vec![(SymbolId::ROOT, 0)];
    for (number, event) in (1..).zip(&events.events) {
        match event.kind {
            EventKind::Enter(symbol) => {
                if waiting.contains(&symbol) {
                    let chain = open.iter().rev().take(Repeat::LEVELS).copied();
                    chains.entry(symbol).or_default().push(chain.collect());
                }
                open.push((symbol, number));
            }
            EventKind::Leave => {
                if open.len() > 1 {
                    open.pop();
                }
            }
            _ => return None,
        }
    }
    let mut spans: Vec<&Span> = profile.spans.list.iter().collect();
    // Of two that began at the same time the outer one, which ends later, comes
    // first.
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.duration)));
    let mut taken: HashMap<SymbolId, usize> = HashMap::new();
    let mut counts: HashMap<Key, Vec<PerCall>> = HashMap::new();
    for span in spans {
        let place = taken.entry(span.symbol).or_default();
        let chain = chains.get(&span.symbol)?.get(*place)?;
        *place += 1;
        if chain.first()?.0 != span.caller {
            return None;
        }
        let Some(key) = key(span) else { continue };
        let levels = counts.entry(key).or_default();
        for (level, &(symbol, number)) in chain.iter().enumerate() {
            if levels.len() <= level {
                levels.push(HashMap::new());
            }
            if let Some(calls) = known_mut(levels, level) {
                calls.entry(number).or_insert((symbol, 0)).1 += 1;
            }
        }
    }
    let all_taken = chains
        .iter()
        .all(|(symbol, chains)| taken.get(symbol) == Some(&chains.len()));
    all_taken.then_some(())?;
    let found = counts.into_iter().filter_map(|(key, levels)| {
        let mut most = levels.iter().filter_map(|calls| {
            // Of equal ones the first.
            let most = calls
                .iter()
                .max_by_key(|(number, (_, count))| (*count, std::cmp::Reverse(**number)));
            most.map(|(_, found)| *found)
        });
        // The innermost call in which it is repeated.
        let (symbol, count) = most.find(|(_, count)| *count >= Repeat::LEAST)?;
        Some((key, (vec![symbol], count)))
    });
    Some(found.collect())
}

/// The calls by path or, without paths, by function.
struct Graph {
    /// How many times each was called, and from where.
    nodes: Table<usize, GraphNode>,
    /// The nodes of each caller of functions that waited.
    callers: HashMap<(SymbolId, SymbolId), Vec<usize>>,
}

#[derive(Debug, Default, Clone)]
struct GraphNode {
    symbol: SymbolId,
    calls: u64,
    parents: Vec<usize>,
}

impl Graph {
    /// The calls that lead to the `wanted` pairs of caller and callee.
    fn new(profile: &Profile, wanted: HashSet<(SymbolId, SymbolId)>) -> Self {
        match profile.tree() {
            Some(tree) => Self::of_tree(&tree, &wanted),
            None => Self::of_edges(profile, wanted),
        }
    }

    fn of_tree(tree: &Tree, wanted: &HashSet<(SymbolId, SymbolId)>) -> Self {
        let mut callers: HashMap<_, Vec<usize>> = HashMap::new();
        let mut nodes = Table::with_capacity(tree.nodes.len());
        for (number, node) in tree.numbered() {
            let has_parent = number != NodeId::ROOT;
            let pair = (tree[node.parent].symbol, node.symbol);
            if has_parent && wanted.contains(&pair) {
                callers.entry(pair).or_default().push(node.parent.index());
            }
            let parent = has_parent.then(|| node.parent.index());
            nodes.push(GraphNode {
                symbol: node.symbol,
                calls: node.cost.calls.max(1),
                parents: parent.into_iter().collect(),
            });
        }
        Self { nodes, callers }
    }

    fn of_edges(profile: &Profile, wanted: HashSet<(SymbolId, SymbolId)>) -> Self {
        let numbers = (0..).take(profile.symbols.len());
        let mut nodes: Table<usize, GraphNode> = numbers
            .map(|number| GraphNode {
                symbol: SymbolId(number),
                ..GraphNode::default()
            })
            .collect();
        for edge in &profile.edges().edges {
            let node = &mut nodes[edge.callee.symbol.index()];
            node.calls = node.calls.saturating_add(edge.cost.calls);
            let caller = edge.caller.symbol.index();
            if !node.parents.contains(&caller) {
                node.parents.push(caller);
            }
        }
        let root = &mut nodes[SymbolId::ROOT.index()];
        root.calls = root.calls.max(1);
        root.parents.clear();
        let callers = wanted.into_iter().map(|pair| (pair, vec![pair.0.index()]));
        Self {
            nodes,
            callers: callers.collect(),
        }
    }

    /// The nearest level of parents in which one call made the same statement
    /// several times, if it was made `number` times in total.
    fn parents(&self, pair: (SymbolId, SymbolId), number: u64) -> Option<(Vec<SymbolId>, u64)> {
        let mut level: Vec<usize> = self.callers.get(&pair)?.clone();
        level.sort_unstable();
        level.dedup();
        let is_one_path = level.len() == 1;
        for _ in 0..Repeat::LEVELS {
            let nodes = || level.iter().map(|&node| &self.nodes[node]);
            let calls = nodes().fold(0, |sum: u64, node| sum.saturating_add(node.calls));
            let at_least = number.div_ceil(calls.max(1));
            if at_least >= Repeat::LEAST {
                let mut parents: Vec<SymbolId> = nodes().map(|node| node.symbol).collect();
                parents.sort_unstable();
                parents.dedup();
                // main() is called once and contains every statement: that says
                // nothing about statements made in several places.
                let is_all = parents.as_slice() == [SymbolId::ROOT] && pair.0 != SymbolId::ROOT;
                return (is_one_path || !is_all).then_some((parents, at_least));
            }
            let mut above: Vec<usize> = nodes().flat_map(|node| node.parents.clone()).collect();
            // A path that begins here has no parent, and stays.
            above.extend(
                level
                    .iter()
                    .filter(|&&node| self.nodes[node].parents.is_empty()),
            );
            above.sort_unstable();
            above.dedup();
            if above == level {
                return None;
            }
            level = above;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Events, Instant, NodeId, SpansBuilder, Symbol, TreeBuilder};

    /// `render` and `list` both call `load`, which calls `query`.
    const NAMES: [&str; 5] = ["main()", "render", "list", "load", "query"];
    const RENDER: SymbolId = SymbolId(1);
    const LIST: SymbolId = SymbolId(2);
    const LOAD: SymbolId = SymbolId(3);
    const QUERY: SymbolId = SymbolId(4);

    fn with(body: Body, statements: &[&str]) -> Profile {
        let mut spans = SpansBuilder::new(1_000);
        for (start, statement) in (0..).zip(statements) {
            let text = Some(spans.text(statement.as_bytes()));
            spans.push(Span {
                kind: SpanKind::Sql,
                text,
                symbol: QUERY,
                caller: LOAD,
                start,
                duration: 10,
                rows: None,
            });
        }
        Profile {
            symbols: NAMES
                .iter()
                .map(|name| Symbol::new(name.as_bytes()))
                .collect(),
            body,
            spans: spans.finish(),
            ..Profile::empty()
        }
    }

    fn tree(paths: &[(&[SymbolId], u64)]) -> Tree {
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        for (path, calls) in paths {
            let node = path
                .iter()
                .fold(NodeId::ROOT, |node, &symbol| builder.child(node, symbol));
            builder.cost(node).calls += calls;
        }
        builder.finish()
    }

    fn found(profile: &Profile) -> Vec<(u64, Vec<SymbolId>, u64)> {
        let found = repeats(profile).into_iter();
        found
            .map(|repeat| (repeat.calls, repeat.parents, repeat.at_least))
            .collect()
    }

    #[test]
    fn a_statement_in_a_loop_is_found_with_the_function_that_loops() {
        let paths: [(&[SymbolId], u64); 3] = [
            (&[RENDER], 1),
            (&[RENDER, LOAD], 9),
            (&[RENDER, LOAD, QUERY], 10),
        ];
        let mut statements = vec!["SELECT comments"; 9];
        statements.push("SELECT posts");
        let profile = with(Body::Tree(tree(&paths)), &statements);
        assert_eq!(found(&profile), [(9, vec![RENDER], 9)]);
        let of_edges = Profile {
            body: Body::Edges(profile.edges().into_owned()),
            ..profile.clone()
        };
        assert_eq!(found(&of_edges), [(9, vec![RENDER], 9)]);
        let repeat = &repeats(&profile)[0];
        assert_eq!(
            (repeat.caller, repeat.symbol, repeat.total),
            (LOAD, QUERY, 90)
        );
        assert_eq!(profile.spans.text_of(Some(repeat.text)), b"SELECT comments");
    }

    #[test]
    fn a_statement_a_call_is_no_loop() {
        let paths: [(&[SymbolId], u64); 6] = [
            (&[RENDER], 9),
            (&[RENDER, LOAD], 9),
            (&[RENDER, LOAD, QUERY], 9),
            (&[LIST], 9),
            (&[LIST, LOAD], 9),
            (&[LIST, LOAD, QUERY], 9),
        ];
        let profile = with(Body::Tree(tree(&paths)), &["SELECT ?"; 18]);
        assert_eq!(found(&profile), []);
        // Two are not a loop either.
        let profile = with(Body::Tree(tree(&paths[..1])), &["SELECT ?"; 2]);
        assert_eq!(found(&profile), []);
    }

    #[test]
    fn of_several_places_it_is_a_lower_bound() {
        let paths: [(&[SymbolId], u64); 6] = [
            (&[RENDER], 1),
            (&[RENDER, LOAD], 9),
            (&[RENDER, LOAD, QUERY], 9),
            (&[LIST], 1),
            (&[LIST, LOAD], 9),
            (&[LIST, LOAD, QUERY], 9),
        ];
        let profile = with(Body::Tree(tree(&paths)), &["SELECT ?"; 9]);
        assert_eq!(found(&profile), [(9, vec![RENDER, LIST], 5)]);
    }

    #[test]
    fn events_tell_in_which_call_it_was() {
        let mut events = Vec::new();
        let mut push = |kind| {
            let at = Instant::default();
            events.push(Event { at, kind });
        };
        for (outer, times) in [(RENDER, 2), (LIST, 4), (RENDER, 2)] {
            push(EventKind::Enter(outer));
            for _ in 0..times {
                push(EventKind::Enter(LOAD));
                push(EventKind::Enter(QUERY));
                push(EventKind::Leave);
                push(EventKind::Leave);
            }
            push(EventKind::Leave);
        }
        let end = Instant::default();
        let profile = with(Body::Events(Events { events, end }), &["SELECT ?"; 8]);
        assert_eq!(found(&profile), [(8, vec![LIST], 4)]);
    }
}
