//! Reads the frames of a thread that runs on while it is read.
//!
//! What is read at two instants may be a stack that never was. So a stack is read again, until one of these holds:
//!
//! - two readings in a row are the same, both within [`AT_ONCE`]; three, if they took longer, or if the stack is on
//!   several pages, which the kernel copies one after the other. One system call makes them all, if the frames are where
//!   the last stack had them;
//! - the callers of the innermost function were open, with the same functions, in the reading before and in that
//!   after, all three within [`AT_ONCE`]. Then they were open in between, and the innermost function is theirs. A
//!   program that calls short functions is never the same twice, and its samples would all be of what lasts.
//!
//! A frame that PHP prepares for a call has no caller yet, as the outermost one. So a stack must also end where all
//! stacks of the thread do: at the address of the last outermost frame, or where three readings in a row end. And it
//! ends at a frame that PHP made for code of its own ([`CALL_TOP`]): a target that is switched out between two steps of
//! a call stays as it is for many readings.
//!
//! **Invariant:** a stack that is returned leads to the outermost frame.

use std::io;
use std::ops::Range;

use crate::layout::{Layout, to_usize};
use crate::memory::{Memory, word_in};

/// A frame, by what was read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawFrame {
    pub(crate) address: u64,
    /// The function; zero for the frames that PHP makes up.
    pub(crate) function: u64,
    /// The instruction, which lags behind in the innermost frame.
    pub(crate) opline: u64,
    pub(crate) call_info: u32,
}

/// What a reading has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// No function runs.
    Idle,
    /// A stack, see [`StackReader::frames`].
    Stack,
    /// No reading was a stack that can be believed.
    Torn,
}

/// In how many nanoseconds readings must be made. If this program was switched out in between, the target may have come
/// back to the same callers on another way, or be torn once more where it was torn before.
const AT_ONCE: u64 = 20_000;
/// `ZEND_CALL_TOP` in `zend_compile.h`, the same since PHP 7.1: the call info of a frame that no PHP code calls:
/// `zend_execute` and `zend_call_function` set it, `ZEND_INIT_FCALL` and its kind do not.
const CALL_TOP: u32 = 1 << 17;
/// How often a stack is read before it is given up.
const ATTEMPTS: usize = 24;
/// The frames of a stack that are read: PHP's own limits of recursion are lower, mostly.
const DEEPEST: usize = 1 << 18;
/// The size of a page, or a part of it. The kernel copies a page at once, so a window is never on two of them, but for
/// a frame that is: a function and its caller are read within nanoseconds.
const PAGE: u64 = 4096;
/// How many windows are kept, to be read at once the next time.
const MOST_WINDOWS: usize = 16;

/// Reads stacks; keeps its memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct StackReader {
    /// The last three readings, the latest first; each has its innermost frame first.
    readings: [Vec<RawFrame>; 3],
    /// The address of the outermost frame; zero if it is not known.
    bottom: u64,
    /// What was read for the last reading: first those that were used, in the order of their use.
    windows: Vec<Window>,
    /// How many windows the last reading has used.
    used: usize,
    /// Readings that were made by the same system call as the last one, and are not looked at yet.
    ahead: Ahead,
}

/// A part of the memory that frames are in.
#[derive(Debug)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
    /// The addresses that the last reading has read: all, or those of `frames`.
    read: Range<u64>,
    /// The addresses between which frames were: only these are read the next time. What a busy program has in its
    /// CPU's cache is dear to read.
    frames: Range<u64>,
}

impl Window {
    fn bytes_of(&mut self, addresses: &Range<u64>) -> &mut [u8] {
        let place = to_usize(addresses.start - self.start)..to_usize(addresses.end - self.start);
        self.bytes.get_mut(place).unwrap_or_default()
    }
}

/// Readings, one behind the other: each is the address of the innermost frame, and the bytes of `parts`.
#[derive(Debug, Default)]
struct Ahead {
    bytes: Vec<u8>,
    /// The `frames` of each window.
    parts: Vec<Range<u64>>,
    /// How much of `bytes` was looked at.
    taken: usize,
    /// When the system call began.
    began: u64,
}

impl StackReader {
    /// The frames of the last stack, the innermost first.
    pub(crate) fn frames(&self) -> &[RawFrame] {
        &self.readings[0]
    }

