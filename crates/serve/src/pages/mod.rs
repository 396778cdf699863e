//! The pages: plain HTML made here, without scripts, and the viewer's page.

mod html;
mod session;
mod views;

pub(crate) use session::{log_in, log_out, login};
pub(crate) use views::{compare, route, routes, run, runs, style, tree};
