//! Functions and their names: each is named once per profile, not per call.
//!
//! A function's run-time slot remembers its [`Target`], tagged with the number
//! of the profile, so that nothing has to be cleaned up when a profile ends:
//! the next one has another number. What is ignored is decided here, too, once
//! per function: by the hash of its name, then equality.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use profile::{NameIndex, Spans, Symbol, Vacancy};
use recorder::{Recorder, SymbolId, TickRate};

use crate::details::{self, Detail};
use crate::exclusions::Exclusions;
use crate::spans::{SharedSpans, SpanLog};
use crate::zend::{Function, FunctionKind, name};

/// What to do with calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target(u32);

/// Set in a target whose name may get a detail behind a `#`.
const DETAIL: u32 = 1 << 31;
/// Set in a target of a function whose calls have to be looked at, each.
const UNUSUAL: u32 = 1 << 30;

impl Target {
    /// Let it run; its callees count as its caller's.
    pub(crate) const PASS: Self = Self(u32::MAX);

    /// Reads a slot of the profile numbered `session`; none if it was never
    /// filled, or by an earlier profile.
    #[inline(always)]
    pub(crate) fn from_slot(slot: u64, session: u32) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "a slot is two u32")]
        let (tag, target) = ((slot >> 32) as u32, slot as u32);
        (tag == session).then_some(Self(target))
    }

    /// What to write into the slot. Never zero: sessions count from 1.
    pub(crate) fn to_slot(self, session: u32) -> u64 {
        u64::from(session) << 32 | u64::from(self.0)
    }

    /// The symbol to record, if any.
    #[inline(always)]
    pub(crate) fn symbol(self) -> Option<SymbolId> {
        (self != Self::PASS).then_some(SymbolId(self.0 & !(DETAIL | UNUSUAL)))
    }

    /// What a slot of that session would hold for the symbol numbered 0.
    pub(crate) fn first_slot(session: u32) -> u64 {
        Self(0).to_slot(session)
    }

    /// How far a slot is from the first one: the number of the symbol to record,
    /// if that is all there is to a call. Else it is a number that no symbol
    /// has: those of another session are further away than there are symbols,
    /// and so is everything that has a bit set.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "64 bits, see `Call::slot`")]
    pub(crate) fn distance(slot: u64, first_slot: u64) -> usize {
        slot.wrapping_sub(first_slot) as usize
    }

    /// The same, with the reminder to look at each call.
    pub(crate) fn unusual(self) -> Self {
        Self(self.0 | UNUSUAL)
    }

    /// Whether the call's arguments are part of its name.
    #[inline(always)]
    pub(crate) fn wants_detail(self) -> bool {
        self.0 & DETAIL != 0
    }
}

/// What becomes of statements and addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Details {
    /// Nothing.
    #[default]
    None,
    /// They become part of names: `PDO::query#SELECT …`.
    InNames,
    /// They are kept beside, as spans.
    Spans,
}

/// How many distinct details a profile names. Past it, calls keep their plain
/// name: a program that builds its statements by hand must not fill the memory.
const MAX_DETAILS: usize = 10_000;
/// How many prepared statements are remembered.
const MAX_PREPARED: usize = 1_000;

/// What to name, and what not.
#[derive(Debug, Default)]
pub(crate) struct NamingOptions {
    /// Functions that are not recorded.
    pub(crate) exclusions: Exclusions,
    /// The top level of files is recorded, as `run_init::…`.
    pub(crate) run_init: bool,
    /// What becomes of statements and addresses.
    pub(crate) details: Details,
    /// Closures have their file and line in their names.
    pub(crate) closures: bool,
    /// Symbols know the file and the line where they are defined.
    pub(crate) places: bool,
}

/// What a prepared statement is known by while it can be run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Prepared {
    /// An object's number, which the next object gets when this one is gone:
    /// but a statement is prepared anew then.
    Object(u32),
    /// A name that the program gave it, and the number of the connection.
    Name(Option<u32>, Box<[u8]>),
}

