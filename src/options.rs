//! The second argument of `xhprof_enable()`.
//!
//! An invalid option gives a warning that names it, and is ignored; the profile
//! begins all the same. **Invariant:** everything is read before the first
//! warning, because an error handler may free the array.

use ext_php_rs::types::ZendHashTable;
use policy::suggest::{nearest, shown};
use recorder::Shape;

use crate::output::{self, Annotations};
use crate::zend::{Value, array};

/// The options, in the order of the documentation.
const KNOWN: [&str; 5] = ["mode", "lines", "title", "tags", "ignored_functions"];
/// How many unknown keys are named; further ones are counted.
const MAX_REPORTED: usize = 5;

/// The options, except `ignored_functions`.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) shape: Shape,
    /// A tree, or events, also has the lines of calls.
    pub(crate) lines: bool,
    /// The profile's title and tags.
    pub(crate) annotations: Annotations,
}

impl Options {
    /// The defaults of `xhprof_enable()`.
    pub(crate) fn none() -> Self {
        Self {
            shape: Shape::Edges,
            lines: false,
            annotations: Annotations::default(),
        }
    }

    /// Reads the options; also returns the warnings to raise.
    pub(crate) fn read(options: &ZendHashTable) -> (Self, Vec<String>) {
        let (mut read, mut problems) = (Self::none(), Vec::new());
        let mut unknown = 0;
        for (key, value) in array::entries(options) {
            match key.as_slice() {
                b"mode" => match shape(value) {
                    Ok(shape) => read.shape = shape,
                    Err(problem) => problems.push(problem),
                },
                b"lines" => match value.as_bool() {
                    Some(lines) => read.lines = lines,
                    None => problems.push(must_be("lines", "a bool", value)),
                },
                b"title" => match value.as_bytes() {
                    Some(title) => read.annotations.set_title(title),
                    None => problems.push(must_be("title", "a string", value)),
                },
                b"tags" => match value.as_array() {
                    Some(tags) => problems.extend(add_tags(&mut read.annotations, tags)),
                    None => problems.push(must_be("tags", "an array of strings", value)),
                },
                b"ignored_functions" => {}
                key => {
                    unknown += 1;
                    if unknown <= MAX_REPORTED {
                        problems.push(not_known(key));
                    }
                }
            }
        }
        if unknown > MAX_REPORTED {
            let more = unknown - MAX_REPORTED;
            problems.push(format!("{more} more options are not known"));
        }
        if read.lines && read.shape == Shape::Edges {
            problems.push("option \"lines\" needs the mode \"tree\" or \"events\"".to_owned());
        }
        (read, problems)
    }
}

fn shape(value: Value<'_>) -> Result<Shape, String> {
    let word = value
        .as_bytes()
        .ok_or_else(|| must_be("mode", "\"edges\", \"tree\" or \"events\"", value))?;
    match word.to_ascii_lowercase().as_slice() {
        b"edges" => Ok(Shape::Edges),
        b"tree" => Ok(Shape::Tree),
        b"events" => Ok(Shape::Events),
        b"sample" => Err(
            "option \"mode\" cannot be \"sample\": call xhprof_sample_enable() for that".to_owned(),
        ),
        _ => Err(format!(
            "option \"mode\" must be \"edges\", \"tree\" or \"events\", not \"{}\"",
            shown(word)
        )),
    }
}

fn add_tags(annotations: &mut Annotations, tags: &ZendHashTable) -> Vec<String> {
    let add = |(key, value): (Vec<u8>, Value<'_>)| match value.as_bytes() {
        Some(text) => annotations.tag(&key, text, &output::OUR_TAGS).err(),
        None => Some(format!(
            "option \"tags\" must hold strings; \"{}\" of type {} is skipped",
            shown(&key),
            value.type_name()
        )),
    };
    array::entries(tags)
        .take(output::MAX_TAGS + 1)
        .filter_map(add)
        .collect()
}

fn must_be(key: &str, what: &str, value: Value<'_>) -> String {
    let found = value.type_name();
    format!("option \"{key}\" must be {what}, not {found}")
}

fn not_known(key: &[u8]) -> String {
    let shown = shown(key);
    match nearest(key, &KNOWN) {
        Some(known) => format!("option \"{shown}\" is not known; did you mean \"{known}\"?"),
        None => format!(
            "option \"{shown}\" is not known; there are {}",
            KNOWN.join(", ")
        ),
    }
}