    /// Reads the stack of a thread that may run, whose `executor_globals` are at that address.
    ///
    /// # Errors
    ///
    /// If the globals cannot be read: the process has ended.
    pub(crate) fn read<M: Memory>(
        &mut self,
        memory: &M,
        executor: u64,
        layout: &Layout,
    ) -> io::Result<Reading> {
        for readings in &mut self.readings {
            readings.clear();
        }
        self.ahead.bytes.clear();
        let mut began = [0; 3];
        for _ in 0..ATTEMPTS {
            // As many as are needed if the stack does not change.
            let readings = if self.is_on_one_page() { 2 } else { 3 };
            let reading = self.read_once(memory, executor, layout, readings)?;
            began = [self.ahead.began, began[0], began[1]];
            match reading {
                Reading::Stack => {}
                Reading::Idle => return Ok(Reading::Idle),
                Reading::Torn => {
                    self.readings[0].clear();
                    continue;
                }
            }
            let [now, before, earlier] = &self.readings;
            let [bottom, others @ ..] = [now, before, earlier].map(|reading| bottom(reading));
            if bottom != self.bottom {
                if others != [bottom, bottom] {
                    continue;
                }
                self.bottom = bottom;
            }
            let time = memory.now();
            let is_at_once = |first: u64| time.saturating_sub(first) <= AT_ONCE;
            if is_same(now, before) {
                let are_two_enough = self.is_on_one_page() && is_at_once(began[1]);
                if are_two_enough || is_same(before, earlier) {
                    return Ok(Reading::Stack);
                }
            }
            if is_at_once(began[2]) && is_between(before, earlier, now) {
                self.readings.rotate_left(1);
                return Ok(Reading::Stack);
            }
        }
        Ok(Reading::Torn)
    }

