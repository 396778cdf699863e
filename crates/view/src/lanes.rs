//! Calls in rows, as they are drawn in the order of time.
//!
//! A lane is a stack: the program's own, or that of a fiber. A row is one depth
//! of one lane.
//!
//! **Invariant:** the calls of one row do not overlap and are in the order of
//! time. So the only call of a stretch of a row that can be long is the last
//! one that begins in it.

use std::collections::HashMap;

use profile::{EventFold, EventKind, Events, NodeId, Samples, Tree};
/// The node that each stretch of time is charged to, in the numbers of the
/// ordered tree.
#[derive(Debug)]
pub(crate) enum TopNodes {
    /// One for the stretch before each event, and one for that after the last.
    Events(Vec<u32>),
    /// One for each stack of the table of stacks.
    Stacks(Vec<u32>),
}

impl TopNodes {
    /// Gives every node the number that it has after reordering.
    pub(crate) fn renumber(&mut self, places: &[u32]) {
        let (Self::Events(tops) | Self::Stacks(tops)) = self;
        for top in tops {
            *top = places[*top as usize];
        }
    }
}

/// One call, or a run of samples that saw the same call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Its node, as the tree's builder numbers it.
    pub(crate) node: u32,
}

/// One depth of one stack.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Which stack: zero is the program's own.
    pub(crate) lane: u32,
    /// How deep below the lane's first function.
    pub(crate) depth: u32,
    pub(crate) calls: Vec<Call>,
}

/// All rows.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    /// In the order to show them: by lane, then by depth.
    pub(crate) rows: Vec<Row>,
    /// When the last call ended, in nanoseconds since the profile began.
    pub(crate) end: u64,
}

impl Lanes {
    /// The calls of events, the node that each stretch of time is charged to,
    /// and the tree of those nodes: one pass over the events for all three.
    pub(crate) fn of_events(events: &Events) -> (Self, TopNodes, Tree) {
        let mut fold = EventFold::new();
        let mut writer = Writer::new(events.end.wall);
        let mut tops = Vec::with_capacity(events.events.len() + 1);
        writer.enter(0, 0);
        tops.push(0);
        for event in &events.events {
            let at = event.at.wall;
            fold.add(*event);
            let top = fold.top().0;
            tops.push(top);
            match event.kind {
                EventKind::Enter(_) => writer.enter(at, top),
                EventKind::Leave => writer.leave(at),
                EventKind::Switch(fiber) => writer.switch(fiber),
            }
        }
        let tree = fold.finish(events.end);
        (writer.finish(), TopNodes::Events(tops), tree)
    }

    /// Samples, each lasting since the one before; consecutive samples of the
    /// same calls are one. A stack and its node have the same number.
    pub(crate) fn of_samples(samples: &Samples) -> Self {
        let end = samples.samples.last().map_or(0, |sample| sample.at);
        let mut writer = Writer::new(end);
        let mut open: Vec<NodeId> = Vec::new();
        let mut path = Vec::new();
        let mut began = 0;
        for sample in &samples.samples {
            path.clear();
            let mut at = sample.stack;
            loop {
                path.push(at);
                let parent = samples.stacks[at.index()].parent;
                if parent >= at {
                    break;
                }
                at = parent;
            }
            path.reverse();
            let shared = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            for _ in shared..open.len() {
                writer.leave_or_root(began);
            }
            for stack in path.iter().skip(shared) {
                writer.enter(began, stack.0);
            }
            open.clone_from(&path);
            began = sample.at.max(began);
        }
        writer.finish()
    }

    /// Gives every call the number that its node has after reordering.
    pub(crate) fn renumber(&mut self, places: &[u32]) {
        for row in &mut self.rows {
            for call in &mut row.calls {
                call.node = places[call.node as usize];
            }
        }
    }
}

/// The open calls of one stack: the row and the place of each.
#[derive(Debug, Default)]
struct Stack {
    lane: u32,
    open: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Writer {
    rows: HashMap<(u32, u32), usize>,
    list: Vec<Row>,
    running: Stack,
    fiber: u32,
    waiting: HashMap<u32, Stack>,
    free_lanes: Vec<u32>,
    lanes: u32,
    end: u64,
}

impl Writer {
    fn new(end: u64) -> Self {
        Self {
            rows: HashMap::new(),
            list: Vec::new(),
            running: Stack::default(),
            fiber: 0,
            waiting: HashMap::new(),
            free_lanes: Vec::new(),
            lanes: 1,
            end,
        }
    }

