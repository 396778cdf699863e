//! A small profile of each body, with something in every place.

use profile::native::events::{EventsOptions, EventsWriter, RawEvent, RawInstant, What};
use profile::{
    Activation, Body, Budget, CallLine, Cost, Edge, EdgeTable, Event, EventKind, Events, Instant,
    LeftOut, LinedId, LinesBuilder, Meta, Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder,
    SelfCost, Span, SpanKind, Spans, SpansBuilder, Symbol, SymbolId, TreeBuilder, WallUnit,
};

/// By the name of their body.
pub(crate) fn examples() -> Vec<(&'static str, Profile)> {
    let mut meta = Meta {
        title: Some("GET /hello".to_owned()),
        started_unix_us: Some(1_700_000_000_000_000),
        host: Some("web7".to_owned()),
        process: Some(4711),
        sapi: Some("fpm-fcgi".to_owned()),
        php_version: Some("8.4.1".to_owned()),
        creator: Some("xhprof 0.1.0".to_owned()),
        mode: Mode::Traced,
        interval_ns: Some(100_000),
        counts: None,
        not_read: Vec::new(),
        peak_memory: None,
        is_truncated: false,
        is_estimated: true,
        tags: Vec::new(),
    };
    meta.set_tag("status", "200");
    meta.set_tag("", "ünïcode\0\n");
    let in_file = |name: &[u8], file: &[u8], line| Symbol {
        file: Some(file.into()),
        line,
        ..Symbol::new(name)
    };
    let symbols = vec![
        Symbol::new(Symbol::MAIN),
        in_file(b"Cache::get", b"/srv/Cache.php", 12),
        in_file(b"Cache::set\xFF\0", b"/srv/Cache.php", 70_000),
        Symbol {
            internal: true,
            ..Symbol::new(&b"strlen"[..])
        },
        in_file(b"", b"", 0),
    ];
    let base = Profile {
        symbols,
        body: Body::Edges(EdgeTable::default()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        meta,
        spans: spans(),
        lines: profile::Lines::default(),
    };
    let with = |body, metrics| Profile {
        body,
        metrics,
        ..base.clone()
    };
    let cost = |calls, wall, cpu, memory, peak| Cost {
        calls,
        wall,
        cpu,
        memory,
        peak,
    };
    let at = |symbol, level| Activation {
        symbol: SymbolId(symbol),
        level,
    };
    let edges = EdgeTable {
        root: cost(1, 5_000_000, 3_000_000, 4_096, 8_192),
        edges: vec![
            Edge {
                caller: at(1, 0),
                callee: at(1, 1),
                cost: cost(2, 900, 800, -512, 0),
            },
            Edge {
                caller: at(0, 0),
                callee: at(1, 0),
                cost: cost(3, 4_000_000, u64::MAX, i64::MIN, 1),
            },
        ],
    };
    let mut tree = TreeBuilder::new();
    let get = tree.child(NodeId::ROOT, SymbolId(1));
    let again = tree.child(get, SymbolId(1));
    let length = tree.child(again, SymbolId(3));
    let set = tree.child(NodeId::ROOT, SymbolId(2));
    for (node, own) in [
        (NodeId::ROOT, cost(1, 900_000, 700_000, 64, 0)),
        (get, cost(2, 1_000_000, 1, -64, 4_096)),
        (again, cost(1, 2_000, 2_000, 0, 0)),
        (length, cost(70_000, 150, 0, 0, 0)),
        (set, cost(1, 3_000_000_000, 20, 16, 32)),
    ] {
        *tree.cost(node) += own;
    }
    let mut samples = SamplesBuilder::default();
    let one = samples.push(NodeId::ROOT, SymbolId(1));
    let two = samples.push(one, SymbolId(3));
    for (at, weight, stack) in [(100, 1, two), (200, 3, one), (250, 1, NodeId::ROOT)] {
        samples.add(Sample::new(at, weight, stack));
    }
    let sampled = Metrics {
        calls: false,
        wall_unit: WallUnit::Samples,
        ..Metrics::default()
    };
    let event = |wall, memory, kind| Event {
        at: Instant {
            wall,
            cpu: wall / 2,
            memory,
            peak: memory.max(100),
        },
        kind,
    };
    let events = Events {
        events: vec![
            event(100, 0, EventKind::Enter(SymbolId(1))),
            event(250, 640, EventKind::Enter(SymbolId(3))),
            event(350, -640, EventKind::Leave),
            event(400, -640, EventKind::Enter(SymbolId(3))),
            event(9_000_000, 0, EventKind::Leave),
            event(9_000_010, 0, EventKind::Switch(3)),
            event(9_000_020, 0, EventKind::Enter(SymbolId(2))),
            event(9_000_400, 0, EventKind::Switch(0)),
            event(9_000_500, 0, EventKind::Leave),
            event(9_000_500, 0, EventKind::Leave),
        ],
        end: Instant {
            wall: 9_100_000,
            cpu: 4_600_000,
            memory: 8,
            peak: 640,
        },
    };
    vec![
        ("edges", with(Body::Edges(edges), base.metrics)),
        (
            "tree",
            with(Body::Tree(tree.finish_self_costs()), base.metrics),
        ),
        ("samples", with(Body::Samples(samples.finish()), sampled)),
        ("events", with(Body::Events(events), base.metrics)),
        ("empty", Profile::empty()),
    ]
}

fn spans() -> Spans {
    let mut builder = SpansBuilder::new(Spans::MOST);
    let select = builder.text(b"SELECT * FROM t WHERE id = ?");
    let page = builder.text(b"http://example.org/\xFF\0");
    for (kind, text, start, rows) in [
        (SpanKind::Sql, Some(select), 1_000, Some(3)),
        (SpanKind::Http, Some(page), 900, None),
        (SpanKind::Other(77), None, 70_000, Some(0)),
    ] {
        builder.push(Span {
            kind,
            text,
            symbol: SymbolId(3),
            caller: SymbolId(1),
            start,
            duration: 2_500,
            rows,
        });
    }
    builder.leave_out(LeftOut {
        count: 4,
        duration: 9_000,
    });
    builder.finish()
}

/// Samples with lines: also of a file that a function includes, and one without lines.
/// What the lines of calls cost, beside a tree…
pub(crate) fn called_example() -> Profile {
    let (_, profile) = examples().remove(1);
    with_costs_of_lines(profile)
}

/// … and beside events.
pub(crate) fn called_events_example() -> Profile {
    let (_, profile) = examples().remove(3);
    with_costs_of_lines(profile)
}

fn with_costs_of_lines(mut profile: Profile) -> Profile {
    let mut builder = LinesBuilder::within(&Budget::unlimited());
    let wall = |wall| SelfCost {
        wall,
        ..SelfCost::default()
    };
    let index = builder.file(b"/srv/index.php");
    let page = builder.file(b"/srv/page.php");
    for (symbol, file, line, callee, calls) in [
        (0, page, 3, 1, 1),
        (0, index, 70_003, 1, 2),
        (1, page, 12, 2, 900),
        (1, page, 12, 3, 4),
        (1, None, 2, 2, 1),
    ] {
        let place = builder.line(SymbolId(symbol), file, line).unwrap();
        builder.add_calls(place, calls, wall(500));
        builder.add_callee(place, SymbolId(callee), calls, wall(300));
        builder.add_builtin(place, wall(-20));
    }
    profile.lines = builder.finish();
    profile
}

pub(crate) fn lined_example() -> Profile {
    let (_, mut profile) = examples().remove(2);
    let mut builder = SamplesBuilder::default();
    let get = builder.push(NodeId::ROOT, SymbolId(1));
    let length = builder.push(get, SymbolId(3));
    let set = builder.push(get, SymbolId(2));
    let index = builder.line_file(b"/srv/index.php");
    let page = builder.line_file(b"/srv/page.php");
    let mut at = 0;
    for (main, get_line, top) in [
        (5, (None, 14), Some((length, 0))),
        (5, (None, 13), None),
        (5, (page, 2), Some((set, 70_003))),
        (9, (None, 11), Some((set, 3))),
        (5, (page, 2), Some((set, 70_003))),
    ] {
        let lined = builder.line(LinedId::UNKNOWN, NodeId::ROOT, index, main);
        let (file, line) = get_line;
        let mut lined = builder.line(lined, get, file, line);
        let mut stack = get;
        if let Some((symbol, line)) = top {
            stack = symbol;
            lined = builder.line(lined, stack, None, line);
        }
        at += 100;
        builder.add(Sample {
            lined,
            ..Sample::new(at, 10, stack)
        });
    }
    builder.add(Sample::new(600, 10, set));
    let samples = builder.finish();
    profile.lines = samples.lines(&profile.symbols, &Budget::unlimited());
    profile.body = Body::Samples(samples);
    profile
}

/// Files of the newest version that are no whole profile written at once, by
/// the names of their fixtures.
pub(crate) fn event_files() -> Vec<(&'static str, Vec<u8>)> {
    let base = examples().remove(3).1;
    let names: [&[u8]; 6] = [b"main()", b"start", b"task", b"twice", b"twice", b"sleep"];
    let symbols = names.map(Symbol::new);
    let at = |wall: u64| RawInstant {
        wall: 1_000_000 + wall * 100,
        // It waits now and then.
        cpu: 500_000 + (wall - wall / 7) * 100,
        memory: 4_096 - 16 * (wall % 5).cast_signed(),
        peak: 8_192 + 64 * (wall / 10).cast_signed(),
    };
    let list = |kinds: &[EventKind]| -> Vec<RawEvent> {
        (1..)
            .zip(kinds)
            .map(|(wall, &kind)| RawEvent {
                what: kind.into(),
                at: at(wall),
            })
            .collect()
    };
    let enter = |symbol| EventKind::Enter(SymbolId(symbol));
    let (leave, switch) = (EventKind::Leave, EventKind::Switch);
    let fibers = list(&[
        enter(1),
        switch(1),
        enter(2),
        enter(3),
        switch(2),
        enter(2),
        enter(4),
        switch(2),
        leave,
        switch(0),
        // Who started them is over.
        leave,
        enter(5),
        switch(1),
        leave,
        leave,
        // Of the fiber itself: its starter's time. Then it is forgotten.
        enter(3),
        leave,
        switch(0),
        switch(2),
        leave,
        leave,
        switch(1),
        enter(2),
        switch(0),
        leave,
        leave,
        enter(1),
    ]);
    // Lines of its own file, of others, and unknown ones.
    let lined = |events: &[RawEvent], first: usize| -> Vec<RawEvent> {
        let lines = [(0, 7), (0, 7), (1, 3), (0, 0), (2, 99_999), (0, 8), (0, 7)];
        let events = events.iter().copied().zip(lines.iter().cycle().skip(first));
        let events = events.map(|(event, &(file, line))| match event.what.kind() {
            EventKind::Enter(symbol) => RawEvent {
                what: What::enter_from(symbol, CallLine { file, line }),
                ..event
            },
            _ => event,
        });
        events.collect()
    };
    let files = [&b"/srv/index.php"[..], b"/srv/\xFFpage.php"].map(Box::from);
    let options = |is_exact, has_cpu, has_memory| EventsOptions {
        has_lines: false,
        wall_hertz: 2_400_000_000,
        cpu_hertz: 1_000_000_000,
        is_exact,
        has_cpu,
        has_memory,
        metrics: Metrics {
            cpu: has_cpu,
            memory: has_memory,
            ..Metrics::default()
        },
    };
    let file = |options: &EventsOptions, events: &[RawEvent], is_killed: bool| {
        let mut bytes = Vec::new();
        let mut meta = base.meta.clone();
        let mut symbols = symbols.clone();
        if options.has_lines {
            for symbol in &mut symbols[1..5] {
                symbol.file = Some(b"/srv/functions.php"[..].into());
            }
            symbols[5].internal = true;
        }
        let mut writer = EventsWriter::begin(options, at(0), &meta, &mut bytes);
        for (number, events) in events.chunks(11).enumerate() {
            writer.symbols(if number == 0 { &symbols } else { &[] }, &mut bytes);
            // The first section has none of their lines.
            writer.files(if number == 1 { &files } else { &[] }, &mut bytes);
            writer.events(events, &mut bytes);
            if number == 0 {
                writer.spans(&base.spans, &mut bytes);
            }
        }
        if is_killed {
            // In the middle of a section.
            writer.events(events, &mut bytes);
            bytes.truncate(bytes.len() - 5);
            return bytes;
        }
        meta.set_tag("exit_status", "0");
        meta.set_tag("status", "500");
        meta.is_truncated = true;
        writer.end(at(100), Some(&meta), &mut bytes);
        bytes
    };
    // As long as the program runs, in one section, with much memory.
    let mut many = Vec::new();
    for call in 0..200_u32 {
        let memory = 4_096 * (call / 50);
        let wall = 1_000_000 + u64::from(call) * 300;
        for (what, more) in [(What::enter(SymbolId(1)), 0), (What::LEAVE, 170)] {
            let at = RawInstant {
                wall: wall + more,
                cpu: wall + more - 500_000,
                memory: 4_096 + i64::from(memory),
                peak: 8_192,
            };
            many.push(RawEvent { what, at });
        }
    }
    let with_lines = EventsOptions {
        has_lines: true,
        ..options(false, true, true)
    };
    let mut lined_fibers = fibers.clone();
    lined_fibers[11..].copy_from_slice(&lined(&fibers[11..], 3));
    vec![
        ("lines", file(&with_lines, &lined_fibers, false)),
        ("killed-lines", file(&with_lines, &lined_fibers, true)),
        ("fibers", file(&options(false, true, true), &fibers, false)),
        ("wall", file(&options(false, false, false), &fibers, false)),
        ("cpu", file(&options(true, true, false), &fibers, false)),
        ("killed", file(&options(false, true, true), &fibers, true)),
        ("long", {
            let options = EventsOptions {
                cpu_hertz: 2_400_000_000,
                ..options(false, true, true)
            };
            file(&options, &many, false)
        }),
    ]
}
