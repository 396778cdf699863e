//! Runs: one, a page of them, and their numbers.

use std::collections::{BTreeMap, HashMap};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::conditions::Conditions;
use super::{dictionaries, policies};
use crate::answers::cursor::{not_a_cursor, parted};
use crate::answers::{Facet, FacetCounts, OF_ONE_RUN};
use crate::{
    AppInfo, DayCount, Error, Facets, Result, Run, RunId, RunInfo, RunPage, RunQuery, RunSort,
    Selection, Stats,
};

/// The most runs of a page.
const MAX_PAGE_RUNS: u32 = 1000;

/// The most values of tags that are counted.
const MAX_TAG_VALUES: u32 = 1000;

/// The longest label, in bytes.
const MAX_LABEL: usize = 256;

const COLUMNS: &str = "run.number, run.id, app.name, route.name, release.name, run.title,
    run.started, run.host, run.method, run.status, run.failed, run.rate, run.unit, run.body,
    run.wall, run.cpu, run.peak, run.calls, run.spans, run.sql, run.size, run.label";

const TABLES: &str = "run JOIN app ON app.id = run.app JOIN route ON route.id = run.route
    JOIN release ON release.id = run.release";

/// A run with its file, unpacked.
pub(super) fn run(connection: &Connection, id: &RunId) -> Result<Option<Run>> {
    let select = format!("SELECT {COLUMNS} FROM {TABLES} WHERE run.id = ?");
    let mut statement = connection.prepare_cached(&select)?;
    let found = statement.query_row([&id.0], info).optional()?;
    let Some((number, mut info)) = found else {
        return Ok(None);
    };
    info.tags = tags(connection, number)?;
    let file = dictionaries::file(connection, number)?;
    Ok(Some(Run { info, file }))
}

/// A page of the list.
pub(super) fn page(connection: &Connection, query: &RunQuery) -> Result<RunPage> {
    let limit = query.limit.clamp(1, MAX_PAGE_RUNS);
    let (select, conditions) = page_statement(query, limit)?;
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query(conditions.values())?;
    let mut runs = Vec::new();
    let mut next = None;
    let mut last = String::new();
    while let Some(row) = rows.next()? {
        if runs.len() == limit as usize {
            next = Some(last);
            break;
        }
        let (number, mut info) = info(row)?;
        info.tags = tags(connection, number)?;
        last = match query.sort.is_text() {
            true => format!("{}.{}.{number}", row.get::<_, String>(22)?, info.started_us),
            false => format!("{}.{number}", row.get::<_, i64>(22)?),
        };
        runs.push(info);
    }
    Ok(RunPage { runs, next })
}

/// What a list is ordered by.
fn column_of(sort: RunSort) -> &'static str {
    match sort {
        RunSort::Started => "run.started",
        RunSort::Wall => "run.wall",
        RunSort::Cpu => "ifnull(run.cpu, 0)",
        RunSort::Peak => "ifnull(run.peak, 0)",
        RunSort::Sql => "run.sql",
        RunSort::Calls => "run.calls",
        RunSort::App => "(SELECT name FROM app WHERE id = run.app)",
        RunSort::Route => "(SELECT name FROM route WHERE id = run.route)",
        RunSort::Release => "(SELECT name FROM release WHERE id = run.release)",
        RunSort::Host => "run.host",
        RunSort::Method => "run.method",
        RunSort::Status => "iif(run.failed AND run.status = '', 'failed', run.status)",
        RunSort::Label => "run.label",
        RunSort::Tags => {
            "(SELECT substr(ifnull(group_concat(name || iif(value = '', '', '=') || value, ', '
              ORDER BY name), ''), 1, 256) FROM run_tag WHERE run_tag.run = run.number)"
        }
    }
}

