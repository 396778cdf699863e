//! A cache of names, from one profile of a thread to the next: the requests of a server's
//! worker call the same functions.
//!
//! A function is found by the addresses of PHP's strings that it is named by. `OPcache`
//! keeps these in shared memory, so they are the same in each request. **Invariant:**
//! an address is only a guess. The name, the kind and the place of the function that is
//! there now are compared with the cached ones. So no wrong name gets into a profile if
//! `OPcache` is reset, or another file is compiled to an old address.
//!
//! Each name is owned by the cache or by the running profile. A profile moves its names
//! back when it has been written; if it does not, nothing is kept.

use profile::{NameIndex, Symbol, Vacancy, folded_product};

use crate::zend::{Function, FunctionKind};

/// How many names are kept: a program may generate any number of them.
const MAX_NAMES: usize = 16_384;
/// How many bytes of names and paths are kept.
const MAX_BYTES: usize = 4 << 20;
/// How many slots are searched for a function.
const PROBES: usize = 8;
/// The slots for each name.
const SLOTS_A_NAME: usize = 2;
/// A large odd number.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Every profile's first symbols, which are its own: `main()` and `[truncated]`.
const OWN: usize = 2;

/// The number of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number(u32);

/// Names, and what the running profile records for them: a `T`.
#[derive(Debug)]
pub(crate) struct NameCache<T> {
    names: Vec<Entry<T>>,
    by_name: NameIndex<Number>,
    /// The numbers of functions' names plus one, at the hashes of their identities;
    /// zero where there is none.
    slots: Vec<u32>,
    /// How many functions were put into `slots`.
    used_slots: usize,
    /// The number of the profile.
    profile: u32,
    /// The names that the profile owns, in the order of its symbols.
    in_use: Vec<Number>,
    bytes: usize,
}

/// A name.
#[derive(Debug)]
struct Entry<T> {
    /// Empty while a profile owns it.
    symbol: Symbol,
    /// The last function that was found to have this name and no other.
    identity: [usize; 2],
    /// The last profile that owned it…
    profile: u32,
    /// … as the symbol of that number…
    number: u32,
    /// … for which that profile records this.
    target: Option<T>,
    /// Its part of [`NameCache::bytes`].
    bytes: usize,
}

impl<T: Copy> NameCache<T> {
    /// No names, for a first profile.
    pub(crate) fn new() -> Self {
        Self {
            names: Vec::new(),
            by_name: NameIndex::default(),
            slots: Vec::new(),
            used_slots: 0,
            profile: 1,
            in_use: Vec::new(),
            bytes: 0,
        }
    }

