//! Laws of the answers, held to random call trees: totals equal the profile's,
//! a filter and its complement add up, a box is as wide as what stands below it
//! and its own part.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::cases;
use profile::{
    Body, Cost, Event, EventKind, Events, Instant, Metrics, NodeId, Profile, Symbol, SymbolId,
    TreeBuilder,
};
use proptest::prelude::*;
use view::{
    Answer, Arrangement, Document, Flame, FlameQuery, Functions, FunctionsQuery, MetricName,
    Origin, Question, SortBy, TimeRange, Timeline, TimelineQuery,
};

/// Paths of few functions, so that there is recursion, with self costs.
fn profiles() -> impl Strategy<Value = Profile> {
    let own = (0_u64..4, 0_u64..3_000, 0_u64..3_000, -500_i64..500);
    let path = (prop::collection::vec(1_u32..6, 0..7), own);
    prop::collection::vec(path, 0..60).prop_map(|paths| {
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        for (path, (calls, wall, cpu, memory)) in paths {
            let mut at = NodeId::ROOT;
            for symbol in path {
                at = builder.child(at, SymbolId(symbol));
            }
            *builder.cost(at) += Cost {
                calls,
                wall,
                cpu,
                memory,
                peak: 0,
            };
        }
        let mut profile = Profile::empty();
        for (number, name) in ["a", "A\\b", "strlen", "load::x.php", "e"]
            .iter()
            .enumerate()
        {
            let mut symbol = Symbol::new(name.as_bytes());
            symbol.internal = number == 2;
            profile.symbols.push(symbol);
        }
        profile.metrics = Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        };
        profile.body = Body::Tree(builder.finish_self_costs());
        profile
    })
}

fn functions(document: &mut Document, query: FunctionsQuery) -> Functions {
    match document.answer(&Question::Functions(query)).unwrap() {
        Answer::Functions(functions) => functions,
        other => panic!("{other:?}"),
    }
}

fn flame(document: &mut Document, arrangement: Arrangement, metric: MetricName) -> Flame {
    let query = FlameQuery {
        arrangement,
        metric,
        width: 100_000.0,
        min_width: 0.1,
        ..FlameQuery::default()
    };
    match document.answer(&Question::Flame(query)).unwrap() {
        Answer::Flame(flame) => flame,
        other => panic!("{other:?}"),
    }
}

/// Of every box that was opened: own part and boxes below make the value.
fn boxes_add_up(flame: &Flame, callers: bool) {
    let boxes = &flame.boxes;
    let mut below = vec![0_i64; boxes.row.len()];
    for place in 1..boxes.row.len() {
        let parent = boxes.parent[place] as usize;
        assert!(parent < place, "a parent stands before its children");
        assert_eq!(boxes.row[place], boxes.row[parent] + 1);
        assert!(boxes.left[place] >= boxes.left[parent] - 0.1);
        assert!(boxes.right[place] <= boxes.right[parent] + 0.1);
        below[parent] += boxes.value[place];
    }
    for (place, below) in below.into_iter().enumerate() {
        if boxes.joined[place] > 1 || boxes.name[place] < 0 {
            continue;
        }
        let width = boxes.right[place] - boxes.left[place];
        if callers || width < 1.0 {
            assert!(below <= boxes.value[place]);
        } else {
            // What is narrower than a tenth of a pixel may be left out.
            let known = below + boxes.own[place];
            assert!(known <= boxes.value[place]);
            let missing = boxes.value[place] - known;
            assert!(
                missing * 1_000 <= boxes.value[0].max(1),
                "{missing} is missing"
            );
        }
    }
}

/// Calls, returns and switches between fibers, at any distance in time.
fn event_profiles() -> impl Strategy<Value = Profile> {
    let kind = prop_oneof![
        4 => (1_u32..5).prop_map(|symbol| EventKind::Enter(SymbolId(symbol))),
        3 => Just(EventKind::Leave),
        1 => (0_u32..3).prop_map(EventKind::Switch),
    ];
    let step = (kind, 0_u64..50, 0_u64..40, -20_i64..20);
    prop::collection::vec(step, 0..80).prop_map(|steps| {
        let mut at = Instant::default();
        let mut list = Vec::new();
        for (kind, wall, cpu, memory) in steps {
            at.wall += wall;
            at.cpu += cpu;
            at.memory += memory;
            list.push(Event { at, kind });
        }
        let mut profile = Profile::empty();
        for name in ["a", "b", "c", "d"] {
            profile.symbols.push(Symbol::new(name.as_bytes()));
        }
        profile.metrics = Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        };
        at.wall += 7;
        profile.body = Body::Events(Events {
            events: list,
            end: at,
        });
        profile
    })
}

