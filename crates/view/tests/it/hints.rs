//! Each rule says what it is for, and is silent below its threshold and where
//! the profile does not hold what it needs.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use profile::{
    Activation, Body, Cost, Edge, EdgeTable, Metrics, NodeId, Profile, Span, SpanKind,
    SpansBuilder, Symbol, SymbolId, TreeBuilder, WallUnit,
};
use view::{Answer, Document, EvidenceUnit, EvidenceValue, Hint, Hints, Question};

const MS: u64 = 1_000_000;

/// A profile of calls from one function to another, with what they cost. The
/// first function of all is `main()`.
fn profile(total: Cost, calls: &[(&str, &str, Cost)]) -> Profile {
    let mut profile = Profile::empty();
    profile.metrics = Metrics {
        cpu: true,
        memory: true,
        ..Metrics::default()
    };
    let mut number = |name: &str| {
        let found = profile
            .symbols
            .iter()
            .position(|symbol| *symbol.name == *name.as_bytes());
        let place = found.unwrap_or_else(|| {
            profile.symbols.push(Symbol::new(name.as_bytes()));
            profile.symbols.len() - 1
        });
        Activation {
            symbol: SymbolId(u32::try_from(place).unwrap()),
            level: 0,
        }
    };
    let edges = calls.iter().map(|(caller, callee, cost)| Edge {
        caller: number(caller),
        callee: number(callee),
        cost: *cost,
    });
    let edges = edges.collect();
    profile.body = Body::Edges(EdgeTable { root: total, edges });
    profile
}

/// Calls that computed for so many milliseconds.
fn cost(calls: u64, milliseconds: u64) -> Cost {
    Cost {
        calls,
        wall: milliseconds * MS,
        cpu: milliseconds * MS,
        ..Cost::default()
    }
}

/// What the program's reports say.
fn hints(profile: &Profile) -> Hints {
    Document::of_costs(profile.clone(), Vec::new()).hints()
}

/// The names of the rules that say something.
fn said(profile: &Profile) -> Vec<&'static str> {
    let found = hints(profile).hints;
    // A document says the same.
    let mut document = Document::new(profile.clone(), Vec::new());
    let Answer::Hints(of_document) = document.answer(&Question::Hints).unwrap() else {
        panic!("not hints");
    };
    assert_eq!(found, of_document.hints);
    found.iter().map(|hint| hint.id).collect()
}

fn only(profile: &Profile) -> Hint {
    let mut found = hints(profile).hints;
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// What the evidence says, by label.
fn whole(hint: &Hint, label: &str) -> (i64, EvidenceUnit) {
    let evidence = hint.evidence.iter();
    let mut found = evidence.filter(|evidence| evidence.label == label);
    match found.next() {
        Some(evidence) => match evidence.value {
            EvidenceValue::Whole(value) => (value, evidence.unit),
            _ => panic!("{evidence:?}"),
        },
        None => panic!("no {label} in {hint:?}"),
    }
}

fn text<'h>(hint: &'h Hint, label: &str) -> &'h str {
    let evidence = hint.evidence.iter();
    let mut found = evidence.filter(|evidence| evidence.label == label);
    match &found.next().unwrap().value {
        EvidenceValue::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

fn sampled(mut profile: Profile) -> Profile {
    profile.metrics.calls = false;
    profile
}

fn without_times(mut profile: Profile) -> Profile {
    profile.metrics.wall_unit = WallUnit::Samples;
    profile.meta.counts = Some("Ir".to_owned());
    profile
}

#[test]
fn every_rule_is_described() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hints.md");
    let document = std::fs::read_to_string(path).unwrap();
    let headings = document.lines().filter_map(|line| line.strip_prefix("## "));
    let mut headings: Vec<&str> = headings.filter(|line| view::RULES.contains(line)).collect();
    let mut rules = view::RULES.to_vec();
    headings.sort_unstable();
    rules.sort_unstable();
    assert_eq!(headings, rules);
}

