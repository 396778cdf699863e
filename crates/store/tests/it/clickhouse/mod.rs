//! The suite of every store on ClickHouse, and what only that store has.
//!
//! Runs if `XHPROF_TEST_CLICKHOUSE` names a server: `clickhouse://127.0.0.1:8123/x`,
//! with `?cluster=NAME` for a cluster. Each test uses databases of its own, whose
//! names begin with `x`, and drops them. If `XHPROF_TEST_BUCKET` names a bucket, the
//! files of runs are in it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod bucket;
mod days;
mod lists;
mod remembered;
mod retention;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use simulate::{RunAt, SmallShop};
use store::{
    Background, ClickhouseAddress, ClickhouseStore, FunctionSort, NewRun, Runs, Selection,
    SqliteStore, Store, Sums, TrendOf, TrendStep,
};

use crate::conformance;

const BEGIN_US: u64 = 1_793_491_200_000_000;

/// Long enough for no thread to do anything.
const LONG: Duration = Duration::from_secs(3600);

/// How long a statement of a test may take: as long as one of the store.
const LONGEST: Duration = Duration::from_secs(130);

const NEVER: Background = Background {
    fold_every: LONG,
    sum_days_every: LONG,
    quiet: LONG,
};

/// Runs are folded ten times a second, and days are added up some times in a check.
const ALWAYS: Background = Background {
    fold_every: Duration::from_millis(100),
    sum_days_every: Duration::from_millis(250),
    quiet: Duration::ZERO,
};

/// Checks of the suite at a time: most of each is waiting for the server.
const AT_ONCE: usize = 4;

/// A server for tests.
struct Server {
    /// The address up to the database, and what follows it.
    parts: (String, String),
    databases: std::sync::Mutex<Vec<String>>,
}

/// The database of an address.
fn database_of(address: &ClickhouseAddress) -> String {
    let address = format!("{address:?}");
    address.rsplit_once('/').unwrap().1.to_owned()
}

impl Server {
    /// None if there is no server to test on.
    fn named() -> Option<Self> {
        let Ok(address) = std::env::var("XHPROF_TEST_CLICKHOUSE") else {
            eprintln!("skipped: XHPROF_TEST_CLICKHOUSE names no server");
            return None;
        };
        let (place, options) = address.split_once('?').unwrap_or((&address, ""));
        let (nodes, database) = place.rsplit_once('/').unwrap();
        let options = if options.is_empty() {
            String::new()
        } else {
            format!("?{options}")
        };
        Some(Self {
            parts: (format!("{nodes}/{database}"), options),
            databases: std::sync::Mutex::default(),
        })
    }

