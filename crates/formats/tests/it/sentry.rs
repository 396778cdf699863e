//! Sentry's profile by the rules of its receiver, Relay (`relay-profiling`, `sample/v1.rs`):
//! what it requires, what it drops, and when it refuses a profile.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::HashMap;

use formats::sentry::SENTRY;
use formats::{WriteError, WriteOptions};
use profile::{Body, Cost, NodeId, Profile, SamplesBuilder, Symbol, SymbolId, TreeBuilder};
use serde::Deserialize;

/// What Relay requires; other fields are optional there.
#[derive(Debug, Deserialize)]
struct Item {
    version: String,
    event_id: String,
    platform: String,
    timestamp: String,
    release: String,
    environment: String,
    device: HashMap<String, String>,
    os: HashMap<String, String>,
    runtime: HashMap<String, String>,
    transaction: Transaction,
    profile: Samples,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    id: String,
    name: String,
    trace_id: String,
    active_thread_id: String,
}

#[derive(Debug, Deserialize)]
struct Samples {
    samples: Vec<Sample>,
    stacks: Vec<Vec<usize>>,
    frames: Vec<Frame>,
    thread_metadata: HashMap<String, HashMap<String, String>>,
}

#[derive(Debug, Deserialize)]
struct Sample {
    stack_id: usize,
    thread_id: String,
    elapsed_since_start_ns: u64,
}

#[derive(Debug, Deserialize)]
struct Frame {
    function: String,
    module: Option<String>,
    filename: Option<String>,
    abs_path: Option<String>,
    lineno: Option<u32>,
    in_app: bool,
}

impl Item {
    fn of(profile: &Profile) -> Self {
        let item: Self = serde_json::from_slice(&bytes(profile).unwrap()).unwrap();
        item.check();
        item
    }

    /// Relay's own checks, in its order.
    fn check(&self) {
        assert_eq!((&*self.version, &*self.platform), ("1", "php"));
        for id in [
            &self.event_id,
            &self.transaction.id,
            &self.transaction.trace_id,
        ] {
            let is_id = id.len() == 32
                && id
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            assert!(is_id && id.bytes().any(|byte| byte != b'0'), "{id}");
        }
        assert_ne!(self.event_id, self.transaction.id);
        assert!(!self.transaction.name.is_empty() && !self.environment.is_empty());
        assert!(self.timestamp.ends_with('Z') && self.timestamp.contains('T'));
        assert!(self.device.contains_key("architecture"));
        for named in [&self.os, &self.runtime] {
            assert!(named.contains_key("name") && named.contains_key("version"));
        }
        let of = &self.profile;
        // A thread with one sample is dropped: its time is not known.
        assert!(of.samples.len() >= 2);
        assert!(
            of.samples
                .is_sorted_by_key(|sample| sample.elapsed_since_start_ns)
        );
        assert!(of.samples.last().unwrap().elapsed_since_start_ns <= 30_000_000_000);
        for sample in &of.samples {
            assert_eq!(sample.thread_id, self.transaction.active_thread_id);
            assert!(of.thread_metadata.contains_key(&sample.thread_id));
            // A stack without frames is idle, and dropped.
            assert!(!of.stacks[sample.stack_id].is_empty());
        }
        for stack in &of.stacks {
            assert!(stack.iter().all(|&frame| frame < of.frames.len()));
            assert_eq!(of.frames[*stack.last().unwrap()].function, "main()");
        }
    }

    /// The time of each stack, the innermost function first.
    fn times(&self) -> Vec<(Vec<&str>, u64)> {
        let of = &self.profile;
        let pairs = of.samples.windows(2);
        pairs
            .map(|pair| {
                let [begin, end] = pair else {
                    unreachable!("windows of two")
                };
                let frames = of.stacks[begin.stack_id].iter();
                let names = frames.map(|&frame| &*of.frames[frame].function);
                let time = end.elapsed_since_start_ns - begin.elapsed_since_start_ns;
                (names.collect(), time)
            })
            .collect()
    }
}

fn bytes(profile: &Profile) -> Result<Vec<u8>, WriteError> {
    let mut bytes = Vec::new();
    formats::write(&SENTRY, profile, &WriteOptions::default(), &mut bytes)?;
    Ok(bytes)
}

