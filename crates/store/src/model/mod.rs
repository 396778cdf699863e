//! The questions and answers of a store, as plain data.

mod answer;
mod dropped;
mod policy;
mod run;
mod selection;
mod token;

pub use answer::{
    Aggregate, AppInfo, Basis, DayCount, DaySums, Difference, FacetValue, Facets, FunctionChange,
    FunctionDays, FunctionDetail, FunctionRoute, FunctionTotal, Neighbour, ReleaseInfo, RouteDays,
    RouteRelease, RouteRow, SeriesPoint, SpanTotal, Stats, TagFacet, TrendPoint,
};
pub use dropped::DroppedRuns;
pub use policy::{
    AppPolicy, Policies, Policy, Problem, Reason, Removal, Removed, RemovedFor, Verified,
};
pub use run::{NewRun, Run, RunId, RunInfo, RunPage, Stored};
pub use selection::{
    FunctionSort, Named, RunQuery, RunSort, Selection, Status, TrendOf, TrendStep, glob,
};
pub use token::{StoredToken, Taken};
