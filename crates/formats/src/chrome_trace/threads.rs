//! The threads of a trace, and the profile of all of them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use profile::{Budget, Meta, Metrics, Mode, NodeId, OverBudget, Profile, Spans, WallUnit};

use super::bodies::{events, samples};
use super::forest::Forest;
use super::ours::{Shape, XhprofFields};
use super::steps::{Call, Edge, steps};
use crate::shared::names::Names;
use crate::shared::thread_label::ThreadLabel;

/// A thread of a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) process: String,
    pub(super) thread: String,
}

/// The data of a thread, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) name: Option<String>,
    pub(super) edges: Vec<Edge>,
    pub(super) calls: Vec<Call>,
    /// The index of the edge before which memory or its peak changed.
    pub(super) memory: Vec<(usize, bool, i64)>,
}

/// All threads of a trace.
#[derive(Debug)]
pub(super) struct Threads {
    list: BTreeMap<Key, Thread>,
    budget: Budget,
    pub(super) processes: HashMap<String, String>,
}

/// Bytes per thread, without its calls.
const THREAD_BYTES: usize = 2 * size_of::<(Key, Thread)>() + 64;

impl Threads {
    /// No threads yet, and at most as many as the budget allows.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            list: BTreeMap::new(),
            budget: budget.clone(),
            processes: HashMap::new(),
        }
    }

    /// The thread of a key.
    pub(super) fn thread(&mut self, key: Key) -> Result<&mut Thread, OverBudget> {
        Ok(match self.list.entry(key) {
            Entry::Occupied(place) => place.into_mut(),
            Entry::Vacant(place) => {
                self.budget.take(THREAD_BYTES, "threads")?;
                place.insert(Thread::default())
            }
        })
    }

    /// The profile of all threads; none if no thread has a call.
    pub(super) fn finish(
        self,
        mut names: Names,
        ours: &XhprofFields,
        mut meta: Meta,
    ) -> Option<Profile> {
        let labels = self.labels();
        let mut stray = 0;
        let mut list = Vec::new();
        let mut has_cpu = true;
        for ((key, mut thread), label) in self.list.into_iter().zip(labels) {
            let memory = std::mem::take(&mut thread.memory);
            let steps = steps(thread.edges, thread.calls, &mut stray, &self.budget);
            if !steps.is_empty() {
                has_cpu &= steps.iter().all(|step| step.at.cpu.is_some());
                list.push((key, label, memory, steps));
            }
        }
        if stray > 0 {
            meta.not_read
                .push(format!("{stray} exits without an entry"));
        }
        let start = list
            .iter()
            .filter_map(|(.., steps)| Some(steps.first()?.at.wall))
            .min()?;
        let last = list
            .iter()
            .filter_map(|(.., steps)| Some(steps.last()?.at.wall))
            .max()?;
        let is_counted = ours.sample_ns.is_some();
        let mut metrics = Metrics {
            calls: true,
            cpu: has_cpu,
            memory: ours.has_memory,
            wall_unit: if is_counted {
                WallUnit::Samples
            } else {
                WallUnit::Nanoseconds
            },
        };
        let body = match (list.as_slice(), ours.shape) {
            ([(key, _, memory, steps)], None | Some(Shape::Events)) => {
                meta.process = key.process.parse().ok();
                meta.mode = Mode::Traced;
                events(steps, start, last, has_cpu, memory, &self.budget)
            }
            ([(key, _, _, steps)], Some(Shape::Samples)) => {
                meta.process = key.process.parse().ok();
                meta.mode = Mode::Sampled;
                meta.interval_ns = ours.sample_ns;
                metrics.calls = false;
                samples(steps, start, ours, &self.budget)
            }
            (several, shape) => {
                let mut forest = Forest::new(ours, has_cpu, &self.budget);
                let is_one = several.len() == 1;
                for (key, label, _, steps) in several {
                    let base = if is_one {
                        meta.process = key.process.parse().ok();
                        NodeId::ROOT
                    } else {
                        let symbol = names.symbol(label.as_bytes(), None)?;
                        forest.builder.child(NodeId::ROOT, symbol)
                    };
                    forest.add(base, steps, last);
                }
                match shape {
                    Some(Shape::Tree) => metrics.calls = ours.has_calls,
                    Some(Shape::Samples) => metrics.calls = false,
                    _ => meta.mode = Mode::Traced,
                }
                forest.finish()
            }
        };
        Some(Profile {
            symbols: names.into_symbols(),
            body,
            metrics,
            meta,
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }

    /// The labels of the threads, in the order of the list.
    fn labels(&self) -> Vec<String> {
        let mut keys = self.list.keys().map(|key| &key.process);
        let first = keys.next();
        let is_one_process = keys.all(|process| Some(process) == first);
        let label = |(key, thread): (&Key, &Thread)| {
            let label = ThreadLabel {
                process: self.processes.get(&key.process).map(String::as_str),
                process_id: &key.process,
                thread: thread.name.as_deref(),
                thread_id: &key.thread,
            };
            label.show(is_one_process)
        };
        self.list.iter().map(label).collect()
    }
}
