//! speedscope: the samples, files of other exporters, round trips.
use crate::common::{events, flat, nasty, read, written};
use profile::{Body, FlatTable, Metric, Profile, WallUnit};
use serde_json::Value;

const SAMPLED: &[u8] = include_bytes!("../golden/tiny-sampled.speedscope.json");
const EVENTED: &[u8] = include_bytes!("../golden/tiny-evented.speedscope.json");
const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");
const XDEBUG: &[u8] = include_bytes!("../golden/cachegrind.out.tiny-xdebug");

fn wall(profile: &Profile) -> Vec<(String, u64, i64)> {
    let rows = flat(profile).into_iter();
    rows.map(|(name, _, all, own)| (name, all, own)).collect()
}

#[test]
fn the_samples_are_the_programs_profile() {
    let expected = read(SERIALIZED);
    let evented = read(EVENTED);
    assert!(matches!(evented.body, Body::Events(_)));
    assert_eq!(flat(&evented), flat(&expected));
    let sampled = read(SAMPLED);
    assert!(!sampled.metrics.calls && sampled.metrics.memory);
    assert_eq!(wall(&sampled), wall(&expected));
    assert_eq!(FlatTable::new(&sampled).total.memory, 3_544);
    assert_eq!(sampled.meta.title.as_deref(), Some("tiny"));
    assert_eq!(sampled.meta.creator.as_deref(), Some("golden@1.0"));
    let cafe = sampled
        .symbols
        .iter()
        .find(|symbol| symbol.name.ends_with("größe".as_bytes()));
    assert_eq!(cafe.unwrap().line, 20);
}