fn timeline(document: &mut Document, query: TimelineQuery) -> Timeline {
    match document.answer(&Question::Timeline(query)).unwrap() {
        Answer::Timeline(timeline) => timeline,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn self_costs_of_all_functions_are_the_total(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let all = functions(&mut document, FunctionsQuery::default());
        prop_assert_eq!(all.own.wall, all.total.wall);
        prop_assert_eq!(all.own.cpu, all.total.cpu);
        prop_assert_eq!(all.own.calls, all.total.calls);
        prop_assert_eq!(all.own.memory, all.total.memory);
        prop_assert_eq!(all.matches, all.of);
    }

    #[test]
    fn a_filter_and_its_complement_add_up(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let of = |origins: Vec<Origin>| FunctionsQuery { origins, ..FunctionsQuery::default() };
        let all = functions(&mut document, of(Vec::new()));
        let internal = functions(&mut document, of(vec![Origin::Internal]));
        let rest = functions(&mut document, of(vec![Origin::User, Origin::Vendor, Origin::Other]));
        prop_assert_eq!(internal.own.wall + rest.own.wall, all.own.wall);
        prop_assert_eq!(internal.matches + rest.matches, all.matches);
    }

    #[test]
    fn pages_put_together_are_the_table(profile in profiles(), rows in 1_u32..4) {
        let mut document = Document::new(profile, Vec::new());
        let sort = SortBy::PerCall(MetricName::Wall);
        let whole = functions(&mut document, FunctionsQuery { sort, ..FunctionsQuery::default() });
        let mut pages = Vec::new();
        for first in (0..whole.matches).step_by(rows as usize) {
            let query = FunctionsQuery { sort, first, rows, ..FunctionsQuery::default() };
            pages.extend(functions(&mut document, query).rows);
        }
        prop_assert_eq!(pages, whole.rows);
    }

    #[test]
    fn boxes_are_as_wide_as_what_they_stand_for(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let all = functions(&mut document, FunctionsQuery::default());
        for arrangement in [Arrangement::Called, Arrangement::LeftHeavy] {
            let graph = flame(&mut document, arrangement, MetricName::Wall);
            prop_assert_eq!(graph.zoom.total, all.total.wall);
            boxes_add_up(&graph, false);
        }
        let inverted = flame(&mut document, Arrangement::Inverted, MetricName::Wall);
        prop_assert_eq!(inverted.zoom.total, all.total.wall);
        boxes_add_up(&inverted, true);
        for row in &all.rows {
            let function = row.function;
            let callers = flame(&mut document, Arrangement::Callers { function }, MetricName::Wall);
            prop_assert_eq!(callers.zoom.total, row.inclusive.wall);
            boxes_add_up(&callers, true);
            let callees = flame(&mut document, Arrangement::Callees { function }, MetricName::Wall);
            prop_assert_eq!(callees.zoom.total, row.inclusive.wall);
            boxes_add_up(&callees, false);
        }
        // Memory that is given back makes no box wider than its caller's.
        let memory = flame(&mut document, Arrangement::Called, MetricName::Memory);
        boxes_add_up(&memory, false);
    }

    #[test]
    fn every_box_can_be_zoomed_into(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let graph = flame(&mut document, Arrangement::LeftHeavy, MetricName::Wall);
        for place in 0..graph.boxes.row.len() {
            if graph.boxes.name[place] < 0 {
                continue;
            }
            let mut zoom = Vec::new();
            let mut at = place;
            while at != 0 {
                let name = usize::try_from(graph.boxes.name[at]).unwrap();
                zoom.push(graph.names[name].function);
                at = graph.boxes.parent[at] as usize;
            }
            zoom.reverse();
            let query = FlameQuery {
                arrangement: Arrangement::Called,
                zoom,
                ..FlameQuery::default()
            };
            let Answer::Flame(zoomed) = document.answer(&Question::Flame(query)).unwrap() else {
                panic!("not a flame graph");
            };
            prop_assert_eq!(zoomed.zoom.value, graph.boxes.value[place]);
        }
    }

    #[test]
    fn a_range_and_its_complement_add_up(profile in event_profiles(), cuts in (0_u64..2_000, 0_u64..2_000)) {
        let mut document = Document::new(profile, Vec::new());
        let all = functions(&mut document, FunctionsQuery::default());
        let (from, to) = (cuts.0.min(cuts.1), cuts.0.max(cuts.1));
        let parts = [(0, from), (from, to), (to, u64::MAX)];
        let parts: Vec<Functions> = parts
            .into_iter()
            .map(|(from, to)| {
                let mut part = document.in_range(TimeRange { from, to }).unwrap();
                functions(&mut part, FunctionsQuery::default())
            })
            .collect();
        for row in &all.rows {
            let mut sum = (0, 0, 0, 0);
            for part in &parts {
                let of = part.rows.iter().filter(|other| other.function == row.function);
                for other in of {
                    sum.0 += other.own.calls;
                    sum.1 += other.own.wall;
                    sum.2 += other.own.cpu;
                    sum.3 += other.own.memory;
                }
            }
            prop_assert_eq!(sum, (row.own.calls, row.own.wall, row.own.cpu, row.own.memory));
        }
    }

    #[test]
    fn the_timeline_has_every_call_once(profile in event_profiles(), width in 1_u16..3_000) {
        let mut document = Document::new(profile, Vec::new());
        let calls = functions(&mut document, FunctionsQuery::default()).own.calls;
        let query = TimelineQuery { width: f32::from(width), ..TimelineQuery::default() };
        let shown = timeline(&mut document, query);
        let joined: u64 = shown.boxes.joined.iter().map(|count| u64::from(*count)).sum();
        // A call that takes no time at the very end is not inside the range.
        prop_assert!(joined <= calls);
        for place in 1..shown.boxes.row.len() {
            if shown.boxes.row[place] == shown.boxes.row[place - 1] {
                let gap = shown.boxes.left[place] - shown.boxes.right[place - 1];
                prop_assert!(gap >= -0.01, "calls of one row overlap");
            }
        }
    }
}
