//! Answers about many runs, one question a file, for every store.

mod calls;
pub(crate) mod cursor;
mod days;
mod differences;
mod facets;
mod function;
mod functions;
mod per_run;
mod requests;
mod series;
mod source;
mod spans;
mod want;

pub(crate) use calls::tree;
pub(crate) use days::{function_days, route_days};
pub(crate) use differences::{Side, difference, side};
pub(crate) use facets::{Facet, FacetCounts, OF_ONE_RUN};
pub(crate) use function::{function, function_trend};
pub(crate) use functions::{top, top_costs};
pub(crate) use requests::{releases, request_trend, requests, route_releases, routes};
pub(crate) use series::{series, whole_and_routes};
pub(crate) use source::{
    Chosen, EachFile, Grouping, Place, Resolution, Source, Visited, requests_of, weight,
};
pub(crate) use spans::spans;
pub(crate) use want::{PartSums, Want};