/// A statement that was prepared.
#[derive(Debug)]
struct Statement {
    /// What the program wrote; 0 if nobody can tell later.
    fingerprint: u64,
    /// Without literals.
    text: Rc<[u8]>,
}

/// The names of one profile.
#[derive(Debug)]
pub(crate) struct Symbols {
    naming: NamingOptions,
    /// Shared with a file that is written as the profile goes.
    names: Rc<RefCell<Vec<Symbol>>>,
    /// All of them but those that are ignored, which have no number.
    by_name: NameIndex<Target>,
    sources: HashMap<SymbolId, Detail>,
    details: usize,
    spans: Option<SharedSpans>,
    /// Statements by what they were prepared as, without literals.
    prepared: HashMap<Prepared, Statement>,
    scratch: Vec<u8>,
}

impl Symbols {
    /// Names for a profile that begins; `main()` is one of them.
    /// The wall clock ticks at that `rate`.
    /// How many functions and files were compared with patterns to leave out.
    pub(crate) fn compared(&self) -> usize {
        self.naming.exclusions.compared()
    }

    pub(crate) fn new(naming: NamingOptions, rate: TickRate) -> Self {
        let has_spans = naming.details == Details::Spans;
        let spans = has_spans.then(|| Rc::new(RefCell::new(SpanLog::new(rate))));
        Self {
            naming,
            names: Rc::new(RefCell::new(vec![
                Symbol::new(Symbol::MAIN),
                Symbol::new(&b"[truncated]"[..]),
            ])),
            by_name: NameIndex::default(),
            sources: HashMap::new(),
            details: 0,
            spans,
            prepared: HashMap::new(),
            scratch: Vec::new(),
        }
    }

    /// All symbols, in the order of their numbers.
    pub(crate) fn into_names(self) -> Vec<Symbol> {
        self.names.take()
    }

    /// The names, as they grow.
    pub(crate) fn shared_names(&self) -> Rc<RefCell<Vec<Symbol>>> {
        Rc::clone(&self.names)
    }