    /// The address of an empty database.
    fn address(&self) -> ClickhouseAddress {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}_{}_{number}", self.parts.0, std::process::id());
        let database = name.rsplit_once('/').unwrap().1.to_owned();
        self.databases.lock().unwrap().push(database.clone());
        let address = ClickhouseAddress::parse(&format!("{name}{}", self.parts.1)).unwrap();
        match bucket::of_database(&database) {
            Some(bucket) => address.with_bucket(bucket),
            None => address,
        }
    }

    /// Opens the store of one empty database, each time as another server.
    fn opener(&self) -> impl Fn() -> ClickhouseStore + use<> {
        let address = self.address();
        move || ClickhouseStore::open_with(address.clone(), NEVER).unwrap()
    }

    /// The table with the rows of all nodes.
    fn table(&self, database: &str, name: &str) -> String {
        let all = if self.cluster().is_empty() {
            ""
        } else {
            "all_"
        };
        format!("{database}.{all}{name}")
    }

    /// Removes all rows of a store.
    fn empty(&self, address: &ClickhouseAddress) {
        self.clear(
            &database_of(address),
            "table NOT IN ('schema_step', 'bucket')",
        );
    }

    /// Removes the rows of some tables, of what each node has.
    ///
    /// `TRUNCATE` of a replicated table may wait for ever in ClickHouse 18.16. It locks the
    /// table, a merge waits for the lock, and the removal of the rows waits for the merge.
    /// `DROP PARTITION` takes no such lock.
    fn clear(&self, database: &str, condition: &str) {
        for node in self.nodes() {
            // The name of a part begins with the id of its partition.
            let partitions = self.ask(
                node,
                &format!(
                    "SELECT table, groupUniqArray(substring(name, 1, position(name, '_') - 1))
                     FROM system.parts WHERE database = '{database}' AND active AND {condition}
                     GROUP BY table FORMAT TabSeparatedRaw"
                ),
            );
            for line in partitions.unwrap().lines() {
                let (table, ids) = line.split_once('\t').unwrap();
                let ids = ids.trim_matches(['[', ']']).split(',');
                let drops: Vec<String> = ids.map(|id| format!("DROP PARTITION ID {id}")).collect();
                let statement = format!("ALTER TABLE {database}.{table} {}", drops.join(", "));
                self.ask(node, &statement).unwrap();
            }
        }
    }

    /// The suite, on some databases that are emptied between its checks.
    fn check(&self, background: Background) {
        let empty = [(); AT_ONCE].map(|()| {
            let address = self.address();
            move || {
                let open = || ClickhouseStore::open_with(address.clone(), background).unwrap();
                drop(open());
                self.empty(&address);
                open()
            }
        });
        conformance::check_in_parallel(&empty);
    }

    fn nodes(&self) -> Vec<&str> {
        let nodes = self.parts.0.strip_prefix("clickhouse://").unwrap();
        nodes.split('/').next().unwrap().split(',').collect()
    }

    fn statement(&self, statement: &str) -> String {
        self.ask(self.nodes()[0], statement).unwrap()
    }

    /// The answer of one node, or its error.
    fn ask(&self, node: &str, statement: &str) -> Result<String, String> {
        let mut request = ureq::post(format!("http://{node}/"))
            .config()
            .http_status_as_error(false)
            .timeout_global(Some(LONGEST))
            .build();
        if !self.cluster().is_empty() {
            // Inserts and drops wait for what they need, and questions see them.
            request = request
                .query("insert_distributed_sync", "1")
                .query("replication_alter_partitions_sync", "2")
                .query("load_balancing", "in_order");
        }
        let answer = request.send(statement);
        let mut answer = answer.map_err(|error| format!("{error}: {statement}"))?;
        let text = answer.body_mut().read_to_string().unwrap();
        if answer.status() == 200 {
            Ok(text)
        } else {
            Err(format!("{text}: {statement}"))
        }
    }

    fn cluster(&self) -> String {
        let name = self
            .parts
            .1
            .split(['?', '&'])
            .find_map(|part| part.strip_prefix("cluster="));
        name.map_or_else(String::new, |name| format!(" ON CLUSTER {name}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Not `ON CLUSTER`: statements of that kind wait for those of other tests. A database that is left over
        // harms no test.
        let server = &*self;
        std::thread::scope(|scope| {
            for node in server.nodes() {
                scope.spawn(move || {
                    for database in server.databases.lock().unwrap().clone() {
                        let drop = format!("DROP DATABASE IF EXISTS {database}");
                        if let Err(error) = server.ask(node, &drop) {
                            eprintln!("left over on {node}: {error}");
                        }
                    }
                });
            }
        });
    }
}

fn run(number: u64) -> NewRun {
    let shop = SmallShop {
        paths: 30,
        ..SmallShop::default()
    };
    let profile = shop.run(RunAt {
        number,
        route: u32::try_from(number % 3).unwrap(),
        release: usize::from(number % 50 >= 25),
        started_us: BEGIN_US + (number % 40) * 3_600_000_000 + number * 1_000_000,
    });
    NewRun {
        profile,
        received: BEGIN_US,
    }
}

#[test]
fn it_keeps_the_contract_while_runs_are_in_no_sums() {
    let Some(server) = Server::named() else {
        return;
    };
    server.check(NEVER);
}

#[test]
fn it_keeps_the_contract_while_runs_are_folded_and_days_added_up() {
    let Some(server) = Server::named() else {
        return;
    };
    server.check(ALWAYS);
}

/// What questions get.
fn answers(store: &dyn Store) -> Vec<(String, String)> {
    const HOUR: u64 = 3_600_000_000;
    let mut answers = Vec::new();
    for (since, until, routes) in [
        (None, None, vec![]),
        (None, None, vec!["/c*".to_owned()]),
        (Some(5), Some(30), vec![]),
        (Some(24), None, vec!["/cart".to_owned()]),
    ] {
        let selection = Selection {
            routes,
            since_us: since.map(|hour| BEGIN_US + hour * HOUR),
            until_us: until.map(|hour| BEGIN_US + hour * HOUR),
            ..Selection::default()
        };
        let mut add = |name: &str, answer: String| answers.push((name.to_owned(), answer));
        add("routes", format!("{:?}", store.routes(&selection)));
        add("requests", format!("{:?}", store.requests(&selection)));
        add("releases", format!("{:?}", store.releases(&selection)));
        add("days", format!("{:?}", store.days(&selection)));
        add("route_days", format!("{:?}", store.route_days(&selection)));
        for step in [TrendStep::Hour, TrendStep::Day, TrendStep::All] {
            for of in [
                TrendOf::Requests,
                TrendOf::Function("Repository::find".to_owned()),
            ] {
                add("trend", format!("{:?}", store.trend(&selection, &of, step)));
            }
        }
        let mut top = store.top(&selection, FunctionSort::Wall, 500).unwrap();
        top.sort_by(|one, other| one.name.cmp(&other.name));
        add("top", format!("{top:?}"));
        let tree = store.tree(&selection).unwrap();
        let calls = (
            tree.runs,
            tree.selected,
            tree.requests,
            tree.profile.calls(),
        );
        add("tree", format!("{calls:?}"));
        let mut spans = store.spans(&selection, 1000).unwrap();
        spans.sort_by(|one, other| (&one.kind, &one.text).cmp(&(&other.kind, &other.text)));
        add("spans", format!("{spans:?}"));
        let function = store.function(&selection, "Repository::find").unwrap();
        let function = function.map(|mut of| {
            of.routes.sort_by(|one, other| one.route.cmp(&other.route));
            for neighbours in [&mut of.callers, &mut of.callees] {
                neighbours.sort_by(|one, other| one.name.cmp(&other.name));
            }
            of
        });
        add("function", format!("{function:?}"));
        let one = Selection {
            releases: vec!["*1*".to_owned()],
            ..selection.clone()
        };
        let diff = store.diff(&one, &selection).unwrap();
        let mut changed = diff.functions;
        changed.sort_by(|one, other| one.name.cmp(&other.name));
        add("diff", format!("{changed:?}"));
    }
    answers
}

#[test]
fn its_answers_are_those_of_the_store_in_a_folder() {
    let Some(server) = Server::named() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path()).unwrap();
    let clickhouse = ClickhouseStore::open_with(server.address(), NEVER).unwrap();
    for number in 0..150 {
        let one = sqlite.put(run(number)).unwrap();
        assert_eq!(one, clickhouse.put(run(number)).unwrap());
        // A part of the runs is in the sums, of which some are deleted.
        if number == 100 {
            assert!(clickhouse.fold().unwrap() > 0);
            assert_eq!(clickhouse.fold().unwrap(), 0);
        }
        if number % 30 == 29 {
            let ids = [one.id];
            assert_eq!(
                sqlite.delete(&ids).unwrap(),
                clickhouse.delete(&ids).unwrap()
            );
        }
    }
    let expected = answers(&sqlite);
    for is_folded in [false, true] {
        if is_folded {
            clickhouse.fold().unwrap();
        }
        for (one, other) in expected.iter().zip(answers(&clickhouse)) {
            assert_eq!(*one, other, "folded: {is_folded}");
        }
    }
    assert_eq!(clickhouse.verify().unwrap().problems, []);
    assert_eq!(clickhouse.stats().unwrap().runs, 145);
}

