//! Every store, from outside.

mod bucket;
mod cancel;
mod clickhouse;
mod conformance;
mod killed;
mod sqlite;
