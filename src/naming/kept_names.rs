//! Names that are kept from one profile of a thread to the next: the requests of a
//! server's worker call the same functions.
//!
//! A function is found by the addresses of PHP's strings that it is named by. `OPcache`
//! keeps these in shared memory, so they are the same in each request. **Invariant:**
//! an address is only a guess. The name, the kind and the place of the function that is
//! there now are compared with what is kept, so that whatever PHP does with its memory
//! puts no wrong name into a profile: `OPcache` is reset, or another file is compiled to
//! an old address.
//!
//! A name is here, or lent to the profile that uses it. If a profile does not give its
//! names back, nothing is kept.

use profile::{NameIndex, Symbol, Vacancy, folded_product};

use crate::zend::{Function, FunctionKind};

/// How many names are kept: a program may generate any number of them.
const MAX_NAMES: usize = 16_384;
/// How many bytes of names and paths are kept.
const MAX_BYTES: usize = 4 << 20;
/// How many places are looked at for a function.
const PLACES: usize = 8;
/// The places for each name.
const PLACES_A_NAME: usize = 2;
/// A large odd number.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Every profile's first symbols, which are its own: `main()` and `[truncated]`.
const OWN: usize = 2;

/// The number of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number(u32);

/// Names, and what the running profile records for them: a `T`.
#[derive(Debug)]
pub(crate) struct KeptNames<T> {
    names: Vec<Known<T>>,
    by_name: NameIndex<Number>,
    /// The numbers of functions' names plus one, at the hashes of their identities;
    /// zero where there is none.
    places: Vec<u32>,
    /// How many functions were put into `places`.
    placed: usize,
    /// The number of the profile.
    profile: u32,
    /// The names of the profile, in the order of its symbols.
    lent: Vec<Number>,
    bytes: usize,
}

/// A name.
#[derive(Debug)]
struct Known<T> {
    /// Empty while it is lent.
    symbol: Symbol,
    /// The last function that was found to have this name and no other.
    identity: [usize; 2],
    /// The last profile that it was lent to…
    lent_to: u32,
    /// … as the symbol of that number…
    lent_as: u32,
    /// … for which that profile records this.
    target: Option<T>,
    /// Its part of [`KeptNames::bytes`].
    bytes: usize,
}

impl<T: Copy> KeptNames<T> {
    /// No names, for a first profile.
    pub(crate) fn new() -> Self {
        Self {
            names: Vec::new(),
            by_name: NameIndex::default(),
            places: Vec::new(),
            placed: 0,
            profile: 1,
            lent: Vec::new(),
            bytes: 0,
        }
    }

    /// The number of that name. `symbols` are the profile's.
    ///
    /// # Errors
    ///
    /// The place to [`add`](Self::add) it, if it is not known.
    pub(crate) fn find(&self, name: &[u8], symbols: &[Symbol]) -> Result<Number, Vacancy> {
        self.by_name.find(name, |number| {
            let symbol = self.symbol(number, symbols);
            symbol.is_some_and(|symbol| *symbol.name == *name)
        })
    }

    /// The number of the name of that function, if the function was met before: in this
    /// file, on this line, unless `has_place` is false.
    pub(crate) fn function(
        &self,
        function: Function<'_>,
        has_place: bool,
        symbols: &[Symbol],
    ) -> Option<Number> {
        let identity = function.identity()?;
        let number = self.at(identity)?;
        let symbol = self.symbol(number, symbols)?;
        let is_same = symbol.internal == (function.kind() == FunctionKind::Internal)
            && is_plainly_named(function, &symbol.name)
            && (!has_place || has_that_place(symbol, function));
        is_same.then_some(number)
    }

    /// Remembers that the function has the name of that number, which depends on nothing
    /// but the names of the function and of its class, and is made of both.
    pub(crate) fn remember(&mut self, number: Number, function: Function<'_>) {
        let Some(identity) = function.identity() else {
            return;
        };
        // Where the addresses differ from request to request, old ones take the place.
        if (self.placed + 1) * PLACES_A_NAME > self.places.len() {
            self.place_all();
        }
        if let Some(known) = self.names.get_mut(number.index())
            && known.identity != identity
        {
            known.identity = identity;
            self.place(number, identity);
        }
    }

    /// What the profile records for the name; none if it is not the profile's.
    pub(crate) fn target(&self, number: Number) -> Option<T> {
        let known = self.names.get(number.index())?;
        known.target.filter(|_| known.lent_to == self.profile)
    }

    /// Whether the profile has names.
    pub(crate) fn is_lent(&self) -> bool {
        !self.lent.is_empty()
    }

    /// A name that is not lent.
    pub(crate) fn name(&self, number: Number) -> &[u8] {
        let known = self.names.get(number.index());
        known.map_or(b"", |known| &known.symbol.name)
    }