    /// The number of that name. `symbols` are the profile's.
    ///
    /// # Errors
    ///
    /// The place to [`add`](Self::add) it, if it is not entry.
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
        // Where the addresses differ from request to request, old ones fill the slots.
        if (self.used_slots + 1) * SLOTS_A_NAME > self.slots.len() {
            self.enlarge_slots();
        }
        if let Some(entry) = self.names.get_mut(number.index())
            && entry.identity != identity
        {
            entry.identity = identity;
            self.put_into_slot(number, identity);
        }
    }

    /// What the profile records for the name; none if it is not the profile's.
    pub(crate) fn target(&self, number: Number) -> Option<T> {
        let entry = self.names.get(number.index())?;
        entry.target.filter(|_| entry.profile == self.profile)
    }

    /// Whether a profile owns names.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.in_use.is_empty()
    }

    /// A name that the cache owns.
    pub(crate) fn name(&self, number: Number) -> &[u8] {
        let entry = self.names.get(number.index());
        entry.map_or(b"", |entry| &entry.symbol.name)
    }

    /// Adds a name, to be [moved out](Self::move_out).
    pub(crate) fn add(&mut self, vacancy: Vacancy, name: &[u8]) -> Option<Number> {
        let number = Number(u32::try_from(self.names.len()).ok()?);
        self.names.try_reserve(1).ok()?;
        if !self.by_name.has_room() {
            return None;
        }
        self.names.push(Entry {
            symbol: Symbol::new(name),
            identity: [0; 2],
            profile: 0,
            number: 0,
            target: None,
            bytes: 0,
        });
        self.by_name.add(vacancy, number);
        Some(number)
    }

    /// Whether there is memory to move out one more name.
    pub(crate) fn can_move_out(&mut self) -> bool {
        self.in_use.try_reserve(1).is_ok()
    }

    /// Moves a name to the profile, which records `target` for it. The result is the
    /// profile's next symbol.
    pub(crate) fn move_out(&mut self, number: Number, target: T) -> Option<Symbol> {
        let entry = self.names.get_mut(number.index())?;
        entry.profile = self.profile;
        entry.number = u32::try_from(OWN + self.in_use.len()).ok()?;
        entry.target = Some(target);
        self.in_use.push(number);
        let empty = Symbol::new(Box::<[u8]>::default());
        Some(std::mem::replace(&mut entry.symbol, empty))
    }

    /// The cache with the symbols of the profile moved back; none if these are others, or
    /// too many.
    pub(crate) fn with_names_of(mut self, symbols: Vec<Symbol>) -> Option<Self> {
        if symbols.len() != OWN + self.in_use.len() {
            return None;
        }
        let in_use = std::mem::take(&mut self.in_use);
        for (&number, symbol) in in_use.iter().zip(symbols.into_iter().skip(OWN)) {
            let entry = self.names.get_mut(number.index())?;
            let file = symbol.file.as_ref().map_or(0, |file| file.len());
            let bytes = symbol.name.len() + file;
            self.bytes = self.bytes - entry.bytes + bytes;
            entry.bytes = bytes;
            entry.symbol = symbol;
        }
        self.in_use = in_use;
        self.in_use.clear();
        self.profile = self.profile.checked_add(1)?;
        (self.names.len() <= MAX_NAMES && self.bytes <= MAX_BYTES).then_some(self)
    }

    /// A name with its place, owned by the profile or by the cache.
    fn symbol<'a>(&'a self, number: Number, symbols: &'a [Symbol]) -> Option<&'a Symbol> {
        let entry = self.names.get(number.index())?;
        if entry.profile == self.profile {
            symbols.get(entry.number as usize)
        } else {
            Some(&entry.symbol)
        }
    }

    /// The name of the function with that identity.
    fn at(&self, identity: [usize; 2]) -> Option<Number> {
        let hash = hash(identity);
        for step in 0..PROBES {
            let number = Number(self.slot(hash, step)?.checked_sub(1)?);
            if self.names.get(number.index())?.identity == identity {
                return Some(number);
            }
        }
        None
    }

    fn slot(&self, hash: usize, step: usize) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        self.slots.get(hash.wrapping_add(step) & mask).copied()
    }

    /// Puts a function into the first free slot, or else into the first one.
    fn put_into_slot(&mut self, number: Number, identity: [usize; 2]) {
        let hash = hash(identity);
        let free = (0..PROBES).find(|&step| self.slot(hash, step) == Some(0));
        let mask = self.slots.len().wrapping_sub(1);
        let slot = hash.wrapping_add(free.unwrap_or(0)) & mask;
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = number.0 + 1;
            self.used_slots += 1;
        }
    }

    /// Makes new slots, with room for as many functions again as there are names.
    #[cold]
    fn enlarge_slots(&mut self) {
        let count = (self.names.len() + 1) * 2 * SLOTS_A_NAME;
        self.used_slots = 0;
        let count = count.next_power_of_two();
        self.slots = Vec::new();
        // Without memory, each name is searched for by its bytes.
        if self.slots.try_reserve_exact(count).is_err() {
            return;
        }
        self.slots.resize(count, 0);
        for number in 0..u32::try_from(self.names.len()).unwrap_or(0) {
            let identity = self.names.get(number as usize).map(|entry| entry.identity);
            if let Some(identity) = identity.filter(|identity| *identity != [0; 2]) {
                self.put_into_slot(Number(number), identity);
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
