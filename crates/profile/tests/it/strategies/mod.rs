//! Random profiles of every body, for property tests.

use profile::{
    Activation, Body, Budget, Cost, Edge, EdgeTable, Event, EventKind, Events, Instant, LeftOut,
    LinedId, Lines, LinesBuilder, Meta, Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder,
    SelfCost, Span, SpanKind, Spans, SpansBuilder, Symbol, SymbolId, Tree, TreeBuilder, WallUnit,
};
use proptest::prelude::*;

/// Few symbols, so that there is recursion; names that are hard to write down.
pub(crate) const SYMBOLS: u32 = 7;

const NAMES: [&[u8]; SYMBOLS as usize] = [
    b"main()",
    b"a",
    b"b\\C::d",
    b"e@1",
    b"{closure}",
    b"\xFF\0\n;==>",
    b"b\\C::e",
];

pub(crate) fn symbols() -> impl Strategy<Value = Vec<Symbol>> {
    let one = (
        prop::option::of(prop::sample::select(vec!["", "/a.php", "/b c.php"])),
        any::<u16>(),
        any::<bool>(),
    );
    prop::collection::vec(one, NAMES.len()).prop_map(|list| {
        list.into_iter()
            .zip(NAMES)
            .map(|((file, line, internal), name)| Symbol {
                name: name.into(),
                file: file.map(|file| file.as_bytes().into()),
                line: u32::from(line),
                internal,
            })
            .collect()
    })
}

/// Costs that add up without coming near a limit.
pub(crate) fn cost() -> impl Strategy<Value = Cost> {
    (
        0_u64..5,
        0_u64..100_000,
        0_u64..100_000,
        -5_000_i64..5_000,
        0_i64..500,
    )
        .prop_map(|(calls, wall, cpu, memory, peak)| Cost {
            calls,
            wall,
            cpu,
            memory,
            peak,
        })
}

/// A tree with own costs that are not negative in time.
pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let node = (any::<prop::sample::Index>(), 1..SYMBOLS, cost());
    (cost(), prop::collection::vec(node, 0..60)).prop_map(|(root, nodes)| {
        let mut builder = TreeBuilder::new();
        *builder.cost(NodeId::ROOT) += Cost { calls: 1, ..root };
        for (parent, symbol, cost) in nodes {
            let parent = parent.index(builder.len());
            let parent = NodeId(u32::try_from(parent).unwrap_or(0));
            let node = builder.child(parent, SymbolId(symbol));
            *builder.cost(node) += Cost {
                calls: cost.calls + 1,
                ..cost
            };
        }
        builder.finish_self_costs()
    })
}

/// Edges that no tree need have: any ends, those costs.
pub(crate) fn edges<C: Strategy<Value = Cost>>(
    cost: impl Fn() -> C,
) -> impl Strategy<Value = EdgeTable> {
    let end = (0..SYMBOLS, prop_oneof![Just(0), 0_u32..3]);
    let edge = (end.clone(), end, cost());
    let list = prop::collection::vec(edge, 0..30);
    (cost(), list).prop_map(|(root, list)| {
        let mut edges: Vec<Edge> = Vec::new();
        for (caller, callee, cost) in list {
            let end = |(symbol, level)| Activation {
                symbol: SymbolId(symbol),
                level,
            };
            let (caller, callee) = (end(caller), end(callee));
            let is_known = edges
                .iter()
                .any(|edge| (edge.caller, edge.callee) == (caller, callee));
            if callee != EdgeTable::ROOT && !is_known {
                edges.push(Edge {
                    caller,
                    callee,
                    cost,
                });
            }
        }
        EdgeTable { root, edges }
    })
}

fn wild_cost() -> impl Strategy<Value = Cost> {
    let time = || prop_oneof![any::<u64>(), 0_u64..100_000, Just(0)];
    let size = || prop_oneof![any::<i64>(), Just(0)];
    (time(), time(), time(), size(), size()).prop_map(|(calls, wall, cpu, memory, peak)| Cost {
        calls,
        wall,
        cpu,
        memory,
        peak,
    })
}