#[test]
fn xdebug_and_pcov_come_first_unless_they_are_off() {
    let mut profile = profile(
        cost(1, 100),
        &[
            ("main()", "serialize", cost(3, 90)),
            ("main()", "f", cost(1, 1)),
        ],
    );
    assert_eq!(said(&profile), ["serialization"]);
    profile
        .meta
        .set_tag("loaded", "xdebug 3.2.0 (off), pcov 1.0.11 (off)");
    assert_eq!(said(&profile), ["serialization"]);
    profile
        .meta
        .set_tag("loaded", "xdebug 3.2.0 (off), pcov 1.0.11 (on)");
    assert_eq!(said(&profile), ["slow-extension", "serialization"]);
    let hint = &hints(&profile).hints[0];
    assert_eq!(text(hint, "loaded"), "pcov 1.0.11 (on)");
    assert_eq!((hint.share, hint.function), (None, None));
    profile
        .meta
        .set_tag("loaded", "xdebug 3.2.0 (develop+debug)");
    assert_eq!(said(&sampled(profile)), ["slow-extension"]);
}

/// `render` calls `load` so often, which makes a statement or request each time.
fn looping(kind: SpanKind, times: u64, duration: u64) -> Profile {
    let names = ["main()", "render", "load", "ask"];
    let mut tree = TreeBuilder::new();
    *tree.cost(NodeId::ROOT) = cost(1, 100);
    let mut node = NodeId::ROOT;
    for (symbol, calls) in [(1, 1), (2, times), (3, times)] {
        node = tree.child(node, SymbolId(symbol));
        *tree.cost(node) = cost(calls, 1);
    }
    let mut spans = SpansBuilder::new(1_000);
    for number in 0..times {
        let text = Some(spans.text(b"SELECT a FROM b WHERE c = ?"));
        spans.push(Span {
            kind,
            text,
            symbol: SymbolId(3),
            caller: SymbolId(2),
            start: number,
            duration,
            rows: None,
        });
    }
    Profile {
        symbols: names.map(|name| Symbol::new(name.as_bytes())).into(),
        body: Body::Tree(tree.finish()),
        spans: spans.finish(),
        ..Profile::empty()
    }
}

#[test]
fn a_statement_in_a_loop_is_n_plus_one_if_it_is_often_or_long() {
    let hint = only(&looping(SpanKind::Sql, 10, 1_000));
    assert_eq!(hint.id, "n-plus-one");
    assert_eq!(
        hint.title,
        "N+1: one statement again and again in one call of render"
    );
    assert_eq!(hint.function, Some(2));
    assert_eq!(text(&hint, "statement"), "SELECT a FROM b WHERE c = ?");
    assert_eq!(text(&hint, "by"), "load");
    assert_eq!(whole(&hint, "times"), (10, EvidenceUnit::Count));
    assert_eq!(
        whole(&hint, "at least in one call"),
        (10, EvidenceUnit::Count)
    );
    assert_eq!(whole(&hint, "time"), (10_000, EvidenceUnit::Ns));
    // One of the ten is needed: nine thousand of a hundred million.
    assert_eq!(hint.share, Some(0.000_09));
    // A few, and fast.
    assert_eq!(said(&looping(SpanKind::Sql, 9, 500_000)), [""; 0]);
    // A few, and slow; and two, which may be chance.
    assert_eq!(said(&looping(SpanKind::Sql, 3, 3 * MS)), ["n-plus-one"]);
    assert_eq!(said(&looping(SpanKind::Sql, 2, 4 * MS)), [""; 0]);
}

#[test]
fn requests_in_a_loop_have_a_rule_of_their_own() {
    let hint = only(&looping(SpanKind::Redis, 40, 1_000));
    assert_eq!(hint.id, "repeated-request");
    assert_eq!(text(&hint, "request"), "redis SELECT a FROM b WHERE c = ?");
    assert_eq!(
        said(&looping(SpanKind::Http, 5, 2 * MS)),
        ["repeated-request"]
    );
    assert_eq!(said(&looping(SpanKind::Http, 5, 1_000)), [""; 0]);
}

