//! The tables that stacks are made of: a thread's own, or those shared by all
//! threads.

use std::rc::Rc;

use profile::{LinedId, NodeId, NumberMap, SamplesBuilder, SymbolId};

use crate::ReadError;
use crate::shared::json::Json;
use crate::shared::line_names::LineNames;

/// Null in a column of indexes.
const NONE: i32 = -1;

/// The used columns of the tables.
#[derive(Debug, Default)]
pub(super) struct Tables {
    strings: Rc<Vec<String>>,
    /// The string index of each source file's name.
    source_files: Rc<Vec<i32>>,
    function_names: Vec<i32>,
    function_files: Vec<i32>,
    function_sources: Vec<i32>,
    function_lines: Vec<i32>,
    frame_functions: Vec<i32>,
    frame_lines: Vec<i32>,
    stack_frames: Vec<i32>,
    stack_prefixes: Vec<i32>,
    /// The distance of a stack's prefix before it, in later versions.
    stack_offsets: Vec<i32>,
    symbols: NumberMap<i32, SymbolId>,
}

impl Tables {
    /// Whether there are stacks.
    pub(super) fn has_stacks(&self) -> bool {
        !self.stack_frames.is_empty()
    }

    /// Takes strings from a place other than the tables.
    pub(super) fn take_strings(&mut self, shared: &Self) {
        if self.strings.is_empty() {
            self.strings.clone_from(&shared.strings);
        }
        if self.source_files.is_empty() {
            self.source_files.clone_from(&shared.source_files);
        }
    }