/// A tree whose inclusive costs are anything.
pub(crate) fn wild_tree() -> impl Strategy<Value = Tree> {
    (tree(), prop::collection::vec(wild_cost(), 1..70)).prop_map(|(mut tree, costs)| {
        for (node, cost) in tree.nodes.iter_mut().zip(costs) {
            node.cost = cost;
        }
        tree
    })
}

pub(crate) fn samples_body() -> impl Strategy<Value = Body> {
    let file = prop::option::weighted(0.2, "[ab]{0,2}");
    let line = (file, prop_oneof![0_u32..4, any::<u32>()]);
    let frame = (1..SYMBOLS, line.clone());
    let sample = (
        0_u64..1_000,
        1_u64..9,
        prop::option::of(line),
        prop::collection::vec(frame, 0..6),
    );
    prop::collection::vec(sample, 0..30).prop_map(|list| {
        let mut builder = SamplesBuilder::default();
        let mut at = 0;
        for (step, weight, first, path) in list {
            at += step;
            let mut stack = NodeId::ROOT;
            let has_lines = first.is_some();
            let mut lined = LinedId::UNKNOWN;
            let first = (None, first.unwrap_or_default());
            let path = path.into_iter().map(|(symbol, line)| (Some(symbol), line));
            for (symbol, (file, line)) in std::iter::once(first).chain(path) {
                if let Some(symbol) = symbol {
                    stack = builder.push(stack, SymbolId(symbol));
                }
                if has_lines {
                    let file = file.and_then(|file| builder.line_file(file.as_bytes()));
                    lined = builder.line(lined, stack, file, line);
                }
            }
            builder.add(Sample {
                lined,
                ..Sample::new(at, weight, stack)
            });
        }
        Body::Samples(builder.finish())
    })
}

pub(crate) fn events() -> impl Strategy<Value = Events> {
    let kind = prop_oneof![
        4 => (0..SYMBOLS).prop_map(|symbol| EventKind::Enter(SymbolId(symbol))),
        4 => Just(EventKind::Leave),
        1 => (0_u32..4).prop_map(EventKind::Switch),
    ];
    let step = prop_oneof![0_u64..40, 0_u64..5_000, 0_u64..5_000_000_000];
    let size = || prop_oneof![Just(0_i64), any::<i64>()];
    let event = (kind, step.clone(), step, size(), size());
    prop::collection::vec(event, 1..100).prop_map(|list| {
        let mut at = Instant::default();
        let mut events: Vec<Event> = list
            .into_iter()
            .map(|(kind, wall, cpu, memory, peak)| {
                at.wall += wall;
                at.cpu += cpu;
                (at.memory, at.peak) = (memory, peak);
                Event { at, kind }
            })
            .collect();
        let end = events.pop().map(|event| event.at).unwrap_or_default();
        Events { events, end }
    })
}

pub(crate) fn meta() -> impl Strategy<Value = Meta> {
    let text = || prop::option::of("\\PC{0,8}|[\\x00-\\x1f]{1,3}");
    let mode = prop::sample::select(vec![Mode::Unknown, Mode::Traced, Mode::Sampled]);
    (
        (text(), text(), text(), text(), text()),
        (
            any::<Option<u64>>(),
            any::<Option<u32>>(),
            any::<Option<u64>>(),
        ),
        (mode, any::<bool>(), text(), any::<Option<u64>>()),
        prop::collection::btree_map("[a-c]{0,2}", "\\PC{0,5}", 0..4),
    )
        .prop_map(
            |(texts, numbers, (mode, is_estimated, counts, peak_memory), tags)| Meta {
                title: texts.0,
                host: texts.1,
                sapi: texts.2,
                php_version: texts.3,
                creator: texts.4,
                started_unix_us: numbers.0,
                process: numbers.1,
                interval_ns: numbers.2,
                mode,
                counts,
                not_read: Vec::new(),
                peak_memory,
                is_truncated: false,
                is_estimated,
                tags: tags.into_iter().collect(),
            },
        )
}

