//! XHProf's array and its relatives: sampled ones, XHGui's and Buggregator's
//! uploads, Tideways', Blackfire's rows.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::common::{events, flat, nasty, read, written};
use formats::WriteError;
use profile::{Body, Profile, Sample, SamplesBuilder, WallUnit};

const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");
const SAMPLED: &[u8] = include_bytes!("../golden/0003.tinysampled.xhprof");
const XHGUI: &[u8] = include_bytes!("../golden/tiny.xhgui.jsonl");
const BLACKFIRE: &[u8] = include_bytes!("../golden/tiny.bf");

fn text(id: &str, profile: &Profile) -> String {
    String::from_utf8(written(id, profile)).unwrap()
}

#[test]
fn sampled_arrays_are_written_byte_for_byte() {
    let profile = read(SAMPLED);
    assert_eq!(written("xhprof", &profile), SAMPLED);
    let json = written("xhprof-json", &profile);
    assert_eq!(
        String::from_utf8_lossy(&json),
        "{\"1700000000.000000\":\"main()==>foo==>bar\",\
         \"1700000000.100000\":\"main()==>fact==>fact@1==>fact@2==>strlen\",\
         \"1700000000.200000\":\"main()\"}\n"
    );
    assert_eq!(read(&json), profile);
}

fn sampled(weights: &[u64], at: &[u64]) -> Profile {
    let mut profile = read(SAMPLED);
    let mut builder = SamplesBuilder::default();
    let stack = builder.push(profile::NodeId::ROOT, profile::SymbolId(1));
    for (&weight, &at) in weights.iter().zip(at) {
        builder.add(Sample::new(at, weight, stack));
    }
    profile.body = Body::Samples(builder.finish());
    profile
}

#[test]
fn a_sample_that_stands_for_several_is_several_and_times_are_unique() {
    let known = text("xhprof-json", &sampled(&[2, 0, 1], &[0, 500, 1_000]));
    assert_eq!(
        known,
        "{\"1700000000.000000\":\"main()==>foo\",\"1700000000.000001\":\"main()==>foo\",\
         \"1700000000.000002\":\"main()==>foo\"}\n"
    );
    let unknown = text("xhprof-json", &sampled(&[1, 1], &[0, 0]));
    assert_eq!(
        unknown,
        "{\"1700000000.000000\":\"main()==>foo\",\"1700000000.100000\":\"main()==>foo\"}\n"
    );
}

#[test]
fn samples_without_number_are_not_written() {
    let profile = sampled(&[u64::MAX], &[0]);
    let format = formats::by_id("xhprof").unwrap();
    let outcome = formats::write(format, &profile, &Default::default(), &mut Vec::new());
    assert!(matches!(outcome, Err(WriteError::TooManySamples { .. })));
}

#[test]
fn samples_of_time_are_written_as_times() {
    let mut profile = sampled(&[7_000, 5_000], &[0, 1]);
    profile.metrics.wall_unit = WallUnit::Nanoseconds;
    assert_eq!(
        text("xhprof-json", &profile),
        "{\"main()==>foo\":{\"ct\":0,\"wt\":12},\"main()\":{\"ct\":0,\"wt\":12}}\n"
    );
}

#[test]
fn xhguis_line_is_written_byte_for_byte() {
    let profile = read(XHGUI);
    assert_eq!(profile.meta.host.as_deref(), Some("tiny"));
    assert_eq!(profile.meta.tag("method"), Some("GET"));
    assert_eq!(
        text("xhgui", &profile).trim_end(),
        String::from_utf8_lossy(XHGUI).trim_end()
    );
    // XHGui requires all metrics, measured or not.
    let mut less = profile;
    less.metrics.cpu = false;
    less.metrics.memory = false;
    assert!(
        text("xhgui", &less)
            .contains("\"main()\":{\"ct\":1,\"wt\":263,\"cpu\":218,\"mu\":3032,\"pmu\":2548}")
    );
}

#[test]
fn buggregators_upload_says_what_was_profiled() {
    let file = r#"{"tags":{"env":"dev","id":7},"app_name":"shop","hostname":"web1","date":1714289301,
        "profile":{"main()==>f":{"ct":1,"wt":2,"cpu":1,"mu":8,"pmu":0},
                   "main()":{"ct":1,"wt":3,"cpu":2,"mu":8,"pmu":0}}}"#;
    let profile = read(file.as_bytes());
    let meta = &profile.meta;
    assert_eq!(meta.title.as_deref(), Some("shop"));
    assert_eq!(meta.host.as_deref(), Some("web1"));
    assert_eq!(meta.started_unix_us, Some(1_714_289_301_000_000));
    assert_eq!((meta.tag("env"), meta.tag("id")), (Some("dev"), Some("7")));
    assert_eq!(flat(&profile).len(), 2);
}

