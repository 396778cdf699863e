//! The tables, and how older stores get them.
//!
//! Every statement of a step may be carried out twice, and only adds: several
//! servers may migrate at once, and those of an older version go on beside it.

use std::time::{Duration, Instant};

use super::client::Client;
use super::literal::text;
use super::rows::RowReader;
use crate::{Error, Result};

/// The oldest version of ClickHouse with all that is used here.
const OLDEST_CLICKHOUSE: (u32, u32) = (18, 16);

/// How the granularity is written in a table's order, as its last setting.
const GRANULARITY: &str = "index_granularity = ";

/// How long nodes that answer may take to create a table.
const MAX_CREATION_TIME: Duration = Duration::from_secs(60);

/// A table.
struct Table {
    name: &'static str,
    columns: &'static str,
    /// The family of the engine before `MergeTree`, and its argument.
    engine: (&'static str, &'static str),
    order: &'static str,
    /// What decides on the shard.
    shard: &'static str,
}

/// Runs, with their files, or the names of these in the bucket. The row with the highest version counts. `state`: 0 is
/// there, 1 was removed by a policy and still counts in sums, 2 was deleted. Questions read
/// the files of some runs, and ClickHouse reads and unpacks as many rows for each as
/// `index_granularity` says.
const RUN: Table = Table {
    name: "run",
    columns: "id FixedString(16), version UInt64, state UInt8, key FixedString(16), day UInt32,
        app String, route String, release String, title String, started UInt64, host String,
        method String, status String, failed UInt8, shape Int8, rate Float64, unit String,
        body String, wall UInt64, cpu Int64, peak Int64, memory Int64, calls UInt64, spans UInt64,
        sql UInt64, size UInt64, label String, stored UInt64, tag_name Array(String),
        tag_value Array(String), dictionary Int64, file String",
    engine: ("Replacing", "version"),
    order: "PARTITION BY day ORDER BY id SETTINGS index_granularity = 64",
    shard: "cityHash64(key)",
};

/// Hourly sums. A row has the ids of all runs that are in it.
const CELL: Table = Table {
    name: "cell",
    columns: "key FixedString(16), version UInt64, gone UInt8, day UInt32, hour UInt32,
        app String, route String, release String, shape UInt8, rate Float64,
        runs UInt64, failed UInt64, calls UInt64, wall UInt64, ln_wall UInt64, cpu_runs UInt64,
        cpu UInt64, peak_runs UInt64, peak UInt64, memory Int64, bucket Array(UInt64),
        count Array(UInt64), ids Array(FixedString(16)), name Array(String), file Array(String),
        line Array(UInt32), internal Array(UInt8), paths String, spans String, spreads String,
        written DateTime DEFAULT now()",
    engine: ("Replacing", "version"),
    order: "PARTITION BY intDiv(day, 30) ORDER BY (app, route, hour, key)
        SETTINGS index_granularity = 64",
    shard: "cityHash64(key)",
};

/// Sums of days. A row has the keys and versions of the cells it is the sum of: it counts
/// only while these are the latest.
const DAILY: Table = Table {
    name: "daily",
    columns: "key FixedString(16), version UInt64, day UInt32, hour UInt32, first UInt32,
        last UInt32, app String, route String, release String, shape UInt8, rate Float64,
        runs UInt64, failed UInt64, calls UInt64, wall UInt64, ln_wall UInt64, cpu_runs UInt64,
        cpu UInt64, peak_runs UInt64, peak UInt64, memory Int64, bucket Array(UInt64),
        count Array(UInt64), part_key Array(FixedString(16)), part_version Array(UInt64),
        name Array(String), file Array(String), line Array(UInt32), internal Array(UInt8),
        paths String, spans String, spreads String",
    engine: ("Replacing", "version"),
    order: "PARTITION BY intDiv(day, 30) ORDER BY (app, route, hour, key)
        SETTINGS index_granularity = 64",
    shard: "cityHash64(key)",
};

/// Sums of days of many routes of an application; `route` is empty. A row has the keys and
/// versions of the sums it is the sum of, in `daily` or `cell`: it counts only while these
/// count. `moments` are spreads without their times, which most questions leave out.
/// Rows are large, so few are read for one.
const APP_DAILY: Table = Table {
    name: "app_daily",
    columns: "key FixedString(16), version UInt64, day UInt32, hour UInt32, first UInt32,
        last UInt32, app String, route String, release String, shape UInt8, rate Float64,
        runs UInt64, failed UInt64, calls UInt64, wall UInt64, ln_wall UInt64, cpu_runs UInt64,
        cpu UInt64, peak_runs UInt64, peak UInt64, memory Int64, bucket Array(UInt64),
        count Array(UInt64), part_key Array(FixedString(16)), part_version Array(UInt64),
        name Array(String), file Array(String), line Array(UInt32), internal Array(UInt8),
        paths String, spans String, spreads String, moments String",
    order: "PARTITION BY intDiv(day, 30) ORDER BY (app, route, hour, key)
        SETTINGS index_granularity = 4",
    ..DAILY
};

