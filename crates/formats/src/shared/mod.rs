//! What several formats share: names of functions, lines and JSON, stacks and
//! times. Knows no format.

pub(crate) mod fingerprint;
pub(crate) mod graph;
pub(crate) mod indexed;
pub(crate) mod json;
pub(crate) mod json_parts;
pub(crate) mod line_names;
pub(crate) mod lined;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod nesting;
pub(crate) mod paths;
pub(crate) mod proto;
pub(crate) mod recursion;
pub(crate) mod rounding;
pub(crate) mod same_names;
pub(crate) mod sampled;
pub(crate) mod symbols;
pub(crate) mod text;
pub(crate) mod thread_label;
pub(crate) mod timeline;
pub(crate) mod trace;
pub(crate) mod unit;
pub(crate) mod whole;
pub(crate) mod zip;
