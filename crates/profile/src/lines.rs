//! Costs of source lines, for the formats that contain them.
//!
//! They are kept beside the calls: a table of lines says where in a function its
//! cost arose. Formats without lines leave the table empty.
//!
//! **Invariant:** a line of a function occurs once, and the list is sorted by
//! file, line and function.

use std::collections::HashMap;

use crate::table::{known_mut, part};
use crate::{Budget, NumberMap, SelfCost, SymbolId, allocated};

/// The costs of lines; empty if they are not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// The names of files that lines are in, each once.
    pub files: Vec<Box<[u8]>>,
    /// The lines.
    pub list: Vec<LineCost>,
    /// The calls from lines, by callee, if they are known: sorted by file, line, caller
    /// and callee.
    pub calls: Vec<CallsFromLine>,
}

/// The line that a function is called from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallLine {
    /// The number of the file, from 1; 0 for the file that the caller is defined in.
    pub file: u32,
    /// The line; 0 if it is not known.
    pub line: u32,
}

impl CallLine {
    /// The line is not known.
    pub const UNKNOWN: Self = Self { file: 0, line: 0 };
}

/// The calls of a function from one line of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallsFromLine {
    /// The file; none if it is not known.
    pub file: Option<FileId>,
    /// The line, counted from one.
    pub line: u32,
    /// The function that the line is executed in.
    pub caller: SymbolId,
    /// The function that it calls.
    pub callee: SymbolId,
    /// The number of calls.
    pub calls: u64,
    /// What they cost, callees included. Calls within such a call add nothing.
    pub cost: SelfCost,
}

impl CallsFromLine {
    pub(crate) fn key(&self) -> (Option<FileId>, u32, SymbolId, SymbolId) {
        (self.file, self.line, self.caller, self.callee)
    }
}

/// A file's index in [`Lines::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The number as an index into a table of files.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The cost of one line of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCost {
    /// The file; none if it is not known.
    pub file: Option<FileId>,
    /// The line, counted from one.
    pub line: u32,
    /// The function that the line is executed in.
    pub symbol: SymbolId,
    /// The cost of the line without the functions that it calls.
    pub own: SelfCost,
    /// The calls from this line; zero if they were not counted.
    pub calls: u64,
    /// The cost of the functions that it calls, theirs included.
    pub callees: SelfCost,
    /// The part of it that is the own cost of functions without lines, which are PHP's and its
    /// extensions'. Zero if it is not known.
    pub builtin: SelfCost,
}

impl Lines {
    /// Restores the order.
    pub(crate) fn sort(&mut self) {
        self.list
            .sort_unstable_by_key(|line| (line.file, line.line, line.symbol));
        self.calls.sort_unstable_by_key(CallsFromLine::key);
    }

    /// Whether no line is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether it is known what lines cost by themselves, and not only what they call.
    #[must_use]
    pub fn has_own(&self) -> bool {
        let none = SelfCost::default();
        self.list.iter().any(|line| line.own != none)
    }

    /// The name of a file; none if it is not known.
    #[must_use]
    pub fn file(&self, file: Option<FileId>) -> Option<&[u8]> {
        let name = self.files.get(file?.index())?;
        Some(name)
    }

    /// The lines in a file, by line.
    #[must_use]
    pub fn of_file(&self, file: Option<FileId>) -> &[LineCost] {
        let begin = self.list.partition_point(|line| line.file < file);
        let rest = part(&self.list, begin..);
        let length = rest.partition_point(|line| line.file == file);
        part(rest, ..length)
    }
}

/// Adds up costs of lines.
#[derive(Debug)]
pub struct LinesBuilder {
    lines: Lines,
    files: HashMap<Box<[u8]>, FileId>,
    places: NumberMap<(u32, u32, u32), usize>,
    callees: NumberMap<(usize, u32), usize>,
    /// A cache of recently used lines: a file of a million calls repeats few
    /// lines, and a guess is cheaper than a search.
    recent: Vec<usize>,
    budget: Budget,
}

