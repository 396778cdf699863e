//! Flame graphs: their content, and that no profile breaks them.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::cases;
use std::collections::HashMap;

use crate::nasty::{self, nasty, profile_of, tiny};
use formats::flamegraph::{FLAMEGRAPH_SVG, INCOMPLETE};
use formats::{
    FlameColour, FlameDirection, FlameOptions, FlamePer, Format, WriteError, WriteOptions,
};
use profile::{Body, Metric, Profile, Symbol};
use proptest::prelude::*;
use quick_xml::events::Event;

fn write(format: &Format, profile: &Profile, options: &WriteOptions) -> String {
    let mut out = Vec::new();
    formats::write(format, profile, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn memory_is_drawn_without_shares() {
    let picture = |metric| {
        let options = WriteOptions {
            metric,
            ..WriteOptions::default()
        };
        write(&FLAMEGRAPH_SVG, &tiny(), &options)
    };
    let has_shares = |svg: &str| boxes(svg).iter().any(|drawn| drawn.title.contains("%)"));
    assert!(has_shares(&picture(Metric::Wall)));
    for metric in [Metric::Memory, Metric::Peak] {
        let svg = picture(metric);
        assert!(!boxes(&svg).is_empty());
        assert!(!has_shares(&svg), "{svg}");
    }
}

/// A box of an SVG.
#[derive(Debug, Clone, PartialEq)]
struct Drawn {
    title: String,
    x: f64,
    y: f64,
    width: f64,
}

/// All boxes of an SVG, read by a third-party XML parser. It must be
/// well-formed to the end.
fn boxes(svg: &str) -> Vec<Drawn> {
    let mut reader = quick_xml::Reader::from_str(svg);
    reader.config_mut().enable_all_checks(true);
    let (mut boxes, mut is_graph, mut title, mut depth) = (Vec::new(), false, None, 0_i32);
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let attributes: HashMap<String, String> = tag
                    .attributes()
                    .map(|attribute| {
                        let attribute = attribute.unwrap();
                        (
                            attribute.key.as_ref().to_owned(),
                            attribute.value.into_owned(),
                        )
                    })
                    .collect();
                let number = |name: &str| attributes[name].parse::<f64>().unwrap();
                match tag.name().as_ref() {
                    "g" if attributes["class"] == "graph" => is_graph = true,
                    "g" if attributes["class"] == "legend" => is_graph = false,
                    "title" => title = Some(String::new()),
                    "rect" if is_graph => boxes.push(Drawn {
                        title: title.take().unwrap(),
                        x: number("x"),
                        y: number("y"),
                        width: number("width"),
                    }),
                    _ => {}
                }
            }
            Event::Text(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(title) = &mut title {
                    title.push(match &*name {
                        "amp" => '&',
                        "lt" => '<',
                        "gt" => '>',
                        "quot" => '"',
                        "#39" => '\'',
                        "#9" => '\t',
                        other => panic!("unknown entity {other:?}"),
                    });
                }
            }
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    boxes
}

fn first_line(drawn: &Drawn) -> &str {
    drawn.title.lines().next().unwrap()
}

#[test]
fn the_svg_of_the_tiny_program_is_this_one() {
    let svg = write(&FLAMEGRAPH_SVG, &tiny(), &WriteOptions::default());
    let golden = include_str!("../golden/tiny.flamegraph.svg");
    assert!(
        svg == golden,
        "tests/golden/tiny.flamegraph.svg is not what is written now; if that is meant, \
         copy it from {}",
        {
            let path = std::env::temp_dir().join("tiny.flamegraph.svg");
            std::fs::write(&path, &svg).unwrap();
            path.display().to_string()
        }
    );
}

#[test]
fn every_stack_has_its_box_with_its_cost_and_share() {
    let svg = write(&FLAMEGRAPH_SVG, &tiny(), &WriteOptions::default());
    let boxes = boxes(&svg);
    let titles: Vec<_> = boxes.iter().map(first_line).collect();
    assert_eq!(
        titles,
        [
            "main() (263 µs, 100.00%)",
            "App\\Mühle\\Café::größe (37.0 µs, 14.07%)",
            "App\\Mühle\\{closure} (7.00 µs, 2.66%)",
            "fact (13.0 µs, 4.94%)",
            "fact (8.00 µs, 3.04%)",
            "fact (4.00 µs, 1.52%)",
            "strlen (1.00 µs, 0.38%)",
            "foo (100 µs, 38.02%)",
            "bar (60.0 µs, 22.81%)",
            "strlen (2.00 µs, 0.76%)",
            "weird name; with \"quotes\" <&> @1 (11.0 µs, 4.18%)",
        ]
    );
    assert_eq!(
        boxes[7].title,
        "foo (100 µs, 38.02%)\nself 40.0 µs, 2 calls\ntiny.php:2"
    );
}

#[test]
fn callees_lie_within_their_caller_and_the_root_is_everything() {
    for profile in [tiny(), nasty()] {
        let svg = write(&FLAMEGRAPH_SVG, &profile, &WriteOptions::default());
        let boxes = boxes(&svg);
        assert_eq!((boxes[0].x, boxes[0].width), (12.0, 1176.0));
        for row in boxes.iter().skip(1) {
            let is_caller = |other: &&Drawn| {
                (row.y - other.y - 18.0).abs() < 0.1
                    && other.x <= row.x + 0.001
                    && row.x + row.width <= other.x + other.width + 0.001
            };
            assert_eq!(boxes.iter().filter(is_caller).count(), 1, "{row:?}");
        }
    }
}

#[test]
fn a_flame_is_an_icicle_upside_down() {
    let flame = WriteOptions {
        flame: FlameOptions {
            direction: FlameDirection::Flame,
            ..FlameOptions::default()
        },
        ..WriteOptions::default()
    };
    let down = boxes(&write(&FLAMEGRAPH_SVG, &tiny(), &WriteOptions::default()));
    let up = boxes(&write(&FLAMEGRAPH_SVG, &tiny(), &flame));
    let lowest = up[0].y;
    for (down_box, up_box) in down.iter().zip(&up) {
        assert_eq!(down_box.y - down[0].y, lowest - up_box.y);
        assert_eq!((down_box.x, &down_box.title), (up_box.x, &up_box.title));
    }
}

#[test]
fn no_name_breaks_a_picture() {
    let profile = nasty();
    for colour in FlameColour::ALL {
        let options = WriteOptions {
            title: Some("]]> </title></script> \u{1} -- \"'".to_owned()),
            base: Some(tiny()),
            flame: FlameOptions {
                colour: Some(colour),
                ..FlameOptions::default()
            },
            ..WriteOptions::default()
        };
        let svg = write(&FLAMEGRAPH_SVG, &profile, &options);
        assert!(!svg.contains(|letter: char| letter.is_control() && letter != '\n'));
        assert!(!boxes(&svg).is_empty());
    }
}

#[test]
fn nothing_is_loaded_from_anywhere_and_nothing_runs() {
    let options = WriteOptions {
        flame: FlameOptions {
            is_still: true,
            ..FlameOptions::default()
        },
        ..WriteOptions::default()
    };
    let picture = write(&FLAMEGRAPH_SVG, &tiny(), &options);
    let picture = picture.replace("http://www.w3.org/2000/svg", "");
    for outside in [
        "http:", "https:", "//www", "src=", "@import", "url(", "<script", " on",
    ] {
        assert!(!picture.contains(outside), "{outside}");
    }
}

#[test]
fn the_script_is_the_same_whatever_the_names_are() {
    let script = |profile: &Profile| {
        let svg = write(&FLAMEGRAPH_SVG, profile, &WriteOptions::default());
        let (before, rest) = svg.split_once("<script><![CDATA[").unwrap();
        assert!(!before.contains("<script") && !before.contains(" on"));
        let (script, after) = rest.split_once("]]></script>").unwrap();
        assert_eq!(after, "\n</svg>\n");
        script.to_owned()
    };
    let written = script(&tiny());
    assert_eq!(written, script(&nasty()));
    for outside in [
        "https:",
        "//www.w3.org/1999/xlink",
        "import",
        "fetch",
        "innerHTML",
        "eval",
    ] {
        assert!(!written.contains(outside), "{outside}");
    }
}

#[test]
fn the_same_profile_is_the_same_file() {
    let options = WriteOptions {
        base: Some(tiny()),
        ..WriteOptions::default()
    };
    let written = || write(&FLAMEGRAPH_SVG, &nasty(), &options);
    assert!(written() == written());
}

#[test]
fn edges_alone_make_no_picture_unless_it_is_estimated() {
    let mut edges = tiny();
    edges.body = Body::Edges(edges.edges().into_owned());
    let mut options = WriteOptions::default();
    let error = formats::write(&FLAMEGRAPH_SVG, &edges, &options, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, WriteError::NeedsStacks { .. }));
    options.estimate = true;
    assert!(write(&FLAMEGRAPH_SVG, &edges, &options).contains("estimated from call graph"));
}

