//! Reads speedscope's files: those of `xhprof`, and those of other profilers,
//! of which most write a profile for each thread.
//!
//! One sampled profile becomes samples, one evented becomes events, and several
//! become one tree: threads are separate subtrees, several costs are combined.

use std::io::BufRead;

use profile::{
    Body, Budget, EventKind, Events, Instant, Meta, Metric, Metrics, Mode, NodeId, Profile, Sample,
    Samples, SamplesBuilder, Spans, SymbolId, TreeBuilder, WallUnit,
};

use super::frames::Frames;
use super::json::{self, File};
use super::parts::{Event, One, scaled, unsigned};
use crate::ReadError;
use crate::shared::text::split_title;
use crate::shared::whole;

/// Reads a whole file.
pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let bytes = whole::whole_json(input, "speedscope", budget)?;
    let outcome = json::read(&bytes, budget);
    whole::check(budget, bytes.len())?;
    let file = outcome.map_err(|error| ReadError::Line {
        format: "speedscope",
        line: error.line() as u64,
        reason: error.to_string(),
    })?;
    let offset = bytes.len() as u64;
    budget.drop_list(bytes);
    let outcome = profile(file, budget);
    budget.check()?;
    outcome.map_err(|reason| ReadError::Offset {
        format: "speedscope",
        offset,
        reason,
    })
}

fn profile(file: File, budget: &Budget) -> Result<Profile, String> {
    let frames = file.frames.ok_or("there are no frames")?;
    let mut profiles = Vec::new();
    for one in file.profiles.ok_or("there are no profiles")? {
        let (metric, scale) = metric(&one)?;
        let room = budget.room(&mut profiles, "profiles");
        room.map_err(|error| error.to_string())?;
        profiles.push((metric, scale, one));
    }
    let has_time = profiles
        .iter()
        .any(|profile| profile.0 == Kind::Cost(Metric::Wall));
    // What is only counted says nothing beside times.
    profiles.retain(|profile| profile.0 != Kind::Counted || !has_time);
    let mut counted = profiles.iter().filter(|profile| profile.0 == Kind::Counted);
    let counted = counted.next().map(|profile| profile.2.name.clone());
    let is_counted = counted.is_some();
    // Other tools use the thread's name as the profile's name.
    let is_ours = file
        .exporter
        .as_deref()
        .is_some_and(|exporter| exporter.starts_with("xhprof@"));
    let counts = counted.filter(|name| is_ours && name != "samples");
    let (body, metrics) = match profiles.as_slice() {
        [] => return Err("there are no profiles".to_owned()),
        // Samples have no place for a weight below zero.
        [(Kind::Cost(Metric::Wall) | Kind::Counted, scale, one)]
            if one.kind == "sampled" && one.weights.iter().all(|&weight| weight >= 0.0) =>
        {
            let body = Body::Samples(samples(one, *scale, &frames, budget)?);
            (
                body,
                Metrics {
                    calls: false,
                    ..Metrics::default()
                },
            )
        }
        [(Kind::Cost(Metric::Wall) | Kind::Counted, wall, one)] if one.kind == "evented" => (
            Body::Events(events(one, *wall, None, &frames, budget)?),
            Metrics::default(),
        ),
        [
            (Kind::Cost(Metric::Wall), wall, one),
            (Kind::Cost(Metric::Cpu), cpu, other),
        ] if fit_together(one, other) => {
            let events = events(one, *wall, Some((other, *cpu)), &frames, budget)?;
            (
                Body::Events(events),
                Metrics {
                    cpu: true,
                    ..Metrics::default()
                },
            )
        }
        several => tree(several, &frames, budget)?,
    };
    let wall_unit = if is_counted {
        WallUnit::Samples
    } else {
        WallUnit::Nanoseconds
    };
    let mode = match &body {
        Body::Events(_) => Mode::Traced,
        Body::Samples(_) => Mode::Sampled,
        _ => Mode::Unknown,
    };
    let (title, is_estimated) = split_title(file.name.as_deref().unwrap_or_default());
    let symbols = frames.into_symbols();
    let lines = match &body {
        Body::Samples(samples) => samples.lines(&symbols, budget),
        _ => profile::Lines::default(),
    };
    Ok(Profile {
        symbols,
        body,
        metrics: Metrics {
            wall_unit,
            ..metrics
        },
        meta: Meta {
            title,
            is_estimated,
            counts,
            creator: file.exporter,
            mode,
            ..Meta::default()
        },
        spans: Spans::default(),
        lines,
    })
}