/// What each function has on the routes of a row of `app_daily`, which has the same key
/// and version. The routes are numbers: places in the list of what that row is of.
const APP_FUNCTIONS: Table = Table {
    name: super::app_functions::NAME,
    columns: "key FixedString(16), version UInt64, day UInt32, hour UInt32, app String,
        route String, functions String",
    ..APP_DAILY
};

/// Runs that were stored or deleted lately, and may not be in a cell as they
/// should be.
const CHANGED: Table = Table {
    name: "changed",
    columns: "arrived DateTime DEFAULT now(), id FixedString(16), key FixedString(16),
        day UInt32, hour UInt32, app String, route String, release String",
    engine: ("", ""),
    order: "PARTITION BY toRelativeHourNum(arrived) ORDER BY (app, route, hour, id)
        SETTINGS index_granularity = 1024",
    shard: "cityHash64(key)",
};

/// Files that the files of later runs are compressed with. Their number is a hash
/// of their content.
const DICTIONARY: Table = Table {
    name: "dictionary",
    columns: "id Int64, version UInt64, app String, route String, release String, data String",
    engine: ("Replacing", "version"),
    order: "ORDER BY (app, route, release, id) SETTINGS index_granularity = 16",
    shard: "cityHash64(route)",
};

/// `-1` is no limit.
const POLICY: Table = Table {
    name: "policy",
    columns: "app String, version UInt64, gone UInt8, days Int64, runs Int64, bytes Int64,
        notable UInt32, keep_notable_days UInt32, sums_days Int64, runs_a_day Int64,
        bytes_a_day Int64",
    engine: ("Replacing", "version"),
    order: "ORDER BY app",
    shard: "cityHash64(app)",
};

/// What policies removed. `batch` is a hash of it, so that it counts once.
const REMOVED: Table = Table {
    name: "removed",
    columns: "day UInt32, app String, reason String, batch FixedString(16), version UInt64,
        count UInt64, bytes UInt64",
    engine: ("Replacing", "version"),
    order: "ORDER BY (day, app, reason, batch)",
    shard: "cityHash64(batch)",
};

const NOTICE: Table = Table {
    name: "notice",
    columns: "id String, day UInt64",
    engine: ("Replacing", "day"),
    order: "ORDER BY id",
    shard: "cityHash64(id)",
};

/// Counters of agents. Each only grows, and the highest counts.
const DROPPED: Table = Table {
    name: "dropped",
    columns: "day UInt64, agent String, app String, reason String, host String, runs UInt64,
        bytes UInt64",
    engine: ("Replacing", "runs"),
    order: "ORDER BY (day, agent, app, reason)",
    shard: "cityHash64(agent)",
};

/// Tokens and sessions. An empty `app` is all, `until` 0 is no end.
const TOKEN: Table = Table {
    name: "token",
    columns: "id String, version UInt64, gone UInt8, name String, scopes String, app String,
        hash FixedString(32), created UInt64, until UInt64, session_of String",
    engine: ("Replacing", "version"),
    order: "ORDER BY id",
    shard: "cityHash64(id)",
};

/// What counts for quotas, by the day of arrival.
const TAKEN: Table = Table {
    name: "taken",
    columns: "day UInt32, app String, id FixedString(16), bytes UInt64",
    engine: ("Replacing", "bytes"),
    order: "PARTITION BY day ORDER BY (app, id)",
    shard: "cityHash64(id)",
};

/// Days that were dropped, and those that are about to be.
const CLOSED: Table = Table {
    name: "closed",
    columns: "day UInt32, version UInt64, is_dropped UInt8, is_closed UInt8",
    engine: ("Replacing", "version"),
    order: "ORDER BY day",
    shard: "cityHash64(day)",
};

/// Runs of dropped days that are not known by the ids in sums.
const GONE: Table = Table {
    name: "gone",
    columns: "day UInt32, id FixedString(16)",
    engine: ("Replacing", ""),
    order: "PARTITION BY intDiv(day, 30) ORDER BY id",
    shard: "cityHash64(id)",
};

