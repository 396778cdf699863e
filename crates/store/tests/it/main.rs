//! Every store, from outside.

mod bucket;
mod clickhouse;
mod killed;
mod sqlite;
mod wanted;
