//! One small application and its releases: what a report says of each.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers"
)]

use regressions::{
    Block, Cell, Detector, Kind, Options, Path, Reason, Release, Report, RouteHours,
};

const FUNCTIONS: [&str; 12] = [
    "main()",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "h",
    "Db::query",
    "Order::load",
    "Order::save",
];

/// The paths: all functions below `main()`, and a query below `Order::load`.
fn paths() -> Vec<Path> {
    let mut paths: Vec<Path> = (0..12)
        .map(|function| Path {
            parent: (function > 0).then_some(0),
            function,
        })
        .collect();
    paths.push(Path {
        parent: Some(10),
        function: 9,
    });
    paths
}

/// The query below `Order::load`.
const QUERY: u32 = 12;

/// Hours of a route: 40 runs each, times that vary a little and not at random.
fn hours(days: i64, mut change: impl FnMut(i64, &mut Cell)) -> Vec<Block> {
    let noise =
        |hour: i64, path: i64| ((hour * 7919 + path * 104_729) % 1000) as f64 / 1000.0 - 0.5;
    let block = |hour: i64| {
        let runs = 40;
        let cell = |path: u32| {
            let mean =
                6.0 + 0.1 * noise(hour, i64::from(path)) + 0.02 * noise(hour / 24, i64::from(path));
            let mut cell = Cell {
                path,
                runs,
                calls: runs,
                self_ns: (mean.exp() * 1000.0) as u64 * runs,
                ln_self: mean * runs as f64,
                memory: 1000,
            };
            change(hour, &mut cell);
            cell
        };
        let cells: Vec<Cell> = (0..13).map(cell).filter(|cell| cell.calls > 0).collect();
        let wall_ns = cells.iter().map(|cell| cell.self_ns).sum::<u64>();
        Block {
            hour,
            runs,
            wall_ns,
            ln_wall: runs as f64 * (wall_ns as f64 / runs as f64 / 1000.0).ln_1p(),
            peak_bytes: runs * 4_000_000,
            cells,
            ..Block::default()
        }
    };
    (0..days * 24).map(block).collect()
}

fn slower(cell: &mut Cell, factor: f64) {
    cell.ln_self += cell.runs as f64 * factor.ln();
    cell.self_ns = (cell.self_ns as f64 * factor) as u64;
}

fn functions() -> Vec<String> {
    FUNCTIONS.iter().map(|name| (*name).to_owned()).collect()
}

/// Examines a release on that day, with data up to the last block.
fn examine(detector: &mut Detector, blocks: &[Block], day: i64, next: Option<i64>) -> Report {
    let since = day * 24;
    let mut blocks = blocks.to_vec();
    for block in &mut blocks {
        let is_next = next.is_some_and(|next| block.hour >= next);
        block.release = u32::from(block.hour >= since) + u32::from(is_next);
    }
    let release = Release {
        name: format!("day-{day}"),
        since,
    };
    let until = blocks.last().map_or(0, |block| block.hour + 1);
    let (functions, paths) = (functions(), paths());
    let route = RouteHours {
        route: "/orders",
        functions: &functions,
        paths: &paths,
        blocks: &blocks,
    };
    detector.examine(&release, 1, next, until, [route])
}

fn report(blocks: &[Block]) -> Report {
    examine(&mut Detector::default(), blocks, 14, None)
}

#[test]
fn an_unchanged_release_has_no_finding() {
    let report = report(&hours(18, |_, _| ()));
    assert_eq!(report.looks, 3);
    assert_eq!(
        (
            report.findings.len(),
            report.moved.len(),
            report.faster.len()
        ),
        (0, 0, 0)
    );
}

#[test]
fn a_slower_function_is_found_with_its_path_and_the_runs_to_open() {
    let report = report(&hours(15, |hour, cell| {
        if hour >= 14 * 24 && cell.path == 3 {
            slower(cell, 1.5);
        }
    }));
    let [finding] = report.findings.as_slice() else {
        panic!("{report:#?}")
    };
    assert_eq!(
        (finding.kind, finding.function.as_str()),
        (Kind::Slower, "c")
    );
    assert!(!finding.is_provisional);
    let place = &finding.places[0];
    assert_eq!(place.path, ["main()", "c"]);
    assert!((place.change - 0.5).abs() < 0.05, "{place:?}");
    assert!((place.after.time_ns / place.before.time_ns - 1.5).abs() < 0.05);
    assert_eq!((place.open[0].from, place.open[0].to), (1, 14 * 24));
    assert_eq!(
        (place.open[1].from, place.open[1].to),
        (14 * 24 + 1, 15 * 24)
    );
    assert_eq!(place.contributors[0].path, ["main()", "c"]);
}