/// The store's id in its bucket. Only a store with a bucket has the table.
const BUCKET: Table = Table {
    name: "bucket",
    columns: "id String, version UInt64",
    engine: ("Replacing", "version"),
    order: "ORDER BY id",
    shard: "cityHash64(id)",
};

const STEP: Table = Table {
    name: "schema_step",
    columns: "step UInt32, version UInt64",
    engine: ("Replacing", "version"),
    order: "ORDER BY step",
    shard: "cityHash64(step)",
};

/// The steps. They are never changed, only added.
const STEPS: [&[Table]; 5] = [
    &[
        RUN, CELL, CHANGED, DICTIONARY, POLICY, REMOVED, NOTICE, DROPPED, TOKEN, TAKEN,
    ],
    &[CLOSED, GONE],
    &[DAILY],
    &[APP_DAILY],
    &[APP_FUNCTIONS],
];

/// Creates the tables, or brings those of an older version up to date. Sends no
/// statement to all nodes if nothing is missing: those wait for each node of the
/// cluster.
pub(super) fn migrate(client: &Client) -> Result<()> {
    check_server(client)?;
    let newest = u32::try_from(STEPS.len()).unwrap_or(u32::MAX);
    let steps = all(client, "schema_step");
    let mut tables = vec![&STEP];
    tables.extend(STEPS.iter().copied().flatten());
    let is_complete = !is_missing(client, &tables)?;
    if !is_complete {
        let database = &client.address().database;
        let on_cluster = on_cluster(client);
        let create = format!("CREATE DATABASE IF NOT EXISTS {database}{on_cluster}");
        on_all_nodes(client, &create)?;
        self::create(client, &STEP)?;
    }
    let bytes = client.read(&format!("SELECT max(step) FROM {steps}"))?;
    let found = RowReader::new(&bytes).u32()?;
    if found > newest {
        return Err(Error::Version {
            found: i64::from(found),
            newest: i64::from(newest),
        });
    }
    for (number, tables) in (1_u32..).zip(STEPS) {
        if is_complete && number <= found {
            continue;
        }
        // A node that was empty when an older step was made needs its tables, too.
        for table in tables {
            create(client, table)?;
        }
        if number <= found {
            continue;
        }
        let mut row = super::rows::RowWriter::default();
        row.u32(number).u64(1);
        client.insert(&format!("{steps} (step, version)"), &row.bytes)?;
    }
    Ok(())
}

/// Creates the table of a store with a bucket.
pub(super) fn create_bucket(client: &Client) -> Result<()> {
    if is_missing(client, &[&BUCKET])? {
        create(client, &BUCKET)?;
    }
    Ok(())
}

/// Whether the store has that table.
pub(super) fn has_bucket(client: &Client) -> Result<bool> {
    let bytes = client.read(&format!(
        "SELECT count() FROM system.tables WHERE database = '{}' AND name = 'bucket'",
        client.address().database
    ))?;
    Ok(RowReader::new(&bytes).u64()? > 0)
}

/// Whether a node of the address that answers lacks one of these tables.
fn is_missing(client: &Client, tables: &[&Table]) -> Result<bool> {
    let mut names = Vec::new();
    for table in tables {
        names.push(format!("'{}'", table.name));
        if client.address().cluster.is_some() {
            names.push(format!("'all_{}'", table.name));
        }
    }
    let answers = client.ask_each(&format!(
        "SELECT count() FROM system.tables WHERE database = '{}' AND name IN ({})",
        client.address().database,
        names.join(", ")
    ))?;
    for bytes in answers {
        if RowReader::new(&bytes).u64()? < names.len() as u64 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check_server(client: &Client) -> Result<()> {
    let bytes = client.ask_outside("SELECT version()")?;
    let version = RowReader::new(&bytes).text()?;
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(year), Some(month)) if (year, month) >= OLDEST_CLICKHOUSE => Ok(()),
        _ => Err(Error::Database(format!(
            "this is ClickHouse {version}, and {}.{} is the oldest that can be used",
            OLDEST_CLICKHOUSE.0, OLDEST_CLICKHOUSE.1
        ))),
    }
}

