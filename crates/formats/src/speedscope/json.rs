//! Parses the file without interpreting it.
//!
//! Arrays may be as long as the file, so they are read element by element; keys
//! may come in any order.
//!
//! **Invariant:** kept data is counted on the budget first; unknown keys are
//! not kept.

use std::fmt;
use std::marker::PhantomData;

use profile::{Budget, NodeId, OverBudget, SymbolId, TreeBuilder, allocated};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny};
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::frames::Frames;
use super::parts::{Event, Frame, One, Stacks};

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) exporter: Option<String>,
    pub(super) frames: Option<Frames>,
    pub(super) profiles: Option<Vec<One>>,
}

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], budget: &Budget) -> Result<File, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let file = Keys::new(budget).deserialize(&mut json)?;
    json.end()?;
    Ok(file)
}

/// A value that is read key by key.
trait Object: Default {
    /// Its name, singular and plural.
    const WHAT: &'static str;
    const MANY: &'static str;

    /// Reads the value of `key`; returns false if the key is unknown.
    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        budget: &Budget,
    ) -> Result<bool, A::Error>;

    /// Whether it repeats the previous one of a list.
    fn adds_nothing_to(&self, _last: &Self) -> bool {
        false
    }
}

/// An object.
struct Keys<'b, T> {
    budget: &'b Budget,
    object: PhantomData<T>,
}

impl<'b, T> Keys<'b, T> {
    fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            object: PhantomData,
        }
    }
}

impl<'de, T: Object> DeserializeSeed<'de> for Keys<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<T, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, T: Object> Visitor<'de> for Keys<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<String>()? {
            if !object.take(&key, &mut map, self.budget)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(object)
    }
}

/// A value that is read element by element.
trait List {
    type Value;

    /// What is expected.
    fn what(&self) -> String;

    /// Reads all elements.
    fn take_all<'de, A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error>;
}

/// An array.
struct Elements<L>(L);

impl<'de, L: List> DeserializeSeed<'de> for Elements<L> {
    type Value = L::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<L::Value, D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, L: List> Visitor<'de> for Elements<L> {
    type Value = L::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.what())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<L::Value, A::Error> {
        self.0.take_all(list)
    }
}

/// A list of objects.
struct Objects<'b, T>(&'b Budget, PhantomData<T>);

impl<T: Object> List for Objects<'_, T> {
    type Value = Vec<T>;

    fn what(&self) -> String {
        format!("a list of {}", T::MANY)
    }

    fn take_all<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut all: Vec<T> = Vec::new();
        while let Some(object) = list.next_element_seed(Keys::<T>::new(self.0))? {
            if all.last().is_some_and(|last| object.adds_nothing_to(last)) {
                continue;
            }
            self.0.room(&mut all, T::MANY).map_err(over)?;
            all.push(object);
        }
        Ok(all)
    }
}

fn objects<T: Object>(budget: &Budget) -> Elements<Objects<'_, T>> {
    Elements(Objects(budget, PhantomData))
}

fn over<E: de::Error>(error: OverBudget) -> E {
    E::custom(error)
}

/// A text that is kept.
fn text<'de, A: MapAccess<'de>>(map: &mut A, budget: &Budget) -> Result<Option<String>, A::Error> {
    let text: Option<String> = map.next_value()?;
    let bytes = text.as_ref().map_or(0, |text| allocated(text.len()));
    budget.take(bytes, "names").map_err(over)?;
    Ok(text)
}