#[test]
fn a_file_that_is_loaded_in_a_loop_is_found() {
    let templates = |calls, milliseconds| {
        profile(
            cost(1, 100),
            &[
                ("main()", "render", cost(1, 90)),
                ("render", "load::views/row.php", cost(calls, milliseconds)),
            ],
        )
    };
    let hint = only(&templates(10, 5));
    assert_eq!(hint.id, "repeated-include");
    assert_eq!(text(&hint, "file"), "views/row.php");
    assert_eq!(text(&hint, "by"), "render");
    assert_eq!(whole(&hint, "times"), (10, EvidenceUnit::Count));
    // It has to be loaded once.
    assert_eq!(hint.share, Some(0.045));
    assert_eq!(said(&templates(9, 5)), [""; 0]);
    // With OPcache, loading takes no time.
    assert_eq!(said(&templates(500, 0)), [""; 0]);
    assert_eq!(said(&sampled(templates(10, 5))), [""; 0]);
    assert_eq!(said(&without_times(templates(10, 5))), [""; 0]);
}

/// Files that take so long to compile, of 100 ms.
fn compiled(sapi: &str, milliseconds: u64) -> Profile {
    let mut profile = profile(
        cost(1, 100),
        &[
            ("main()", "load::a.php", cost(1, milliseconds - 1)),
            ("main()", "load::b.php", cost(1, 1)),
            ("main()", "loader", cost(1, 3)),
        ],
    );
    profile.meta.sapi = Some(sapi.to_owned());
    profile
}

#[test]
fn compiling_is_said_with_what_is_known_of_opcache() {
    let mut profile = compiled("fpm-fcgi", 12);
    let hint = only(&profile);
    assert_eq!(hint.id, "compilation");
    assert_eq!(whole(&hint, "files"), (2, EvidenceUnit::Count));
    #[expect(clippy::cast_possible_wrap, reason = "a small number")]
    let time = 12 * MS as i64;
    assert_eq!(whole(&hint, "time"), (time, EvidenceUnit::Ns));
    assert_eq!(text(&hint, "OPcache"), "not known");
    assert!(hint.text.contains("Check that it is on"), "{}", hint.text);
    assert_eq!((hint.share, hint.function), (Some(0.12), Some(1)));
    profile.meta.set_tag("opcache", "off");
    assert!(only(&profile).text.starts_with("OPcache was off."));
    profile.meta.set_tag("opcache", "on");
    assert!(only(&profile).text.starts_with("OPcache was on, and"));
    assert_eq!(said(&compiled("fpm-fcgi", 9)), [""; 0]);
    // A command compiles its files in any case.
    assert_eq!(said(&compiled("cli", 24)), [""; 0]);
    let hint = only(&compiled("cli", 26));
    assert!(hint.text.contains("opcache.file_cache"), "{}", hint.text);
    // That is no matter of calls.
    let hint = only(&sampled(compiled("fpm-fcgi", 12)));
    assert_eq!(hint.evidence[0].label, "time");
    assert_eq!(said(&without_times(compiled("fpm-fcgi", 12))), [""; 0]);
}

#[test]
fn composers_search_for_classes_is_found() {
    let search = |milliseconds| {
        profile(
            cost(1, 100),
            &[(
                "main()",
                "Composer\\Autoload\\ClassLoader::findFileWithExtension",
                cost(200, milliseconds),
            )],
        )
    };
    let hint = only(&search(4));
    assert_eq!(hint.id, "class-search");
    assert_eq!(whole(&hint, "searches"), (200, EvidenceUnit::Count));
    assert_eq!(said(&search(2)), [""; 0]);
    assert_eq!(said(&sampled(search(4))), ["class-search"]);
}