/// The kind of a profile's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cost(Metric),
    /// The unit is `none`: usually samples.
    Counted,
}

/// The kind of a profile's values, and their factor to this crate's unit.
fn metric(one: &One) -> Result<(Kind, f64), String> {
    let name = one.name.to_lowercase();
    let scale = match one.unit.as_str() {
        "none" | "" => return Ok((Kind::Counted, 1.0)),
        "bytes" if name.contains("peak") => return Ok((Kind::Cost(Metric::Peak), 1.0)),
        "bytes" => return Ok((Kind::Cost(Metric::Memory), 1.0)),
        "nanoseconds" => 1.0,
        "microseconds" => 1e3,
        "milliseconds" => 1e6,
        "seconds" => 1e9,
        other => return Err(format!("a profile's unit is {other:?}")),
    };
    let is_cpu = name == "cpu" || name == "cpu time";
    let metric = if is_cpu { Metric::Cpu } else { Metric::Wall };
    Ok((Kind::Cost(metric), scale))
}

/// The stack and the weight of each sample.
fn weighed<'o>(
    one: &'o One,
    places: &'o [NodeId],
) -> Result<impl Iterator<Item = (NodeId, f64)> + 'o, String> {
    if one.stacks.samples.len() != one.weights.len() {
        return Err("not as many weights as samples".to_owned());
    }
    let stacks = one.stacks.samples.iter();
    let stacks = stacks.map(|stack| places[stack.index()]);
    Ok(stacks.zip(one.weights.iter().copied()))
}

fn samples(one: &One, scale: f64, frames: &Frames, budget: &Budget) -> Result<Samples, String> {
    let mut builder = SamplesBuilder::within(budget);
    let places = frames.paths(one, |below, symbol| builder.push(below, symbol))?;
    let lined = frames.lined(one, &places, &mut builder)?;
    let mut now = 0.0;
    let mut last = None;
    let paths = one.stacks.samples.iter();
    for ((stack, weight), path) in weighed(one, &places)?.zip(paths) {
        let lined = lined.get(path.index()).copied().unwrap_or_default();
        // A sample of zero duration in the same stack adds nothing.
        if weight == 0.0 && last == Some((stack, lined)) {
            continue;
        }
        last = Some((stack, lined));
        builder.add(Sample {
            lined,
            ..Sample::new(unsigned(now, scale), unsigned(weight, scale), stack)
        });
        now += weight.max(0.0);
    }
    Ok(builder.finish())
}

/// Whether both profiles have the same calls in the same order.
fn fit_together(one: &One, other: &One) -> bool {
    let call = |event: &Event| (event.opens, event.frame);
    one.kind == "evented"
        && other.kind == "evented"
        && one
            .events
            .iter()
            .map(call)
            .eq(other.events.iter().map(call))
}

/// Walks over the events of a profile: opened and closed frames, and their
/// times. Frames that are open at the end are not closed.
fn walk(
    one: &One,
    frames: &Frames,
    mut visit: impl FnMut(usize, Option<EventKind>),
) -> Result<(), String> {
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut last = one.start;
    for (number, event) in one.events.iter().enumerate() {
        if event.at < last {
            return Err(format!("event {number} is earlier than the one before it"));
        }
        last = event.at;
        let symbol = frames.symbol(event.frame)?;
        let kind = if event.opens {
            let is_root = open.is_empty() && symbol == SymbolId::ROOT;
            open.push((event.frame, is_root));
            (!is_root).then_some(EventKind::Enter(symbol))
        } else {
            match open.pop() {
                Some((frame, is_root)) if frame == event.frame => {
                    (!is_root).then_some(EventKind::Leave)
                }
                _ => {
                    return Err(format!(
                        "event {number} closes a frame that is not the innermost"
                    ));
                }
            }
        };
        visit(number, kind);
    }
    Ok(())
}

