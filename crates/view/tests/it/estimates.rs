//! Margins of estimated costs, in the answers of a document.

use profile::{
    Body, Cost, Estimate, FlatTable, Metric, Neighbours, NodeId, Profile, Symbol, SymbolId, Timing,
    TreeBuilder, Variance,
};
use view::{
    Answer, Arrangement, ChangesQuery, Document, FlameQuery, FunctionQuery, GraphQuery, MetricName,
    Question, SortBy, Source,
};

const NAMES: [&str; 5] = ["main()", "render", "escape", "strtr", "load"];

/// `escape` and `strtr` are estimates, on two paths; `render` calls itself.
fn profile() -> Profile {
    let mut builder = TreeBuilder::new();
    builder.cost(NodeId::ROOT).calls = 1;
    let variance = |error| Variance::of_standard_errors(error, error / 2, 0, 0);
    for (path, calls, wall, timed, error) in [
        (&[1][..], 3, 900_000, 3, 0),
        (&[1, 2], 5_000, 800_000, 90, 9_000),
        (&[1, 2, 3], 5_000, 400_000, 64, 12_000),
        (&[1, 1], 2, 70_000, 2, 0),
        (&[1, 1, 2], 700, 90_000, 40, 3_000),
        (&[4], 2, 300_000, 2, 0),
        (&[4, 3], 9_000, 600_000, 80, 1_000),
    ] {
        let walk = |at, &symbol: &u32| builder.child(at, SymbolId(symbol));
        let node = path.iter().fold(NodeId::ROOT, walk);
        *builder.cost(node) += Cost {
            calls,
            wall,
            cpu: wall / 2,
            ..Cost::default()
        };
        builder.add_estimate(node, Estimate::new(calls, timed, variance(error)));
    }
    let mut profile = Profile::empty();
    profile.symbols = NAMES.map(|name| Symbol::new(name.as_bytes())).into();
    profile.body = Body::Tree(builder.finish_self_costs());
    profile.metrics.cpu = true;
    profile.meta.timing = Timing::Adaptive;
    profile
}

/// The margin, or zero if it is not above 1 % of the cost.
fn margin(variance: &Variance, metric: Metric, cost: i64) -> i64 {
    let margin = variance.margin(metric).cast_signed();
    if margin * 100 > cost.abs() { margin } else { 0 }
}

#[test]
fn functions_and_their_neighbours_have_the_margins_of_the_profile() {
    let profile = profile();
    let edges = profile.edges().into_owned();
    let of_edges = Profile {
        body: Body::Edges(edges.clone()),
        ..profile.clone()
    };
    let flat = FlatTable::new(&of_edges);
    let mut shown = 0;
    for profile in [profile, of_edges] {
        let document = Document::new(profile.clone(), Vec::new());
        let summary = document.summary();
        let untimed = edges.estimates.untimed();
        assert_eq!(summary.timed_calls, Some(summary.calls - untimed));
        assert_eq!(summary.calls, profile.calls());
        let table = document.functions_where(|_| true, SortBy::Name, 100);
        assert_eq!(table.rows.len(), NAMES.len());
        for row in &table.rows {
            let estimate = flat.estimate(SymbolId(row.function));
            let Some(margins) = &row.margins else {
                assert_eq!(estimate, profile::FlatEstimate::default(), "{}", row.name);
                continue;
            };
            assert_eq!(margins.timed, row.own.calls - estimate.untimed);
            for metric in [Metric::Wall, Metric::Cpu] {
                let own = margin(&estimate.own, metric, row.own.of(metric));
                assert_eq!(margins.own.of(metric), own, "{}", row.name);
                let inclusive = margin(&estimate.inclusive, metric, row.inclusive.of(metric));
                assert_eq!(margins.inclusive.of(metric), inclusive, "{}", row.name);
                shown += usize::from(own != 0);
            }
            let page = document.function(&FunctionQuery {
                function: row.function,
                metric: MetricName::Wall,
            });
            let page = page.unwrap();
            let neighbours = Neighbours::new(&edges, SymbolId(row.function));
            for (rows, list) in [
                (&page.callers, &neighbours.callers),
                (&page.callees, &neighbours.callees),
            ] {
                assert_eq!(rows.len(), list.len());
                for row in rows {
                    let one = list
                        .iter()
                        .find(|one| one.symbol.0 == row.function)
                        .unwrap();
                    let wall = row.margins.map_or(0, |margins| margins.wall);
                    let variance = &one.estimate.variance;
                    assert_eq!(wall, margin(variance, Metric::Wall, row.costs.wall));
                    assert_eq!(row.margins.is_none(), one.estimate.is_exact());
                }
            }
        }
    }
    assert!(shown > 4, "{shown}");
}

