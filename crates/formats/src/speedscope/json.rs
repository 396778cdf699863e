//! The file as it is written, without what it means.
//!
//! Arrays may be as long as the file, so they are taken element by element;
//! keys may come in any order.

use std::fmt;
use std::marker::PhantomData;

use profile::{Node, NodeId, SymbolId, TreeBuilder};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny};
use serde::de::{MapAccess, SeqAccess, Visitor};

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) exporter: Option<String>,
    pub(super) frames: Option<Vec<Frame>>,
    pub(super) profiles: Option<Vec<One>>,
}

/// A function, as far as it is said.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<f64>,
}

/// One of the profiles in a file.
#[derive(Debug, Default)]
pub(super) struct One {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) stacks: Stacks,
    pub(super) weights: Vec<f64>,
    pub(super) events: Vec<Event>,
}

/// Stacks of frames, each kept as a path. Symbol `n + 1` is frame `n`.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub(super) paths: Vec<Node>,
    pub(super) samples: Vec<NodeId>,
}

/// An entry or an exit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Event {
    pub(super) opens: bool,
    pub(super) frame: u32,
    pub(super) at: f64,
}

/// What is read key by key.
trait Object: Default {
    const WHAT: &'static str;

    /// Takes the value of `key`, or leaves it: then false is returned.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;
}

struct Keys<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for Keys<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<String>()? {
            if !object.take(&key, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(object)
    }
}

macro_rules! read_by_keys {
    ($($type:ty),*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
                json.deserialize_map(Keys(PhantomData))
            }
        }
    )*};
}

read_by_keys!(File, Shared, Frame, One, Event);

impl Object for File {
    const WHAT: &'static str = "a speedscope file";

    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "name" => self.name = map.next_value()?,
            "exporter" => self.exporter = map.next_value()?,
            "shared" => self.frames = map.next_value::<Shared>()?.frames,
            "profiles" => self.profiles = Some(map.next_value()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[derive(Debug, Default)]
struct Shared {
    frames: Option<Vec<Frame>>,
}

impl Object for Shared {
    const WHAT: &'static str = "frames";

    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        if key == "frames" {
            self.frames = Some(map.next_value()?);
        }
        Ok(key == "frames")
    }
}

impl Object for Frame {
    const WHAT: &'static str = "a frame";

    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "name" => self.name = map.next_value()?,
            "file" => self.file = map.next_value()?,
            "line" => self.line = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Object for One {
    const WHAT: &'static str = "a profile";

    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "type" => self.kind = map.next_value()?,
            "name" => self.name = map.next_value::<Option<String>>()?.unwrap_or_default(),
            "unit" => self.unit = map.next_value()?,
            "startValue" => self.start = map.next_value()?,
            "endValue" => self.end = map.next_value()?,
            "samples" => self.stacks = map.next_value_seed(Samples)?,
            "weights" => self.weights = map.next_value()?,
            "events" => self.events = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Object for Event {
    const WHAT: &'static str = "an event";

    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "type" => {
                self.opens = match map.next_value::<String>()?.as_str() {
                    "O" => true,
                    "C" => false,
                    _ => return Err(de::Error::custom("an event is `O` or `C`")),
                }
            }
            "frame" => self.frame = map.next_value()?,
            "at" => self.at = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// All stacks of a profile.
struct Samples;

impl<'de> DeserializeSeed<'de> for Samples {
    type Value = Stacks;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Stacks, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Samples {
    type Value = Stacks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Stacks, A::Error> {
        let mut paths = TreeBuilder::new();
        let mut samples = Vec::new();
        while let Some(stack) = list.next_element_seed(Stack(&mut paths))? {
            samples.push(stack);
        }
        let paths = paths.finish().nodes;
        Ok(Stacks { paths, samples })
    }
}

/// One stack, root first.
struct Stack<'s>(&'s mut TreeBuilder);

impl<'de> DeserializeSeed<'de> for Stack<'_> {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<NodeId, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Stack<'_> {
    type Value = NodeId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stack")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeId, A::Error> {
        let mut at = NodeId::ROOT;
        while let Some(frame) = list.next_element::<u32>()? {
            let frame = frame
                .checked_add(1)
                .ok_or(de::Error::custom("no such frame"))?;
            at = self.0.child(at, SymbolId(frame));
        }
        Ok(at)
    }
}
