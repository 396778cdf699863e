//! Kinds and times of events in bytes: one for most exits, one to three for
//! most entries.
//!
//! Nearly all events have a few bytes and go through one loop without calls, so
//! that its state stays in registers. The loop avoids branches that programs
//! make unpredictable.

use super::predict::{Predictor, RANKS};
use super::raw::RawEvent;
use crate::EventKind;
use crate::native::varint;
use crate::table::part;

/// An exit is this bit and a time step below [`LONG_LEAVE`].
pub(super) const LEAVE: u8 = 0x80;
pub(super) const LONG_LEAVE: u64 = 0x7F;
/// An entry is a predicted rank in two bits and a time step below
/// [`LONG_ENTER`].
pub(super) const LONG_ENTER: u64 = 0x1F;
/// The position of the rank in an entry's first byte.
pub(super) const RANK_SHIFT: u32 = 5;

/// The maximum length of an event: its head, two numbers of 32 bits, one of 64.
const LONGEST: usize = 1 + 2 * 5 + varint::MAX;

/// The capacity of two bytes: nearly every step, and most symbols.
const TWO: u64 = 1 << 14;

/// Bytes to be written, with spare capacity after them.
#[derive(Debug, Clone, Default)]
pub(super) struct Bytes {
    bytes: Vec<u8>,
    length: usize,
}

impl Bytes {
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// The written bytes.
    pub(super) fn written(&self) -> &[u8] {
        part(&self.bytes, ..self.length)
    }

    /// Reserves this many bytes, and a word.
    pub(super) fn reserve(&mut self, count: usize) {
        let room = self.length + count + size_of::<u64>();
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
    }

    /// Appends events, each this many steps after the previous one.
    pub(super) fn put_events(
        &mut self,
        mut events: &[RawEvent],
        mut steps: &[u64],
        predictor: &mut Predictor,
    ) {
        self.reserve(events.len() * LONGEST);
        loop {
            let done = self.put_usual(events, steps, predictor);
            let (Some([event, later @ ..]), Some([step, later_steps @ ..])) =
                (events.get(done..), steps.get(done..))
            else {
                break;
            };
            self.put_any(event.what.kind(), *step, predictor);
            (events, steps) = (later, later_steps);
        }
    }

    /// Appends events up to the first one that is long or unknown to the
    /// predictor; returns their number.
    fn put_usual(
        &mut self,
        events: &[RawEvent],
        steps: &[u64],
        predictor: &mut Predictor,
    ) -> usize {
        let bytes = self.bytes.get_mut(self.length..).unwrap_or_default();
        let mut run = predictor.run(events.len());
        let (mut done, mut length) = (0, 0_u32);
        for (event, &step) in events.iter().zip(steps) {
            let start = length as usize;
            let Some(place) = bytes.get_mut(start..start + size_of::<u64>()) else {
                break;
            };
            let (word, count) = match event.what.kind() {
                EventKind::Leave if step < TWO && run.leave() => leave_bytes(step),
                EventKind::Enter(symbol) => {
                    let (Some(name), Some(rank)) = (run.name(symbol.0), run.rank(symbol.0)) else {
                        break;
                    };
                    let name = if rank < RANKS { 0 } else { name.0 };
                    let is_long = rank == RANKS && name == 0;
                    if is_long || step >= TWO || !run.enter(symbol.0, rank) {
                        break;
                    }
                    enter_bytes(rank, name, step)
                }
                _ => break,
            };
            place.copy_from_slice(&u64::to_le_bytes(word));
            length += count;
            done += 1;
        }
        let end = run.end();
        predictor.after(end);
        self.length += length as usize;
        done
    }

    /// Appends any event. An event with an unknown symbol counts as a call of
    /// `main()`.
    #[cold]
    #[inline(never)]
    fn put_any(&mut self, kind: EventKind, step: u64, predictor: &mut Predictor) {
        let (head, long) = match kind {
            EventKind::Leave => (LEAVE, LONG_LEAVE),
            _ => (0, LONG_ENTER),
        };
        let head = head | short(step, long);
        match kind {
            EventKind::Leave => {
                self.byte(head);
                predictor.leave();
            }
            EventKind::Enter(symbol) => {
                let symbol = predictor.known(symbol.0);
                let rank = predictor.enter(symbol);
                self.byte(head | rank_bits(rank));
                if rank == RANKS {
                    self.number(u64::from(symbol) + 1);
                }
            }
            EventKind::Switch(fiber) => {
                self.byte(head | rank_bits(RANKS));
                self.byte(0);
                self.number(u64::from(fiber));
                predictor.switch(fiber);
            }
        }
        if step >= long {
            self.number(step - long);
        }
    }

    /// Appends a number. The capacity must be reserved.
    #[inline]
    pub(super) fn number(&mut self, mut value: u64) {
        while value >= TWO {
            self.byte(low_bits(value) | 0x80);
            value >>= 7;
        }
        let is_two = value > 0x7F;
        let word = (value + (value & 0x3F80)) | u64::from(is_two) << 7;
        let place = self.bytes.get_mut(self.length..);
        if let Some(place) = place.and_then(<[u8]>::first_chunk_mut) {
            *place = word.to_le_bytes();
            self.length += 1 + usize::from(is_two);
        }
    }

    /// Appends bytes. The capacity must be reserved.
    pub(super) fn slice(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        }
    }

    /// Appends a byte. The capacity must be reserved.
    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }
}

/// An exit, and its number of bytes.
#[inline(always)]
fn leave_bytes(step: u64) -> (u64, u32) {
    let (rest, count) = rest(step, LONG_LEAVE);
    (
        u64::from(LEAVE) | step.min(LONG_LEAVE) | rest << 8,
        1 + count,
    )
}

/// An entry: of the predicted rank or, if there is none, of the given name.
#[inline(always)]
fn enter_bytes(rank: usize, name: u32, step: u64) -> (u64, u32) {
    let name_count = name & 0xFF;
    let (rest, count) = rest(step, LONG_ENTER);
    let head = (rank as u64) << RANK_SHIFT | step.min(LONG_ENTER);
    let name = u64::from(name & !0xFF);
    (
        head | name | rest << (8 + 8 * name_count),
        1 + name_count + count,
    )
}

/// The part of a step below [`TWO`] that follows the head, and its number of
/// bytes; the bytes after those are undefined.
#[inline(always)]
fn rest(step: u64, long: u64) -> (u64, u32) {
    let rest = step.wrapping_sub(long);
    if step > long + 0x7F {
        return (two_bytes(rest), 2);
    }
    (rest, u32::from(step >= long))
}

/// A number in two bytes.
#[cold]
fn two_bytes(value: u64) -> u64 {
    (value + (value & 0x3F80)) | 0x80
}

/// The part of a time step in an event's first byte.
#[expect(clippy::cast_possible_truncation, reason = "at most 127")]
fn short(step: u64, long: u64) -> u8 {
    step.min(long) as u8
}

#[expect(clippy::cast_possible_truncation, reason = "two bits")]
fn rank_bits(rank: usize) -> u8 {
    (rank as u8 & 3) << RANK_SHIFT
}

fn low_bits(value: u64) -> u8 {
    (value & 0x7F) as u8
}