#[test]
fn the_call_graph_and_the_critical_path_have_the_margins_of_the_profile() {
    let profile = profile();
    let edges = profile.edges().into_owned();
    let of_edges = Profile {
        body: Body::Edges(edges.clone()),
        ..profile.clone()
    };
    let flat = FlatTable::new(&of_edges);
    for profile in [profile, of_edges] {
        let mut document = Document::new(profile, Vec::new());
        let query = GraphQuery {
            threshold: 0.0,
            ..GraphQuery::default()
        };
        let Answer::Graph(graph) = document.answer(&Question::Graph(query)).unwrap() else {
            panic!("another answer");
        };
        let mut shown = 0;
        for node in &graph.nodes {
            let estimate = flat.estimate(SymbolId(node.function));
            let inclusive = margin(&estimate.inclusive, Metric::Wall, node.inclusive);
            assert_eq!(node.inclusive_margin, inclusive, "{}", node.name);
            let own = margin(&estimate.own, Metric::Wall, node.own);
            assert_eq!(node.own_margin, own, "{}", node.name);
            shown += usize::from(own != 0);
        }
        assert!(shown > 2, "{shown}");
        let mut shown = 0;
        for edge in &graph.edges {
            let neighbours = Neighbours::new(&edges, SymbolId(edge.from));
            let mut callees = neighbours.callees.iter();
            let callee = callees.find(|callee| callee.symbol.0 == edge.to).unwrap();
            let variance = &callee.estimate.variance;
            let expected = margin(variance, Metric::Wall, edge.inclusive);
            assert_eq!(edge.margin, expected, "{} → {}", edge.from, edge.to);
            shown += usize::from(edge.margin != 0);
        }
        assert!(shown > 1, "{shown}");
        let path = Question::CriticalPath {
            metric: MetricName::Wall,
        };
        let Answer::CriticalPath(path) = document.answer(&path).unwrap() else {
            panic!("another answer");
        };
        let steps = path.steps.iter();
        let steps: Vec<_> = steps
            .map(|step| (step.name.as_str(), step.margin))
            .collect();
        // 1.96 times 9,000 and 12,000 ns: calls by the outer `render` only.
        let expected = [
            ("main()", 0),
            ("render", 0),
            ("escape", 17_640),
            ("strtr", 23_520),
        ];
        assert_eq!(steps, expected);
    }
}

#[test]
fn boxes_have_margins_and_those_of_an_exact_profile_have_none() {
    let mut exact = profile();
    if let Body::Tree(tree) = &mut exact.body {
        tree.estimates = profile::Estimates::default();
    }
    let flat = FlatTable::new(&profile());
    for (profile, has_margins) in [(profile(), true), (exact, false)] {
        let mut document = Document::new(profile, Vec::new());
        for arrangement in [
            Arrangement::Called,
            Arrangement::LeftHeavy,
            Arrangement::Inverted,
            Arrangement::Callers { function: 3 },
            Arrangement::Callees { function: 2 },
        ] {
            let query = FlameQuery {
                arrangement,
                width: 10_000.0,
                ..FlameQuery::default()
            };
            let Answer::Flame(flame) = document.answer(&Question::Flame(query)).unwrap() else {
                panic!("another answer");
            };
            let boxes = &flame.boxes;
            assert_eq!(!boxes.margin.is_empty(), has_margins, "{arrangement:?}");
            if !has_margins {
                continue;
            }
            assert_eq!(boxes.margin.len(), boxes.value.len());
            // The box of a function itself: all its calls.
            if let Arrangement::Callers { function } | Arrangement::Callees { function } =
                arrangement
            {
                let estimate = flat.estimate(SymbolId(function));
                let expected = margin(&estimate.inclusive, Metric::Wall, boxes.value[0]);
                assert_eq!(boxes.margin[0], expected, "{arrangement:?}");
            }
        }
    }
}

#[test]
fn a_comparison_knows_the_margin_of_a_change() {
    let mut other = profile();
    if let Body::Tree(tree) = &mut other.body {
        // Within the margin of `escape`, and with it of its caller.
        for node in tree.nodes.iter_mut().take(3) {
            node.cost.wall += 10_000;
        }
    }
    let files = [profile(), other].map(|profile| {
        let mut bytes = Vec::new();
        profile::native::write(&profile, &mut bytes).unwrap();
        bytes
    });
    let [base, new] = files.each_ref().map(|bytes| Source { name: "x", bytes });
    let mut document = Document::compare(&[base], &[new]).unwrap();
    let question = Question::Changes(ChangesQuery::default());
    let Answer::Changes(changes) = document.answer(&question).unwrap() else {
        panic!("another answer");
    };
    let escape = changes
        .rows
        .iter()
        .find(|row| row.name == "escape")
        .unwrap();
    assert!(escape.own.difference > 0.0 && escape.own.within_spread);
    assert!(escape.own.margin > escape.own.difference);
    assert!(!changes.total.within_spread, "the whole is measured");
    // The mean of one run is that run.
    assert!(
        document
            .summary()
            .timed_calls
            .is_some_and(|timed| timed < document.summary().calls)
    );
}
