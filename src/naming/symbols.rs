//! The names of one profile: each function is named, and compared with the exclusions,
//! once per profile and not per call.

use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use policy::naming::details::{self, Detail};
use profile::{Spans, Symbol, Vacancy};
use recorder::{Recorder, SymbolId, TickRate};

use super::name_cache::{NameCache, Number, is_plainly_named};
use super::options::{Details, NamingOptions};
use super::prepared::PreparedStatements;
use super::spans::{SharedSpans, SpanLog};
use super::target::Target;
use crate::zend::{Function, FunctionKind, name};
use policy::naming::names::{NameLimits, Names, SharedNames, fitting};

/// How many distinct details become part of names; further calls keep the plain
/// name. A program may generate any number of statements.
const MAX_DETAILS: usize = 10_000;
/// How many functions the last profile of this process named. The requests of a
/// server's worker are alike, so the next profile begins with as much room.
static LAST_COUNT: AtomicUsize = AtomicUsize::new(0);
/// The largest such room: half a megabyte.
const MOST_EXPECTED: usize = 8192;
thread_local! {
    /// The names of the last profile, unless a profile owns them.
    static CACHE: Cell<Option<Box<NameCache<Target>>>> = const { Cell::new(None) };
}

/// The names of one profile.
#[derive(Debug)]
pub(crate) struct Symbols {
    naming: NamingOptions,
    /// Shared with the file of call events.
    names: SharedNames,
    /// The targets of all symbols, and names of earlier profiles.
    cache: Box<NameCache<Target>>,
    sources: HashMap<SymbolId, Detail>,
    details: usize,
    spans: Option<SharedSpans>,
    /// The prepared statements.
    pub(crate) prepared: PreparedStatements,
    scratch: Vec<u8>,
}

impl Symbols {
    /// How many functions and files were compared with the exclusions' patterns.
    pub(crate) fn compared(&self) -> usize {
        self.naming.exclusions.compared()
    }

    /// The names of a profile that begins, with `main()`. `rate` is that of the
    /// wall clock.
    pub(crate) fn new(naming: NamingOptions, rate: TickRate, limits: NameLimits) -> Self {
        let has_spans = naming.details == Details::Spans;
        let spans = has_spans.then(|| Rc::new(RefCell::new(SpanLog::new(rate))));
        let expected = LAST_COUNT.load(Ordering::Relaxed).min(MOST_EXPECTED);
        let cache = CACHE.take().filter(|cache| !cache.is_in_use());
        Self {
            naming,
            names: Rc::new(RefCell::new(Names::with_capacity(limits, expected))),
            cache: cache.unwrap_or_else(|| Box::new(NameCache::new())),
            sources: HashMap::new(),
            details: 0,
            spans,
            prepared: PreparedStatements::default(),
            scratch: Vec::new(),
        }
    }

    /// The names of a profile that ends. [`keep_names`] takes them back.
    pub(crate) fn take_names(self) -> Names {
        let names = self.names.borrow_mut().take();
        LAST_COUNT.store(names.symbols().len(), Ordering::Relaxed);
        CACHE.set(Some(self.cache));
        names
    }