#[test]
fn a_call_that_was_always_made_once_and_now_twice_is_an_exact_finding() {
    let report = report(&hours(15, |hour, cell| {
        if hour >= 14 * 24 && cell.path == QUERY {
            cell.calls *= 2;
            slower(cell, 2.0);
        }
    }));
    let [finding] = report.findings.as_slice() else {
        panic!("{report:#?}")
    };
    assert_eq!(finding.kind, Kind::MoreCalls);
    assert_eq!(finding.caller.as_deref(), Some("Order::load"));
    assert_eq!(finding.function, "Db::query");
    let place = &finding.places[0];
    assert!(place.t.is_infinite());
    assert_eq!((place.before.calls, place.after.calls), (1.0, 2.0));
}

#[test]
fn a_call_that_is_new_is_charged_to_its_caller() {
    let report = report(&hours(15, |hour, cell| {
        if hour < 14 * 24 && cell.path == QUERY {
            *cell = Cell {
                path: QUERY,
                ..Cell::default()
            };
        }
    }));
    let [finding] = report.findings.as_slice() else {
        panic!("{report:#?}")
    };
    assert_eq!(finding.kind, Kind::NewCall);
    assert_eq!(finding.caller.as_deref(), Some("Order::load"));
    assert!(finding.share() > 0.05, "{finding:?}");
}

#[test]
fn a_call_that_only_changed_its_caller_is_moved() {
    // The query was made by main(), and is now made by Order::load.
    let report = report(&hours(15, |hour, cell| {
        let is_released = hour >= 14 * 24;
        if (cell.path == QUERY) != is_released && [9, QUERY].contains(&cell.path) {
            *cell = Cell {
                path: cell.path,
                ..Cell::default()
            };
        }
    }));
    assert_eq!(report.findings, []);
    assert!(
        report
            .moved
            .iter()
            .all(|moved| moved.function == "Db::query"),
        "{report:#?}"
    );
}

#[test]
fn a_shift_of_the_whole_route_is_no_finding_but_a_common_change() {
    let report = report(&hours(15, |hour, cell| {
        // Load that comes and goes tells how the functions follow it.
        slower(cell, if hour % 24 < 12 { 1.0 } else { 1.1 });
        if hour >= 14 * 24 {
            slower(cell, 1.4);
        }
    }));
    let kinds: Vec<Kind> = report.findings.iter().map(|finding| finding.kind).collect();
    assert!(
        kinds.iter().all(|kind| *kind == Kind::SlowerRoute),
        "{report:#?}"
    );
    assert!(
        (report.common_change - 0.4).abs() < 0.03,
        "{}",
        report.common_change
    );
}

#[test]
fn the_next_release_is_not_blamed_for_an_earlier_regression() {
    let mut detector = Detector::default();
    let blocks = hours(22, |hour, cell| {
        if hour >= 14 * 24 && cell.path == 3 {
            slower(cell, 1.5);
        }
        if hour >= 18 * 24 && cell.path == 4 {
            slower(cell, 1.5);
        }
    });
    let first = examine(&mut detector, &blocks, 14, Some(18 * 24));
    assert_eq!(first.findings[0].function, "c");
    let second = examine(&mut detector, &blocks, 18, None);
    let names: Vec<_> = second
        .findings
        .iter()
        .map(|finding| finding.function.as_str())
        .collect();
    assert_eq!(names, ["d"], "{second:#?}");
}

#[test]
fn an_alarm_whose_cause_went_away_is_marked() {
    let report = report(&hours(17, |hour, cell| {
        if (14 * 24..15 * 24).contains(&hour) && cell.path == 3 {
            slower(cell, 1.5);
        }
    }));
    let [finding] = report.findings.as_slice() else {
        panic!("{report:#?}")
    };
    assert!(finding.is_gone, "{finding:#?}");
    assert_eq!(finding.look, 1);
}

#[test]
fn a_function_that_became_faster_is_listed_as_that() {
    let report = report(&hours(15, |hour, cell| {
        if hour >= 14 * 24 && cell.path == 3 {
            slower(cell, 0.5);
        }
    }));
    assert_eq!(report.findings, []);
    assert_eq!(report.faster[0].function, "c");
    assert!(report.faster[0].places[0].cost < 0.0);
}