    /// Reads the stack of a thread that is stopped.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub(crate) fn read_stopped<M: Memory>(
        &mut self,
        memory: &M,
        executor: u64,
        layout: &Layout,
    ) -> io::Result<Reading> {
        self.ahead.bytes.clear();
        self.read_once(memory, executor, layout, 1)
    }

    /// Whether the frames of the last reading are on one page.
    fn is_on_one_page(&self) -> bool {
        let page = |window: &Window| window.start..window.start + PAGE;
        let is_in = |window: &Window| window.frames.end <= page(window).end;
        self.used == 1 && self.windows.first().is_some_and(is_in)
    }

    /// One reading, which becomes the latest. If the memory must be read for it, then for `readings` at once.
    fn read_once<M: Memory>(
        &mut self,
        memory: &M,
        executor: u64,
        layout: &Layout,
        readings: usize,
    ) -> io::Result<Reading> {
        self.readings.rotate_right(1);
        let mut frames = std::mem::take(&mut self.readings[0]);
        frames.clear();
        let globals = executor.wrapping_add(layout.current_execute_data);
        let current = match self.next_ahead() {
            Some(current) => current,
            None => self.current(memory, globals, readings)?,
        };
        let outcome = self.follow(memory, current, layout, &mut frames);
        self.readings[0] = frames;
        Ok(match outcome {
            _ if current == 0 => Reading::Idle,
            Some(()) => Reading::Stack,
            None => Reading::Torn,
        })
    }

    /// Reads the address of the innermost frame, and with it the parts of windows that the reading before has used:
    /// mostly the frames are still in them.
    fn current<M: Memory>(&mut self, memory: &M, address: u64, readings: usize) -> io::Result<u64> {
        self.windows.truncate(self.used);
        self.used = 0;
        let Ahead {
            bytes,
            parts,
            taken,
            began,
        } = &mut self.ahead;
        *began = memory.now();
        if !self.windows.is_empty() {
            parts.clear();
            parts.extend(self.windows.iter().map(|window| window.frames.clone()));
            let sizes = parts
                .iter()
                .map(|part| (part.start, to_usize(part.end - part.start)));
            let sizes = std::iter::once((address, 8)).chain(sizes);
            let size: usize = sizes.clone().map(|(_, size)| size).sum();
            bytes.clear();
            bytes.resize(size * readings, 0);
            *taken = 0;
            let mut rest = bytes.as_mut_slice();
            let mut pieces = Vec::with_capacity((1 + parts.len()) * readings);
            for (start, size) in std::iter::repeat_n(sizes, readings).flatten() {
                let (piece, others) = rest.split_at_mut(size);
                pieces.push((start, piece));
                rest = others;
            }
            if memory.read_all(&mut pieces).is_ok()
                && let Some(current) = self.next_ahead()
            {
                return Ok(current);
            }
            self.ahead.bytes.clear();
            self.windows.clear();
        }
        memory.word(address)
    }

    /// The address of the innermost frame in the next reading that is there already; its windows become those of the
    /// last reading.
    fn next_ahead(&mut self) -> Option<u64> {
        let ahead = &mut self.ahead;
        let unread = ahead.bytes.get(ahead.taken..)?;
        let (current, mut rest) = unread.split_first_chunk::<8>()?;
        self.used = 0;
        for part in &ahead.parts {
            let mut windows = self.windows.iter_mut();
            let window = windows.find(|window| window.frames == *part)?;
            let place = window.bytes_of(part);
            let (bytes, others) = rest.split_at_checked(place.len())?;
            place.copy_from_slice(bytes);
            window.read = part.clone();
            rest = others;
        }
        ahead.taken = ahead.bytes.len() - rest.len();
        Some(u64::from_le_bytes(*current))
    }

    /// Collects a frame and its callers. None if they do not lead to an outermost one.
    fn follow<M: Memory>(
        &mut self,
        memory: &M,
        current: u64,
        layout: &Layout,
        frames: &mut Vec<RawFrame>,
    ) -> Option<()> {
        let mut address = current;
        // Frames can form a circle: `throw()` into a running generator makes one. Found as by Brent.
        let (mut remembered, mut limit) = (0, 64);
        while address != 0 {
            if frames.len() >= DEEPEST || address == remembered || !address.is_multiple_of(8) {
                return None;
            }
            if frames.len() == limit {
                (remembered, limit) = (address, limit * 2);
            }
            let frame = self.frame(memory, address, layout)?;
            frames.push(RawFrame {
                address,
                function: word_in(frame, layout.func),
                opline: word_in(frame, layout.opline),
                call_info: crate::memory::half_in(frame, layout.call_info),
            });
            address = word_in(frame, layout.prev);
        }
        // Frames without a function are those between PHP's code and others'.
        let is_outermost =
            |frame: &RawFrame| frame.function == 0 || frame.call_info & CALL_TOP != 0;
        if !frames.last().is_some_and(is_outermost) {
            return None;
        }
        frames.iter().any(|frame| frame.function != 0).then_some(())
    }

    /// The bytes of a frame, from a window that was read or from a new one.
    fn frame<M: Memory>(&mut self, memory: &M, address: u64, layout: &Layout) -> Option<&[u8]> {
        let end = address.checked_add(layout.frame_size)?;
        let holds = |window: &Window| address >= window.read.start && end <= window.read.end;
        let last = self.used.checked_sub(1);
        let last = last.filter(|last| self.windows.get(*last).is_some_and(holds));
        let index = match last.or_else(|| self.windows.iter().position(holds)) {
            Some(index) => index,
            None => self.read_window(memory, address..end)?,
        };
        let index = if index >= self.used {
            self.windows.swap(index, self.used);
            self.used += 1;
            self.used - 1
        } else {
            index
        };
        let window = self.windows.get_mut(index)?;
        let frames = &mut window.frames;
        *frames = frames.start.min(address)..frames.end.max(end);
        Some(window.bytes_of(&(address..end)))
    }

    /// Reads the whole page of a frame; the number of the window.
    fn read_window<M: Memory>(&mut self, memory: &M, frame: Range<u64>) -> Option<usize> {
        // Readings are one after the other: what is ahead of this one was read before it.
        self.ahead.bytes.clear();
        let start = frame.start & !(PAGE - 1);
        // The page is mapped if its first byte is; more only for a frame on two pages.
        let mut bytes = vec![0; to_usize((frame.end - start).max(PAGE))];
        memory.read(start, &mut bytes).ok()?;
        let read = start..start + bytes.len() as u64;
        let known = self.windows.iter().position(|window| window.start == start);
        if let Some(known) = known {
            let window = self.windows.get_mut(known)?;
            window.frames.end = window.frames.end.min(read.end);
            (window.bytes, window.read) = (bytes, read);
            return Some(known);
        }
        if self.windows.len() >= MOST_WINDOWS {
            self.windows.pop();
            self.used = self.used.min(MOST_WINDOWS - 1);
        }
        self.windows.push(Window {
            start,
            bytes,
            read,
            frames: frame,
        });
        Some(self.windows.len() - 1)
    }
}

