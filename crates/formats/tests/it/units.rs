//! What a profile counts, such as Go's samples and Valgrind's instructions, is
//! never written as a time.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use formats::{FORMATS, WriteError, WriteOptions};
use profile::{FlatTable, Profile, WallUnit};

const SAMPLES: &[u8] = include_bytes!("../golden/go-cpu.pb.gz");
const INSTRUCTIONS: &[u8] = b"# callgrind format\nversion: 1\nevents: Ir\n\n\
    fl=a.c\nfn=main\n1 1000\ncfn=work\ncalls=3 10\n2 2345678\n\nfn=work\n10 2345678\n";

/// Writes the profile in every format that can be read: each keeps the counts,
/// or refuses them. Returns the formats that refuse.
fn refusing(profile: &Profile) -> Vec<&'static str> {
    assert_eq!(profile.metrics.wall_unit, WallUnit::Samples);
    let options = WriteOptions {
        estimate: true,
        ..WriteOptions::default()
    };
    let total = FlatTable::new(profile).total.wall;
    let mut refusing = Vec::new();
    for format in FORMATS {
        if format.reads.is_none() || format.writes.is_none() {
            continue;
        }
        let mut file = Vec::new();
        match formats::write(format, profile, &options, &mut file) {
            Ok(()) => {
                let back = formats::read(&file[..]).unwrap();
                assert_eq!(back.metrics.wall_unit, WallUnit::Samples, "{}", format.id);
                assert_eq!(FlatTable::new(&back).total.wall, total, "{}", format.id);
            }
            Err(error) => {
                assert!(
                    matches!(error, WriteError::NeedsTime { .. }),
                    "{}: {error}",
                    format.id
                );
                let counts = format!("this profile counts {}", profile.counted());
                assert!(error.to_string().contains(&counts), "{error}");
                refusing.push(format.id);
            }
        }
    }
    refusing
}

#[test]
fn counted_samples_are_never_written_as_a_time() {
    let mut go = formats::read(SAMPLES).unwrap();
    let arrays = ["xhprof", "blackfire", "callgrind-xdebug"];
    let no_interval = [&arrays[..], &["nytprof", "xhprof-json", "xhgui"]].concat();
    assert_eq!(go.meta.interval_ns, None);
    assert_eq!(refusing(&go), no_interval);

    // With the interval, NYTProf's seconds are true.
    go.meta.interval_ns = Some(10_000_000);
    let mut file = Vec::new();
    let nytprof = formats::by_id("nytprof").unwrap();
    formats::write(nytprof, &go, &WriteOptions::default(), &mut file).unwrap();
    let back = formats::read(&file[..]).unwrap();
    let total = FlatTable::new(&go).total.wall;
    assert_eq!(back.metrics.wall_unit, WallUnit::Nanoseconds);
    assert_eq!(FlatTable::new(&back).total.wall, total * 10_000_000);
}

#[test]
fn instructions_are_never_written_as_a_time() {
    let valgrind = formats::read(INSTRUCTIONS).unwrap();
    assert_eq!(valgrind.counted(), "Ir");
    assert_eq!(
        refusing(&valgrind),
        [
            "xhprof",
            "blackfire",
            "callgrind-xdebug",
            "nytprof",
            "chrome-trace",
            "cpuprofile",
            "xhprof-json",
            "xhgui"
        ]
    );
}

#[test]
fn formats_with_units_keep_the_name_of_the_counts() {
    let valgrind = formats::read(INSTRUCTIONS).unwrap();
    let options = WriteOptions {
        estimate: true,
        ..WriteOptions::default()
    };
    for id in [
        "native",
        "callgrind",
        "pprof",
        "speedscope",
        "otlp-profiles-1-11",
    ] {
        let mut file = Vec::new();
        let format = formats::by_id(id).unwrap();
        formats::write(format, &valgrind, &options, &mut file).unwrap();
        assert_eq!(formats::read(&file[..]).unwrap().counted(), "Ir", "{id}");
    }
}