/// `main()` of 3 ms calls a method of 4 ms.
fn cart(wall: u64) -> Profile {
    let mut profile = Profile::empty();
    let mut method = Symbol::new(*b"Shop\\Cart::total");
    method.file = Some(b"/srv/shop/src/Cart.php".to_vec().into());
    method.line = 17;
    profile.symbols = vec![Symbol::new(*b"main()"), method];
    profile.meta.title = Some("GET /cart".to_owned());
    profile.meta.started_unix_us = Some(1_795_305_600_000_123);
    let mut tree = TreeBuilder::new();
    let child = tree.child(NodeId::ROOT, SymbolId(1));
    for (node, wall) in [(NodeId::ROOT, 3_000_000), (child, wall)] {
        *tree.cost(node) += Cost {
            wall,
            calls: 1,
            ..Cost::default()
        };
    }
    profile.body = Body::Tree(tree.finish_self_costs());
    profile
}

#[test]
fn a_tree_becomes_samples_that_last_as_long() {
    let item = Item::of(&cart(4_000_000));
    assert_eq!(
        item.times(),
        [
            (vec!["main()"], 3_000_000),
            (vec!["Shop\\Cart::total", "main()"], 4_000_000)
        ]
    );
    assert_eq!(item.timestamp, "2026-11-22T00:00:00.000123Z");
    assert_eq!((&*item.transaction.name, &*item.release), ("GET /cart", ""));
    let method = item
        .profile
        .frames
        .iter()
        .find(|frame| frame.lineno.is_some())
        .unwrap();
    assert_eq!(method.module.as_deref(), Some("Shop\\Cart"));
    assert_eq!(method.filename.as_deref(), Some("Cart.php"));
    assert_eq!(method.abs_path.as_deref(), Some("/srv/shop/src/Cart.php"));
    assert!(method.in_app);
}

#[test]
fn tags_name_the_transaction_and_its_trace() {
    let mut profile = cart(4_000_000);
    let plain = Item::of(&profile);
    for (name, value) in [
        ("route", "cart_show"),
        ("release", "2026.11"),
        ("environment", "staging"),
        ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("span_id", "00f067aa0ba902b7"),
    ] {
        profile.meta.set_tag(name, value);
    }
    let item = Item::of(&profile);
    assert_eq!(item.transaction.name, "cart_show");
    assert_eq!(
        item.transaction.trace_id,
        "4bf92f3577b34da6a3ce929d0e0e4736"
    );
    assert_eq!((&*item.release, &*item.environment), ("2026.11", "staging"));
    // The same run is the same event, another one is not.
    assert_eq!(item.event_id, plain.event_id);
    profile.meta.started_unix_us = Some(1);
    assert_ne!(Item::of(&profile).event_id, plain.event_id);
}

#[test]
fn samples_keep_their_order() {
    let mut profile = cart(1);
    let mut samples = SamplesBuilder::default();
    let child = samples.push(NodeId::ROOT, SymbolId(1));
    for (at, stack) in [(10, NodeId::ROOT), (20, child), (30, NodeId::ROOT)] {
        samples.add(profile::Sample {
            at,
            weight: 10,
            stack,
            lined: profile::LinedId::UNKNOWN,
        });
    }
    profile.body = Body::Samples(samples.finish());
    let item = Item::of(&profile);
    let stacks: Vec<usize> = item.times().iter().map(|(stack, _)| stack.len()).collect();
    assert_eq!(stacks, [1, 2, 1]);
    assert_eq!(item.profile.stacks.len(), 2, "each stack once");
}

#[test]
fn a_profile_without_time_has_two_samples() {
    let mut profile = cart(0);
    profile.body = Body::Tree(TreeBuilder::new().finish_self_costs());
    assert_eq!(Item::of(&profile).times(), [(vec!["main()"], 0)]);
}

#[test]
fn what_sentry_refuses_is_not_written() {
    assert!(matches!(
        bytes(&cart(30_000_000_000)),
        Err(WriteError::TooLong { limit_s: 30, .. })
    ));
    let mut edges = cart(1);
    edges.body = Body::Edges(edges.edges().into_owned());
    assert!(matches!(bytes(&edges), Err(WriteError::NeedsStacks { .. })));
}
