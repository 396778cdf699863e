//! The common part of both of PerfView's readers: samples with stacks as text
//! or by index, in any order, and tables of frames and stacks.

use profile::{
    Body, Budget, Meta, Metric, Metrics, NodeId, NumberMap, OverBudget, Profile, Sample,
    SamplesBuilder, Spans, SymbolId, WallUnit,
};

use super::metric::{self, Counts, MILLIONTHS};
use crate::shared::paths::Paths;
use crate::shared::symbols::Symbols;
use crate::shared::text;

/// The part that has been read.
#[derive(Debug)]
pub(super) struct Source {
    symbols: Symbols,
    stacks: SamplesBuilder,
    paths: Paths,
    samples: Vec<Pending>,
    frames: NumberMap<u32, SymbolId>,
    callers: NumberMap<u32, Caller>,
    has_metric: bool,
    notes: Option<String>,
    budget: Budget,
}

/// The noun in the budget's error message.
const STACKS: &str = "stacks";
const SAMPLES: &str = "samples";

/// A sample, in the order of the file.
#[derive(Debug, Clone, Copy)]
struct Pending {
    /// Nanoseconds.
    at: u64,
    /// In millionths.
    metric: i64,
    stack: StackRef,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StackRef {
    Known(NodeId),
    Numbered(u32),
}

/// A stack by index: its caller's index and one frame.
#[derive(Debug, Clone, Copy)]
struct Caller {
    caller: Option<u32>,
    frame: u32,
    node: Progress,
}

#[derive(Debug, Clone, Copy)]
enum Progress {
    Todo,
    /// Its callers are being looked up, which detects cycles.
    Busy,
    Done(NodeId),
}

impl Source {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            symbols: Symbols::within(budget),
            stacks: SamplesBuilder::within(budget),
            paths: Paths::within(budget),
            samples: Vec::new(),
            frames: NumberMap::default(),
            callers: NumberMap::default(),
            has_metric: false,
            notes: None,
            budget: budget.clone(),
        }
    }

    fn over(error: OverBudget) -> String {
        error.to_string()
    }

    pub(super) fn add_frame(&mut self, id: &str, name: &str) -> Result<(), String> {
        let id = number(id)?;
        let symbol = symbol(&mut self.symbols, name);
        let room = self.budget.room_in_map(&mut self.frames, STACKS);
        room.map_err(Self::over)?;
        match self.frames.insert(id, symbol) {
            None => Ok(()),
            Some(_) => Err(format!("frame {id} occurs twice")),
        }
    }

    pub(super) fn add_stack(&mut self, id: &str, caller: &str, frame: &str) -> Result<(), String> {
        let id = number(id)?;
        let stack = Caller {
            caller: if caller.trim() == "-1" {
                None
            } else {
                Some(number(caller)?)
            },
            frame: number(frame)?,
            node: Progress::Todo,
        };
        let room = self.budget.room_in_map(&mut self.callers, STACKS);
        room.map_err(Self::over)?;
        match self.callers.insert(id, stack) {
            None => Ok(()),
            Some(_) => Err(format!("stack {id} occurs twice")),
        }
    }

    /// A sample of a stack by index.
    pub(super) fn add_numbered(
        &mut self,
        time: Option<&str>,
        metric: Option<&str>,
        stack: &str,
    ) -> Result<(), String> {
        let stack = StackRef::Numbered(number(stack)?);
        self.add(time, metric, stack)
    }

    /// A sample of a stack by names, the innermost function first.
    pub(super) fn add_named<'n>(
        &mut self,
        time: Option<&str>,
        metric: Option<&str>,
        names: impl DoubleEndedIterator<Item = &'n str>,
    ) -> Result<(), String> {
        let mut names = names.rev().peekable();
        if names.peek().is_none() {
            return Err("a sample without a stack".to_owned());
        }
        let symbols = &mut self.symbols;
        let node = self
            .paths
            .node(names.map(|name| symbol(symbols, name)), |caller, symbol| {
                self.stacks.push(caller, symbol)
            });
        self.add(time, metric, StackRef::Known(node))
    }

    pub(super) fn set_notes(&mut self, notes: String) {
        self.notes = Some(notes);
    }

    fn add(
        &mut self,
        time: Option<&str>,
        metric: Option<&str>,
        stack: StackRef,
    ) -> Result<(), String> {
        let value = |text: Option<&str>, default| match text {
            None => Ok(default),
            Some(text) => {
                metric::millionths(text).ok_or_else(|| format!("`{}` is not a number", short(text)))
            }
        };
        self.has_metric |= metric.is_some();
        let at = value(time, 0)?;
        let at = u64::try_from(at).unwrap_or(0);
        let metric = value(metric, MILLIONTHS)?;
        // Entries with one time and one stack are one sample.
        if let Some(last) = self.samples.last_mut()
            && (last.at, last.stack) == (at, stack)
            && let Some(sum) = last.metric.checked_add(metric)
        {
            last.metric = sum;
            return Ok(());
        }
        let room = self.budget.room(&mut self.samples, SAMPLES);
        room.map_err(Self::over)?;
        self.samples.push(Pending { at, metric, stack });
        Ok(())
    }

    fn push(&mut self, caller: Option<NodeId>, symbol: SymbolId) -> NodeId {
        match caller {
            // The root exists already.
            None if symbol == SymbolId::ROOT => NodeId::ROOT,
            None => self.stacks.push(NodeId::ROOT, symbol),
            Some(caller) => self.stacks.push(caller, symbol),
        }
    }

    /// The stack of an index, and its callers.
    fn resolve(&mut self, id: u32) -> Result<NodeId, String> {
        // From the innermost frame to the first known caller, and back.
        let mut open = Vec::new();
        let mut next = Some(id);
        let mut node = None;
        while let Some(id) = next {
            let stack = self.callers.get_mut(&id);
            let stack = stack.ok_or_else(|| format!("there is no stack {id}"))?;
            match stack.node {
                Progress::Done(done) => {
                    node = Some(done);
                    break;
                }
                Progress::Busy => return Err(format!("stack {id} calls itself")),
                Progress::Todo => {
                    stack.node = Progress::Busy;
                    let room = self.budget.room(&mut open, STACKS);
                    room.map_err(Self::over)?;
                    open.push((id, stack.frame));
                    next = stack.caller;
                }
            }
        }
        while let Some((id, frame)) = open.pop() {
            let symbol = self.frames.get(&frame).copied();
            let symbol = symbol.ok_or_else(|| format!("there is no frame {frame}"))?;
            let done = self.push(node, symbol);
            node = Some(done);
            if let Some(stack) = self.callers.get_mut(&id) {
                stack.node = Progress::Done(done);
            }
        }
        node.ok_or_else(|| format!("there is no stack {id}"))
    }

    /// The profile: samples with times, if their metric allows that.
    pub(super) fn finish(mut self) -> Result<Profile, String> {
        let notes = self.notes.take().unwrap_or_default();
        let (title, counts) = match metric::from_notes(&notes) {
            Some((title, counts)) => (title, counts),
            // If no sample has a metric, each sample counts once.
            None if !self.has_metric => (None, Counts::Samples),
            None => (None, Counts::Time(Metric::Wall)),
        };
        let mut samples = std::mem::take(&mut self.samples);
        samples.sort_by_key(|sample| sample.at);
        let mut resolved = Vec::new();
        let room = (self.budget).room_for(&mut resolved, samples.len(), SAMPLES);
        room.map_err(Self::over)?;
        for sample in samples {
            let node = match sample.stack {
                StackRef::Known(node) => node,
                StackRef::Numbered(id) => self.resolve(id)?,
            };
            resolved.push((sample.at, sample.metric, node));
        }
        let mut metrics = Metrics {
            calls: false,
            ..Metrics::default()
        };
        let is_counted = counts == Counts::Samples;
        if is_counted {
            metrics.wall_unit = WallUnit::Samples;
        }
        // Samples count wall time, and have no place for a weight below zero.
        let is_plain = matches!(counts, Counts::Time(Metric::Wall) | Counts::Samples)
            && resolved.iter().all(|&(_, metric, _)| metric >= 0);
        let body = if is_plain {
            for (at, metric, stack) in resolved {
                let weight = metric.unsigned_abs();
                let weight = if is_counted {
                    weight / MILLIONTHS.unsigned_abs()
                } else {
                    weight
                };
                self.stacks.add(Sample::new(at, weight, stack));
            }
            Body::Samples(self.stacks.finish())
        } else {
            metrics.cpu = counts == Counts::Time(Metric::Cpu);
            metrics.memory = matches!(counts, Counts::Memory(_));
            let costs = resolved.into_iter();
            let costs = costs.map(|(_, metric, node)| (node, counts.self_cost(metric)));
            Body::Tree(self.stacks.finish_tree(costs))
        };
        let (title, is_estimated) = text::split_title(title.unwrap_or_default());
        Ok(Profile {
            symbols: self.symbols.finish(),
            body,
            metrics,
            meta: Meta {
                title,
                is_estimated,
                ..Meta::default()
            },
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }
}

fn symbol(symbols: &mut Symbols, name: &str) -> SymbolId {
    let name = if name.is_empty() { "(unknown)" } else { name };
    symbols.id(name.as_bytes())
}

fn number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("`{}` is not an ID", short(text)))
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}
