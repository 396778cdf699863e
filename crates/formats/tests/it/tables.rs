//! Formats for people: CSV, Markdown, Graphviz.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::common::{events, nasty, read, written};
use formats::WriteOptions;
use profile::Metric;

const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");
const XDEBUG: &[u8] = include_bytes!("../golden/cachegrind.out.tiny-xdebug");

fn text(id: &str, input: &[u8]) -> String {
    String::from_utf8(written(id, &read(input))).unwrap()
}

#[test]
fn a_row_a_function_and_every_cost_exactly() {
    let csv = text("csv", SERIALIZED);
    let lines: Vec<_> = csv.split("\r\n").collect();
    assert_eq!(
        lines[..3],
        [
            "function,calls,self_wall_ns,inclusive_wall_ns,self_cpu_ns,inclusive_cpu_ns,\
             self_memory_bytes,inclusive_memory_bytes,self_peak_bytes,inclusive_peak_bytes,file,line",
            "main(),1,100000,263000,60000,218000,1000,3032,500,2548,,0",
            "bar,6,60000,60000,60000,60000,192,192,0,0,,0",
        ]
    );
    assert!(csv.contains("\r\n\"weird name; with \"\"quotes\"\" <&> @1\",1,11000,11000,"));
    assert_eq!(lines.len(), 1 + 8 + 1);
    assert!(text("csv", XDEBUG).contains(",/app/lib/math.php,5\r\n"));
}

#[test]
fn a_row_stays_a_row_whatever_its_name_is() {
    let csv = String::from_utf8(written("csv", &nasty())).unwrap();
    assert_eq!(csv.lines().count(), 1 + nasty().symbols.len());
    let markdown = String::from_utf8(written("markdown", &nasty())).unwrap();
    let rows: Vec<_> = markdown
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() > 10);
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 9, "{row}");
    }
}

#[test]
fn markdown_is_for_a_comment() {
    assert_eq!(
        text("markdown", XDEBUG).lines().take(8).collect::<Vec<_>>(),
        [
            "### /app/index.php",
            "",
            "0.263 ms in 8 functions and 17 calls",
            "",
            "| Self | % | Inclusive | % | Self memory | Calls | Function |",
            "| ---: | ---: | ---: | ---: | ---: | ---: | --- |",
            "| 0.100 ms | 38.0 | 0.263 ms | 100.0 | 1000 B | 1 | `main()` |",
            "| 0.060 ms | 22.8 | 0.060 ms | 22.8 | 192 B | 6 | `bar` |",
        ]
    );
}

fn dot(options: &WriteOptions, input: &[u8]) -> String {
    let mut out = Vec::new();
    formats::write(&formats::dot::DOT, &read(input), options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_critical_path_is_bold() {
    let graph = dot(&WriteOptions::default(), SERIALIZED);
    let bold: Vec<_> = graph
        .lines()
        .filter(|line| line.contains("red3"))
        .filter_map(|line| line.trim().split(" [").next())
        .collect();
    let place = |name: &str| {
        let line = graph
            .lines()
            .find(|line| line.contains(&format!("[label=\"{name}\\n")));
        line.unwrap().trim().split(' ').next().unwrap()
    };
    let (main, foo, bar) = (place("main()"), place("foo"), place("bar"));
    let mut expected = vec![main.to_owned(), foo.to_owned(), bar.to_owned()];
    expected.push(format!("{main} -> {foo}"));
    expected.push(format!("{foo} -> {bar}"));
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(
        sorted(bold.into_iter().map(str::to_owned).collect()),
        sorted(expected)
    );
    assert!(graph.contains("fact\\n0.013 ms (4.9%)\\nself 0.012 ms (4.6%)\\n3×"));
}

#[test]
fn what_is_below_the_threshold_is_left_out_with_its_edges() {
    let options = WriteOptions {
        threshold_ppm: 100_000,
        ..WriteOptions::default()
    };
    let graph = dot(&options, SERIALIZED);
    assert!(
        graph.contains("label=\"xhprof: 4 of 8 functions, 0.263 ms in all\""),
        "{graph}"
    );
    assert!(!graph.contains("strlen"));
    let nodes: Vec<_> = graph
        .lines()
        .filter_map(|line| line.trim().split_once(" [label"))
        .filter_map(|(name, _)| (!name.contains("->")).then_some(name))
        .collect();
    for line in graph.lines().filter(|line| line.contains(" -> ")) {
        let ends = line.trim().split(" [").next().unwrap();
        let (caller, callee) = ends.split_once(" -> ").unwrap();
        assert!(nodes.contains(&caller) && nodes.contains(&callee), "{line}");
    }
}

#[test]
fn any_cost_can_be_drawn() {
    let options = WriteOptions {
        metric: Metric::Memory,
        ..WriteOptions::default()
    };
    let memory = dot(&options, SERIALIZED);
    assert!(memory.contains("3032 B in all"), "{memory}");
    // Sums that may be below zero have no shares.
    assert!(!memory.contains("%)"), "{memory}");
    let mut out = Vec::new();
    let format = formats::by_id("dot").unwrap();
    let outcome = formats::write(format, &events(), &options, &mut out);
    assert!(matches!(
        outcome,
        Err(formats::WriteError::NotMeasured { .. })
    ));
}

#[test]
fn they_are_not_readable() {
    for id in ["csv", "dot", "markdown"] {
        let format = formats::by_id(id).unwrap();
        assert!(
            format
                .read(&mut &b"x"[..], &profile::Budget::default())
                .is_err(),
            "{id}"
        );
    }
}
