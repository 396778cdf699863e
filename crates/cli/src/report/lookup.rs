//! Functions by the names that people type.

use anyhow::{Result, bail};
use profile::{FlatRow, FlatTable, Profile};

use crate::suggest::suggestion;
use crate::terminal::printable;

/// The function that is called `wanted`: exactly so, else in another case, else
/// without its class or namespace, if that is one function only.
pub(super) fn find<'f>(
    profile: &Profile,
    flat: &'f FlatTable,
    wanted: &str,
) -> Result<&'f FlatRow> {
    let name = |row: &FlatRow| printable(profile.name(row.symbol));
    let lower = wanted.to_lowercase();
    let is_same = |row: &&FlatRow| name(row) == wanted;
    let is_alike = |row: &&FlatRow| name(row).to_lowercase() == lower;
    let is_end = |row: &&FlatRow| {
        let name = name(row).to_lowercase();
        let rest = name.strip_suffix(&lower);
        rest.is_some_and(|rest| rest.ends_with("::") || rest.ends_with('\\'))
    };
    let ways: [&dyn Fn(&&FlatRow) -> bool; 3] = [&is_same, &is_alike, &is_end];
    for is_it in ways {
        let mut found = flat.rows.iter().filter(is_it);
        match (found.next(), found.next()) {
            (Some(row), None) => return Ok(row),
            (Some(one), Some(other)) => bail!(
                "{wanted} may be {} or {}{}: give the whole name",
                name(one),
                name(other),
                if found.next().is_some() {
                    " or others"
                } else {
                    ""
                }
            ),
            (None, _) => {}
        }
    }
    let known = flat.rows.iter().map(name);
    bail!(
        "no function is called {wanted}{}",
        suggestion(wanted, known)
    );
}