/// Tideways' extension counts allocations too, and has no recursion levels.
#[test]
fn tideways_array_is_read_with_its_own_fields() {
    let serialized = "a:3:{s:6:\"main()\";a:8:{s:2:\"ct\";i:1;s:2:\"wt\";i:30;s:3:\"cpu\";i:20;\
        s:2:\"mu\";i:-8;s:3:\"pmu\";i:0;s:6:\"mem.na\";i:3;s:6:\"mem.nf\";i:2;s:6:\"mem.aa\";i:99;}\
        s:10:\"main()==>f\";a:3:{s:2:\"ct\";i:1;s:2:\"wt\";i:20;s:3:\"cpu\";i:10;}\
        s:7:\"f==>f@1\";a:3:{s:2:\"ct\";i:2;s:2:\"wt\";i:9;s:3:\"cpu\";i:5;}}";
    let json = r#"{"main()":{"ct":1,"wt":30,"cpu":20,"mu":-8,"pmu":0,"mem.na":3,"mem.nf":2,"mem.aa":99},
        "main()==>f":{"ct":1,"wt":20,"cpu":10},"f==>f@1":{"ct":2,"wt":9,"cpu":5}}"#;
    let profile = read(serialized.as_bytes());
    assert_eq!(profile, read(json.as_bytes()));
    assert_eq!(
        flat(&profile),
        [
            ("f".to_owned(), 3, 20_000, 20_000),
            ("main()".to_owned(), 1, 30_000, 10_000)
        ]
    );
    assert!(profile.metrics.cpu && profile.metrics.memory);
}

/// Recorded by Tideways 5.0.4 on PHP 8.2, where `main()` ends at once and
/// internal functions are seen twice.
#[test]
fn tideways_rows_without_a_caller_are_called_from_main() {
    let file = r#"{"usleep==>usleep@1":{"ct":1,"wt":7188},"tideways_xhprof_disable":{"ct":1,"wt":2},
        "usleep":{"ct":1,"wt":7195},"main()":{"ct":1,"wt":1},"f@2==>f@3":{"ct":1,"wt":2},
        "tideways_xhprof_disable==>tideways_xhprof_disable@1":{"ct":1,"wt":1},"f@1==>f@2":{"ct":1,"wt":2},
        "strlen==>strlen@1":{"ct":1,"wt":0},"f":{"ct":1,"wt":4},"f@3==>strlen":{"ct":1,"wt":1},
        "f==>f@1":{"ct":1,"wt":3}}"#;
    let is = |name: &str, calls: u64, all: u64, own: i64| {
        (name.to_owned(), calls, all * 1_000, own * 1_000)
    };
    assert_eq!(
        flat(&read(file.as_bytes())),
        [
            is("f", 4, 4, 3),
            is("main()", 1, 7_202, 1),
            is("strlen", 2, 1, 1),
            is("tideways_xhprof_disable", 2, 2, 2),
            is("usleep", 2, 7_195, 7_195),
        ]
    );
}

/// Recorded by Twig 3.5's dumper: macros and includes that call themselves.
#[test]
fn twigs_dump_has_its_totals() {
    let file = "file-format: BlackfireProbe\ncost-dimensions: wt mu pmu\nrequest-start: 1795241319.381286\n\n\
        main()//1 39887 1542600 1453568\nmain()==>index//1 39887 279168 342856\n\
        index==>base//1 12396 110744 113416\nbase==>index::block(body)//1 12346 108760 113416\n\
        index::block(body)==>row//3 164 4728 0\nindex::block(body)==>m::macro(b)//3 847 14928 74208\n\
        m::macro(b)==>m::macro(b)//9 1483 22776 137856\nrow==>row//3 56 2904 0\n\
        base==>base::block(foot)//1 5 376 0\n";
    let profile = read(file.as_bytes());
    let is = |name: &str, calls: u64, all: u64, own: i64| {
        (name.to_owned(), calls, all * 1_000, own * 1_000)
    };
    assert_eq!(
        flat(&profile),
        [
            is("base", 1, 12_396, 45),
            is("base::block(foot)", 1, 5, 5),
            is("index", 1, 39_887, 27_491),
            is("index::block(body)", 1, 12_346, 11_335),
            is("m::macro(b)", 12, 847, 847),
            is("main()", 1, 39_887, 0),
            is("row", 6, 164, 164),
        ]
    );
    assert_eq!(profile.meta.started_unix_us, Some(1_795_241_319_381_286));
}

#[test]
fn blackfires_rows_are_written_byte_for_byte() {
    let mut profile = read(SERIALIZED);
    profile.meta.title = Some("tiny golden".to_owned());
    profile.meta.started_unix_us = Some(1_700_000_000_000_000);
    // Blackfire's sample counts freed memory as zero.
    let file = String::from_utf8_lossy(BLACKFIRE);
    assert_eq!(text("blackfire", &profile), file);
    // Exporting, importing and exporting again gives the same bytes.
    assert_eq!(text("blackfire", &read(BLACKFIRE)), file);
    assert_eq!(flat(&read(BLACKFIRE)), flat(&profile));
}

#[test]
fn blackfires_rows_are_xhprofs_but_for_what_they_cannot_hold() {
    for profile in [nasty(), events()] {
        let file = text("blackfire", &profile);
        let rows: Vec<_> = file
            .lines()
            .skip_while(|line| !line.is_empty())
            .skip(1)
            .collect();
        let mut keys = 0;
        profile::classic::for_each_row(&profile, |_, _| keys += 1);
        assert_eq!(rows.len(), keys);
        assert!(rows[0].starts_with("main()//1 "));
        for row in &rows {
            assert!(!row.rsplit_once("//").unwrap().1.contains('-'), "{row}");
        }
        let back = read(file.as_bytes());
        assert_eq!(text("blackfire", &back), file);
        let wall = |profile: &Profile| {
            let rows = flat(profile).into_iter();
            rows.map(|(_, _, _, own)| own.max(0) / 1_000).sum::<i64>()
        };
        assert_eq!(wall(&back), wall(&read(&written("xhprof", &profile))));
    }
}