#[test]
fn two_servers_that_store_and_fold_at_once_count_each_run_once() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    let often = Background {
        fold_every: Duration::from_millis(5),
        ..ALWAYS
    };
    // They create the tables at once, too.
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let address = &address;
            scope.spawn(move || {
                let store = ClickhouseStore::open_with(address.clone(), often).unwrap();
                // Each run is sent to two servers.
                for number in 0..40 {
                    store.put(run(thread / 2 * 40 + number)).unwrap();
                }
            });
        }
    });
    let store = ClickhouseStore::open_with(address, NEVER).unwrap();
    let runs = |store: &dyn Store| store.requests(&Selection::default()).unwrap().unwrap().runs;
    assert_eq!(store.stats().unwrap().runs, 80);
    assert_eq!(runs(&store), 80);
    store.fold().unwrap();
    assert_eq!(runs(&store), 80);
    let verified = store.verify().unwrap();
    assert_eq!(verified.problems, []);
    assert_eq!((verified.runs, verified.compared), (80, verified.cells));
}

#[test]
fn what_an_insert_left_half_done_is_neither_lost_nor_counted_twice() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    let database = database_of(&address);
    let store = ClickhouseStore::open_with(address, NEVER).unwrap();
    let id = store.put(run(1)).unwrap().id;
    let routes = format!("{:?}", store.routes(&Selection::default()).unwrap());
    let table = |name: &str| server.table(&database, name);
    // The same rows again: a server that got no answer has sent them once more.
    for name in ["run", "changed"] {
        let columns = match name {
            "changed" => "id, key, day, hour, app, route, release",
            _ => "*",
        };
        let columns_of = if columns == "*" {
            String::new()
        } else {
            format!("({columns})")
        };
        let table = table(name);
        server.statement(&format!(
            "INSERT INTO {table} {columns_of} SELECT {columns} FROM {table}"
        ));
    }
    assert_eq!(
        format!("{:?}", store.routes(&Selection::default()).unwrap()),
        routes
    );
    assert_eq!(store.fold().unwrap(), 1);
    assert_eq!(
        format!("{:?}", store.routes(&Selection::default()).unwrap()),
        routes
    );
    // A row of `changed` whose run never came.
    let columns = "id, key, day, hour, app, route, release";
    server.statement(&format!(
        "INSERT INTO {changed} ({columns})
         SELECT toFixedString(unhex('00112233445566778899aabbccddeeff'), 16), key, day, hour, app,
             route, release FROM {changed} LIMIT 1",
        changed = table("changed")
    ));
    assert_eq!(store.fold().unwrap(), 0);
    assert_eq!(
        format!("{:?}", store.routes(&Selection::default()).unwrap()),
        routes
    );
    // A run that is in no sums is found, and added.
    server.statement(&format!(
        "INSERT INTO {cell} (key, version, gone, day, hour, app, route, release, shape, rate)
         SELECT key, version + 1, 1, day, hour, app, route, release, shape, rate FROM {cell}",
        cell = table("cell")
    ));
    assert_eq!(store.fold().unwrap(), 1);
    assert_eq!(
        format!("{:?}", store.routes(&Selection::default()).unwrap()),
        routes
    );
    assert_eq!(store.delete(&[id]).unwrap(), [id]);
    assert_eq!(store.routes(&Selection::default()).unwrap(), []);
    // Of a run that was deleted some minutes ago nothing is left.
    const REST: &str = "key, day, app, route, release, title, started, host, method, status,
        failed, shape, rate, unit, body, wall, cpu, peak, memory, calls, spans, sql, size, label,
        stored, tag_name, tag_value, dictionary, file";
    let other = "toFixedString(unhex('00112233445566778899aabbccddeeff'), 16)";
    let run = table("run");
    server.statement(&format!(
        "INSERT INTO {run} (id, version, state, {REST}) SELECT {other}, 1, 2, {REST} FROM {run} FINAL"
    ));
    store.fold().unwrap();
    let left = |condition: &str| {
        let sum = format!("SELECT sum(length(file)) FROM {run} FINAL WHERE {condition}");
        server.statement(&sum).trim().to_owned()
    };
    assert_eq!(left(&format!("id = {other}")), "0");
    assert_ne!(left("1"), "0", "that of the run which was deleted now");
}