/// In nanoseconds, everything else is the sample's.
#[test]
fn events_are_written_as_they_were() {
    let expected: Value = serde_json::from_slice(EVENTED).unwrap();
    let file = written("speedscope-evented", &read(EVENTED));
    let file: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["shared"], expected["shared"]);
    let events = |file: &Value, scale: u64| {
        let events = file["profiles"][0]["events"].as_array().unwrap().iter();
        events
            .map(|event| {
                (
                    event["type"].clone(),
                    event["frame"].clone(),
                    event["at"].as_u64().unwrap() * scale,
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(events(&file, 1), events(&expected, 1_000));
    assert_eq!(file["profiles"][0]["endValue"], 263_000);
}

#[test]
fn stacks_and_weights_of_a_tree_are_those_of_the_sample() {
    let file = written("speedscope", &read(XDEBUG));
    let file: Value = serde_json::from_slice(&file).unwrap();
    let sums = |file: &Value, profile: usize, scale: u64| {
        let frames = file["shared"]["frames"].as_array().unwrap();
        let one = &file["profiles"][profile];
        let mut sums = std::collections::BTreeMap::new();
        let stacks = one["samples"].as_array().unwrap().iter();
        for (stack, weight) in stacks.zip(one["weights"].as_array().unwrap()) {
            let stack = stack.as_array().unwrap().iter();
            let names = stack.map(|frame| {
                frames[usize::try_from(frame.as_u64().unwrap()).unwrap()]["name"].to_string()
            });
            *sums.entry(names.collect::<Vec<_>>()).or_insert(0) += weight.as_u64().unwrap() * scale;
        }
        sums
    };
    let expected: Value = serde_json::from_slice(SAMPLED).unwrap();
    assert_eq!(sums(&file, 0, 1), sums(&expected, 0, 1_000));
    let again = written("speedscope", &read(SAMPLED));
    let again: Value = serde_json::from_slice(&again).unwrap();
    assert_eq!(sums(&again, 0, 1), sums(&expected, 0, 1_000));
    assert_eq!(sums(&again, 1, 1), sums(&expected, 1, 1));
}

#[test]
fn round_trips_keep_stacks_calls_and_costs() {
    let profile = nasty();
    let sampled = read(&written("speedscope", &profile));
    let totals = |profile: &Profile| {
        let table = FlatTable::new(profile);
        (table.total.wall, table.total.cpu)
    };
    assert_eq!(totals(&sampled), totals(&profile));
    let evented = read(&written("speedscope-evented", &profile));
    assert_eq!(totals(&evented), totals(&profile));
    for back in [&sampled, &evented] {
        // Two of the names are the same once they are text of one line.
        assert_eq!(
            written("speedscope", &read(&written("speedscope", back))),
            written("speedscope", back)
        );
    }
    let events = events();
    let back = read(&written("speedscope-evented", &events));
    assert_eq!(totals(&back), totals(&events));
    assert_eq!(back.edges().root.wall, 100);
    let again = read(&written("speedscope-evented", &back));
    assert_eq!(again.body, back.body);
}

/// A fiber that was switched away from is closed, and opened when it goes on.
#[test]
fn entries_and_exits_nest_whatever_fibers_do() {
    let file: Value = serde_json::from_slice(&written("speedscope-evented", &events())).unwrap();
    for one in file["profiles"].as_array().unwrap() {
        let (mut open, mut last) = (Vec::new(), 0);
        for event in one["events"].as_array().unwrap() {
            let at = event["at"].as_u64().unwrap();
            assert!(at >= last);
            last = at;
            if event["type"] == "O" {
                open.push(event["frame"].clone());
            } else {
                assert_eq!(open.pop().as_ref(), Some(&event["frame"]));
            }
        }
        assert!(open.is_empty());
        assert!(last <= one["endValue"].as_u64().unwrap());
    }
}

#[test]
fn samples_stay_samples() {
    let sampled = read(include_bytes!("../golden/0003.tinysampled.xhprof"));
    let back = read(&written("speedscope", &sampled));
    assert_eq!(back.metrics.wall_unit, WallUnit::Samples);
    assert_eq!(wall(&back), wall(&sampled));
    assert!(matches!(back.body, Body::Samples(_)));
}

#[test]
fn other_exporters_files_are_read() {
    // py-spy and rbspy: seconds, a profile for each thread, keys in any order.
    let threads = r#"{"profiles":[
        {"type":"sampled","name":"Thread 1","unit":"seconds","startValue":0.0,"endValue":0.02,
         "samples":[[0,1],[0]],"weights":[0.01,0.01]},
        {"weights":[0.01],"samples":[[0,2]],"endValue":0.01,"startValue":0,"unit":"seconds","name":"Thread 2","type":"sampled"}],
        "shared":{"frames":[{"name":"run","file":"a.py","line":null},{"name":"f","col":3},{"name":"run","file":"b.py"}]},
        "activeProfileIndex":null,"exporter":"py-spy@0.3"}"#;
    let profile = read(threads.as_bytes());
    let is = |name: &str, all, own| (name.to_owned(), all, own);
    assert_eq!(
        wall(&profile),
        [
            is("f", 10_000_000, 10_000_000),
            is("main()", 30_000_000, 0),
            is("run", 30_000_000, 10_000_000),
            is("run [b.py]", 10_000_000, 10_000_000),
        ]
    );
    // Excimer: no schema, nanoseconds.
    let excimer = r#"{"shared":{"frames":[{"name":"{main}","file":"/a.php"},{"name":"f"}]},
        "profiles":[{"type":"sampled","name":"","unit":"nanoseconds","startValue":0,"endValue":2,
        "samples":[[0,1]],"weights":[2]}]}"#;
    assert_eq!(
        wall(&read(excimer.as_bytes())),
        [is("f", 2, 2), is("main()", 2, 0)]
    );
    // dotnet-trace: events in milliseconds that begin anywhere.
    let dotnet = r#"{"shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"evented","name":"t",
        "unit":"milliseconds","startValue":10.5,"endValue":12.5,"events":[
        {"type":"O","frame":0,"at":11},{"type":"C","frame":0,"at":12.25}]}]}"#;
    assert_eq!(
        wall(&read(dotnet.as_bytes())),
        [
            is("f", 1_250_000, 1_250_000),
            is("main()", 2_000_000, 750_000)
        ]
    );
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let file = |profile: &str| {
        format!(r#"{{"shared":{{"frames":[{{"name":"f"}}]}},"profiles":[{profile}]}}"#)
    };
    let reason = |profile: &str| {
        let error = formats::read(file(profile).as_bytes())
            .unwrap_err()
            .to_string();
        error.split_once(": ").unwrap().1.to_owned()
    };
    let sampled = |samples: &str, weights: &str| {
        reason(&format!(
            r#"{{"type":"sampled","unit":"none","samples":{samples},"weights":{weights}}}"#
        ))
    };
    let evented = |events: &str| {
        reason(&format!(
            r#"{{"type":"evented","unit":"seconds","events":[{events}]}}"#
        ))
    };
    assert_eq!(sampled("[[0]]", "[]"), "not as many weights as samples");
    assert_eq!(sampled("[[7]]", "[1]"), "there is no frame 7");
    assert!(sampled("[[-1]]", "[1]").starts_with("invalid value"));
    assert!(sampled("[[4294967295]]", "[1]").starts_with("no such frame"));
    assert_eq!(
        evented(r#"{"type":"C","frame":0,"at":1}"#),
        "event 0 closes a frame that is not the innermost"
    );
    assert_eq!(
        evented(r#"{"type":"O","frame":0,"at":2},{"type":"C","frame":0,"at":1}"#),
        "event 1 is earlier than the one before it"
    );
    assert!(evented(r#"{"type":"X"}"#).starts_with("an event is `O` or `C`"));
    assert_eq!(
        reason(r#"{"unit":"miles"}"#),
        "a profile's unit is \"miles\""
    );
    assert_eq!(reason(""), "there are no profiles");
}

#[test]
fn edges_are_refused() {
    let format = formats::by_id("speedscope").unwrap();
    let outcome = formats::write(
        format,
        &read(SERIALIZED),
        &Default::default(),
        &mut Vec::new(),
    );
    assert!(matches!(
        outcome,
        Err(formats::WriteError::NeedsStacks { .. })
    ));
    assert_eq!(Metric::Wall.name(), "wall");
}

#[test]
fn a_file_that_takes_most_of_the_memory_is_said_to_be_what_does_not_fit() {
    let events = vec![r#"{"type":"O","frame":0,"at":0}"#; 40_000].join(",");
    let name = "x".repeat(200_000);
    let file = format!(
        r#"{{"shared":{{"frames":[{{"name":"{name}"}}]}},"profiles":[
        {{"type":"evented","unit":"none","events":[{events}]}}]}}"#
    );
    // Reading may use half of it.
    let budget = profile::Budget::new(2 * (file.len() as u64 + 100_000));
    let error = formats::read_within(file.as_bytes(), &budget).unwrap_err();
    assert!(
        error.to_string().starts_with("its unpacked bytes need"),
        "{error}"
    );
}