#[test]
fn many_calls_of_a_small_function_are_told_with_their_caller() {
    let small = |calls, milliseconds, below| {
        profile(
            cost(1, 50),
            &[
                ("main()", "sum", cost(4, 45)),
                ("sum", "get", cost(calls, milliseconds)),
                ("get", "other", cost(7, below)),
            ],
        )
    };
    let hint = only(&small(10_000, 4, 0));
    assert_eq!(hint.id, "many-small-calls");
    assert_eq!(hint.title, "get does little and is called very often");
    assert_eq!(whole(&hint, "calls"), (10_000, EvidenceUnit::Count));
    assert_eq!(whole(&hint, "per call"), (400, EvidenceUnit::Ns));
    assert_eq!(text(&hint, "mostly by"), "sum");
    assert_eq!(whole(&hint, "per call of it"), (2_500, EvidenceUnit::Count));
    assert_eq!(hint.share, Some(0.08));
    // Too few calls, too small a share, too long a call, work in callees.
    assert_eq!(said(&small(9_999, 4, 0)), [""; 0]);
    assert_eq!(said(&small(40_000, 2, 0)), [""; 0]);
    assert_eq!(said(&small(10_000, 5, 0)), [""; 0]);
    assert_eq!(said(&small(20_000, 8, 4)), [""; 0]);
    assert_eq!(said(&sampled(small(10_000, 4, 0))), [""; 0]);
    assert_eq!(said(&without_times(small(10_000, 4, 0))), [""; 0]);
}

#[test]
fn serialization_is_told_by_its_share() {
    let cache = |milliseconds| {
        profile(
            cost(1, 100),
            &[
                ("main()", "Cache::get", cost(2, 90)),
                ("Cache::get", "unserialize", cost(2, milliseconds)),
                ("Cache::get", "App\\serialize", cost(100, 40)),
                ("main()", "json_decode", cost(1, 1)),
            ],
        )
    };
    let hint = only(&cache(5));
    assert_eq!(hint.id, "serialization");
    assert_eq!(text(&hint, "functions"), "unserialize, json_decode");
    assert_eq!(text(&hint, "mostly by"), "Cache::get");
    assert_eq!((hint.share, hint.function), (Some(0.06), Some(1)));
    assert_eq!(said(&cache(3)), [""; 0]);
    assert_eq!(said(&sampled(cache(5))), [""; 0]);
}

#[test]
fn regular_expressions_and_array_merge_are_told_in_loops_only() {
    let by = |callee, calls, milliseconds| {
        profile(
            cost(1, 100),
            &[
                ("main()", "each", cost(3, 90)),
                ("each", callee, cost(calls, milliseconds)),
            ],
        )
    };
    let hint = only(&by("preg_match", 30, 11));
    assert_eq!(hint.id, "regular-expressions");
    assert_eq!(whole(&hint, "per call of it"), (10, EvidenceUnit::Count));
    assert_eq!(said(&by("preg_match", 29, 11)), [""; 0]);
    assert_eq!(said(&by("preg_match", 30, 9)), [""; 0]);
    assert_eq!(said(&by("App\\preg_match", 30, 11)), [""; 0]);
    assert_eq!(said(&sampled(by("preg_match", 30, 11))), [""; 0]);
    let hint = only(&by("array_merge", 30, 4));
    assert_eq!(hint.id, "array-merge-in-loop");
    assert_eq!(hint.function, Some(1));
    assert_eq!(said(&by("array_merge", 29, 4)), [""; 0]);
    assert_eq!(said(&by("array_merge", 30, 2)), [""; 0]);
    assert_eq!(said(&without_times(by("array_merge", 30, 4))), [""; 0]);
}

#[test]
fn one_function_that_makes_the_peak_is_found_if_memory_was_measured() {
    let peak = |calls, own: i64, total: i64| {
        let of = |calls, peak| Cost {
            peak,
            ..cost(calls, 1)
        };
        profile(
            of(1, total),
            &[
                ("main()", "import", of(1, own + 1_000)),
                ("import", "file", of(calls, own)),
            ],
        )
    };
    let hint = only(&peak(1, 4_000_000, 7_000_000));
    assert_eq!(hint.id, "one-allocation");
    assert_eq!(hint.title, "file makes most of the memory's peak");
    assert_eq!(
        whole(&hint, "peak grew by"),
        (4_000_000, EvidenceUnit::Bytes)
    );
    assert_eq!(text(&hint, "by"), "import");
    // Half of it, too little of it, and in many calls.
    assert_eq!(said(&peak(1, 4_000_000, 8_000_000)), [""; 0]);
    assert_eq!(said(&peak(1, 3_900_000, 4_000_000)), [""; 0]);
    assert_eq!(said(&peak(11, 5_000_000, 7_000_000)), [""; 0]);
    let mut unknown = peak(1, 4_000_000, 7_000_000);
    unknown.metrics.memory = false;
    assert_eq!(said(&unknown), [""; 0]);
}

