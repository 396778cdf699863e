//! Profiles as Go's own tools write them (Go 1.19, `go test -cpuprofile` and
//! `-memprofile`), and JSON that is none.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use formats::{ReadError, WriteOptions, by_id};
use profile::{FlatTable, Profile, WallUnit};

const CPU: &[u8] = include_bytes!("../golden/go-cpu.pb.gz");
const HEAP: &[u8] = include_bytes!("../golden/go-heap.pb.gz");

fn names(profile: &Profile) -> Vec<String> {
    let names = profile.symbols.iter().map(|symbol| symbol.name.to_vec());
    names.map(|name| String::from_utf8(name).unwrap()).collect()
}

#[test]
fn profiles_of_gos_runtime_are_recognized_and_read() {
    let cpu = formats::read(CPU).unwrap();
    assert_eq!(cpu.metrics.wall_unit, WallUnit::Samples);
    assert!(cpu.metrics.cpu && cpu.meta.started_unix_us.is_some());
    assert!(names(&cpu).contains(&"tiny.leaf".to_owned()));
    let total = FlatTable::new(&cpu).total;
    // A sample each 10 ms of CPU time.
    assert_eq!(total.cpu, total.wall * 10_000_000);
    let heap = formats::read(HEAP).unwrap();
    assert!(heap.metrics.memory);
    assert!(names(&heap).contains(&"tiny.TestWork".to_owned()));
    // Of 64 blocks of a mebibyte, as far as they were sampled.
    assert!(FlatTable::new(&heap).total.memory > 50 << 20);
}

#[test]
fn what_has_sizes_and_no_times_is_written_as_sizes() {
    let heap = formats::read(HEAP).unwrap();
    let total = FlatTable::new(&heap).total.memory;
    let written = |format: &str| {
        let mut out = Vec::new();
        let format = by_id(format).unwrap();
        formats::write(format, &heap, &WriteOptions::default(), &mut out).map(|()| out)
    };
    for format in ["collapsed", "perfview", "perfview-json"] {
        let again = formats::read(&written(format).unwrap()[..]).unwrap();
        let again = FlatTable::new(&again).total;
        let size = again.memory.max(again.wall.cast_signed());
        assert_eq!(size, total, "{format}");
    }
    for format in ["nytprof", "cpuprofile", "sentry"] {
        let refused = written(format).unwrap_err().to_string();
        assert!(refused.contains("no place for memory"), "{refused}");
    }
    for format in ["markdown", "flamegraph"] {
        let text = String::from_utf8(written(format).unwrap()).unwrap();
        assert!(text.contains("tiny.TestWork"), "{format}: {text}");
    }
}

#[test]
fn json_of_others_is_said_to_be_what_it_is() {
    let cpuprofile = r#"{"nodez":[{"id":1,"callFrame":{}}],"startTime":1,"endTime":2}"#;
    let long = format!("{{\"nodez\":[{}1]}}", "1,".repeat(100_000));
    for (input, keys) in [
        (
            cpuprofile,
            "with the keys \"nodez\", \"startTime\", \"endTime\"",
        ),
        (&*long, "with the key \"nodez\""),
        ("{}", "without keys"),
    ] {
        let error = formats::read(input.as_bytes()).unwrap_err();
        assert!(matches!(error, ReadError::UnknownJson { .. }), "{error}");
        let error = error.to_string();
        assert!(
            error.starts_with(&format!(
                "JSON of an unknown kind, {keys}; known are speedscope, "
            )),
            "{error}"
        );
    }
}