fn is_same_frame(one: &RawFrame, other: &RawFrame) -> bool {
    one.address == other.address && one.function == other.function
}

fn is_same(one: &[RawFrame], other: &[RawFrame]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same_frame(one, other))
}

/// The address of the outermost frame of a reading; zero if it has none.
fn bottom(reading: &[RawFrame]) -> u64 {
    reading.last().map_or(0, |frame| frame.address)
}

/// Whether the callers in `reading` are open in the reading before it and in that after it.
fn is_between(reading: &[RawFrame], before: &[RawFrame], after: &[RawFrame]) -> bool {
    let Some((_, callers)) = reading.split_first() else {
        return false;
    };
    [before, after].iter().all(|other| {
        if bottom(other) != bottom(reading) {
            return false;
        }
        let above = other.len().checked_sub(callers.len());
        let open = above.and_then(|above| other.get(above..));
        !other.is_empty() && open.is_some_and(|open| is_same(open, callers))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fake::FakeMemory;

    const EXECUTOR: u64 = 0x1_0000;
    const STACK: u64 = 0x2_0000;

    fn layout() -> Layout {
        crate::layout::known().remove(0)
    }

    fn current() -> u64 {
        EXECUTOR + layout().current_execute_data
    }

    /// Memory with frames at `STACK`, 0x100 apart, each with a function of that number.
    fn memory(functions: &[u64]) -> FakeMemory {
        let memory = FakeMemory::default();
        memory.write(STACK - PAGE, &[0; 0x4000]);
        memory.word(current(), 0);
        for (index, function) in functions.iter().enumerate() {
            push(&memory, index as u64, *function);
        }
        memory
    }

    fn place(index: u64) -> u64 {
        STACK + index * 0x100
    }

    fn push(memory: &FakeMemory, index: u64, function: u64) {
        let layout = layout();
        memory.word(place(index) + layout.func, function);
        memory.word(
            place(index) + layout.prev,
            if index == 0 { 0 } else { place(index - 1) },
        );
        let call_info = if index == 0 { CALL_TOP } else { 0 };
        memory.write(place(index) + layout.call_info, &call_info.to_le_bytes());
        memory.word(current(), place(index));
    }

    fn read(memory: &FakeMemory) -> (Reading, Vec<u64>) {
        let mut reader = StackReader::default();
        let reading = reader.read(memory, EXECUTOR, &layout()).unwrap();
        (
            reading,
            reader.frames().iter().map(|frame| frame.function).collect(),
        )
    }

    #[test]
    fn a_stack_that_lasts_is_read_twice_the_first_one_three_times() {
        let memory = memory(&[7, 8, 9]);
        let mut reader = StackReader::default();
        // Each reads the globals and one window of frames.
        for reads in [6, 10] {
            let reading = reader.read(&memory, EXECUTOR, &layout()).unwrap();
            assert_eq!((reading, reader.frames().len()), (Reading::Stack, 3));
            assert_eq!(memory.reads(), reads);
        }
    }

    #[test]
    fn a_frame_that_is_prepared_is_not_taken_for_the_outermost_one() {
        let memory = memory(&[7, 8, 9]);
        let mut reader = StackReader::default();
        reader.read(&memory, EXECUTOR, &layout()).unwrap();
        // The innermost function returns before its frame is read, and the next call is prepared at its place; twice.
        for read in [6, 8] {
            memory.change(read, current(), place(2));
            memory.change(read + 1, current(), place(1));
            memory.change(read + 1, place(2) + layout().prev, 0);
        }
        let reading = reader.read(&memory, EXECUTOR, &layout()).unwrap();
        let functions: Vec<u64> = reader.frames().iter().map(|frame| frame.function).collect();
        assert_eq!((reading, functions), (Reading::Stack, vec![8, 7]));
    }

    #[test]
    fn a_target_that_is_switched_out_while_it_prepares_a_call_has_no_stack() {
        let memory = memory(&[7, 8, 9]);
        // The last call has returned and the next one is prepared at its place, but PHP has not written down yet that
        // the caller runs.
        memory.word(place(2) + layout().prev, 0);
        assert_eq!(read(&memory).0, Reading::Torn);
    }

    #[test]
    fn no_frame_is_idle_and_no_globals_are_an_error() {
        assert_eq!(read(&memory(&[])).0, Reading::Idle);
        let mut reader = StackReader::default();
        assert!(
            reader
                .read(&FakeMemory::default(), EXECUTOR, &layout())
                .is_err()
        );
    }

    #[test]
    fn a_callee_that_changes_between_two_readings_is_that_of_its_callers() {
        let memory = memory(&[7, 8, 9]);
        // Before each reading of the globals another function runs at the same place.
        for read in 0..8 {
            memory.change(2 * read, place(2) + layout().func, 20 + read as u64);
        }
        // Three readings, of which the second is taken.
        assert_eq!(read(&memory), (Reading::Stack, vec![21, 8, 7]));
        assert_eq!(memory.reads(), 6);
    }

    #[test]
    fn readings_that_are_far_apart_must_be_the_same() {
        let mut memory = memory(&[7, 8, 9]);
        memory.read_takes = 10_000;
        for read in 0..8 {
            memory.change(2 * read, place(2) + layout().func, 20 + read as u64);
        }
        // The last change is before the eighth reading.
        assert_eq!(read(&memory), (Reading::Stack, vec![27, 8, 7]));
        assert_eq!(memory.reads(), 22);
    }

    #[test]
    fn a_stack_that_never_was_is_not_returned_if_it_is_read_twice_far_apart() {
        let mut memory = memory(&[1, 0xA, 0xC]);
        memory.read_takes = 10_000;
        let mut reader = StackReader::default();
        reader.read(&memory, EXECUTOR, &layout()).unwrap();
        // As above: the frame of A is B's when it is read, here in two rounds of the same loop.
        let first = memory.reads();
        for round in [first, first + 2] {
            memory.change(round, place(1) + layout().func, 0xA);
            memory.change(round, current(), place(2));
            memory.change(round + 1, place(1) + layout().func, 0xB);
            memory.change(round + 1, current(), place(1));
        }
        let reading = reader.read(&memory, EXECUTOR, &layout()).unwrap();
        let functions: Vec<u64> = reader.frames().iter().map(|frame| frame.function).collect();
        assert_eq!((reading, functions), (Reading::Stack, vec![0xB, 1]));
    }

    #[test]
    fn a_stack_that_never_was_is_not_returned() {
        // main, A, C run when the globals are read. Before the frames are read, both have returned and main has
        // called B at the place of A: the frame of C is still there.
        let memory = memory(&[1, 0xA, 0xC]);
        memory.change(1, place(1) + layout().func, 0xB);
        memory.change(1, current(), place(1));
        assert_eq!(read(&memory), (Reading::Stack, vec![0xB, 1]));
    }

    #[test]
    fn a_stack_that_changes_all_the_time_is_torn() {
        let memory = memory(&[1, 2, 3, 4]);
        for read in 0..200 {
            memory.change(read, place(1) + layout().func, 100 + read as u64);
        }
        assert_eq!(read(&memory).0, Reading::Torn);
    }

    #[test]
    fn what_does_not_lead_to_the_outermost_frame_is_torn() {
        let circle = memory(&[1, 2, 3]);
        circle.word(place(0) + layout().prev, place(2));
        assert_eq!(read(&circle).0, Reading::Torn);
        let wild = memory(&[1, 2, 3]);
        wild.word(place(0) + layout().prev, 0xdead_0000);
        assert_eq!(read(&wild).0, Reading::Torn);
        let odd = memory(&[1, 2, 3]);
        odd.word(place(0) + layout().prev, place(0) + 3);
        assert_eq!(read(&odd).0, Reading::Torn);
    }

    #[test]
    fn a_stack_on_several_pages_is_read_three_times() {
        let memory = memory(&(1..=30).collect::<Vec<u64>>());
        let mut reader = StackReader::default();
        reader.read(&memory, EXECUTOR, &layout()).unwrap();
        let before = memory.reads();
        let reading = reader.read(&memory, EXECUTOR, &layout()).unwrap();
        assert_eq!((reading, reader.frames().len()), (Reading::Stack, 30));
        // The globals and two pages, three times.
        assert_eq!(memory.reads() - before, 9);
    }

    #[test]
    fn frames_are_read_where_their_page_is_the_first_that_is_mapped() {
        let memory = FakeMemory::default();
        memory.write(STACK, &[0; 0x1000]);
        push(&memory, 0, 7);
        push(&memory, 1, 8);
        assert_eq!(read(&memory), (Reading::Stack, vec![8, 7]));
    }
}