/// The statement of a page, and its values. It asks for one run more than the limit,
/// which tells whether there is a next page.
fn page_statement(query: &RunQuery, limit: u32) -> Result<(String, Conditions)> {
    let column = column_of(query.sort);
    let (order, after) = if query.ascending {
        ("ASC", ">")
    } else {
        ("DESC", "<")
    };
    let mut conditions = Conditions::of_runs(&query.selection)?;
    let by = if query.sort.is_text() {
        format!("{column} {order}, run.started DESC, run.number DESC")
    } else {
        format!("{column} {order}, run.number {order}")
    };
    if let Some(cursor) = &query.cursor {
        let (value, number): (_, i64) = parted(cursor, cursor)?;
        if query.sort.is_text() {
            let (text, started): (_, i64) = parted(value, cursor)?;
            conditions.add(
                &format!(
                    "({column} {after} ? OR ({column} = ? AND (run.started, run.number) < (?, ?)))"
                ),
                [
                    Value::Text(text.to_owned()),
                    Value::Text(text.to_owned()),
                    Value::Integer(started),
                    Value::Integer(number),
                ],
            );
        } else {
            let value = value.parse().map_err(|_| not_a_cursor(cursor))?;
            conditions.add(
                &format!("({column}, run.number) {after} (?, ?)"),
                [Value::Integer(value), Value::Integer(number)],
            );
        }
    }
    // Names are joined after the runs are chosen.
    let select = format!(
        "SELECT {COLUMNS}, {column} FROM (SELECT run.number AS chosen FROM run{}
         ORDER BY {by} LIMIT {})
         CROSS JOIN run ON run.number = chosen
         CROSS JOIN app ON app.id = run.app CROSS JOIN route ON route.id = run.route
         CROSS JOIN release ON release.id = run.release
         ORDER BY {by}",
        conditions.sql(),
        limit + 1
    );
    Ok((select, conditions))
}

/// A row of [`COLUMNS`].
pub(super) fn info(row: &Row<'_>) -> rusqlite::Result<(i64, RunInfo)> {
    let size = |value: i64| u64::try_from(value).unwrap_or(0);
    let info = RunInfo {
        id: RunId(row.get(1)?),
        app: row.get(2)?,
        route: row.get(3)?,
        release: row.get(4)?,
        title: row.get(5)?,
        started_us: size(row.get(6)?),
        host: row.get(7)?,
        method: row.get(8)?,
        status: row.get(9)?,
        failed: row.get(10)?,
        rate: row.get(11)?,
        unit: row.get(12)?,
        body: row.get(13)?,
        wall: size(row.get(14)?),
        cpu: row.get::<_, Option<i64>>(15)?.map(size),
        peak: row.get::<_, Option<i64>>(16)?.map(size),
        calls: size(row.get(17)?),
        spans: size(row.get(18)?),
        sql: size(row.get(19)?),
        size: size(row.get(20)?),
        label: row.get(21)?,
        tags: Vec::new(),
    };
    Ok((row.get(0)?, info))
}