#[test]
fn a_base_of_edges_is_no_base_of_a_picture_unless_it_is_estimated() {
    let mut base = tiny();
    base.body = Body::Edges(base.edges().into_owned());
    let mut options = WriteOptions {
        base: Some(base),
        ..WriteOptions::default()
    };
    let error = formats::write(&FLAMEGRAPH_SVG, &tiny(), &options, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, WriteError::NeedsStacks { .. }));
    options.estimate = true;
    assert!(write(&FLAMEGRAPH_SVG, &tiny(), &options).contains("<svg"));
}

#[test]
fn a_file_that_was_cut_off_is_not_said_to_have_reached_a_limit() {
    let whole = include_bytes!("../golden/cachegrind.out.tiny-xdebug");
    let text = String::from_utf8_lossy(whole);
    let end = text.find("summary:").unwrap();
    let options = WriteOptions::default();
    for (file, is_cut) in [(&whole[..], false), (&whole[..end], true)] {
        let profile = formats::read(file).unwrap();
        assert_eq!(profile.meta.is_truncated, is_cut);
        let svg = write(&FLAMEGRAPH_SVG, &profile, &options);
        assert_eq!(svg.contains(INCOMPLETE), is_cut);
        assert!(!svg.contains("the recording reached a limit"));
    }
}