    /// Reads a table, if `key` is a used one.
    pub(super) fn read(&mut self, json: &mut Json<'_>, key: &str) -> Result<bool, ReadError> {
        match key {
            "stringArray" => json.array(|json| {
                let string = json.text()?.unwrap_or_default();
                json.keep(&string)?;
                json.push(Rc::make_mut(&mut self.strings), string)
            })?,
            "sources" => json.object(|json, key| match key {
                "filename" => column(json, Rc::make_mut(&mut self.source_files)),
                _ => json.skip(),
            })?,
            "funcTable" => json.object(|json, key| match key {
                "name" => column(json, &mut self.function_names),
                "fileName" => column(json, &mut self.function_files),
                "source" => column(json, &mut self.function_sources),
                "lineNumber" => column(json, &mut self.function_lines),
                _ => json.skip(),
            })?,
            "frameTable" => json.object(|json, key| match key {
                "func" => column(json, &mut self.frame_functions),
                "line" => column(json, &mut self.frame_lines),
                _ => json.skip(),
            })?,
            "stackTable" => json.object(|json, key| match key {
                "frame" => column(json, &mut self.stack_frames),
                "prefix" => column(json, &mut self.stack_prefixes),
                "prefixOffset" => column(json, &mut self.stack_offsets),
                _ => json.skip(),
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The stacks from one down to the first whose place is known, and that place.
    fn climb<T: Copy>(
        &self,
        stack: i32,
        places: &NumberMap<i32, T>,
    ) -> Result<(Vec<i32>, Option<T>), String> {
        let mut climb = Vec::new();
        let mut at = Some(stack);
        while let Some(stack) = at {
            if let Some(&place) = places.get(&stack) {
                return Ok((climb, Some(place)));
            }
            climb.push(stack);
            at = self.prefix(stack)?;
        }
        Ok((climb, None))
    }

    /// The node of a stack. `places` holds the nodes found before, and `push`
    /// creates new ones below `base`.
    pub(super) fn node(
        &mut self,
        stack: i32,
        base: NodeId,
        places: &mut NumberMap<i32, NodeId>,
        names: &mut LineNames,
        mut push: impl FnMut(NodeId, SymbolId) -> NodeId,
    ) -> Result<NodeId, String> {
        let (mut climb, known) = self.climb(stack, places)?;
        let mut below = known.unwrap_or(base);
        while let Some(stack) = climb.pop() {
            let frame = get(&self.stack_frames, stack, "stack")?;
            let function = get(&self.frame_functions, frame, "frame")?;
            let symbol = self.symbol(function, names)?;
            // A `main()` at the bottom of a stack is the root.
            if below != base || symbol != SymbolId::ROOT {
                below = push(below, symbol);
            }
            places.insert(stack, below);
        }
        Ok(below)
    }

    /// Whether frames have lines other than those where their functions begin.
    pub(super) fn has_lines(&self) -> bool {
        let frames = self.frame_functions.iter().zip(&self.frame_lines);
        let begin = |function: i32| get(&self.function_lines, function, "").unwrap_or(NONE);
        let mut frames = frames.filter(|(_, line)| **line > 0);
        frames.any(|(function, line)| begin(*function) != *line)
    }

    /// The stack with lines of a stack whose nodes, and those of its parents, are in `nodes`.
    pub(super) fn lined(
        &self,
        stack: i32,
        nodes: &NumberMap<i32, NodeId>,
        places: &mut NumberMap<i32, LinedId>,
        builder: &mut SamplesBuilder,
    ) -> Result<LinedId, String> {
        let (mut climb, known) = self.climb(stack, places)?;
        let mut below = known.unwrap_or_default();
        while let Some(stack) = climb.pop() {
            let frame = get(&self.stack_frames, stack, "stack")?;
            let line = get(&self.frame_lines, frame, "").unwrap_or(NONE);
            let node = nodes.get(&stack).copied().unwrap_or_default();
            if below == LinedId::UNKNOWN && node != NodeId::ROOT {
                below = builder.line(LinedId::UNKNOWN, NodeId::ROOT, None, 0);
            }
            below = builder.line(below, node, None, u32::try_from(line).unwrap_or(0));
            places.insert(stack, below);
        }
        Ok(below)
    }

    /// The parent stack. It precedes the child, so that the loop ends.
    fn prefix(&self, stack: i32) -> Result<Option<i32>, String> {
        let prefix = if self.stack_offsets.is_empty() {
            get(&self.stack_prefixes, stack, "stack")?
        } else {
            match get(&self.stack_offsets, stack, "stack")? {
                0 => NONE,
                offset => stack.checked_sub(offset).unwrap_or(stack),
            }
        };
        match prefix {
            NONE => Ok(None),
            prefix if prefix < stack => Ok(Some(prefix)),
            _ => Err(format!("stack {stack} comes before the one below it")),
        }
    }

    fn symbol(&mut self, function: i32, names: &mut LineNames) -> Result<SymbolId, String> {
        if let Some(&symbol) = self.symbols.get(&function) {
            return Ok(symbol);
        }
        let string = |index: i32| {
            let string = usize::try_from(index).ok();
            string.and_then(|index| self.strings.get(index))
        };
        let name = get(&self.function_names, function, "function")?;
        let name = string(name).ok_or_else(|| format!("there is no string {name}"))?;
        // Firefox's name for the bottom of every stack.
        let name = if name == "(root)" { "main()" } else { name };
        let optional = |list: &[i32]| get(list, function, "").unwrap_or(NONE);
        let file = match optional(&self.function_sources) {
            NONE => optional(&self.function_files),
            source => get(&self.source_files, source, "").unwrap_or(NONE),
        };
        let file = string(file).map_or("", String::as_str);
        let line = u32::try_from(optional(&self.function_lines)).unwrap_or(0);
        let symbol = names.symbol(name, file, line);
        let symbol = symbol.ok_or("too many functions")?;
        self.symbols.insert(function, symbol);
        Ok(symbol)
    }
}

fn get(list: &[i32], index: i32, what: &str) -> Result<i32, String> {
    let value = usize::try_from(index)
        .ok()
        .and_then(|index| list.get(index));
    value
        .copied()
        .ok_or_else(|| format!("there is no {what} {index}"))
}

/// A column of indexes, null where there is none.
pub(super) fn column(json: &mut Json<'_>, list: &mut Vec<i32>) -> Result<(), ReadError> {
    if json.next_kind()? != b'[' {
        return json.skip();
    }
    json.array(|json| {
        let value = match json.short_integer()? {
            Some(index) => i32::try_from(index).map_err(|_| json.error("an index too large"))?,
            None => json.value::<Option<i32>>()?.unwrap_or(NONE),
        };
        json.push(list, value)
    })
}
