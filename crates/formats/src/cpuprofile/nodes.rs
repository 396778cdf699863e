//! The functions of a `.cpuprofile` and their callers: lists of children, or
//! the parent of each node.

use std::collections::HashMap;

use profile::{Budget, NodeId, NumberMap, SymbolId};
use serde::Deserialize;

use crate::ReadError;
use crate::shared::json::Json;
use crate::shared::line_names::LineNames;

/// A function as V8 names it; lines count from 0.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CallFrame {
    function_name: Option<String>,
    url: Option<String>,
    line_number: Option<f64>,
}

/// A node as in the file. In some files the function's fields are in the node.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Raw {
    id: i64,
    call_frame: Option<CallFrame>,
    #[serde(flatten)]
    own: CallFrame,
    hit_count: Option<f64>,
    children: Vec<i64>,
    parent: Option<i64>,
}

/// One node.
#[derive(Debug)]
struct Node {
    id: i64,
    symbol: SymbolId,
    hits: u64,
    parent: Option<i64>,
}

/// All nodes.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) names: LineNames,
    list: Vec<Node>,
    /// The parent of each node that is in a list of children.
    callers: NumberMap<i64, i64>,
    places: NumberMap<i64, usize>,
    budget: Budget,
}

/// The maximum nesting depth of the older form.
const MAX_DEPTH: usize = 1_000;

/// The noun in the budget's error message.
const NODES: &str = "nodes";

impl Nodes {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            names: LineNames::within(budget),
            list: Vec::new(),
            callers: NumberMap::default(),
            places: NumberMap::default(),
            budget: budget.clone(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Reads one node of a list.
    pub(super) fn read(&mut self, json: &mut Json<'_>) -> Result<(), ReadError> {
        let raw: Raw = json.value()?;
        let frame = raw.call_frame.unwrap_or(raw.own);
        for child in raw.children {
            self.budget.room_in_map(&mut self.callers, NODES)?;
            if self.callers.insert(child, raw.id).is_some() {
                return Err(json.error(format!("node {child} has two callers")));
            }
        }
        self.add(raw.id, &frame, raw.hit_count, raw.parent)
            .map_err(|reason| json.error(reason))
    }

    fn add(
        &mut self,
        id: i64,
        frame: &CallFrame,
        hits: Option<f64>,
        parent: Option<i64>,
    ) -> Result<(), String> {
        let room = self.budget.room_in_map(&mut self.places, NODES);
        let room = room.and(self.budget.room(&mut self.list, NODES));
        room.map_err(|error| error.to_string())?;
        if self.places.insert(id, self.list.len()).is_some() {
            return Err(format!("node {id} occurs twice"));
        }
        let name = match frame.function_name.as_deref().unwrap_or_default() {
            "(root)" => "main()",
            name => name,
        };
        let url = frame.url.as_deref().unwrap_or_default();
        let url = url.strip_prefix("file://").unwrap_or(url);
        let line = frame.line_number.map_or(0.0, |line| line + 1.0);
        let symbol = self.names.symbol(name, url, whole(line));
        self.list.push(Node {
            id,
            symbol: symbol.ok_or("too many functions")?,
            hits: u64::from(whole(hits.unwrap_or(0.0))),
            parent,
        });
        Ok(())
    }

    /// Reads a function that contains its children, which is V8's older form.
    pub(super) fn read_nested(
        &mut self,
        json: &mut Json<'_>,
        parent: Option<i64>,
        depth: usize,
    ) -> Result<i64, ReadError> {
        if depth > MAX_DEPTH {
            return Err(json.error(format!("calls nested deeper than {MAX_DEPTH}")));
        }
        let mut frame = CallFrame::default();
        let mut id = None;
        let mut hits = None;
        let mut children = Vec::new();
        json.object(|json, key| {
            match key {
                "id" => id = Some(json.value::<i64>()?),
                "functionName" => frame.function_name = json.text()?,
                "url" => frame.url = json.text()?,
                // The older form counts lines from 1.
                "lineNumber" => frame.line_number = json.number()?.map(|line| line - 1.0),
                "hitCount" => hits = json.number()?,
                "children" => {
                    return json.array(|json| {
                        let child = self.read_nested(json, None, depth + 1)?;
                        json.push(&mut children, child)
                    });
                }
                _ => json.skip()?,
            }
            Ok(())
        })?;
        let id = id.ok_or_else(|| json.error("a node has no ID"))?;
        for child in children {
            self.budget.room_in_map(&mut self.callers, NODES)?;
            self.callers.insert(child, id);
        }
        self.add(id, &frame, hits, parent)
            .map_err(|reason| json.error(reason))?;
        Ok(id)
    }

    /// Calls `push` for each path, callers first. Returns the node's place by
    /// its ID, and how often it was on top of the stack.
    pub(super) fn paths(
        &self,
        mut push: impl FnMut(NodeId, SymbolId) -> NodeId,
    ) -> Result<HashMap<i64, (NodeId, u64)>, String> {
        let bytes = self.list.len() * 64;
        let room = self.budget.take(bytes, NODES);
        room.map_err(|error| error.to_string())?;
        let mut places: Vec<Option<NodeId>> = vec![None; self.list.len()];
        let mut climb = Vec::new();
        for start in 0..self.list.len() {
            let mut at = Some(start);
            let mut below = NodeId::ROOT;
            while let Some(index) = at {
                if let Some(place) = places[index] {
                    below = place;
                    break;
                }
                climb.push(index);
                if climb.len() > self.list.len() {
                    return Err("a node calls itself".to_owned());
                }
                at = self.caller(index)?;
            }
            while let Some(index) = climb.pop() {
                let symbol = self.list[index].symbol;
                // A `main()` at the bottom of a stack is the root.
                if below != NodeId::ROOT || symbol != SymbolId::ROOT {
                    below = push(below, symbol);
                }
                places[index] = Some(below);
            }
        }
        let nodes = self.list.iter().zip(places);
        let all = nodes.map(|(node, place)| (node.id, (place.unwrap_or_default(), node.hits)));
        Ok(all.collect())
    }

    fn caller(&self, index: usize) -> Result<Option<usize>, String> {
        let node = &self.list[index];
        let Some(caller) = node.parent.or_else(|| self.callers.get(&node.id).copied()) else {
            return Ok(None);
        };
        let place = self.places.get(&caller).copied();
        place
            .map(Some)
            .ok_or_else(|| format!("there is no node {caller}"))
    }
}

/// To the nearest whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates"
)]
fn whole(number: f64) -> u32 {
    number.round().max(0.0) as u32
}
