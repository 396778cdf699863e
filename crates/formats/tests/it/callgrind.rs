//! Callgrind as it is read: the samples, and what Valgrind writes beyond them.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::common::{flat, read, written};
use profile::{Body, FlatTable, Mode, WallUnit};

pub(crate) const XDEBUG: &[u8] = include_bytes!("../golden/cachegrind.out.tiny-xdebug");
const NAMES: &[u8] = include_bytes!("../golden/callgrind.out.tiny-names");
const SUBPOSITIONS: &[u8] = include_bytes!("../golden/callgrind.out.tiny-names-subpos");
const PLAIN: &[u8] = include_bytes!("../golden/callgrind.out.tiny-plain");
pub(crate) const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");

pub(crate) fn text(input: Vec<u8>) -> String {
    String::from_utf8(input).unwrap()
}

#[test]
fn every_way_to_write_it_is_the_same_profile() {
    let expected = flat(&read(SERIALIZED));
    for file in [XDEBUG, NAMES, SUBPOSITIONS, PLAIN] {
        let profile = read(file);
        assert_eq!(flat(&profile), expected);
        assert!(profile.metrics.memory && !profile.metrics.cpu);
    }
    assert_eq!(read(NAMES), read(PLAIN));
    // Subpositions are differences of lines.
    assert_eq!(read(NAMES), read(SUBPOSITIONS));
}