#[test]
fn changes_are_forgotten_when_their_sums_are_old() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    let database = database_of(&address);
    let store = ClickhouseStore::open_with(address, NEVER).unwrap();
    store.put(run(1)).unwrap();
    assert_eq!(store.fold().unwrap(), 1);
    let routes = store.routes(&Selection::default()).unwrap();
    let table = |name: &str| server.table(&database, name);
    let changed = table("changed");
    // As if they had come five hours ago.
    let columns = "id, key, day, hour, app, route, release";
    server.statement(&format!(
        "INSERT INTO {changed} (arrived, {columns})
         SELECT now() - 18000, {columns} FROM {changed}"
    ));
    let count = || {
        let count = format!("SELECT count() FROM {changed}");
        server.statement(&count).trim().to_owned()
    };
    assert_eq!(store.fold().unwrap(), 0);
    assert_eq!(count(), "2", "their sums were written a moment ago");
    // Not `ON CLUSTER`: two replicas of 18.16 that alter a table at once may end the thread
    // that carries out such statements.
    for node in server.nodes() {
        let update = "UPDATE written = now() - 7200 WHERE 1";
        let alter = format!("ALTER TABLE {database}.cell {update}");
        server.ask(node, &alter).unwrap();
    }
    let is_written = || {
        let cell = table("cell");
        let select = format!("SELECT min(written) + 3600 < now() FROM {cell}");
        server.statement(&select).trim() == "1"
    };
    while !is_written() {
        std::thread::yield_now();
    }
    // Only that hour is forgotten.
    store.put(run(2)).unwrap();
    store.fold().unwrap();
    assert_eq!(count(), "2");
    assert_eq!(
        store.routes(&Selection::default()).unwrap().len(),
        routes.len() + 1
    );
}

