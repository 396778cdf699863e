//! Every answer comes to the profile's totals, and callers and callees found in
//! a tree are those of its edges.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::cases;
use std::collections::BTreeMap;

use profile::{
    Body, Cost, Metric, Metrics, Neighbours, NodeId, Profile, Symbol, SymbolId, TreeBuilder,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use view::{Answer, Document, Question, Source};

/// Paths of few functions, so that there is recursion, with self costs.
fn profiles() -> impl Strategy<Value = Profile> {
    let own = (0_u64..4, 0_u64..3_000, -500_i64..500);
    let path = (prop::collection::vec(1_u32..6, 0..8), own);
    prop::collection::vec(path, 0..60).prop_map(|paths| {
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        for (path, (calls, wall, memory)) in paths {
            let mut at = NodeId::ROOT;
            for symbol in path {
                at = builder.child(at, SymbolId(symbol));
            }
            *builder.cost(at) += Cost {
                calls,
                wall,
                cpu: wall / 2,
                memory,
                peak: 0,
            };
        }
        let mut profile = Profile::empty();
        for name in ["a", "b", "c", "d", "e"] {
            profile.symbols.push(Symbol::new(name.as_bytes()));
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

fn ask(document: &mut Document, question: Value) -> Value {
    let question: Question = serde_json::from_value(question).unwrap();
    serde_json::to_value(document.answer(&question).unwrap()).unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// Calls and wall time of each neighbour that has any.
type Sides = BTreeMap<u64, (i64, i64)>;

fn answered(rows: &Value) -> Sides {
    let rows = rows.as_array().unwrap().iter();
    let rows = rows.map(|row| {
        let costs = &row["costs"];
        let cost = (number(&costs["calls"]), number(&costs["wall"]));
        (row["function"].as_u64().unwrap(), cost)
    });
    rows.filter(|(_, cost)| *cost != (0, 0)).collect()
}

fn expected(rows: &[profile::Neighbour]) -> Sides {
    let rows = rows.iter().map(|row| {
        let cost = (Metric::Calls.of(&row.cost), Metric::Wall.of(&row.cost));
        (u64::from(row.symbol.0), cost)
    });
    rows.filter(|(_, cost)| *cost != (0, 0)).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn neighbours_found_in_the_tree_are_those_of_its_edges(profile in profiles()) {
        let edges = profile.edges().into_owned();
        let mut document = Document::new(profile, Vec::new());
        for symbol in 0..6 {
            let question = serde_json::from_value(json!({"ask": "function", "function": symbol})).unwrap();
            let Ok(Answer::Function(page)) = document.answer(&question) else {
                continue;
            };
            let page = serde_json::to_value(page).unwrap();
            let neighbours = Neighbours::new(&edges, SymbolId(symbol));
            prop_assert_eq!(answered(&page["callers"]), expected(&neighbours.callers));
            prop_assert_eq!(answered(&page["callees"]), expected(&neighbours.callees));
            let levels = edges.edges.iter().filter(|edge| edge.callee.symbol == SymbolId(symbol));
            let deepest = levels.map(|edge| edge.callee.level).max().unwrap_or(0);
            prop_assert_eq!(page["recursion"].as_u64().unwrap(), u64::from(deepest));
        }
    }

    #[test]
    fn the_graph_has_every_pair_and_the_critical_path_begins_with_the_total(profile in profiles()) {
        let pairs = profile::pairs(&profile.edges());
        let mut document = Document::new(profile, Vec::new());
        let graph = ask(&mut document, json!({"ask": "graph", "threshold": 0.0}));
        let edges = graph["edges"].as_array().unwrap().iter();
        let edges: BTreeMap<_, _> = edges
            .map(|edge| ((number(&edge["from"]), number(&edge["to"])), (number(&edge["inclusive"]), number(&edge["calls"]))))
            .collect();
        let nodes: Vec<i64> = graph["nodes"].as_array().unwrap().iter().map(|node| number(&node["function"])).collect();
        let expected: BTreeMap<_, _> = pairs
            .iter()
            .map(|pair| ((i64::from(pair.caller.0), i64::from(pair.callee.0)), (Metric::Wall.of(&pair.cost), Metric::Calls.of(&pair.cost))))
            .filter(|((from, to), _)| nodes.contains(from) && nodes.contains(to))
            .collect();
        prop_assert_eq!(edges, expected);
        let path = ask(&mut document, json!({"ask": "criticalPath"}));
        prop_assert_eq!(&path["steps"][0]["value"], &path["total"]["wall"]);
        let steps: Vec<i64> = path["steps"].as_array().unwrap().iter().map(|step| number(&step["value"])).collect();
        prop_assert!(steps.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn every_arrangement_comes_to_the_total(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let summary = ask(&mut document, json!({"ask": "summary"}));
        let total = number(&summary["total"]["wall"]);
        for by in ["called", "leftHeavy", "inverted"] {
            let flame = ask(&mut document, json!({"ask": "flame", "arrangement": {"by": by}, "width": 100_000.0, "minWidth": 0.1}));
            prop_assert_eq!(number(&flame["zoom"]["total"]), total);
            let boxes = &flame["boxes"];
            let places = boxes["row"].as_array().unwrap().iter().enumerate();
            let first: i64 = places.filter(|(_, row)| **row == 1).map(|(place, _)| number(&boxes["value"][place])).sum();
            let own = number(&boxes["own"][0]);
            // What is narrower than a tenth of a pixel may be left out.
            prop_assert!((total - own - first).abs() * 1_000 <= total.max(1_000), "{} {} {}", total, own, first);
        }
        let search = ask(&mut document, json!({"ask": "search", "text": "main()"}));
        prop_assert_eq!(number(&search["covered"]), total);
    }

    #[test]
    fn what_is_exported_has_the_same_functions_when_it_is_opened_again(profile in profiles()) {
        let mut document = Document::new(profile, Vec::new());
        let question = serde_json::from_value(json!({"ask": "export", "format": "native"})).unwrap();
        let Answer::Export(file) = document.answer(&question).unwrap() else {
            panic!("no file");
        };
        let source = Source { name: "again", bytes: &file.bytes };
        let mut again = Document::open(&[source]).unwrap();
        let table = json!({"ask": "functions", "sort": {"by": "name"}});
        let rows = |document: &mut Document| {
            let answer = ask(document, table.clone());
            let rows = answer["rows"].as_array().unwrap().iter();
            rows.map(|row| (row["name"].clone(), row["inclusive"].clone(), row["own"].clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(rows(&mut again), rows(&mut document));
        // The document keeps its tree after it lent it to the writer.
        ask(&mut document, json!({"ask": "flame"}));
    }
}