#[test]
fn samples_have_a_graph() {
    let sampled = formats::read(&include_bytes!("../golden/0003.tinysampled.xhprof")[..]).unwrap();
    let options = WriteOptions::default();
    let titles: Vec<_> = boxes(&write(&FLAMEGRAPH_SVG, &sampled, &options))
        .iter()
        .map(|title| first_line(title).to_owned())
        .collect();
    assert!(
        titles.contains(&"main() (3, 100.00%)".to_owned()),
        "{titles:?}"
    );
    let timed = WriteOptions {
        base: Some(tiny()),
        ..WriteOptions::default()
    };
    let error = formats::write(&FLAMEGRAPH_SVG, &sampled, &timed, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, WriteError::BaseDiffers));
}

#[test]
fn a_difference_has_the_new_widths_and_lists_what_is_gone() {
    let base = profile_of(&[(&["a"], 1, 50), (&["a", "gone"], 1, 30), (&["b"], 2, 20)]);
    let new = profile_of(&[(&["a"], 1, 80), (&["b"], 2, 20), (&["c"], 1, 60)]);
    let options = WriteOptions {
        base: Some(base.clone()),
        ..WriteOptions::default()
    };
    let svg = write(&FLAMEGRAPH_SVG, &new, &options);
    let drawn = boxes(&svg);
    let titles: Vec<_> = drawn.iter().map(|frame| frame.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "main() (160 ns, 100.00%)\nself 0 ns, 1 call\nbefore 100 ns: +60 ns (+37.50%); self 0 ns (0.00%)",
            "a (80 ns, 50.00%)\nself 80 ns, 1 call\nbefore 80 ns: 0 ns (0.00%); self +30 ns (+18.75%)",
            "b (20 ns, 12.50%)\nself 20 ns, 2 calls\nbefore 20 ns: 0 ns (0.00%); self 0 ns (0.00%)",
            "c (60 ns, 37.50%)\nself 60 ns, 1 call\nbefore 0 ns: +60 ns (+37.50%); self +60 ns (+37.50%)",
        ]
    );
    let widths: Vec<_> = drawn.iter().map(|frame| frame.width).collect();
    assert_eq!(widths, [1176.0, 588.0, 147.0, 441.0]);
    assert!(svg.contains("−30 ns  main() → a → gone"));
    // A profile has not changed since itself.
    let same = WriteOptions {
        base: Some(new.clone()),
        ..WriteOptions::default()
    };
    let svg = write(&FLAMEGRAPH_SVG, &new, &same);
    let (svg, _) = svg.split_once("<g class=\"legend\">").unwrap();
    assert!(
        svg.contains("class=\"c8 w\"")
            && !svg.contains("class=\"c9")
            && !svg.contains("class=\"c7")
    );
}