/// A line in a [`LinesBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace(usize);

impl LinePlace {
    /// The number of lines that were added before this one.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

/// The size of the cache, a power of two.
const RECENT: usize = 1024;

/// The key of an unknown file.
const NO_FILE: u32 = u32::MAX;

impl LinesBuilder {
    /// No lines, and room for as many as the budget allows. Nothing is added
    /// once the budget is exceeded.
    #[must_use]
    pub fn within(budget: &Budget) -> Self {
        Self {
            lines: Lines::default(),
            files: HashMap::new(),
            places: NumberMap::default(),
            callees: NumberMap::default(),
            recent: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// The file of that name; none if the budget is exceeded.
    pub fn file(&mut self, name: &[u8]) -> Option<FileId> {
        if let Some(&file) = self.files.get(name) {
            return Some(file);
        }
        let file = FileId(u32::try_from(self.lines.files.len()).ok()?);
        self.budget.take(2 * allocated(name.len()), LINES).ok()?;
        self.budget.room(&mut self.lines.files, LINES).ok()?;
        self.budget.room_in_map(&mut self.files, LINES).ok()?;
        self.lines.files.push(name.into());
        self.files.insert(name.into(), file);
        Some(file)
    }

    /// A line of a function; none if the line is zero, or the budget is
    /// exceeded.
    pub fn line(&mut self, symbol: SymbolId, file: Option<FileId>, line: u32) -> Option<LinePlace> {
        if line == 0 {
            return None;
        }
        if self.recent.is_empty() {
            self.recent = vec![0; RECENT];
        }
        let mixed = symbol.index().wrapping_mul(31).wrapping_add(line as usize);
        let guess = self.recent.get_mut(mixed % RECENT)?;
        if let Some(known) = self.lines.list.get(*guess)
            && (known.symbol, known.file, known.line) == (symbol, file, line)
        {
            return Some(LinePlace(*guess));
        }
        let next = self.lines.list.len();
        self.budget.room_in_map(&mut self.places, LINES).ok()?;
        self.budget.room(&mut self.lines.list, LINES).ok()?;
        let key = (symbol.0, file.map_or(NO_FILE, |file| file.0), line);
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.lines.list.push(LineCost {
                file,
                line,
                symbol,
                own: SelfCost::default(),
                calls: 0,
                callees: SelfCost::default(),
                builtin: SelfCost::default(),
            });
        }
        *guess = place;
        Some(LinePlace(place))
    }

    /// Adds a cost of the line itself.
    pub fn add_own(&mut self, place: LinePlace, own: SelfCost) {
        if let Some(line) = known_mut(&mut self.lines.list, place.0) {
            line.own += own;
        }
    }

    /// Adds calls from the line, and their cost.
    pub fn add_calls(&mut self, place: LinePlace, calls: u64, callees: SelfCost) {
        if let Some(line) = known_mut(&mut self.lines.list, place.0) {
            line.calls = line.calls.saturating_add(calls);
            line.callees += callees;
        }
    }

    /// Adds the part of its callees' cost that is that of functions without lines.
    pub fn add_builtin(&mut self, place: LinePlace, builtin: SelfCost) {
        if let Some(line) = known_mut(&mut self.lines.list, place.0) {
            line.builtin += builtin;
        }
    }

    /// Adds calls of one function from the line.
    pub fn add_callee(&mut self, place: LinePlace, callee: SymbolId, calls: u64, cost: SelfCost) {
        let Some(line) = self.lines.list.get(place.0) else {
            return;
        };
        if self.budget.room_in_map(&mut self.callees, LINES).is_err()
            || self.budget.room(&mut self.lines.calls, LINES).is_err()
        {
            return;
        }
        let next = self.lines.calls.len();
        let found = *self.callees.entry((place.0, callee.0)).or_insert(next);
        if found == next {
            self.lines.calls.push(CallsFromLine {
                file: line.file,
                line: line.line,
                caller: line.symbol,
                callee,
                calls: 0,
                cost: SelfCost::default(),
            });
        }
        if let Some(sum) = known_mut(&mut self.lines.calls, found) {
            sum.calls = sum.calls.saturating_add(calls);
            sum.cost += cost;
        }
    }

    /// Adds the lines of another profile; `number` maps its symbols to ours.
    pub fn add(&mut self, lines: &Lines, number: impl Fn(SymbolId) -> SymbolId) {
        let files = lines.files.iter();
        let files: Vec<_> = files.map(|name| self.file(name)).collect();
        for line in &lines.list {
            let file = line.file.and_then(|file| *files.get(file.index())?);
            if let Some(place) = self.line(number(line.symbol), file, line.line) {
                self.add_own(place, line.own);
                self.add_calls(place, line.calls, line.callees);
                self.add_builtin(place, line.builtin);
            }
        }
        for calls in &lines.calls {
            let file = calls.file.and_then(|file| *files.get(file.index())?);
            if let Some(place) = self.line(number(calls.caller), file, calls.line) {
                self.add_callee(place, number(calls.callee), calls.calls, calls.cost);
            }
        }
    }

    /// The lines, sorted.
    #[must_use]
    pub fn finish(self) -> Lines {
        let mut lines = self.lines;
        self.budget.drop_map(self.places);
        self.budget.drop_map(self.callees);
        lines.sort();
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(wall: i64) -> SelfCost {
        SelfCost {
            wall,
            ..SelfCost::default()
        }
    }

    #[test]
    fn a_line_of_a_function_is_there_once_and_files_are_sorted() {
        let mut builder = LinesBuilder::within(&Budget::unlimited());
        let b = builder.file(b"b.php");
        let a = builder.file(b"a.php");
        assert_eq!(builder.file(b"b.php"), b);
        for (file, line, own) in [(a, 7, 1), (b, 9, 2), (b, 3, 4), (b, 9, 8), (None, 1, 16)] {
            let place = builder.line(SymbolId(1), file, line).unwrap();
            builder.add_own(place, wall(own));
        }
        let other = builder.line(SymbolId(2), b, 9).unwrap();
        builder.add_calls(other, 3, wall(32));
        assert_eq!(builder.line(SymbolId(2), b, 0), None);
        let lines = builder.finish();
        let of = |file: Option<FileId>| {
            let list = lines.of_file(file).iter();
            let list = list.map(|line| (line.line, line.symbol.0, line.own.wall, line.calls));
            list.collect::<Vec<_>>()
        };
        assert_eq!(of(b), [(3, 1, 4, 0), (9, 1, 10, 0), (9, 2, 0, 3)]);
        assert_eq!(of(a), [(7, 1, 1, 0)]);
        assert_eq!(of(None), [(1, 1, 16, 0)]);
        assert_eq!(lines.file(a), Some(&b"a.php"[..]));
        assert_eq!(lines.file(None), None);
    }

    #[test]
    fn lines_of_several_profiles_add_up_under_new_numbers() {
        let mut one = LinesBuilder::within(&Budget::unlimited());
        let file = one.file(b"a.php");
        let place = one.line(SymbolId(1), file, 5).unwrap();
        one.add_own(place, wall(3));
        one.add_calls(place, 2, wall(4));
        let one = one.finish();
        let mut sum = LinesBuilder::within(&Budget::unlimited());
        sum.file(b"z.php");
        sum.add(&one, |_| SymbolId(8));
        sum.add(&one, |_| SymbolId(8));
        let sum = sum.finish();
        assert_eq!(sum.list.len(), 1);
        let line = sum.list[0];
        assert_eq!(sum.file(line.file), Some(&b"a.php"[..]));
        assert_eq!((line.symbol, line.line, line.calls), (SymbolId(8), 5, 4));
        assert_eq!((line.own, line.callees), (wall(6), wall(8)));
    }
}