/// The runs that a condition selects, the latest first, without tags.
pub(super) fn infos(
    connection: &Connection,
    conditions: &Conditions,
    limit: usize,
) -> Result<Vec<(i64, RunInfo)>> {
    let select = format!(
        "SELECT {COLUMNS} FROM {TABLES}{} ORDER BY run.started DESC, run.number DESC LIMIT {limit}",
        conditions.sql()
    );
    let mut statement = connection.prepare(&select)?;
    let rows = statement.query_map(conditions.values(), info)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How many runs a condition selects.
pub(super) fn count(connection: &Connection, conditions: &Conditions) -> Result<u64> {
    let select = format!("SELECT count(*) FROM run{}", conditions.sql());
    let count: i64 = connection.query_row(&select, conditions.values(), |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn tags(connection: &Connection, run: i64) -> Result<Vec<(String, String)>> {
    let select = "SELECT name, value FROM run_tag WHERE run = ? ORDER BY name";
    let mut statement = connection.prepare_cached(select)?;
    let rows = statement.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Sets a label.
pub(super) fn label(connection: &Connection, id: &RunId, label: &str) -> Result<bool> {
    if label.len() > MAX_LABEL {
        return Err(Error::Query(format!(
            "a label has at most {MAX_LABEL} bytes"
        )));
    }
    let update = "UPDATE run SET label = ? WHERE id = ?";
    Ok(connection.execute(update, params![label, &id.0])? > 0)
}

/// The applications.
pub(super) fn apps(connection: &Connection) -> Result<Vec<AppInfo>> {
    let mut statement = connection.prepare_cached(
        "SELECT app.name, ifnull(total.runs, 0), ifnull(total.bytes, 0),
            ifnull((SELECT max(started) FROM run WHERE run.app = app.id), 0)
         FROM app LEFT JOIN run_total AS total ON total.app = app.id ORDER BY app.name",
    )?;
    let rows = statement.query_map([], |row| {
        let number = |column| -> rusqlite::Result<u64> {
            Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
        };
        Ok(AppInfo {
            name: row.get(0)?,
            runs: number(1)?,
            bytes: number(2)?,
            last_us: number(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The number of runs of each day of UTC.
pub(super) fn days(connection: &Connection, selection: &Selection) -> Result<Vec<DayCount>> {
    let conditions = Conditions::of_runs(selection)?;
    let select = format!(
        "SELECT run.started / 86400000000 AS day, count(*) FROM run{} GROUP BY day ORDER BY day",
        conditions.sql()
    );
    let mut statement = connection.prepare(&select)?;
    let rows = statement.query_map(conditions.values(), |row| {
        Ok(DayCount {
            day_s: row.get::<_, i64>(0)? * 86_400,
            runs: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// When the latest run of each host began.
pub(super) fn hosts(
    connection: &Connection,
    selection: &Selection,
) -> Result<BTreeMap<String, u64>> {
    let conditions = Conditions::of_runs(selection)?;
    // Grouped here: `SQLite` would sort the runs.
    let select = format!("SELECT run.host, run.started FROM run{}", conditions.sql());
    let mut statement = connection.prepare(&select)?;
    let mut rows = statement.query(conditions.values())?;
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let host = row.get_ref(0)?.as_str().unwrap_or_default();
        let started = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
        match hosts.get_mut(host) {
            Some(latest) => *latest = started.max(*latest),
            None => drop(hosts.insert(host.to_owned(), started)),
        }
    }
    Ok(hosts)
}

/// How many runs each route, release, host, status and tag has.
pub(super) fn facets(connection: &Connection, selection: &Selection) -> Result<Facets> {
    let conditions = Conditions::of_runs(selection)?;
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let mut counts = FacetCounts::default();
    // Counted here: to group by all of them, `SQLite` sorts the runs, which takes some times as long.
    let select = format!(
        "SELECT run.route, run.release, run.host, run.status, run.failed FROM run{}",
        conditions.sql()
    );
    let mut numbers: [HashMap<i64, u64>; 2] = Default::default();
    let mut texts: [HashMap<String, u64>; 2] = Default::default();
    let mut statement = connection.prepare(&select)?;
    let mut rows = statement.query(conditions.values())?;
    while let Some(row) = rows.next()? {
        for (column, sums) in numbers.iter_mut().enumerate() {
            *sums.entry(row.get(column)?).or_default() += 1;
        }
        for (column, sums) in (2..).zip(&mut texts) {
            let text = row
                .get_ref(column)?
                .as_str()
                .map_err(rusqlite::Error::from)?;
            match sums.get_mut(text) {
                Some(runs) => *runs += 1,
                None => drop(sums.insert(text.to_owned(), 1)),
            }
        }
        counts.add_run(row.get(4)?);
    }
    for (of, sums) in [Facet::Route, Facet::Release].into_iter().zip(numbers) {
        let table = if of == Facet::Route {
            "route"
        } else {
            "release"
        };
        let select = format!("SELECT name FROM {table} WHERE id = ?");
        let mut statement = connection.prepare_cached(&select)?;
        for (number, runs) in sums {
            counts.add_value(of, statement.query_row([number], |row| row.get(0))?, runs);
        }
    }
    for (of, sums) in [Facet::Host, Facet::Status].into_iter().zip(texts) {
        for (value, runs) in sums {
            counts.add_value(of, value, runs);
        }
    }
    let select = format!(
        "SELECT run_tag.name, run_tag.value, count(*) AS runs FROM run
         JOIN run_tag ON run_tag.run = run.number AND run_tag.name NOT IN ({OF_ONE_RUN}){}
         GROUP BY run_tag.name, run_tag.value ORDER BY runs DESC, 1, 2 LIMIT {MAX_TAG_VALUES}",
        conditions.sql()
    );
    let mut statement = connection.prepare(&select)?;
    let mut rows = statement.query(conditions.values())?;
    while let Some(row) = rows.next()? {
        counts.add_tag(row.get(0)?, row.get(1)?, count(row.get(2)?));
    }
    Ok(counts.finish())
}

/// How much there is.
pub(super) fn stats(connection: &Connection) -> Result<Stats> {
    let one =
        |sql: &str| -> Result<Option<i64>> { Ok(connection.query_row(sql, [], |row| row.get(0))?) };
    let size =
        |sql: &str| -> Result<u64> { Ok(u64::try_from(one(sql)?.unwrap_or(0)).unwrap_or(0)) };
    let instant = |sql: &str| -> Result<Option<u64>> {
        Ok(one(sql)?.and_then(|instant| u64::try_from(instant).ok()))
    };
    Ok(Stats {
        runs: size("SELECT sum(runs) FROM run_total")?,
        run_bytes: size("SELECT sum(bytes) FROM run_total")?,
        cells: size("SELECT cells FROM cell_total")?,
        routes: size("SELECT count(*) FROM route")?,
        names: size("SELECT max(id) FROM name")?,
        disk_bytes: 0,
        first_us: instant("SELECT min(started) FROM run")?,
        last_us: instant("SELECT max(started) FROM run")?,
        removed: policies::removed(connection)?,
    })
}

/// Removes a run's rows.
pub(super) fn remove(connection: &Connection, run: i64) -> Result<()> {
    for delete in [
        "DELETE FROM run_tag WHERE run = ?",
        "DELETE FROM run_file WHERE number = ?",
        "DELETE FROM run WHERE number = ?",
    ] {
        connection.prepare_cached(delete)?.execute([run])?;
    }
    Ok(())
}

/// The number of a run's row.
pub(super) fn number_of(connection: &Connection, id: &RunId) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT number FROM run WHERE id = ?")?;
    Ok(statement.query_row([&id.0], |row| row.get(0)).optional()?)
}

/// The conditions of the runs of one cell.
pub(super) fn of_cell(key: &super::cells::Key) -> Conditions {
    const HOUR: i64 = 3_600_000_000;
    let mut conditions = Conditions::default();
    let first = key.hour.saturating_mul(HOUR);
    conditions.add("run.route = ?", [Value::Integer(key.route)]);
    conditions.add(
        "run.started >= ? AND run.started < ?",
        [
            Value::Integer(first),
            Value::Integer(first.saturating_add(HOUR)),
        ],
    );
    conditions.add("run.release = ?", [Value::Integer(key.release)]);
    conditions.add("run.shape = ?", [Value::Integer(key.shape.number())]);
    conditions.add("run.rate = ?", [Value::Real(key.rate)]);
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How `SQLite` chooses the runs of a page.
    fn plan(query: &RunQuery) -> Vec<String> {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::sqlite::schema::migrate(&mut connection).unwrap();
        let (select, conditions) = page_statement(query, 100).unwrap();
        let mut explain = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {select}"))
            .unwrap();
        let steps = explain.query_map(conditions.values(), |row| row.get::<_, String>(3));
        let steps: Vec<String> = steps.unwrap().map(|step| step.unwrap()).collect();
        // The outer half sorts the hundred runs that the inner half has chosen.
        let outer = steps.iter().position(|step| step.contains("SCAN chosen"));
        let outer = outer.or_else(|| steps.iter().position(|step| step.contains("SCAN (")));
        steps[..outer.unwrap()].to_vec()
    }

    #[test]
    fn the_runs_of_a_trace_are_found_by_their_index() {
        let query = RunQuery {
            selection: Selection {
                app: Some("shop".to_owned()),
                tags: vec![("trace_id".to_owned(), "7".repeat(32))],
                ..Selection::default()
            },
            ..RunQuery::default()
        };
        let steps = plan(&query).join("; ");
        assert!(steps.contains("run_tag_trace"), "{steps}");
        assert!(!steps.contains("SCAN run"), "{steps}");
    }

    #[test]
    fn a_page_of_a_route_or_an_application_reads_no_more_runs_than_it_shows() {
        let of_app = Selection {
            app: Some("shop".to_owned()),
            ..Selection::default()
        };
        let of_route = Selection {
            routes: vec!["/cart".to_owned()],
            ..of_app.clone()
        };
        for (selection, sort, index) in [
            (&of_route, RunSort::Wall, "run_route_wall"),
            (&of_route, RunSort::Started, "run_route_started"),
            (&of_app, RunSort::Wall, "run_app_wall"),
            (&of_app, RunSort::Started, "run_app_started"),
        ] {
            for ascending in [false, true] {
                let mut query = RunQuery {
                    selection: selection.clone(),
                    sort,
                    ascending,
                    ..RunQuery::default()
                };
                let first = plan(&query);
                query.selection.releases = vec!["2".to_owned()];
                query.selection.min_wall = (sort == RunSort::Wall).then_some(7);
                query.cursor = Some("5.5".to_owned());
                for steps in [first, plan(&query)] {
                    assert!(steps.iter().any(|step| step.contains(index)), "{steps:#?}");
                    let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
                    assert!(!sorts, "{steps:#?}");
                }
            }
        }
    }
}
