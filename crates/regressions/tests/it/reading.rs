//! The sums of one route are in memory at a time, and only those that are needed
//! are read.

use std::cell::Cell as Counter;

use regressions::{
    Block, Cell, Hours, Options, Path, Release, Report, RouteHours, log_time, reports,
};

const ROUTES: [&str; 5] = ["/a", "/b", "/c", "/d", "/e"];
const PATHS: [Path; 1] = [Path {
    parent: None,
    function: 0,
}];

/// The releases: of day 0, 15, and of the last day.
fn releases() -> Vec<(Release, u32)> {
    let release = |(number, day): (u32, i64)| {
        let name = format!("day-{day}");
        let since = day * 24;
        (Release { name, since }, number)
    };
    (0..).zip([0, 15, 20]).map(release).collect()
}

/// The hour after the last with data.
const UNTIL: i64 = 20 * 24 + 3;

/// Hours that were read; counts how many of them are in memory.
struct Read<'a> {
    route: &'static str,
    functions: [String; 1],
    blocks: Vec<Block>,
    alive: &'a Counter<usize>,
}

impl<'a> Read<'a> {
    fn new(route: &'static str, hours: (i64, i64), alive: &'a Counter<usize>) -> Self {
        alive.set(alive.get() + 1);
        let block = |hour: i64| Block {
            hour,
            release: u32::from(hour >= 15 * 24),
            runs: 40,
            wall_ns: 40_000_000,
            ln_wall: 280.0,
            cells: vec![Cell {
                path: 0,
                runs: 40,
                calls: 40,
                self_ns: 40_000_000,
                ln_self: 40.0 * log_time(1_000_000),
                memory: 0,
            }],
            ..Block::default()
        };
        Self {
            route,
            functions: ["main()".to_owned()],
            blocks: (hours.0.max(0)..hours.1.min(UNTIL)).map(block).collect(),
            alive,
        }
    }
}

impl Hours for Read<'_> {
    fn hours(&self) -> RouteHours<'_> {
        RouteHours {
            route: self.route,
            functions: &self.functions,
            paths: &PATHS,
            blocks: &self.blocks,
        }
    }
}

impl Drop for Read<'_> {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

#[test]
fn one_route_is_in_memory_at_a_time() {
    let (alive, mut asked) = (Counter::new(0), Vec::new());
    let found = reports(
        &releases(),
        UNTIL,
        Options::default(),
        &ROUTES,
        |route, around| {
            assert_eq!(alive.get(), 0, "{route} is read while another is kept");
            asked.push((*route, around.release.name.clone(), around.hours));
            Ok::<_, String>(Read::new(route, around.hours, &alive))
        },
    );
    let found: Vec<Report> = found.unwrap_or_default();
    assert_eq!(alive.get(), 0);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].routes, found[0].looks), (5, 3));
    assert_eq!(found[0].skipped, []);
    // Two weeks before, three days after. Nothing of the release of today, and
    // nothing of the first: there is no release before it.
    let hours = (24, 18 * 24 + 1);
    let expected = ROUTES.map(|route| (route, "day-15".to_owned(), hours));
    assert_eq!(asked, expected);
    assert_eq!(found[1].hours_left, Some(21));
}

#[test]
fn an_error_of_reading_ends_the_search() {
    let (alive, mut count) = (Counter::new(0), 0);
    let found = reports(
        &releases(),
        UNTIL,
        Options::default(),
        &ROUTES,
        |route, around| {
            count += 1;
            if count == 3 {
                return Err("the disk is gone");
            }
            Ok(Read::new(route, around.hours, &alive))
        },
    );
    assert_eq!(found, Err("the disk is gone"));
    assert_eq!((count, alive.get()), (3, 0));
}
