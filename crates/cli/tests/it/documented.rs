//! The budgets of the documents. The tests of the schemas have this module, too.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::path::Path;

/// The YAML of `docs/ci.md` and of the shop.
pub(crate) fn documented() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/ci.md")).unwrap();
    let blocks = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let mut files: Vec<String> = blocks.map(str::to_owned).collect();
    files.push(fs::read_to_string(root.join("examples/shop/xhprof.yaml")).unwrap());
    files
}
