//! Reads `.cpuprofile`: the samples with their times, or, without times, how
//! often each function was on top of the stack.

use std::io::BufRead;

use profile::{
    Body, Budget, Meta, Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder, Spans, WallUnit,
};

use super::NAME;
use super::nodes::Nodes;
use crate::ReadError;
use crate::shared::json::Json;
use crate::shared::text::split_title;

/// Larger times are microseconds since 1970 (this one is in 2001). V8 counts
/// from the start of the machine.
const FIRST_DATE: f64 = 1e15;

/// The part of a file that has been read.
#[derive(Debug)]
struct Parts {
    nodes: Nodes,
    samples: Vec<i64>,
    /// Microseconds since the previous sample.
    deltas: Vec<f64>,
    /// Absolute microseconds, in the older form.
    timestamps: Vec<f64>,
    start: f64,
    end: f64,
    is_old: bool,
    title: Option<String>,
    /// The duration of a sample, in files that `xhprof` wrote from counted
    /// samples.
    sample_ns: Option<u64>,
}

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut json = Json::new(input, NAME, budget);
    let mut parts = Parts::within(budget);
    json.object(|json, key| parts.key(json, key))?;
    json.finish()?;
    if parts.nodes.is_empty() {
        return Err(json.error("it contains no nodes"));
    }
    parts.profile(budget).map_err(|reason| json.error(reason))
}

impl Parts {
    fn within(budget: &Budget) -> Self {
        Self {
            nodes: Nodes::within(budget),
            samples: Vec::new(),
            deltas: Vec::new(),
            timestamps: Vec::new(),
            start: 0.0,
            end: 0.0,
            is_old: false,
            title: None,
            sample_ns: None,
        }
    }

    fn key(&mut self, json: &mut Json<'_>, key: &str) -> Result<(), ReadError> {
        match key {
            "nodes" => json.array(|json| self.nodes.read(json))?,
            "head" => {
                self.is_old = true;
                self.nodes.read_nested(json, None, 0)?;
            }
            "samples" => json.array(|json| {
                let sample = json.integer()?;
                json.push(&mut self.samples, sample)
            })?,
            "timeDeltas" => numbers(json, &mut self.deltas)?,
            "timestamps" => numbers(json, &mut self.timestamps)?,
            "startTime" => self.start = json.number()?.unwrap_or(0.0),
            "endTime" => self.end = json.number()?.unwrap_or(0.0),
            "title" => self.title = json.text()?,
            "xhprofSampleNs" => self.sample_ns = Some(json.value::<u64>()?.max(1)),
            _ => json.skip()?,
        }
        Ok(())
    }

    fn profile(self, budget: &Budget) -> Result<Profile, String> {
        let mut builder = SamplesBuilder::within(budget);
        let places = self
            .nodes
            .paths(|below, symbol| builder.push(below, symbol))?;
        let times = self.times(budget)?;
        let mut wall_unit = WallUnit::Nanoseconds;
        if times.is_empty() {
            wall_unit = WallUnit::Samples;
            let mut on_top: Vec<_> = places.values().filter(|(_, hits)| *hits > 0).collect();
            on_top.sort();
            for &&(stack, weight) in &on_top {
                let at = 0;
                builder.add(Sample::new(at, weight, stack));
            }
        }
        let first = times.first().map_or(0, |(at, _)| *at);
        for pair in times.windows(2) {
            let [(at, id), (next, _)] = pair else {
                continue;
            };
            let (stack, _) = places
                .get(id)
                .ok_or_else(|| format!("there is no node {id}"))?;
            let length = next.saturating_sub(*at);
            if length == 0 && *stack == NodeId::ROOT {
                continue;
            }
            builder.add(Sample::new(
                at.saturating_sub(first),
                length / self.sample_ns.unwrap_or(1),
                *stack,
            ));
        }
        if self.sample_ns.is_some() {
            wall_unit = WallUnit::Samples;
        }
        let (title, is_estimated) = split_title(self.title.as_deref().unwrap_or_default());
        let started = self.start >= FIRST_DATE;
        Ok(Profile {
            symbols: self.nodes.names.into_symbols(),
            body: Body::Samples(builder.finish()),
            metrics: Metrics {
                calls: false,
                wall_unit,
                ..Metrics::default()
            },
            meta: Meta {
                title,
                is_estimated,
                mode: Mode::Sampled,
                interval_ns: self.sample_ns,
                started_unix_us: started.then(|| nanoseconds(self.start) / 1_000),
                ..Meta::default()
            },
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }

    /// The time of each sample, in nanoseconds since the beginning, and the
    /// node on top of the stack; last, the end of the profile. Empty without
    /// times.
    fn times(&self, budget: &Budget) -> Result<Vec<(u64, i64)>, String> {
        // The older form has seconds here, and microseconds in the samples.
        let scale = if self.is_old { 1e6 } else { 1.0 };
        let (start, end) = (self.start * scale, self.end * scale);
        let mut times = Vec::new();
        let room = budget.room_for(&mut times, self.samples.len() + 1, "samples");
        room.map_err(|error| error.to_string())?;
        let list = match (self.deltas.as_slice(), self.timestamps.as_slice()) {
            ([], []) => return Ok(times),
            ([], list) | (list, _) => list,
        };
        if list.len() != self.samples.len() {
            return Err("not as many times as samples".to_owned());
        }
        let mut now = 0.0;
        let first = self.timestamps.first().copied().unwrap_or(0.0);
        for (&time, &id) in list.iter().zip(&self.samples) {
            now = if self.deltas.is_empty() {
                time - first
            } else {
                now + time
            };
            times.push((nanoseconds(now), id));
        }
        // V8 occasionally writes a sample with an earlier time than the
        // previous one.
        if !times.is_sorted_by_key(|(at, _)| *at) {
            times.sort_by_key(|(at, _)| *at);
        }
        let last = times.last().map_or(0, |(at, _)| *at);
        let base = if self.deltas.is_empty() { first } else { start };
        times.push((nanoseconds(end - base).max(last), 0));
        Ok(times)
    }
}

fn numbers(json: &mut Json<'_>, list: &mut Vec<f64>) -> Result<(), ReadError> {
    json.array(|json| {
        let number = json.float()?;
        json.push(list, number)
    })
}

/// Microseconds as nanoseconds; negative values become zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates"
)]
fn nanoseconds(microseconds: f64) -> u64 {
    (microseconds * 1_000.0).round().max(0.0) as u64
}