#[test]
fn a_node_gets_tables_as_an_older_version_made_them_on_others() {
    let Some(server) = Server::named() else {
        return;
    };
    let (newest, older) = (server.address(), server.address());
    drop(ClickhouseStore::open_with(newest.clone(), NEVER).unwrap());
    let (newest, database) = (database_of(&newest), database_of(&older));
    let table = server.statement(&format!(
        "SELECT create_table_query FROM system.tables
         WHERE database = '{newest}' AND name = 'run' FORMAT TabSeparatedRaw"
    ));
    let (table, after) = table.split_once("index_granularity = ").unwrap();
    let after = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let of_older = format!("{table}index_granularity = 1024{after}").replace(&newest, &database);
    server.statement(&format!("CREATE DATABASE {database}"));
    server.statement(&of_older);
    let store = ClickhouseStore::open_with(older, NEVER).unwrap();
    assert!(store.put(run(1)).unwrap().is_new);
    for node in server.nodes() {
        let engine = server.ask(
            node,
            &format!(
                "SELECT engine_full FROM system.tables
                 WHERE database = '{database}' AND name = 'run' FORMAT TabSeparatedRaw"
            ),
        );
        assert!(
            engine.unwrap().contains("index_granularity = 1024"),
            "{node}"
        );
    }
}

#[test]
fn what_does_not_answer_is_named() {
    // No server has that port, and no client gets it from the kernel.
    let address = "127.0.0.1:1";
    let open = |text: &str| {
        let address = ClickhouseAddress::parse(text).unwrap();
        ClickhouseStore::open(address).unwrap_err().to_string()
    };
    let error = open(&format!("clickhouse://{address}/x"));
    assert!(
        error.contains(address) && error.contains("is it running"),
        "{error}"
    );
    let Some(server) = Server::named() else {
        return;
    };
    let nodes = server.parts.0.rsplit_once('/').unwrap().0;
    let with_user = nodes.replacen("clickhouse://", "clickhouse://no_such_user@", 1);
    let error = open(&format!("{with_user}/x"));
    assert!(error.contains("refuses the user no_such_user"), "{error}");
    // A node that does not answer is no matter while another one does.
    let both = nodes.replacen("clickhouse://", &format!("clickhouse://{address},"), 1);
    let database = format!("{:?}", server.address());
    let database = database.rsplit_once('/').unwrap().1;
    let parsed = ClickhouseAddress::parse(&format!("{both}/{database}{}", server.parts.1)).unwrap();
    assert!(
        ClickhouseStore::open(parsed)
            .unwrap()
            .put(run(1))
            .unwrap()
            .is_new
    );
}