/// Spans of few texts, some of them without one.
pub(crate) fn spans() -> impl Strategy<Value = Spans> {
    let kind = prop_oneof![1_u32..6, any::<u32>()].prop_map(SpanKind::from_number);
    let symbol = || (0..SYMBOLS).prop_map(SymbolId);
    let text = prop::option::of(prop_oneof!["[ab]{0,2}", "\\PC{0,9}", "[\\x00-\\x1f]{1,3}"]);
    let time = prop_oneof![0_u64..1_000_000, any::<u64>()];
    let rows = prop::option::of(0..u64::MAX);
    let span = (kind, text, symbol(), symbol(), time.clone(), time, rows);
    let left_out = prop_oneof![Just((0, 0)), (0_u64..9, 0_u64..99)];
    (prop::collection::vec(span, 0..9), left_out).prop_map(|(list, (count, duration))| {
        let mut builder = SpansBuilder::new(Spans::MOST);
        for (kind, text, symbol, caller, start, duration, rows) in list {
            let text = text.map(|text| builder.text(text.as_bytes()));
            builder.push(Span {
                kind,
                text,
                symbol,
                caller,
                start,
                duration,
                rows,
            });
        }
        builder.leave_out(LeftOut { count, duration });
        builder.finish()
    })
}

fn own_cost() -> impl Strategy<Value = SelfCost> {
    let value = || prop_oneof![any::<i64>(), -5_000_i64..5_000, Just(0)];
    (value(), value(), value(), value()).prop_map(|(wall, cpu, memory, peak)| SelfCost {
        wall,
        cpu,
        memory,
        peak,
    })
}

/// Costs of lines that no profile need have.
fn lines() -> impl Strategy<Value = Lines> {
    let file = prop::option::of("[ab]{0,2}");
    let callee = prop::option::of((0..SYMBOLS, any::<u64>(), own_cost()));
    let line = (
        (0..SYMBOLS, file, prop_oneof![1_u32..4, 1..=u32::MAX]),
        (own_cost(), any::<u64>(), own_cost(), own_cost()),
        callee,
    );
    prop::collection::vec(line, 0..12).prop_map(|list| {
        let mut builder = LinesBuilder::within(&Budget::unlimited());
        for ((symbol, file, line), (own, calls, callees, builtin), callee) in list {
            let file = file.and_then(|file| builder.file(file.as_bytes()));
            let Some(place) = builder.line(SymbolId(symbol), file, line) else {
                continue;
            };
            builder.add_own(place, own);
            builder.add_calls(place, calls, callees);
            builder.add_builtin(place, builtin);
            if let Some((callee, calls, cost)) = callee {
                builder.add_callee(place, SymbolId(callee), calls, cost);
            }
        }
        builder.finish()
    })
}

pub(crate) fn with_body(body: impl Strategy<Value = Body>) -> impl Strategy<Value = Profile> {
    let metrics = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (symbols(), body, metrics, meta(), spans(), lines()).prop_map(
        |(symbols, body, bits, meta, spans, lines)| {
            let lines = match &body {
                Body::Samples(samples) => samples.lines(&symbols, &Budget::unlimited()),
                Body::Edges(_) | Body::Tree(_) => lines,
                Body::Events(_) => profile::Lines::default(),
            };
            Profile {
                symbols,
                body,
                metrics: Metrics {
                    calls: bits.0,
                    wall_unit: if bits.1 {
                        WallUnit::Samples
                    } else {
                        WallUnit::Nanoseconds
                    },
                    cpu: bits.2,
                    memory: bits.3,
                },
                meta,
                spans,
                lines,
            }
        },
    )
}

pub(crate) fn events_profile() -> impl Strategy<Value = Profile> {
    with_body(events().prop_map(Body::Events))
}

/// A profile of any shape and any costs.
pub(crate) fn any_profile() -> impl Strategy<Value = Profile> {
    with_body(prop_oneof![
        edges(wild_cost).prop_map(Body::Edges),
        wild_tree().prop_map(Body::Tree),
        samples_body(),
        events().prop_map(Body::Events),
    ])
}
