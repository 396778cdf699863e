//! The classes of code of one profile, and the colour of each function.
//!
//! The pictures (SVG) and the viewer take both from here, so that a function has
//! the same colour in all of them.
//!
//! **Invariant:** the numbers below [`VENDORS`] are the same in each profile.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{Symbol, SymbolId};

use super::colours::{SHADES, VENDOR_HUES, hash};
use crate::CodeClass;
use crate::shared::text;

/// The class of a profile's own code.
pub const OWN: u32 = 0;
/// PHP's functions.
pub const PHP: u32 = 1;
/// Compiled templates.
pub const TEMPLATES: u32 = 2;
/// PHP's functions that wait.
pub const WAITING: u32 = 3;
/// Files that are compiled, `[truncated]`.
pub const OTHER: u32 = 4;
/// The first vendor of packages.
pub const VENDORS: u32 = 5;

/// The classes of code of one profile.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    /// The class of each symbol.
    of: Vec<u32>,
    /// The names of the vendors, that with the most functions first.
    vendors: Vec<Box<[u8]>>,
    /// The hue of each vendor.
    hues: Vec<usize>,
}

impl Classes {
    /// Finds the class of each symbol.
    pub fn new<'s>(symbols: impl IntoIterator<Item = &'s Symbol>) -> Self {
        let mut numbers: HashMap<&[u8], (u32, usize)> = HashMap::new();
        let mut of: Vec<u32> = symbols
            .into_iter()
            .map(|symbol| match CodeClass::of(symbol) {
                CodeClass::Own => OWN,
                CodeClass::Php => PHP,
                CodeClass::Template => TEMPLATES,
                CodeClass::Waiting => WAITING,
                CodeClass::Other => OTHER,
                CodeClass::Package(package) => {
                    let next = VENDORS + u32::try_from(numbers.len()).unwrap_or(0);
                    let (number, functions) = numbers.entry(package.vendor).or_insert((next, 0));
                    *functions += 1;
                    *number
                }
            })
            .collect();
        let mut vendors: Vec<(&[u8], u32, usize)> = numbers
            .into_iter()
            .map(|(name, (number, functions))| (name, number, functions))
            .collect();
        vendors.sort_by_key(|&(name, _, functions)| (std::cmp::Reverse(functions), name));
        let mut places = vec![0; vendors.len()];
        for (place, &(_, number, _)) in (VENDORS..).zip(&vendors) {
            places[(number - VENDORS) as usize] = place;
        }
        for class in &mut of {
            if *class >= VENDORS {
                *class = places[(*class - VENDORS) as usize];
            }
        }
        Self {
            of,
            hues: hues(vendors.iter().map(|(name, ..)| *name)),
            vendors: vendors.iter().map(|(name, ..)| (*name).into()).collect(),
        }
    }

    /// How many classes there are, those without functions included.
    #[must_use]
    pub fn count(&self) -> u32 {
        VENDORS + u32::try_from(self.vendors.len()).unwrap_or(0)
    }

    /// The class of a symbol.
    #[must_use]
    pub fn of(&self, symbol: SymbolId) -> u32 {
        self.of.get(symbol.index()).copied().unwrap_or(OTHER)
    }

    /// The vendor of a class's packages; none for the classes below [`VENDORS`].
    #[must_use]
    pub fn vendor(&self, class: u32) -> Option<&[u8]> {
        let place = class.checked_sub(VENDORS)? as usize;
        self.vendors.get(place).map(|name| &**name)
    }

    /// The name of a class for people; the viewer has the same words.
    #[must_use]
    pub fn title(&self, class: u32) -> Cow<'_, str> {
        let title = match class {
            OWN => CodeClass::Own.title(),
            PHP => CodeClass::Php.title(),
            TEMPLATES => CodeClass::Template.title(),
            WAITING => CodeClass::Waiting.title(),
            OTHER => CodeClass::Other.title(),
            _ => self.vendor(class).unwrap_or_default(),
        };
        text::lossy(title)
    }

    /// The first colour of a class in the [palette](super::palette): there are
    /// three of each, which tell neighbours apart.
    #[must_use]
    pub fn colour_of_class(&self, class: u32) -> usize {
        let hue = match class.checked_sub(VENDORS) {
            None => class as usize,
            Some(place) => {
                let hue = self.hues.get(place as usize).copied().unwrap_or_default();
                VENDORS as usize + hue
            }
        };
        hue * SHADES
    }

    /// A function's colour in the [palette](super::palette).
    #[must_use]
    pub fn colour(&self, id: SymbolId, symbol: &Symbol) -> usize {
        self.colour_of_class(self.of(id)) + hash(&symbol.name) % SHADES
    }
}

/// The hue of each vendor: that of its name, or the next that is free. The largest
/// vendors share the hues that are easy to tell apart; further ones are used again when
/// all are taken.
fn hues<'n>(names: impl Iterator<Item = &'n [u8]>) -> Vec<usize> {
    const EASY: usize = VENDOR_HUES / 2;
    let mut taken = [false; VENDOR_HUES];
    names
        .enumerate()
        .map(|(rank, name)| {
            let pool = if rank < EASY { 0 } else { EASY };
            let first = hash(&name.to_ascii_lowercase()) % EASY;
            let mut tried = (0..EASY).map(|step| pool + (first + step) % EASY);
            let hue = tried.find(|hue| !taken[*hue]).unwrap_or(pool + first);
            taken[hue] = true;
            hue
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, file: &str) -> Symbol {
        Symbol {
            file: Some(file.as_bytes().into()),
            ..Symbol::new(name.as_bytes())
        }
    }

    #[test]
    fn vendors_are_classes_the_largest_first() {
        let symbols = [
            Symbol::new(Symbol::MAIN),
            symbol("a", "/app/vendor/small/one/a.php"),
            symbol("b", "/app/vendor/large/one/b.php"),
            symbol("c", "/app/vendor/large/two/c.php"),
            symbol("d", "/app/src/d.php"),
        ];
        let classes = Classes::new(&symbols);
        let of = (0..5).map(|id| classes.of(SymbolId(id)));
        assert!(of.eq([OWN, VENDORS + 1, VENDORS, VENDORS, OWN]));
        assert_eq!(classes.vendor(VENDORS), Some(&b"large"[..]));
        assert_eq!(classes.vendor(OWN), None);
        assert_eq!(classes.count(), VENDORS + 2);
    }

    #[test]
    fn ten_vendors_have_ten_hues() {
        let names: Vec<String> = (0..12).map(|number| format!("vendor{number}")).collect();
        let found = hues(names.iter().map(String::as_bytes));
        let mut first = found[..10].to_vec();
        first.sort_unstable();
        assert!(first.into_iter().eq(0..10));
        assert!(found[10] < 10 && found[11] < 10);
    }
}