#[test]
fn what_cannot_be_compared_has_its_reason() {
    let young = examine(
        &mut Detector::default(),
        &hours(14, |_, _| ())[..10 * 24 + 5],
        10,
        None,
    );
    assert_eq!(young.hours_left, Some(19));
    let short = examine(&mut Detector::default(), &hours(12, |_, _| ()), 5, None);
    let history = Reason::History {
        windows: 5,
        needed: 7,
    };
    assert_eq!(short.skipped[0].reason, history);
    let mut few = hours(15, |_, _| ());
    few.retain(|block| block.hour < 14 * 24);
    few.push(Block {
        hour: 15 * 24,
        runs: 3,
        ..Block::default()
    });
    assert_eq!(
        report(&few).skipped[0].reason,
        Reason::Runs {
            runs: 0,
            needed: 30
        }
    );
    let provisional = examine(
        &mut Detector::new(Options::default()),
        &hours(11, |hour, cell| {
            if hour >= 10 * 24 && cell.path == 3 {
                slower(cell, 1.5);
            }
        }),
        10,
        None,
    );
    assert!(provisional.findings[0].is_provisional);
}

#[test]
fn no_data_is_no_report() {
    assert_eq!(report(&[]).skipped.len(), 0);
    let odd = Block {
        hour: 14 * 24 + 3,
        cells: vec![Cell {
            path: 99,
            ..Cell::default()
        }],
        ..Block::default()
    };
    assert_eq!(report(&[odd]).findings, []);
}

/// An input that makes some functions slow and others fast, by up to 20 %.
fn input(hour: i64, path: u32) -> f64 {
    let of = |number: i64| (number * 7919 % 1000) as f64 / 1000.0 - 0.5;
    let input = 0.4 * of(hour / 24 + 77) + 0.2 * of(hour / 3 + 5);
    if path.is_multiple_of(2) {
        input.exp()
    } else {
        (-input).exp()
    }
}

#[test]
fn what_other_functions_predict_is_no_part_of_a_change() {
    let with = |factor: f64| {
        report(&hours(15, |hour, cell| {
            slower(cell, input(hour, cell.path));
            if hour >= 14 * 24 && cell.path == 3 {
                slower(cell, factor);
            }
        }))
    };
    assert_eq!(with(1.0).findings, []);
    // Its days differ by 12 %, and what other functions leave of that by far less.
    let report = with(1.15);
    assert_eq!(report.findings.len(), 1, "{report:#?}");
    let finding = &report.findings[0];
    assert_eq!(
        (finding.kind, finding.function.as_str()),
        (Kind::Slower, "c")
    );
    let change = finding.places[0].change;
    assert!((0.12..0.18).contains(&change), "{change}");
    // The function that changed makes no other one look faster.
    assert_eq!(report.faster, []);
}

#[test]
fn a_change_that_looks_like_another_input_is_found() {
    let is_fed = |path: u32| (1..=4).contains(&path);
    let blocks = hours(15, |hour, cell| {
        if is_fed(cell.path) {
            slower(cell, input(hour, 0));
            // Each function is as slow as the others predict.
            if hour >= 14 * 24 {
                slower(cell, 3.0);
            }
        }
    });
    let report = report(&blocks);
    let mut names: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.function.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c", "d"], "{report:#?}");
}

#[test]
fn numbers_that_do_not_exist_are_broken_data() {
    let (functions, blocks) = (functions(), hours(15, |_, _| ()));
    let with = |paths: &[Path], blocks: &[Block]| {
        let release = Release {
            name: "next".to_owned(),
            since: 14 * 24,
        };
        let route = RouteHours {
            route: "/orders",
            functions: &functions,
            paths,
            blocks,
        };
        let report = Detector::default().examine(&release, 0, None, 15 * 24, [route]);
        report.skipped.iter().map(|of| of.reason).next()
    };
    assert_ne!(with(&paths(), &blocks), Some(Reason::Numbers));
    assert_eq!(with(&[], &[]), Some(Reason::Numbers));
    assert_eq!(with(&paths()[..12], &blocks), Some(Reason::Numbers));
    let mut unknown = paths();
    unknown[5].function = 12;
    assert_eq!(with(&unknown, &blocks), Some(Reason::Numbers));
    let mut later = paths();
    later[5].parent = Some(5);
    assert_eq!(with(&later, &blocks), Some(Reason::Numbers));
}