    /// Adds a name, to be [lent](Self::lend).
    pub(crate) fn add(&mut self, vacancy: Vacancy, name: &[u8]) -> Option<Number> {
        let number = Number(u32::try_from(self.names.len()).ok()?);
        self.names.try_reserve(1).ok()?;
        if !self.by_name.has_room() {
            return None;
        }
        self.names.push(Known {
            symbol: Symbol::new(name),
            identity: [0; 2],
            lent_to: 0,
            lent_as: 0,
            target: None,
            bytes: 0,
        });
        self.by_name.add(vacancy, number);
        Some(number)
    }

    /// Whether there is memory to lend one more name.
    pub(crate) fn can_lend(&mut self) -> bool {
        self.lent.try_reserve(1).is_ok()
    }

    /// Lends a name to the profile, which records `target` for it. The result is the
    /// profile's next symbol.
    pub(crate) fn lend(&mut self, number: Number, target: T) -> Option<Symbol> {
        let known = self.names.get_mut(number.index())?;
        known.lent_to = self.profile;
        known.lent_as = u32::try_from(OWN + self.lent.len()).ok()?;
        known.target = Some(target);
        self.lent.push(number);
        let empty = Symbol::new(Box::<[u8]>::default());
        Some(std::mem::replace(&mut known.symbol, empty))
    }

    /// Takes the symbols of the profile back, for the next profile; none if these are
    /// others, or too many.
    pub(crate) fn with_names_of(mut self, symbols: Vec<Symbol>) -> Option<Self> {
        if symbols.len() != OWN + self.lent.len() {
            return None;
        }
        let lent = std::mem::take(&mut self.lent);
        for (&number, symbol) in lent.iter().zip(symbols.into_iter().skip(OWN)) {
            let known = self.names.get_mut(number.index())?;
            let file = symbol.file.as_ref().map_or(0, |file| file.len());
            let bytes = symbol.name.len() + file;
            self.bytes = self.bytes - known.bytes + bytes;
            known.bytes = bytes;
            known.symbol = symbol;
        }
        self.lent = lent;
        self.lent.clear();
        self.profile = self.profile.checked_add(1)?;
        (self.names.len() <= MAX_NAMES && self.bytes <= MAX_BYTES).then_some(self)
    }

    /// A name with its place: the profile has it, or nothing has.
    fn symbol<'a>(&'a self, number: Number, symbols: &'a [Symbol]) -> Option<&'a Symbol> {
        let known = self.names.get(number.index())?;
        if known.lent_to == self.profile {
            symbols.get(known.lent_as as usize)
        } else {
            Some(&known.symbol)
        }
    }

    /// The name of the function with that identity.
    fn at(&self, identity: [usize; 2]) -> Option<Number> {
        let hash = hash(identity);
        for step in 0..PLACES {
            let number = Number(self.place_at(hash, step)?.checked_sub(1)?);
            if self.names.get(number.index())?.identity == identity {
                return Some(number);
            }
        }
        None
    }

    fn place_at(&self, hash: usize, step: usize) -> Option<u32> {
        let mask = self.places.len().wrapping_sub(1);
        self.places.get(hash.wrapping_add(step) & mask).copied()
    }

    /// Puts a function into the first free place, or else into the first one.
    fn place(&mut self, number: Number, identity: [usize; 2]) {
        let hash = hash(identity);
        let free = (0..PLACES).find(|&step| self.place_at(hash, step) == Some(0));
        let mask = self.places.len().wrapping_sub(1);
        let place = hash.wrapping_add(free.unwrap_or(0)) & mask;
        if let Some(place) = self.places.get_mut(place) {
            *place = number.0 + 1;
            self.placed += 1;
        }
    }

    /// Makes new places, with room for as many functions again as there are names.
    #[cold]
    fn place_all(&mut self) {
        let count = (self.names.len() + 1) * 2 * PLACES_A_NAME;
        self.placed = 0;
        let count = count.next_power_of_two();
        self.places = Vec::new();
        // Without memory, each name is searched for by its bytes.
        if self.places.try_reserve_exact(count).is_err() {
            return;
        }
        self.places.resize(count, 0);
        for number in 0..u32::try_from(self.names.len()).unwrap_or(0) {
            let identity = self.names.get(number as usize).map(|known| known.identity);
            if let Some(identity) = identity.filter(|identity| *identity != [0; 2]) {
                self.place(Number(number), identity);
            }
        }
    }
}

impl Number {
    fn index(self) -> usize {
        self.0 as usize
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower bits are used")]
fn hash([function, class]: [usize; 2]) -> usize {
    folded_product(function as u64 ^ (class as u64).rotate_left(32), FACTOR) as usize
}

/// Whether the name is that of the function as PHP has it: `Class::method`, or the
/// function's own.
pub(crate) fn is_plainly_named(function: Function<'_>, name: &[u8]) -> bool {
    let Some(own) = function.name() else {
        return false;
    };
    let Some(class) = function.class() else {
        return name == own;
    };
    let rest = name.strip_prefix(class);
    rest.and_then(|rest| rest.strip_prefix(b"::")) == Some(own)
}

fn has_that_place(symbol: &Symbol, function: Function<'_>) -> bool {
    symbol.line == function.line() && symbol.file.as_deref() == function.file()
}