fn events(
    one: &One,
    wall: f64,
    cpu: Option<(&One, f64)>,
    frames: &Frames,
    budget: &Budget,
) -> Result<Events, String> {
    let cpu_at = |number: Option<usize>| {
        let (one, scale) = cpu?;
        let at = number.map_or(Some(one.end), |number| {
            one.events.get(number).map(|event| event.at)
        })?;
        Some(unsigned(at - one.start, scale))
    };
    let mut events = Vec::new();
    let room = budget.room_for(&mut events, one.events.len(), "events");
    room.map_err(|error| error.to_string())?;
    let mut last_cpu = 0;
    walk(one, frames, |number, kind| {
        let at = one.events[number].at;
        // The index comes from the other profile, so it is unchecked.
        last_cpu = cpu_at(Some(number)).unwrap_or(0).max(last_cpu);
        if let Some(kind) = kind {
            let at = Instant {
                wall: unsigned(at - one.start, wall),
                cpu: last_cpu,
                ..Instant::default()
            };
            events.push(profile::Event { at, kind });
        }
    })?;
    let last = one.events.last().map_or(one.start, |event| event.at);
    let end = Instant {
        wall: unsigned(one.end.max(last) - one.start, wall),
        cpu: cpu_at(None).unwrap_or(0).max(last_cpu),
        ..Instant::default()
    };
    Ok(Events { events, end })
}

fn tree(
    profiles: &[(Kind, f64, One)],
    frames: &Frames,
    budget: &Budget,
) -> Result<(Body, Metrics), String> {
    let mut builder = TreeBuilder::within(budget);
    let mut metrics = Metrics {
        calls: false,
        ..Metrics::default()
    };
    for (kind, scale, one) in profiles {
        let metric = match kind {
            Kind::Cost(metric) => *metric,
            Kind::Counted => Metric::Wall,
        };
        match metric {
            Metric::Cpu => metrics.cpu = true,
            Metric::Memory | Metric::Peak => metrics.memory = true,
            Metric::Wall | Metric::Calls => {}
        }
        if one.kind == "evented" {
            let is_wall = metric == Metric::Wall;
            metrics.calls |= is_wall;
            add_events(one, metric, *scale, is_wall, frames, &mut builder)?;
            continue;
        }
        let places = frames.paths(one, |below, symbol| builder.child(below, symbol))?;
        for (node, weight) in weighed(one, &places)? {
            builder.add_value(node, metric, scaled(weight, *scale));
        }
    }
    if metrics.calls {
        builder.cost(NodeId::ROOT).calls = 1;
    }
    Ok((Body::Tree(builder.finish_signed_self_costs()), metrics))
}

fn add_events(
    one: &One,
    metric: Metric,
    scale: f64,
    counts_calls: bool,
    frames: &Frames,
    builder: &mut TreeBuilder,
) -> Result<(), String> {
    let mut open: Vec<NodeId> = Vec::new();
    let mut last = 0;
    let value = |at: f64| scaled(at - one.start, scale);
    walk(one, frames, |number, kind| {
        let at = value(one.events[number].at);
        let top = open.last().copied().unwrap_or_default();
        builder.add_value(top, metric, at.saturating_sub(last));
        last = at;
        match kind {
            Some(EventKind::Enter(symbol)) => {
                let node = builder.child(top, symbol);
                let cost = builder.cost(node);
                cost.calls = cost.calls.saturating_add(u64::from(counts_calls));
                open.push(node);
            }
            Some(_) => {
                open.pop();
            }
            None => {}
        }
    })?;
    let top = open.last().copied().unwrap_or_default();
    let end = value(one.end).max(last);
    builder.add_value(top, metric, end.saturating_sub(last));
    Ok(())
}
