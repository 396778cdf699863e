//! In builds with debug assertions: the numbers of every profile are checked when it ends.
//!
//! The PHP tests run with such a build, too (`./x test`). A profile with a wrong number
//! ends PHP, so the test fails that made it.

use std::collections::HashMap;
use std::hash::Hash;

use profile::{Body, Cost, Edges};

use super::recorded::Recorded;
use crate::zend;

/// Ends the process if a row has time without a call, or more time than the whole
/// profile, or than the row around it.
pub(super) fn check(recorded: &Recorded) {
    match recorded {
        Recorded::Edges(traced) => {
            let table = traced.edges.to_table();
            let root = (None, table.root);
            let edges = table.iter().map(|edge| (Some(edge.callee), edge.cost));
            let callers = table.iter().map(|edge| (edge.caller, edge.cost));
            // `main()` is the caller of what has no other, at the outermost level.
            let main = profile::Activation::default();
            let rows = [root].into_iter().chain(edges);
            check_rows(
                rows.map(|(callee, cost)| (callee.unwrap_or(main), cost)),
                callers,
                table.root,
            );
        }
        Recorded::Tree(profile) => {
            if let Body::Tree(tree) = &profile.body {
                let rows = tree.numbered().map(|(id, node)| (id, node.cost));
                let callees = tree.numbered().skip(1);
                let callers = callees.map(|(_, node)| (node.parent, node.cost));
                check_rows(rows, callers, tree.root_cost());
            }
        }
        Recorded::Samples(_) | Recorded::Events => {}
    }
}

/// `rows` are all calls by what is called, `callees` the same by their caller.
fn check_rows<K: Eq + Hash>(
    rows: impl Iterator<Item = (K, Cost)>,
    callees: impl Iterator<Item = (K, Cost)>,
    whole: Cost,
) {
    let mut own: HashMap<K, [i128; 3]> = HashMap::new();
    let mut add = |key: K, cost: Cost, sign: i128| {
        let sums = own.entry(key).or_default();
        // The last one counts the rows: each is rounded.
        let parts = [i128::from(cost.wall), i128::from(cost.cpu), sign];
        for (sum, part) in sums.iter_mut().zip(parts) {
            *sum += part * sign;
        }
    };
    for (key, cost) in rows {
        let has_time = cost.wall > 0 || cost.cpu > 0;
        if has_time && cost.calls == 0 {
            wrong(&format!("a row has time without a call: {cost:?}"));
        }
        if cost.wall > whole.wall.saturating_add(1) || cost.cpu > whole.cpu.saturating_add(1) {
            wrong(&format!(
                "a row has more time than the profile: {cost:?}, {whole:?}"
            ));
        }
        add(key, cost, 1);
    }
    for (key, cost) in callees {
        add(key, cost, -1);
    }
    if own
        .values()
        .any(|[wall, cpu, rows]| wall.min(cpu) + rows < 0)
    {
        wrong("a function has less time than its callees");
    }
}

fn wrong(what: &str) -> ! {
    zend::die(&format!("xhprof: a wrong profile: {what}"))
}