/// `fetch` calls a function that takes 60 of 100 ms, and uses the CPU for so
/// many.
fn waits(function: &str, cpu: u64) -> Profile {
    let waiting = Cost {
        cpu: cpu * MS,
        ..cost(4, 60)
    };
    profile(
        cost(1, 100),
        &[
            ("main()", "fetch", cost(1, 62)),
            ("fetch", function, waiting),
        ],
    )
}

#[test]
fn waiting_is_told_by_cpu_time_in_functions_that_can_wait() {
    let hint = only(&waits("curl_exec", 1));
    assert_eq!(hint.id, "waiting");
    #[expect(clippy::cast_possible_wrap, reason = "a small number")]
    let time = 59 * MS as i64;
    assert_eq!(whole(&hint, "waited"), (time, EvidenceUnit::Ns));
    assert_eq!(text(&hint, "mostly in"), "curl_exec");
    assert_eq!((hint.share, hint.function), (Some(0.59), Some(2)));
    // It computed; it is no function that waits, but the machine is busy; and
    // CPU time was not measured.
    assert_eq!(said(&waits("curl_exec", 12)), [""; 0]);
    assert_eq!(said(&waits("strpos", 1)), [""; 0]);
    let mut unknown = waits("curl_exec", 1);
    unknown.metrics.cpu = false;
    assert_eq!(said(&unknown), [""; 0]);
    assert_eq!(said(&sampled(waits("curl_exec", 1))), [""; 0]);
}

#[test]
fn spans_tell_waiting_without_cpu_time() {
    let mut profile = waits("Predis\\send", 0);
    profile.metrics.cpu = false;
    assert_eq!(said(&profile), [""; 0]);
    let mut spans = SpansBuilder::new(10);
    spans.push(Span {
        kind: SpanKind::Redis,
        text: None,
        symbol: SymbolId(2),
        caller: SymbolId(1),
        start: 0,
        duration: 55 * MS,
        rows: None,
    });
    profile.spans = spans.finish();
    let hint = only(&profile);
    assert_eq!((hint.id, hint.share), ("waiting", Some(0.55)));
}

#[test]
fn the_hint_that_saves_most_comes_first() {
    let profile = profile(
        cost(1, 100),
        &[
            ("main()", "each", cost(1, 90)),
            ("each", "array_merge", cost(30, 20)),
            ("each", "preg_split", cost(30, 30)),
            ("each", "serialize", cost(30, 10)),
        ],
    );
    let order = [
        "regular-expressions",
        "array-merge-in-loop",
        "serialization",
    ];
    assert_eq!(said(&profile), order);
}

#[test]
fn hints_are_messages() {
    let mut document = Document::new(looping(SpanKind::Sql, 10, 1_000), Vec::new());
    let question: Question = serde_json::from_str(r#"{"ask":"hints"}"#).unwrap();
    let answer = serde_json::to_value(document.answer(&question).unwrap()).unwrap();
    assert_eq!(answer["is"], "hints");
    let hint = &answer["hints"][0];
    assert_eq!(hint["id"], "n-plus-one");
    assert_eq!(hint["function"], 2);
    let expected = [
        serde_json::json!({
            "label": "in one call of", "value": "render", "unit": "text", "function": 1
        }),
        serde_json::json!({"label": "times", "value": 10, "unit": "count", "function": null}),
    ];
    assert_eq!(hint["evidence"].as_array().unwrap()[2..4], expected);
}

#[test]
fn a_small_profile_and_an_empty_one_have_no_hints() {
    assert_eq!(said(&Profile::empty()), [""; 0]);
    let small = profile(
        Cost {
            wall: 900_000,
            ..cost(1, 0)
        },
        &[(
            "main()",
            "serialize",
            Cost {
                wall: 800_000,
                ..cost(9, 0)
            },
        )],
    );
    assert_eq!(said(&small), [""; 0]);
}