/// Creates a table, and in a cluster the one that reaches those of all nodes.
fn create(client: &Client, table: &Table) -> Result<()> {
    let on_cluster = on_cluster(client);
    let Table {
        name,
        columns,
        engine: (family, argument),
        order,
        shard,
    } = table;
    let database = &client.address().database;
    let order = as_on_other_nodes(client, name, order)?;
    let engine = match &client.address().cluster {
        None => format!("{family}MergeTree({argument})"),
        Some(_) => {
            let comma = if argument.is_empty() { "" } else { ", " };
            format!(
                "Replicated{family}MergeTree('/clickhouse/tables/{{shard}}/{database}/{name}', \
                 '{{replica}}'{comma}{argument})"
            )
        }
    };
    let create = format!(
        "CREATE TABLE IF NOT EXISTS {database}.{name}{on_cluster} ({columns}) ENGINE = {engine} {order}"
    );
    on_all_nodes(client, &create)?;
    if let Some(cluster) = &client.address().cluster {
        let create = format!(
            "CREATE TABLE IF NOT EXISTS {database}.all_{name}{on_cluster} ({columns})
             ENGINE = Distributed({cluster}, {database}, {name}, {shard})"
        );
        on_all_nodes(client, &create)?;
    }
    Ok(())
}

/// The order of a table, with the granularity that it has on other nodes: an older version
/// may have created it there, and ClickHouse refuses a replica with another one.
fn as_on_other_nodes(client: &Client, name: &str, order: &str) -> Result<String> {
    let Some((before, _)) = order.split_once(GRANULARITY) else {
        return Ok(order.to_owned());
    };
    let answers = client.ask_each(&format!(
        "SELECT engine_full FROM system.tables WHERE database = '{}' AND name = '{name}'",
        client.address().database
    ))?;
    for bytes in answers.iter().filter(|bytes| !bytes.is_empty()) {
        let engine = RowReader::new(bytes).text()?;
        if let Some((_, after)) = engine.split_once(GRANULARITY) {
            let end = after.find(|c: char| !c.is_ascii_digit());
            let number = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
            return Ok(format!("{before}{GRANULARITY}{number}"));
        }
    }
    Ok(order.to_owned())
}

/// Carries out a statement `ON CLUSTER`, which may be repeated. The error names the
/// nodes that do not answer.
fn on_all_nodes(client: &Client, statement: &str) -> Result<()> {
    let until = Instant::now() + MAX_CREATION_TIME;
    while !client.execute_everywhere(statement)? {
        let away = away(client)?;
        if !away.is_empty() {
            return Err(Error::Unavailable(format!(
                "tables are to be created on all nodes of the cluster, and {} not answer: start \
                 the node, or take it out of ClickHouse's configuration",
                match away.as_slice() {
                    [one] => format!("{one} does"),
                    more => format!("{} do", more.join(" and ")),
                }
            )));
        }
        if Instant::now() > until {
            return Err(Error::Unavailable(
                "not all nodes of the cluster created their tables in a minute; see \
                 system.zookeeper and the logs of ClickHouse"
                    .to_owned(),
            ));
        }
    }
    Ok(())
}

/// The nodes of the cluster that the node which answers us cannot reach.
fn away(client: &Client) -> Result<Vec<String>> {
    let Some(cluster) = &client.address().cluster else {
        return Ok(Vec::new());
    };
    let bytes = client.ask_outside(&format!(
        "SELECT concat(host_name, ':', toString(port)) FROM system.clusters
         WHERE cluster = '{cluster}' ORDER BY shard_num, replica_num"
    ))?;
    let mut answer = RowReader::new(&bytes);
    let mut away = Vec::new();
    while answer.has_more() {
        let node = answer.text()?;
        // Any other error, such as that of a password, is an answer of the node.
        let question = format!("SELECT dummy FROM remote({}, system, one)", text(&node));
        if let Err(Error::Unavailable(_)) = client.ask_outside(&question) {
            away.push(node);
        }
    }
    Ok(away)
}

/// Drops a partition of a table on all shards. A replica that is away drops it when it
/// comes back; if no replica of a shard is there, a later time does it.
pub(super) fn drop_partition(client: &Client, table: &str, partition: u32) -> Result<()> {
    let database = &client.address().database;
    let on_cluster = on_cluster(client);
    let drop = format!("ALTER TABLE {database}.{table}{on_cluster} DROP PARTITION {partition}");
    client.execute_everywhere(&drop)?;
    Ok(())
}

fn on_cluster(client: &Client) -> String {
    let cluster = client.address().cluster.as_ref();
    cluster.map_or_else(String::new, |cluster| format!(" ON CLUSTER {cluster}"))
}

/// The name of a table with the rows of all nodes.
pub(super) fn all(client: &Client, table: &str) -> String {
    match client.address().cluster {
        Some(_) => format!("all_{table}"),
        None => table.to_owned(),
    }
}
