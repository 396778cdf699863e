//! Documents without some functions, or with their recursion as one call; classes of code;
//! the spans of both sides of a comparison.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use profile::{
    Body, NodeId, Profile, Span, SpanKind, SpansBuilder, Symbol, SymbolId, TreeBuilder, native,
};
use view::{Answer, Document, Origin, Question, Reshape, Source, SpanBase};

fn open(stacks: &str) -> Document {
    Document::open(&[Source {
        name: "stacks.collapsed",
        bytes: stacks.as_bytes(),
    }])
    .unwrap()
}

/// The inclusive cost and the self cost of each function, by name.
fn costs(document: &mut Document) -> Vec<(String, i64, i64)> {
    let question = serde_json::from_str(r#"{"ask":"functions","sort":{"by":"name"}}"#).unwrap();
    let Answer::Functions(table) = document.answer(&question).unwrap() else {
        panic!("another answer")
    };
    let rows = table.rows.into_iter();
    rows.map(|row| (row.name, row.inclusive.wall, row.own.wall))
        .collect()
}

fn number(document: &mut Document, name: &str) -> u32 {
    let question = format!(r#"{{"ask":"functions","filter":"{name}"}}"#);
    let question = serde_json::from_str(&question).unwrap();
    let Answer::Functions(table) = document.answer(&question).unwrap() else {
        panic!("another answer")
    };
    table
        .rows
        .iter()
        .find(|row| row.name == name)
        .unwrap()
        .function
}

#[test]
fn a_hidden_function_takes_its_cost_and_that_of_its_callees_along() {
    let mut whole = open("main();a 5\nmain();a;b 30\nmain();a;b;c 10\nmain();c 60\n");
    let hidden = vec![number(&mut whole, "b")];
    let reshape = Reshape {
        hidden,
        ..Reshape::default()
    };
    let mut part = whole.reshaped(&reshape).unwrap();
    let expected = [("a", 5, 5), ("c", 60, 60), ("main()", 65, 0)];
    let expected = expected.map(|(name, inclusive, own)| (name.to_owned(), inclusive, own));
    assert_eq!(costs(&mut part), expected);
}

#[test]
fn collapsed_recursion_is_one_call_and_loses_no_cost() {
    let mut whole = open("main();a;b;a 10\nmain();a;b;a;c 20\nmain();a 1\n");
    let before = costs(&mut whole);
    let collapsed = vec![number(&mut whole, "a")];
    let reshape = Reshape {
        collapsed,
        ..Reshape::default()
    };
    let mut part = whole.reshaped(&reshape).unwrap();
    let after = costs(&mut part);
    let own = |costs: &[(String, i64, i64)]| -> Vec<(String, i64)> {
        let costs = costs.iter().filter(|(_, _, own)| *own > 0);
        costs.map(|(name, _, own)| (name.clone(), *own)).collect()
    };
    assert_eq!(own(&after), own(&before), "self costs stay");
    let question = serde_json::from_str(r#"{"ask":"flame","width":100}"#).unwrap();
    let Answer::Flame(flame) = part.answer(&question).unwrap() else {
        panic!("another answer")
    };
    // main(), a, and below it b and c: both were called from a call of a.
    assert_eq!(flame.depth, 2);
    assert_eq!(flame.zoom.total, 31);
}

#[test]
fn an_unknown_function_cannot_be_hidden() {
    let whole = open("main();a 5\n");
    let reshape = Reshape {
        hidden: vec![99],
        ..Reshape::default()
    };
    assert!(whole.reshaped(&reshape).is_err());
}

/// A profile of `main()` that makes each statement so often, in 10 ns each.
fn with_statements(statements: &[(&str, u64)]) -> Vec<u8> {
    let mut tree = TreeBuilder::new();
    let node = tree.child(NodeId::ROOT, SymbolId(1));
    let mut spans = SpansBuilder::new(1_000);
    for (statement, times) in statements {
        let text = Some(spans.text(statement.as_bytes()));
        for start in 0..*times {
            spans.push(Span {
                kind: SpanKind::Sql,
                text,
                symbol: SymbolId(1),
                caller: SymbolId::ROOT,
                start,
                duration: 10,
                rows: None,
            });
            tree.cost(node).calls += 1;
            tree.cost(node).wall += 10;
        }
    }
    let cost = *tree.cost(node);
    tree.cost(NodeId::ROOT).calls = 1;
    tree.cost(NodeId::ROOT).wall = cost.wall;
    let query = Symbol {
        internal: true,
        ..Symbol::new(*b"PDO::query")
    };
    let profile = Profile {
        symbols: vec![Symbol::new(Symbol::MAIN), query],
        body: Body::Tree(tree.finish()),
        spans: spans.finish(),
        ..Profile::empty()
    };
    let mut bytes = Vec::new();
    native::write(&profile, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_comparison_has_the_statements_of_both_sides() {
    let base = [
        with_statements(&[("SELECT a", 2), ("SELECT b", 4)]),
        with_statements(&[("SELECT a", 4), ("SELECT b", 4)]),
    ];
    let new = with_statements(&[("SELECT a", 9), ("SELECT c", 1)]);
    let source = |name, bytes| Source { name, bytes };
    let base = [source("1.xhp", &base[0][..]), source("2.xhp", &base[1][..])];
    let mut document = Document::compare(&base, &[source("new.xhp", &new)]).unwrap();
    let Answer::Spans(spans) = document.answer(&Question::Spans).unwrap() else {
        panic!("another answer")
    };
    let rows = spans.groups.iter();
    let rows: Vec<_> = rows
        .map(|row| (&*row.text, row.calls, row.time, row.base.unwrap()))
        .collect();
    let base = |calls, time| SpanBase { calls, time };
    let expected = [
        ("SELECT a", 9, 90, base(3, 30)),
        ("SELECT b", 0, 0, base(4, 40)),
        ("SELECT c", 1, 10, base(0, 0)),
    ];
    assert_eq!(rows, expected);
    assert_eq!(spans.base, Some(base(7, 70)));
    assert_eq!(document.summary().spans, 10);
}

#[test]
fn classes_have_the_self_costs_of_their_functions() {
    let bytes = with_statements(&[("SELECT a", 3)]);
    let mut document = Document::open(&[Source {
        name: "a.xhp",
        bytes: &bytes,
    }])
    .unwrap();
    let question = serde_json::from_str(r#"{"ask":"classes"}"#).unwrap();
    let Answer::Classes(classes) = document.answer(&question).unwrap() else {
        panic!("another answer")
    };
    let rows = classes.rows.iter();
    let rows: Vec<_> = rows
        .map(|row| (row.origin, row.functions, row.own))
        .collect();
    assert_eq!(rows, [(Origin::Waiting, 1, 30), (Origin::User, 1, 0)]);
    assert_eq!(classes.total, 30);
}