#[test]
fn a_graph_per_class_holds_the_cost_of_its_methods_for_any_caller() {
    let profile = profile_of(&[
        (&["A::one"], 1, 10),
        (&["A::one", "B::two"], 1, 20),
        (&["A::one", "B::two", "A::three"], 1, 5),
        (&["B::two"], 3, 40),
        (&["plain"], 1, 25),
    ]);
    let options = WriteOptions {
        flame: FlameOptions {
            per: FlamePer::Class,
            ..FlameOptions::default()
        },
        ..WriteOptions::default()
    };
    let titles: Vec<_> = boxes(&write(&FLAMEGRAPH_SVG, &profile, &options))
        .iter()
        .map(|title| first_line(title).to_owned())
        .collect();
    assert_eq!(
        titles,
        [
            "B (65 ns, 100.00%)",
            "B::two (65 ns, 100.00%)",
            "A::three (5 ns, 7.69%)",
            "A (35 ns, 100.00%)",
            "A::one (35 ns, 100.00%)",
            "B::two (25 ns, 71.43%)",
            "A::three (5 ns, 14.29%)",
        ]
    );
    // Without classes there is the whole program.
    let plain = profile_of(&[(&["plain"], 1, 25)]);
    assert_eq!(boxes(&write(&FLAMEGRAPH_SVG, &plain, &options)).len(), 2);
}

#[test]
fn a_profile_of_nothing_is_an_empty_graph() {
    let mut empty = Profile::empty();
    empty.body = Body::Tree(profile::Tree::default());
    let drawn = boxes(&write(&FLAMEGRAPH_SVG, &empty, &WriteOptions::default()));
    assert_eq!(drawn.len(), 1);
    assert_eq!(drawn[0].width, 1176.0);
}

#[test]
fn what_is_too_small_is_left_out_and_counted() {
    let names: Vec<String> = (0..20_000).map(|number| format!("f{number:05}")).collect();
    let paths: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    let rows: Vec<(&[&str], u64, u64)> = paths.iter().map(|path| (&path[..], 1, 10)).collect();
    let profile = profile_of(&rows);
    let svg = write(&FLAMEGRAPH_SVG, &profile, &WriteOptions::default());
    // Each of them is 0.06 pixels wide.
    assert_eq!(boxes(&svg).len(), 1);
    assert!(svg.contains("20,000 boxes that are too small to be visible are left out."));
}

#[test]
fn there_are_never_more_boxes_than_a_browser_can_take() {
    // Pairs of siblings of half the width each, 16 levels of them.
    let mut builder = profile::TreeBuilder::new();
    let mut row = vec![profile::NodeId::ROOT];
    for _ in 0..16 {
        row = row
            .iter()
            .flat_map(|node| [1, 2].map(|symbol| builder.child(*node, profile::SymbolId(symbol))))
            .collect();
    }
    for leaf in &row {
        builder.cost(*leaf).wall = 1_000;
    }
    let profile = Profile {
        symbols: [&b"main()"[..], b"a", b"b"].map(Symbol::new).into(),
        body: Body::Tree(builder.finish_self_costs()),
        ..Profile::empty()
    };
    assert!(boxes(&write(&FLAMEGRAPH_SVG, &profile, &WriteOptions::default())).len() <= 12_000);
}

#[test]
fn any_metric_can_give_the_widths() {
    let profile = tiny();
    for (metric, root) in [
        (Metric::Cpu, "main() (218 µs, 100.00%)"),
        (Metric::Calls, "main() (17, 100.00%)"),
    ] {
        let options = WriteOptions {
            metric,
            ..WriteOptions::default()
        };
        let drawn = boxes(&write(&FLAMEGRAPH_SVG, &profile, &options));
        assert_eq!(first_line(&drawn[0]), root);
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_names_and_costs_make_well_formed_files(
        rows in prop::collection::vec((prop::collection::vec(any::<Vec<u8>>(), 1..5), any::<u64>(), any::<i64>()), 0..20),
        title in any::<String>(),
    ) {
        let profile = nasty::of_rows(&rows);
        let options = WriteOptions { title: Some(title), ..WriteOptions::default() };
        for metric in [Metric::Wall, Metric::Memory] {
            let options = WriteOptions { metric, ..options.clone() };
            prop_assert!(!boxes(&write(&FLAMEGRAPH_SVG, &profile, &options)).is_empty());
        }
    }
}