#[test]
fn xdebug_tells_whole_stacks() {
    let profile = read(XDEBUG);
    let Body::Tree(tree) = &profile.body else {
        panic!("not a tree");
    };
    let path = |name: &str| {
        let at = profile
            .symbols
            .iter()
            .position(|symbol| *symbol.name == *name.as_bytes());
        let node = (0..)
            .zip(&tree.nodes)
            .filter(|(_, node)| Some(node.symbol.index()) == at);
        node.map(|(number, node)| {
            let path = tree.path(profile::NodeId(number));
            let path = path
                .iter()
                .map(|symbol| String::from_utf8_lossy(profile.name(*symbol)));
            (
                path.collect::<Vec<_>>().join(";"),
                node.cost.calls,
                node.cost.wall,
            )
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(path("bar"), [("main();foo;bar".to_owned(), 6, 60_000)]);
    assert_eq!(
        path("strlen"),
        [
            ("main();fact;fact;fact;strlen".to_owned(), 1, 1_000),
            ("main();strlen".to_owned(), 1, 2_000),
        ]
    );
    let strlen = profile
        .symbols
        .iter()
        .find(|symbol| *symbol.name == *b"strlen")
        .unwrap();
    assert!(strlen.internal);
    assert_eq!(profile.meta.php_version.as_deref(), Some("8.2.35"));
    assert_eq!(profile.meta.title.as_deref(), Some("/app/index.php"));
    assert_eq!(profile.meta.mode, Mode::Traced);
    assert!(!profile.meta.is_truncated);
}

#[test]
fn a_file_of_ours_that_was_cut_off_says_so() {
    let file = written("callgrind", &read(SERIALIZED));
    assert!(!read(&file).meta.is_truncated);
    let end = text(file.clone()).rfind("\nfn=").unwrap();
    assert!(read(&file[..end]).meta.is_truncated);
}

#[test]
fn a_file_xdebug_could_not_end_says_so() {
    let main = text(XDEBUG.to_vec()).find("fl=(3)\nfn=(8) {main}");
    let end = main.unwrap();
    let profile = read(&XDEBUG[..end]);
    assert!(profile.meta.is_truncated);
    // All but the self cost of main().
    assert_eq!(FlatTable::new(&profile).total.wall, 163_000);
}

#[test]
fn methods_and_closures_are_named_as_xhprof_has_them() {
    let block = |number: u32, name: &str| format!("fl=(2) /a.php\nfn=({number}) {name}\n3 1 0\n\n");
    let names = [
        "App\\A->m",
        "{closure:/a->b.php:3-4}",
        "App\\A->{closure:/a.php:3-4}",
        "include::/p->q.php",
        "php::strlen",
        "class@anonymous/a.php:3$0->m",
    ];
    let blocks: String = (1..)
        .zip(names)
        .map(|(number, name)| block(number, name))
        .collect();
    let file =
        format!("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.1)\n\nevents: Time_(10ns)\n\n{blocks}");
    let profile = read(file.replace(" 0\n", "\n").as_bytes());
    let names: Vec<_> = profile
        .symbols
        .iter()
        .map(|symbol| text(symbol.name.to_vec()))
        .collect();
    assert_eq!(
        names,
        [
            "main()",
            "App\\A::m",
            "{closure:/a->b.php:3-4}",
            "App\\A::{closure:/a.php:3-4}",
            "include::/p->q.php",
            // Not in php:internal, so it is a user's namespace.
            "php::strlen",
            "class@anonymous/a.php:3$0::m",
        ]
    );
}

#[test]
fn runs_appended_to_one_file_are_added_up() {
    let twice = [XDEBUG, b"==== NEW PROFILING FILE ====\n", XDEBUG].concat();
    let double =
        |(name, calls, all, own): (String, u64, u64, i64)| (name, calls * 2, all * 2, own * 2);
    let expected: Vec<_> = flat(&read(XDEBUG)).into_iter().map(double).collect();
    assert_eq!(flat(&read(&twice)), expected);
}

#[test]
fn blocks_that_do_not_fit_are_edges() {
    let file = text(XDEBUG.to_vec());
    // Without one call of bar() its caller's records have no blocks.
    let file = file.replacen("\nfl=(2)\nfn=(1)\n3 1000 32\n", "", 1);
    let profile = read(file.as_bytes());
    let Body::Edges(table) = &profile.body else {
        panic!("not edges");
    };
    assert_eq!(table.root.wall, 263_000);
    let rows = flat(&profile);
    let fact = rows.iter().find(|row| row.0 == "fact").unwrap();
    assert_eq!((fact.1, fact.2), (3, 13_000));
}

/// As Valgrind writes: two positions, objects, jumps, inlined files, cycles.
const VALGRIND: &str = "# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 77
cmd:  ./a.out
part: 1


desc: I1 cache: none
desc: Trigger: Program termination

positions: instr line
events: Ir Dr Dw
summary: 1060 0 0


ob=(1) /usr/lib/libc.so.6
fl=(1) ???
fn=(1) (below main)
0x1000 0 10
cob=(2) /home/a.out
cfi=(2) /home/a.c
cfn=(2) main
calls=1 0x2000 5
+3 0 1050 3 4

ob=(2)
fl=(2)
fn=(2)
0x2000 5 20
+4 +1 30 1
fi=(3) /home/a.h
+4 9 50
fe=(2)
jcnd=1/2 +8 +2
* *
cfn=(3) a
calls=2 +4 +7
* 6 950

fn=(3)
0x3000 20 100
cfn=(4) b
calls=3 0x3100 30
+2 +1 850

fn=(4)
0x3100 30 300
cfn=(3)
calls=1 0x3000 20
+2 31 0
cob=(1)
cfi=(1)
cfn=(5) memcpy
calls=2 0x5000 0
* * 550

ob=(1)
fl=(1)
fn=(5)
0x5000 0 550

totals: 1060 4 4
";

#[test]
fn a_callee_without_a_file_is_in_the_file_of_the_inlined_lines_that_call_it() {
    // As `valgrind --tool=callgrind --compress-strings=no` writes it.
    let profile = read(
        b"version: 1
creator: callgrind-3.19.0
positions: line
events: Ir

fl=a.c
fn=main
1 10
fi=b.h
2 5
cfn=helper
calls=1 7
2 100
fe=a.c
3 5

fl=b.h
fn=helper
7 100

totals: 120
",
    );
    let is = |name: &str, calls, all, own| (name.to_owned(), calls, all, own);
    assert_eq!(
        flat(&profile),
        [
            is("helper", 1, 100, 100),
            is("main", 1, 120, 20),
            is("main()", 1, 120, 0),
        ]
    );
}

#[test]
fn valgrinds_dialect_keeps_totals_and_self_costs() {
    let profile = read(VALGRIND.as_bytes());
    assert_eq!(profile.metrics.wall_unit, WallUnit::Samples);
    assert_eq!(profile.meta.counts.as_deref(), Some("Ir"));
    assert_eq!(profile.meta.process, Some(77));
    let is = |name: &str, calls, all, own| (name.to_owned(), calls, all, own);
    assert_eq!(
        flat(&profile),
        [
            is("(below main)", 1, 1_060, 10),
            // The root that the reader adds to a file without one.
            is("a", 3, 950, 100),
            is("b", 3, 850, 300),
            is("main", 1, 1_050, 100),
            is("main()", 1, 1_060, 0),
            is("memcpy", 2, 550, 550),
        ]
    );
    let memcpy = profile
        .symbols
        .iter()
        .find(|symbol| *symbol.name == *b"memcpy")
        .unwrap();
    assert_eq!(memcpy.file.as_deref(), Some(&b"/usr/lib/libc.so.6"[..]));
}

#[test]
fn cachegrind_is_a_flat_profile() {
    let file = "desc: I1 cache: x\ncmd: ls\nevents: Ir I1mr\nfl=a.c\nfn=f\n1 10 1\n2 20\n\
                fn=g\n7 5 0\nsummary: 35 1\n";
    let profile = read(file.as_bytes());
    assert!(!profile.metrics.calls);
    let table = FlatTable::new(&profile);
    assert_eq!(table.total.wall, 35);
    let own: Vec<_> = table.rows.iter().map(|row| row.own.wall).collect();
    assert_eq!(own, [0, 30, 5]);
}

#[test]
fn broken_lines_are_refused_with_their_number() {
    let head = "# callgrind format\nevents: Ir\n";
    for (lines, reason) in [
        ("fn=f\n1 x\n", "line 4: a cost is not a number"),
        ("1 1\n", "line 3: a cost without a function"),
        ("fn=(7)\n", "line 3: the function's number is not defined"),
        ("fl=(7)\n", "line 3: the file's number is not defined"),
        ("fn=f\ncalls=1 1\n", "line 4: calls without a function"),
        (
            "fn=f\ncfn=g\ncalls=x 1\n",
            "line 5: the number of calls is not a number",
        ),
        (
            "fn=f\ncfn=g\ncalls=1 1\n",
            "line 5: the input ends before the cost of a call",
        ),
        (
            "fn=f\ncfn=g\ncalls=1 1\ncalls=1 1\n",
            "line 6: calls without a cost",
        ),
        ("hello\n", "line 3: neither a cost nor a name nor a header"),
        ("events:\n", "line 3: no events"),
    ] {
        let error = formats::read(format!("{head}{lines}").as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("broken Callgrind, {reason}"));
    }
}

#[test]
fn gzip_is_seen_through() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(XDEBUG).unwrap();
    assert_eq!(read(&packed.finish().unwrap()), read(XDEBUG));
}