    /// What to do with calls of `function`; `add_symbol` makes a number.
    pub(crate) fn target(
        &mut self,
        function: Function<'_>,
        kind: FunctionKind,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Target {
        // Before the name: functions of two files may have the same one.
        if let Some(file) = function.file(kind)
            && self.naming.exclusions.has_file(file)
        {
            return Target::PASS;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let known = self.names.borrow().len();
        let target = if name::write_name(function, &mut scratch) {
            if self.naming.closures {
                self.closure_apart(function, kind, &mut scratch);
            }
            self.intern(&scratch, kind, add_symbol)
        } else if self.naming.run_init {
            name::write_run_init(function, &mut scratch);
            self.intern(&scratch, kind, add_symbol)
        } else {
            Target::PASS
        };
        self.scratch = scratch;
        if self.naming.places
            && let Some(new) = self.names.borrow_mut().get_mut(known)
        {
            new.file = function.file(kind).map(Into::into);
            new.line = function.line(kind);
        }
        target
    }

    /// Puts the place of a closure into its name, unless it is left out by the
    /// name that PHP has for it: then that name stays.
    fn closure_apart(&mut self, function: Function<'_>, kind: FunctionKind, name: &mut Vec<u8>) {
        let exclusions = &self.naming.exclusions;
        let plain = exclusions.has_any_name().then(|| name.clone());
        name::tell_closures_apart(function, kind, name);
        // A name that is known was compared before: closures are made in loops.
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

    /// The symbol for what is no function; none if it is ignored.
    pub(crate) fn synthetic(
        &mut self,
        name: &[u8],
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Option<SymbolId> {
        self.intern(name, FunctionKind::User, add_symbol).symbol()
    }

    /// What is known of the function `plain`, if it is one of those that wait
    /// for something.
    pub(crate) fn detail_of(&self, plain: SymbolId) -> Option<Detail> {
        self.sources.get(&plain).copied()
    }

    /// A symbol's name; empty if there is no such symbol.
    pub(crate) fn name(&self, symbol: SymbolId) -> Box<[u8]> {
        let names = self.names.borrow();
        let symbol = names.get(symbol.0 as usize);
        symbol.map(|symbol| symbol.name.clone()).unwrap_or_default()
    }

    /// The spans, if there are any to be.
    pub(crate) fn spans(&self) -> Option<&SharedSpans> {
        self.spans.as_ref()
    }

    /// What ended of them so far.
    pub(crate) fn spans_so_far(&self) -> Spans {
        let spans = self
            .spans
            .as_ref()
            .and_then(|spans| spans.try_borrow().ok());
        spans.map(|spans| spans.spans().clone()).unwrap_or_default()
    }

    /// Remembers a statement, which has no literals any more.
    pub(crate) fn prepare(&mut self, name: Prepared, fingerprint: u64, text: Rc<[u8]>) {
        if self.prepared.len() < MAX_PREPARED || self.prepared.contains_key(&name) {
            self.prepared.insert(name, Statement { fingerprint, text });
        }
    }

    /// The statement that was prepared as that.
    pub(crate) fn prepared(&self, name: &Prepared, fingerprint: u64) -> Option<Rc<[u8]>> {
        let found = self.prepared.get(name)?;
        (found.fingerprint == fingerprint).then(|| Rc::clone(&found.text))
    }

    /// What is prepared from now on is not heard of.
    pub(crate) fn forget_prepared(&mut self) {
        self.prepared.clear();
    }

    /// The symbol `plain#text`; `text` has nothing private in it.
    pub(crate) fn detailed(
        &mut self,
        plain: SymbolId,
        text: &[u8],
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> SymbolId {
        let mut name = [&self.name(plain), &b"#"[..], text].concat();
        profile::make_name_safe(&mut name);
        let vacancy = match self.find(&name) {
            Ok(known) => return known.symbol().unwrap_or(plain),
            Err(vacancy) => vacancy,
        };
        if self.details >= MAX_DETAILS {
            return plain;
        }
        self.details += 1;
        let Some(symbol) = self.add(&name, FunctionKind::Internal, add_symbol) else {
            return plain;
        };
        self.by_name.add(vacancy, Target(symbol.0));
        symbol
    }

    fn intern(
        &mut self,
        name: &[u8],
        kind: FunctionKind,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Target {
        let vacancy = match self.find(name) {
            Ok(target) => return target,
            Err(vacancy) => vacancy,
        };
        if self.naming.exclusions.has_name(name) {
            return Target::PASS;
        }
        let Some(symbol) = self.add(name, kind, add_symbol) else {
            return Target::PASS;
        };
        let mut target = Target(symbol.0);
        let is_asked = self.naming.details != Details::None && kind == FunctionKind::Internal;
        if is_asked && let Some(detail) = details::detail_of(name) {
            self.sources.insert(symbol, detail);
            target = Target(target.0 | DETAIL);
        }
        self.by_name.add(vacancy, target);
        target
    }

    fn find(&self, name: &[u8]) -> Result<Target, Vacancy> {
        let names = self.names.borrow();
        self.by_name.find(name, |target| {
            let symbol = target
                .symbol()
                .and_then(|symbol| names.get(symbol.0 as usize));
            symbol.is_some_and(|symbol| *symbol.name == *name)
        })
    }

    /// A symbol with a new number; none if there are too many.
    fn add(
        &mut self,
        name: &[u8],
        kind: FunctionKind,
        add_symbol: &mut dyn FnMut() -> SymbolId,
    ) -> Option<SymbolId> {
        let symbol = add_symbol();
        // Numbers that do not fit are those past a thousand million names.
        if symbol == Recorder::TRUNCATED || symbol.0 & (DETAIL | UNUSUAL) != 0 {
            return None;
        }
        let mut entry = Symbol::new(name);
        entry.internal = kind == FunctionKind::Internal;
        self.names.borrow_mut().push(entry);
        Some(symbol)
    }
}
