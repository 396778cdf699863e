//! Stacks with the line that each of their frames executes.
//!
//! They stand beside the stacks of [`Samples`](crate::Samples), so that whatever needs no lines
//! does not meet them: many stacks with lines have the same functions.
//!
//! **Invariants:** a stack with lines has as many frames as its stack; a parent
//! precedes its children.

use crate::table::Id;
use crate::{Children, FileId, NodeId, Symbol};

/// A stack with lines; zero if the lines of a sample are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LinedId(pub u32);

impl LinedId {
    /// The lines are not known.
    pub const UNKNOWN: Self = Self(0);

    /// The index into [`LinedStacks::list`].
    #[must_use]
    #[inline]
    pub fn place(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }

    /// The stack at that index.
    pub(crate) fn of(index: usize) -> Self {
        Self(u32::try_from(index.saturating_add(1)).unwrap_or(0))
    }
}

/// Tables by this number have a first row for stacks without lines.
impl Id for LinedId {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stack with lines: its parent's, and the line of one more function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinedStack {
    /// The stack of the caller; [`LinedId::UNKNOWN`] for that of `main()` alone.
    pub parent: LinedId,
    /// The same without lines: an index into [`Samples::stacks`](crate::Samples::stacks).
    pub stack: NodeId,
    /// The file in [`LinedStacks::files`], if it is not that of the function: a
    /// function may execute the top level of a file that it includes.
    pub file: Option<FileId>,
    /// The line that the innermost function executes; zero if it is not known.
    pub line: u32,
}

/// All stacks with lines; empty if no lines are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinedStacks {
    /// The names of files, each once.
    pub files: Vec<Box<[u8]>>,
    /// The stacks, parents before children.
    pub list: Vec<LinedStack>,
}

impl LinedStacks {
    /// A stack; none if its lines are not known.
    #[must_use]
    pub fn get(&self, id: LinedId) -> Option<&LinedStack> {
        self.list.get(id.place()?)
    }

    /// The stacks from `id` up to that of `main()` alone.
    pub fn frames(&self, id: LinedId) -> impl Iterator<Item = (LinedId, &LinedStack)> {
        let first = self.get(id).map(|stack| (id, stack));
        std::iter::successors(first, |&(id, stack)| {
            // Parents precede children, so this ends for any table.
            let parent = Some(stack.parent).filter(|parent| *parent < id)?;
            self.get(parent).map(|stack| (parent, stack))
        })
    }

    /// The name of the file that a stack's innermost function executes.
    #[must_use]
    pub fn file<'a>(&'a self, stack: &LinedStack, symbol: &'a Symbol) -> Option<&'a [u8]> {
        match stack.file {
            Some(file) => self.files.get(file.index()).map(|name| &**name),
            None => symbol.file.as_deref(),
        }
    }

    /// The children of each stack; the first row has the outermost ones.
    pub(crate) fn children(&self) -> Children {
        let parents = self.list.iter().map(|stack| NodeId(stack.parent.0));
        let parents: Vec<_> = std::iter::once(NodeId::ROOT).chain(parents).collect();
        Children::of_parents(parents.into_iter())
    }
}
