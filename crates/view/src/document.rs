//! An open profile, and the way from a question to its answer.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::io::Cursor;
use std::rc::Rc;

use formats::ReadError;
use formats::flamegraph::Classes;
use profile::{Body, Budget, Cost, EstimateLimits, Merger, Metric, Profile, SymbolId};

use crate::comparison::Comparison;
use crate::index::{Index, Times};
use crate::names;
use crate::tree::OrderedTree;
use crate::weights::Weights;
use crate::{Costs, Error};

/// One file to open.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What the user calls it: a file's name.
    pub name: &'a str,
    /// Its content, in any format that is read, compressed or not.
    pub bytes: &'a [u8],
}

/// An open profile.
#[derive(Debug)]
pub struct Document {
    /// Without its call tree, which `index` has.
    profile: Profile,
    index: Index,
    files: Vec<String>,
    /// Of the metric that was asked for last: eight bytes a node.
    weights: RefCell<Option<Rc<Weights>>>,
    comparison: Option<Rc<Comparison>>,
    classes: OnceCell<Classes>,
    /// The most memory in use in each block of events.
    memory: OnceCell<Vec<i64>>,
}

impl Document {
    /// Opens files; several are added up.
    ///
    /// # Errors
    ///
    /// [`Error::NothingToOpen`], [`Error::Read`] with the name of the file, or
    /// [`Error::Merge`].
    pub fn open(sources: &[Source<'_>]) -> Result<Self, Error> {
        Self::open_with(sources, read)
    }

    /// The same without what costs less than `threshold` percent of a file's
    /// time: for files that are [too large](Error::TooLarge) otherwise. Their
    /// cost is kept as `[other]`. Reading may take more memory than
    /// [`Document::open`] allows, as little of it remains.
    ///
    /// # Errors
    ///
    /// Those of [`Document::open`].
    pub fn open_above(sources: &[Source<'_>], threshold: f64) -> Result<Self, Error> {
        let threshold = if threshold.is_finite() {
            threshold
        } else {
            0.0
        };
        Self::open_with(sources, |source| {
            let profile = read_within(source, &Budget::with_events(LARGE, MOST_EVENTS))?;
            Ok(profile.without_small(Metric::Wall, threshold.clamp(0.0, 100.0)))
        })
    }

    fn open_with(
        sources: &[Source<'_>],
        read: impl Fn(&Source<'_>) -> Result<Profile, Error>,
    ) -> Result<Self, Error> {
        let files = sources.iter().map(|source| source.name.to_owned());
        let files = files.collect();
        if let [only] = sources {
            return Ok(Self::new(read(only)?, files));
        }
        let mut merger = Merger::default();
        for source in sources {
            merger.add(&read(source)?).map_err(Error::Merge)?;
        }
        if sources.is_empty() {
            return Err(Error::NothingToOpen);
        }
        Ok(Self::new(merger.finish().map_err(Error::Merge)?, files))
    }

    /// A document of a profile that has been read already; `files` are the
    /// names to show.
    #[must_use]
    pub fn new(profile: Profile, files: Vec<String>) -> Self {
        Self::of_index(profile, None, files)
    }

    /// A document for a front end that lists functions and draws no graph. Only the
    /// table of functions is computed, so it takes little more memory than the
    /// profile; flame graphs, call paths and the order of time are not there.
    #[must_use]
    pub fn of_costs(profile: Profile, files: Vec<String>) -> Self {
        let index = Index::of_costs(&profile);
        Self::with_index(profile, index, files)
    }

    /// The document of a comparison; `base` has the cost of each node of the
    /// profile's tree in the base.
    pub(crate) fn with_base(profile: Profile, base: Vec<Cost>, files: Vec<String>) -> Self {
        Self::of_index(profile, Some(base), files)
    }

    /// The document of a profile whose call tree is `tree`.
    pub(crate) fn with_tree(profile: Profile, tree: OrderedTree, files: Vec<String>) -> Self {
        let index = Index::of_tree(profile.symbols.len(), tree);
        Self::with_index(profile, index, files)
    }

    fn of_index(mut profile: Profile, base: Option<Vec<Cost>>, files: Vec<String>) -> Self {
        let index = Index::new(&mut profile, base);
        Self::with_index(profile, index, files)
    }

    fn with_index(profile: Profile, index: Index, files: Vec<String>) -> Self {
        Self {
            profile,
            index,
            files,
            weights: RefCell::default(),
            comparison: None,
            classes: OnceCell::new(),
            memory: OnceCell::new(),
        }
    }

    pub(crate) fn set_comparison(&mut self, comparison: Comparison) {
        self.comparison = Some(Rc::new(comparison));
    }

    pub(crate) fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_deref()
    }

    /// A document with another call tree; it compares what `of` compares.
    pub(crate) fn reshaped_from(of: &Self, profile: Profile, base: Option<Vec<Cost>>) -> Self {
        let mut document = Self::of_index(profile, base, of.files.clone());
        document.comparison.clone_from(&of.comparison);
        document
    }

    /// Room for what a curve of the memory in use is drawn from.
    pub(crate) fn memory(&self) -> &OnceCell<Vec<i64>> {
        &self.memory
    }

    /// The classes of code.
    pub(crate) fn classes(&self) -> &Classes {
        self.classes
            .get_or_init(|| Classes::new(&self.profile.symbols))
    }

    /// The number of each function, by name.
    pub(crate) fn numbers_by_name(&self) -> HashMap<&[u8], u32> {
        let symbols = self.profile.symbols.iter().zip(0_u32..);
        symbols
            .map(|(symbol, number)| (&*symbol.name, number))
            .collect()
    }

    /// The same profile with guessed stacks, if it holds callers and callees
    /// only; its title says that they are an estimate. None if it has stacks.
    #[must_use]
    pub fn estimated(&self) -> Option<Self> {
        matches!(self.profile.body, Body::Edges(_)).then(|| {
            let profile = self.profile.estimated(EstimateLimits::default());
            Self::new(profile, self.files.clone())
        })
    }

    /// The profile: its names and metadata. Its call tree is in it only if the
    /// document was made with [`Document::of_costs`].
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The functions that have a row in the table, in the order of their numbers.
    pub fn functions(&self) -> impl Iterator<Item = SymbolId> {
        self.index.flat.rows.iter().map(|row| row.symbol)
    }

    /// Calls `with` with the whole profile, call tree included.
    pub(crate) fn with_whole_profile<T>(&mut self, with: impl FnOnce(&Profile) -> T) -> T {
        self.index.lend_tree(&mut self.profile, with)
    }

    /// What shares refer to: the cost of the profile, and all calls.
    pub(crate) fn whole(&self) -> Costs {
        let flat = &self.index.flat;
        let calls = flat.rows.iter().map(|row| row.inclusive.calls);
        Costs {
            calls: calls.fold(0, u64::saturating_add),
            ..Costs::inclusive(&flat.total)
        }
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// The call tree.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsStacks`].
    pub(crate) fn tree(&self) -> Result<&OrderedTree, Error> {
        self.index.tree.as_ref().ok_or(Error::NeedsStacks)
    }

    /// When things happened.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsTimes`].
    pub(crate) fn times(&self) -> Result<&Times, Error> {
        self.index.time.as_ref().ok_or(Error::NeedsTimes)
    }

    /// The widths of all nodes in a flame graph.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsStacks`].
    pub(crate) fn weights(&self, metric: Metric) -> Result<Rc<Weights>, Error> {
        let tree = self.tree()?;
        let mut cached = self.weights.borrow_mut();
        if let Some(weights) = &*cached
            && weights.metric == metric
        {
            return Ok(Rc::clone(weights));
        }
        // The old ones first: both together may not fit.
        *cached = None;
        let weights = Rc::new(Weights::new(tree, metric));
        *cached = Some(Rc::clone(&weights));
        Ok(weights)
    }

    /// The class of a function, and its colour in the palette.
    pub(crate) fn class_and_colour(&self, symbol: SymbolId) -> (u32, u32) {
        let classes = self.classes();
        let colour = classes.colour(symbol, &self.profile.symbols[symbol.index()]);
        (classes.of(symbol), u32::try_from(colour).unwrap_or(0))
    }

    /// A function's name as text.
    pub(crate) fn name(&self, symbol: SymbolId) -> String {
        names::text(self.profile.name(symbol))
    }

    /// The function with that number.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFunction`].
    pub(crate) fn symbol(&self, number: u32) -> Result<SymbolId, Error> {
        if (number as usize) < self.profile.symbols.len() {
            return Ok(SymbolId(number));
        }
        Err(Error::UnknownFunction(format!("number {number}")))
    }

    /// The title: what the file says, or the names of the files.
    pub(crate) fn title(&self) -> Cow<'_, str> {
        match &self.profile.meta.title {
            Some(title) => Cow::Owned(names::text(title.as_bytes())),
            None => Cow::Owned(self.files.join(", ")),
        }
    }
}

/// Reads one file.
///
/// # Errors
///
/// [`Error::Read`].
pub(crate) fn read(source: &Source<'_>) -> Result<Profile, Error> {
    let budget = Budget::with_events(Budget::DEFAULT_LIMIT, MOST_EVENTS);
    read_within(source, &budget)
}

/// More events of a file become a call tree, which has no order of time: they
/// would take more than a quarter of a gigabyte.
const MOST_EVENTS: usize = 6 << 20;

/// The memory of a program that opens large files: WebAssembly has 4 GiB.
const LARGE: u64 = 3 << 30;

fn read_within(source: &Source<'_>, budget: &Budget) -> Result<Profile, Error> {
    formats::read_within(Cursor::new(source.bytes), budget).map_err(|error| {
        let name = source.name.to_owned();
        match error {
            ReadError::Memory(_) => Error::TooLarge {
                name,
                source: error,
            },
            _ => Error::Read {
                name,
                source: error,
            },
        }
    })
}