impl Object for File {
    const WHAT: &'static str = "a speedscope file";
    const MANY: &'static str = "files";

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        budget: &Budget,
    ) -> Result<bool, A::Error> {
        match key {
            "name" => self.name = text(map, budget)?,
            "exporter" => self.exporter = text(map, budget)?,
            "shared" => self.frames = map.next_value_seed(Keys::<Shared>::new(budget))?.frames,
            "profiles" => self.profiles = Some(map.next_value_seed(objects(budget))?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[derive(Debug, Default)]
struct Shared {
    frames: Option<Frames>,
}

impl Object for Shared {
    const WHAT: &'static str = "frames";
    const MANY: &'static str = "frames";

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        budget: &Budget,
    ) -> Result<bool, A::Error> {
        if key == "frames" {
            self.frames = Some(map.next_value_seed(Elements(FrameList(budget)))?);
        }
        Ok(key == "frames")
    }
}

/// The frames, each made a symbol as it comes.
struct FrameList<'b>(&'b Budget);

impl List for FrameList<'_> {
    type Value = Frames;

    fn what(&self) -> String {
        "a list of frames".to_owned()
    }

    fn take_all<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Frames, A::Error> {
        let mut frames = Frames::within(self.0);
        while let Some(frame) = list.next_element_seed(Keys::<Frame>::new(self.0))? {
            frames.add(&frame).map_err(de::Error::custom)?;
        }
        Ok(frames)
    }
}

impl Object for Frame {
    const WHAT: &'static str = "a frame";
    const MANY: &'static str = "frames";

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        _budget: &Budget,
    ) -> Result<bool, A::Error> {
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
    const MANY: &'static str = "profiles";

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        budget: &Budget,
    ) -> Result<bool, A::Error> {
        match key {
            "type" => self.kind = word(map, budget)?,
            "name" => self.name = text(map, budget)?.unwrap_or_default(),
            "unit" => self.unit = word(map, budget)?,
            "startValue" => self.start = map.next_value()?,
            "endValue" => self.end = map.next_value()?,
            "samples" => self.stacks = map.next_value_seed(Elements(Samples(budget)))?,
            "weights" => self.weights = map.next_value_seed(Elements(Numbers(budget)))?,
            "events" => self.events = map.next_value_seed(objects(budget))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn adds_nothing_to(&self, last: &Self) -> bool {
        self.is_empty() && self == last
    }
}

/// A required text.
fn word<'de, A: MapAccess<'de>>(map: &mut A, budget: &Budget) -> Result<String, A::Error> {
    let word: String = map.next_value()?;
    let bytes = allocated(word.len());
    budget.take(bytes, "names").map_err(over)?;
    Ok(word)
}

impl Object for Event {
    const WHAT: &'static str = "an event";
    const MANY: &'static str = "events";

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        _budget: &Budget,
    ) -> Result<bool, A::Error> {
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

/// A list of numbers.
struct Numbers<'b>(&'b Budget);

impl List for Numbers<'_> {
    type Value = Vec<f64>;

    fn what(&self) -> String {
        "a list of numbers".to_owned()
    }

    fn take_all<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<f64>, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element()? {
            self.0.room(&mut numbers, "weights").map_err(over)?;
            numbers.push(number);
        }
        Ok(numbers)
    }
}

/// All stacks of a profile.
struct Samples<'b>(&'b Budget);

impl List for Samples<'_> {
    type Value = Stacks;

    fn what(&self) -> String {
        "stacks".to_owned()
    }

    fn take_all<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Stacks, A::Error> {
        let mut paths = TreeBuilder::within(self.0);
        let mut samples = Vec::new();
        while let Some(stack) = list.next_element_seed(Elements(Stack(&mut paths, self.0)))? {
            self.0.room(&mut samples, "samples").map_err(over)?;
            samples.push(stack);
        }
        let paths = paths.finish().nodes;
        Ok(Stacks { paths, samples })
    }
}

/// One stack, root first.
struct Stack<'s>(&'s mut TreeBuilder, &'s Budget);

impl List for Stack<'_> {
    type Value = NodeId;

    fn what(&self) -> String {
        "a stack".to_owned()
    }

    fn take_all<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeId, A::Error> {
        let mut at = NodeId::ROOT;
        while let Some(frame) = list.next_element::<u32>()? {
            let frame = frame
                .checked_add(1)
                .ok_or(de::Error::custom("no such frame"))?;
            at = self.0.child(at, SymbolId(frame));
        }
        self.1.check().map_err(over)?;
        Ok(at)
    }
}
