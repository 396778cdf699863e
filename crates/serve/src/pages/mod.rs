//! The pages: HTML made here, which works without scripts, and the viewer's page.

mod assets;
mod changes;
mod chart;
mod compare;
mod frame;
mod function;
mod html;
mod links;
mod policy;
mod policy_fields;
mod profile_now;
mod quotas;
mod regressions;
mod retention;
mod route;
mod routes;
mod run_table;
mod runs;
mod session;
mod settings;
mod tokens;
mod units;
mod viewer;

use axum::response::Html;

use crate::problem::Problem;

pub(crate) use assets::{script, style};
pub(crate) use compare::compare;
pub(crate) use frame::problem;
pub(crate) use function::function;
pub use html::escaped;
pub(crate) use policy::{policy, set_policy};
pub(crate) use profile_now::profile_now;
pub(crate) use regressions::regressions;
pub(crate) use route::route;
pub(crate) use routes::routes;
pub(crate) use runs::runs;
pub(crate) use session::{log_in, log_out, login};
pub(crate) use settings::settings;
pub(crate) use tokens::{change_tokens, tokens};
pub(crate) use viewer::{run, tree, two_runs, two_trees};

type Page = Result<Html<String>, Problem>;
