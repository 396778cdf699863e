//! Every store, from outside.

mod bucket;
mod cancel;
mod clickhouse;
mod killed;
mod sqlite;