    fn enter(&mut self, at: u64, node: u32) {
        let lane = self.running.lane;
        let depth = u32::try_from(self.running.open.len()).unwrap_or(u32::MAX);
        let list = &mut self.list;
        let row = *self.rows.entry((lane, depth)).or_insert_with(|| {
            list.push(Row {
                lane,
                depth,
                calls: Vec::new(),
            });
            list.len() - 1
        });
        let calls = &mut self.list[row].calls;
        self.running.open.push((row, calls.len()));
        calls.push(Call {
            start: at,
            end: self.end,
            node,
        });
    }

    /// `main()` stays open: a file may have more exits than entries.
    fn leave(&mut self, at: u64) {
        if self.running.lane > 0 || self.running.open.len() > 1 {
            self.leave_or_root(at);
        }
    }

    fn leave_or_root(&mut self, at: u64) {
        if let Some((row, place)) = self.running.open.pop() {
            self.list[row].calls[place].end = at;
        }
    }

    fn switch(&mut self, fiber: u32) {
        if fiber == self.fiber {
            return;
        }
        let next = self.waiting.remove(&fiber).unwrap_or_else(|| Stack {
            lane: self.free_lanes.pop().unwrap_or_else(|| {
                self.lanes += 1;
                self.lanes - 1
            }),
            open: Vec::new(),
        });
        let left = std::mem::replace(&mut self.running, next);
        if self.fiber == 0 || !left.open.is_empty() {
            self.waiting.insert(self.fiber, left);
        } else {
            self.free_lanes.push(left.lane);
        }
        self.fiber = fiber;
    }

    fn finish(mut self) -> Lanes {
        self.list.sort_by_key(|row| (row.lane, row.depth));
        Lanes {
            rows: self.list,
            end: self.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Event, Instant, Sample, SamplesBuilder, SymbolId};

    /// Lane and depth, and when each call began and ended.
    type Shown = (u32, u32, Vec<(u64, u64)>);

    fn rows(lanes: &Lanes) -> Vec<Shown> {
        let row = |row: &Row| {
            let calls = row.calls.iter().map(|call| (call.start, call.end));
            (row.lane, row.depth, calls.collect())
        };
        lanes.rows.iter().map(row).collect()
    }

    #[test]
    fn fibers_have_rows_of_their_own() {
        use EventKind::{Enter, Leave, Switch};
        let kinds = [
            (10, Enter(SymbolId(1))),
            (20, Switch(7)),
            (20, Enter(SymbolId(2))),
            (30, Switch(0)),
            (40, Leave),
            (50, Switch(7)),
            (60, Leave),
            (60, Switch(0)),
        ];
        let at = |wall| Instant {
            wall,
            ..Instant::default()
        };
        let list = kinds.map(|(wall, kind)| Event { at: at(wall), kind });
        let events = Events {
            events: list.to_vec(),
            end: at(100),
        };
        assert_eq!(
            rows(&Lanes::of_events(&events).0),
            [
                (0, 0, vec![(0, 100)]),
                (0, 1, vec![(10, 40)]),
                (1, 0, vec![(20, 60)])
            ]
        );
    }

    #[test]
    fn samples_of_the_same_call_are_one() {
        let mut builder = SamplesBuilder::default();
        let a = builder.push(NodeId::ROOT, SymbolId(1));
        let b = builder.push(a, SymbolId(2));
        for (at, stack) in [(10, b), (20, a), (30, b), (40, NodeId::ROOT)] {
            builder.add(Sample::new(at, 10, stack));
        }
        let lanes = Lanes::of_samples(&builder.finish());
        assert_eq!(
            rows(&lanes),
            [
                (0, 0, vec![(0, 40)]),
                (0, 1, vec![(0, 30)]),
                (0, 2, vec![(0, 10), (20, 30)])
            ]
        );
    }
}