    /// The names so far.
    pub(crate) fn names(&self) -> Ref<'_, Names> {
        self.names.borrow()
    }

    /// The names, shared.
    pub(crate) fn shared_names(&self) -> SharedNames {
        Rc::clone(&self.names)
    }

    /// The target of `function`; `add_symbol` allocates a number.
    pub(crate) fn target(
        &mut self,
        function: Function<'_>,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Target {
        let kind = function.kind();
        // Checked before the name: functions of two files may have the same name.
        if let Some(file) = function.file()
            && self.naming.exclusions.has_file(file)
        {
            return Target::PASS;
        }
        let has_place = self.naming.places;
        let cached = self
            .cache
            .function(function, has_place, self.names().symbols());
        if let Some(number) = cached {
            return self.of_cached(number, kind, has_place, add_symbol);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let next = self.names().symbols().len();
        let mut is_plain = false;
        let target = if name::write_name(function, &mut scratch) {
            is_plain = is_named_by_names_alone(function, &scratch);
            if self.naming.closures {
                self.name_closure_by_place(function, &mut scratch);
            }
            self.intern(&scratch, kind, add_symbol)
        } else if self.naming.run_init {
            name::write_run_init(function, &mut scratch);
            self.intern(&scratch, kind, add_symbol)
        } else {
            Target::PASS
        };
        if self.naming.places {
            let mut names = self.names.borrow_mut();
            names.set_place(next, function.file(), function.line());
        }
        if is_plain && let Ok(number) = self.find(&scratch) {
            self.cache.remember(number, function);
        }
        self.scratch = scratch;
        target
    }

    /// Adds file and line to a closure's name, unless the name that PHP has for it
    /// is excluded: then that name stays.
    fn name_closure_by_place(&mut self, function: Function<'_>, name: &mut Vec<u8>) {
        let exclusions = &self.naming.exclusions;
        let plain = exclusions.has_any_name().then(|| name.clone());
        name::add_place_to_closure(function, name);
        // A name of the cache was compared before: programs create closures in loops.
        if let Some(plain) = plain
            && plain != *name
            && self.find(name).is_err()
            && self.naming.exclusions.has_name(&plain)
        {
            *name = plain;
        }
    }

    /// The symbol for the compilation of a file or of a string; none if it is
    /// ignored.
    pub(crate) fn file(
        &mut self,
        prefix: &[u8],
        path: &[u8],
        is_file: bool,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Option<SymbolId> {
        if is_file && self.naming.exclusions.has_file(path) {
            return None;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        name::write_file(prefix, path, is_file, &mut scratch);
        let target = self.intern(&scratch, FunctionKind::User, add_symbol);
        self.scratch = scratch;
        target.symbol()
    }

    /// The symbol for a name that is not a function's; none if it is excluded.
    pub(crate) fn synthetic(
        &mut self,
        name: &[u8],
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Option<SymbolId> {
        self.intern(name, FunctionKind::User, add_symbol).symbol()
    }

    /// The detail of the function with the symbol `plain`; none if it has none.
    pub(crate) fn detail_of(&self, plain: SymbolId) -> Option<Detail> {
        self.sources.get(&plain).copied()
    }

    /// A symbol's name; empty if there is no such symbol.
    pub(crate) fn name(&self, symbol: SymbolId) -> Box<[u8]> {
        let names = self.names();
        let symbol = names.symbols().get(symbol.0 as usize);
        debug_assert!(symbol.is_some(), "a symbol has a name from its beginning");
        symbol.map(|symbol| symbol.name.clone()).unwrap_or_default()
    }

    /// The log of spans; none if spans are not recorded.
    pub(crate) fn spans(&self) -> Option<&SharedSpans> {
        self.spans.as_ref()
    }

    /// The spans that have ended.
    pub(crate) fn spans_so_far(&self) -> Spans {
        let spans = self
            .spans
            .as_ref()
            .and_then(|spans| spans.try_borrow().ok());
        spans.map(|spans| spans.spans().clone()).unwrap_or_default()
    }

    /// The symbol `plain#text`; `text` must be redacted.
    pub(crate) fn detailed(
        &mut self,
        plain: SymbolId,
        text: &[u8],
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> SymbolId {
        let mut name = [&self.name(plain), &b"#"[..], text].concat();
        profile::make_name_safe(&mut name);
        let found = self.find(&name);
        if let Ok(number) = found
            && let Some(target) = self.cache.target(number)
        {
            return target.symbol().unwrap_or(plain);
        }
        if self.details >= MAX_DETAILS || !self.names.borrow_mut().has_room() {
            return plain;
        }
        self.details += 1;
        let target = self.number(found, &name).and_then(|number| {
            // A name with a detail has none itself.
            self.add(
                number,
                name.len(),
                FunctionKind::Internal,
                false,
                None,
                add_symbol,
            )
        });
        target.and_then(Target::symbol).unwrap_or(plain)
    }

    /// The target of a name, which is added if it is new.
    fn intern(
        &mut self,
        name: &[u8],
        kind: FunctionKind,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Target {
        let found = self.find(name);
        if let Ok(number) = found
            && let Some(target) = self.cache.target(number)
        {
            return target;
        }
        if self.naming.exclusions.has_name(name) {
            return Target::PASS;
        }
        if !self.names.borrow_mut().has_room() {
            return Target::of(Recorder::TRUNCATED);
        }
        let detail = self.detail(name, kind);
        let target = self
            .number(found, name)
            .and_then(|number| self.add(number, name.len(), kind, false, detail, add_symbol));
        target.unwrap_or(Target::PASS)
    }

    /// The target of a function whose name is cached, with its place if `has_place`.
    fn of_cached(
        &mut self,
        number: Number,
        kind: FunctionKind,
        has_place: bool,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Target {
        if let Some(target) = self.cache.target(number) {
            return target;
        }
        let name = self.cache.name(number);
        if self.naming.exclusions.has_name(name) {
            return Target::PASS;
        }
        if !self.names.borrow_mut().has_room() {
            return Target::of(Recorder::TRUNCATED);
        }
        let (length, detail) = (name.len(), self.detail(name, kind));
        let target = self.add(number, length, kind, has_place, detail, add_symbol);
        target.unwrap_or(Target::PASS)
    }

    fn detail(&self, name: &[u8], kind: FunctionKind) -> Option<Detail> {
        let is_asked = self.naming.details != Details::None && kind == FunctionKind::Internal;
        is_asked.then(|| details::detail_of(name)).flatten()
    }

    fn find(&self, name: &[u8]) -> Result<Number, Vacancy> {
        self.cache.find(&fitting(name), self.names().symbols())
    }

    /// The number of a name that was searched for.
    fn number(&mut self, found: Result<Number, Vacancy>, name: &[u8]) -> Option<Number> {
        match found {
            Ok(number) => Some(number),
            Err(vacancy) => self.cache.add(vacancy, &fitting(name)),
        }
    }

    /// Adds a cached name, which had `length` bytes, to the profile; none if it has too
    /// many.
    fn add(
        &mut self,
        number: Number,
        length: usize,
        kind: FunctionKind,
        has_place: bool,
        detail: Option<Detail>,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Option<Target> {
        // Before the profile has a number for it.
        if !self.cache.can_move_out() {
            return None;
        }
        let id = add_symbol();
        // The numbers are exhausted after 2^30 names.
        if id == Recorder::TRUNCATED || !Target::can_be(id) {
            return None;
        }
        let mut target = Target::of(id);
        if let Some(detail) = detail {
            self.sources.insert(id, detail);
            target = target.with_detail();
        }
        let mut symbol = self.cache.move_out(number, target)?;
        symbol.internal = kind == FunctionKind::Internal;
        if !has_place {
            symbol.file = None;
            symbol.line = 0;
        }
        self.names.borrow_mut().add(symbol, length);
        Some(target)
    }
}

/// Takes the symbols of a profile back that was written: the next one of this thread need
/// not make them again.
pub(crate) fn keep_names(symbols: Vec<Symbol>) {
    let cache = CACHE.take().and_then(|cache| cache.with_names_of(symbols));
    CACHE.set(cache.map(Box::new));
}

/// Whether the name is made of the names of the function and of its class, and of nothing
/// else, for every profile.
fn is_named_by_names_alone(function: Function<'_>, name: &[u8]) -> bool {
    !name.ends_with(b"}") && is_plainly_named(function, name)
}
