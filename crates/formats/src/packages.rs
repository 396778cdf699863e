//! A profile whose functions are packages: which plugin, module or library costs what.
//!
//! **Invariant:** the self costs of a package's functions are the self cost of the
//! package, so they still add up to the whole.

use std::collections::HashMap;

use profile::{Body, Lines, Profile, Spans, Symbol, SymbolId};

use crate::CodeClass;

/// The profile by package; none if it has no stacks. It has no spans and no lines.
///
/// Own code in modules (Magento's `app/code`, Drupal's `modules/custom`) is by module.
#[must_use]
pub fn by_package(profile: &Profile) -> Option<Profile> {
    let tree = profile.tree()?;
    let mut numbers: HashMap<&[u8], SymbolId> = HashMap::new();
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut groups = Vec::with_capacity(profile.symbols.len());
    for symbol in &profile.symbols {
        let name = CodeClass::of(symbol).part(symbol);
        let next = SymbolId(u32::try_from(symbols.len()).unwrap_or(u32::MAX));
        groups.push(*numbers.entry(name).or_insert_with(|| {
            symbols.push(Symbol::new(name));
            next
        }));
    }
    let group = |symbol: SymbolId| groups.get(symbol.index()).copied().unwrap_or_default();
    Some(Profile {
        body: Body::Tree(tree.grouped(group)),
        symbols,
        metrics: profile.metrics,
        meta: profile.meta.clone(),
        spans: Spans::default(),
        lines: Lines::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{FlatTable, NodeId, TreeBuilder};

    #[test]
    fn plugins_are_rows_with_what_they_call() {
        // main() → do_action → woo_cart → woo_sum → PDO::query, with 1, 2, 4, 8 and 16 of self time.
        let symbol = |name: &str, file: &str| Symbol {
            file: (!file.is_empty()).then(|| file.as_bytes().into()),
            internal: file.is_empty(),
            ..Symbol::new(name.as_bytes())
        };
        let mut builder = TreeBuilder::new();
        let mut at = NodeId::ROOT;
        builder.cost(at).wall = 1;
        for number in 1..5 {
            at = builder.child(at, SymbolId(number));
            builder.cost(at).wall = 1 << number;
            builder.cost(at).calls = 1;
        }
        let mut profile = Profile::empty();
        profile.symbols.extend([
            symbol("do_action", "/srv/wp-includes/plugin.php"),
            symbol("woo_cart", "/srv/wp-content/plugins/woo/cart.php"),
            symbol("woo_sum", "/srv/wp-content/plugins/woo/sum.php"),
            symbol("PDO::query", ""),
        ]);
        profile.body = Body::Tree(builder.finish_self_costs());
        let by_package = by_package(&profile).unwrap();
        let rows = FlatTable::new(&by_package).rows.into_iter().map(|row| {
            let name = String::from_utf8_lossy(by_package.name(row.symbol)).into_owned();
            (name, row.inclusive.calls, row.own.wall, row.inclusive.wall)
        });
        let expected = [
            ("own code", 0, 1, 31),
            ("wordpress", 1, 2, 30),
            ("woo", 1, 12, 28),
            ("waiting", 1, 16, 16),
        ];
        let expected = expected.map(|(name, calls, own, all)| (name.to_owned(), calls, own, all));
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }
}
