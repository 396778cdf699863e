//! Lists of runs are those of their latest versions, though they are read without `FINAL`.

use store::{ClickhouseStore, RunId, RunQuery, RunSort, Runs, Selection, Store, Sums};

use super::{BEGIN_US, NEVER, Server, database_of, run};

/// Pages of a list, one after the other.
fn paged(store: &dyn Store, query: &RunQuery) -> Vec<String> {
    let mut query = query.clone();
    let mut ids = Vec::new();
    loop {
        let page = store.runs(&query).unwrap();
        assert!(page.runs.len() <= query.limit as usize);
        ids.extend(page.runs.iter().map(|run| run.id.to_string()));
        if page.next.is_none() {
            return ids;
        }
        query.cursor = page.next;
    }
}

struct Lists<'a> {
    server: &'a Server,
    table: String,
    store: &'a ClickhouseStore,
}

impl Lists<'_> {
    /// Compares lists in each order with those of `FINAL`.
    fn check(&self, when: &str, selection: &Selection, condition: &str) {
        for (sort, column, ascending) in [
            (RunSort::Started, "started", false),
            (RunSort::Wall, "wall", false),
            (RunSort::Wall, "wall", true),
        ] {
            let order = if ascending { "ASC" } else { "DESC" };
            let expected = self.server.statement(&format!(
                "SELECT lower(hex(id)) FROM {} FINAL WHERE state = 0 AND {condition}
                 ORDER BY {column} {order}, id {order}",
                self.table
            ));
            let expected: Vec<&str> = expected.lines().collect();
            for limit in [60, 1000] {
                let query = RunQuery {
                    selection: selection.clone(),
                    sort,
                    ascending,
                    limit,
                    cursor: None,
                };
                let found = paged(self.store, &query);
                assert_eq!(found, expected, "{when}: {sort:?} {order}, {limit}");
            }
        }
        let count = format!(
            "SELECT count() FROM {} FINAL WHERE state = 0 AND {condition}",
            self.table
        );
        let count: u64 = self.server.statement(&count).trim().parse().unwrap();
        let days = self.store.days(selection).unwrap();
        assert_eq!(
            days.iter().map(|day| day.runs).sum::<u64>(),
            count,
            "{when}"
        );
    }

    fn check_all(&self, when: &str, some: &[RunId]) {
        let everything = Selection::default();
        self.check(when, &everything, "1");
        let route = Selection {
            routes: vec!["/c*".to_owned()],
            ..Selection::default()
        };
        self.check(when, &route, "substring(route, 1, 2) = '/c'");
        let labelled = Selection {
            label: Some("kept".to_owned()),
            ..Selection::default()
        };
        self.check(when, &labelled, "label = 'kept'");
        let of_ids = Selection {
            ids: some.to_vec(),
            ..Selection::default()
        };
        let names: Vec<String> = some.iter().map(|id| format!("'{id}'")).collect();
        let condition = format!("lower(hex(id)) IN ({})", names.join(", "));
        self.check(when, &of_ids, &condition);
        let day_us = BEGIN_US + 86_400_000_000;
        let of_a_day = Selection {
            until_us: Some(day_us),
            ..of_ids
        };
        let condition = format!("{condition} AND started < {day_us}");
        self.check(when, &of_a_day, &condition);
    }
}

#[test]
fn lists_have_each_run_once_and_as_its_latest_version_is() {
    let Some(server) = Server::named() else {
        return;
    };
    let address = server.address();
    let table = server.table(&database_of(&address), "run");
    let store = ClickhouseStore::open_with(address, NEVER).unwrap();
    let stored = store.put_all((0..200).map(run).collect());
    let ids: Vec<RunId> = stored.into_iter().map(|run| run.unwrap().id).collect();
    let lists = Lists {
        server: &server,
        table: table.clone(),
        store: &store,
    };
    // Some of each kind, and one that never was.
    let mut some: Vec<RunId> = ids.iter().copied().step_by(9).collect();
    some.push(RunId::of(b"no run"));
    for id in ids.iter().step_by(7) {
        assert!(store.label(id, "other").unwrap());
        assert!(store.label(id, "kept").unwrap());
    }
    for id in ids.iter().step_by(21) {
        assert!(store.label(id, "").unwrap());
    }
    // More than what a list reads at first.
    let deleted: Vec<RunId> = ids[60..180].to_vec();
    assert_eq!(store.delete(&deleted).unwrap(), deleted);
    lists.check_all("deleted", &some);
    assert_eq!(store.put(run(61)).unwrap().id, ids[61]);
    lists.check_all("stored again", &some);
    // Rows of older versions that arrive late, and a later version, with other values.
    const REST: &str = "key, day, app, route, release, title, host, method, status, failed,
        shape, rate, unit, body, cpu, peak, memory, calls, spans, sql, size, label,
        stored, tag_name, tag_value, dictionary, file";
    for (change, condition) in [
        ("version - 1, 0, wall * 1000, started - 1", "wall % 3 = 0"),
        ("version - 1, 0, 1, started + 1", "wall % 3 = 1"),
        ("version + 1, state, wall * 7, started + 7", "wall % 5 = 2"),
        ("version + 1, state, 5, started - 9", "wall % 5 = 3"),
    ] {
        server.statement(&format!(
            "INSERT INTO {table} (id, version, state, wall, started, {REST})
             SELECT id, {change}, {REST} FROM {table} FINAL WHERE {condition}"
        ));
        lists.check_all(change, &some);
    }
}

#[test]
fn questions_about_some_runs_count_those_that_are_there() {
    let Some(server) = Server::named() else {
        return;
    };
    let open = server.opener();
    let (writer, reader) = (open(), open());
    let stored = writer.put_all((0..40).map(run).collect());
    let ids: Vec<RunId> = stored.into_iter().map(|run| run.unwrap().id).collect();
    let some = Selection {
        ids: ids[..20].to_vec(),
        ..Selection::default()
    };
    let slow = Selection {
        min_wall: Some(1),
        ..Selection::default()
    };
    let check = |there: u64, of_all: u64| {
        for _ in 0..2 {
            let tree = reader.tree(&some).unwrap();
            assert_eq!((tree.runs, tree.selected), (there, there));
            let tree = reader.tree(&slow).unwrap();
            assert_eq!((tree.runs, tree.selected), (of_all, of_all));
            let diff = reader.diff(&some, &slow).unwrap();
            assert_eq!((diff.before.runs, diff.after.runs), (there, of_all));
            let root = diff.functions.iter().map(|row| row.called_before);
            assert_eq!(root.max().unwrap(), Some(there));
        }
    };
    check(20, 40);
    assert!(writer.label(&ids[3], "kept").unwrap());
    check(20, 40);
    assert_eq!(writer.delete(&ids[5..7]).unwrap(), &ids[5..7]);
    check(18, 38);
    assert!(writer.put(run(5)).unwrap().is_new);
    check(19, 39);
}
