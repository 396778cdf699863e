//! Reads PerfView's XML, element by element.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use profile::{Budget, Profile};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error, Reader};

use super::reader::Source;
use crate::format::Detection;
use crate::{HEAD, ReadError};

/// The maximum length of a piece of markup or text, in bytes: 64 MiB. A sample
/// with its stack as text is one piece.
const MAX_PIECE: u64 = 64 << 20;

pub(super) const NAME: &str = "PerfView XML";

pub(super) fn detect(head: &[u8]) -> Detection {
    let text = head.trim_ascii_start();
    let begins = |with: &[u8]| text.starts_with(with);
    if !begins(b"<?xml") && !begins(b"<Stack") && !begins(b"<!--") {
        return Detection::No;
    }
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    if has(b"<StackWindow") || has(b"<StackSource") {
        Detection::Yes
    } else if head.len() < HEAD {
        Detection::NeedMore
    } else {
        Detection::No
    }
}

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let left = Cell::new(0);
    let mut reader = Reader::from_reader(Pieces { input, left: &left });
    let mut document = Document::within(budget);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        left.set(MAX_PIECE);
        let outcome = match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => document.add(event),
            Err(Error::Io(error)) => {
                return Err(match Arc::try_unwrap(error) {
                    Ok(error) => error.into(),
                    Err(error) => ReadError::Io(io::Error::from(error.kind())),
                });
            }
            Err(error) => Err(error.to_string()),
        };
        budget.check()?;
        outcome.map_err(|reason| ReadError::Offset {
            format: NAME,
            offset: reader.buffer_position(),
            reason,
        })?;
    }
    let finish = || {
        if document.depth > 0 {
            return Err("it ends early".to_owned());
        }
        if !document.has_samples {
            return Err("it contains no StackSource with Samples".to_owned());
        }
        document.source.finish()
    };
    let outcome = finish();
    budget.check()?;
    outcome.map_err(|reason| ReadError::Offset {
        format: NAME,
        offset: reader.buffer_position(),
        reason,
    })
}

/// Returns an error inside of a piece that is too long.
struct Pieces<'i, 'l> {
    input: &'i mut dyn BufRead,
    left: &'l Cell<u64>,
}

impl Read for Pieces<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer)
    }
}

impl BufRead for Pieces<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left.get() == 0 {
            return Err(io::Error::other(ReadError::TooLarge { limit: MAX_PIECE }));
        }
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.left.set(self.left.get().saturating_sub(amount as u64));
        self.input.consume(amount);
    }
}

/// The position in the document. Elements are recognized by name alone, as in
/// PerfView.
#[derive(Debug)]
struct Document {
    source: Source,
    depth: usize,
    in_source: bool,
    has_samples: bool,
    /// The element whose text is being collected.
    open: Option<Open>,
    text: String,
}

#[derive(Debug)]
enum Open {
    Frame {
        id: String,
    },
    Sample {
        time: Option<String>,
        metric: Option<String>,
        stack: Option<String>,
    },
    Notes,
}

impl Document {
    fn within(budget: &Budget) -> Self {
        Self {
            source: Source::within(budget),
            depth: 0,
            in_source: false,
            has_samples: false,
            open: None,
            text: String::new(),
        }
    }

    fn add(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(element) => {
                self.depth += 1;
                self.start(&element)?;
            }
            Event::Empty(element) => {
                self.start(&element)?;
                self.end(element.name().0)?;
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(element.name().0)?;
            }
            Event::Text(text) if self.open.is_some() => self.text.push_str(&text),
            Event::GeneralRef(reference) if self.open.is_some() => {
                let letter = character(&reference)
                    .ok_or_else(|| format!("`&{};` is unknown", &*reference))?;
                self.text.push(letter);
            }
            Event::DocType(_) => return Err("a document type is not allowed".to_owned()),
            // PerfView ignores CDATA; reading it would change the stack of a
            // sample.
            Event::CData(_) if self.open.is_some() => {
                return Err("CDATA is not allowed here".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        if self.open.is_some() {
            return Err("an element inside of text".to_owned());
        }
        let name = element.name();
        match name.0 {
            "StackSource" => self.in_source = true,
            "Samples" if self.in_source => self.has_samples = true,
            "Frame" if self.in_source => {
                let [id] = attributes(element, ["ID"])?;
                self.open = Some(Open::Frame {
                    id: id.ok_or("a frame without ID")?,
                });
            }
            "Stack" if self.in_source => {
                let found = attributes(element, ["ID", "CallerID", "FrameID"])?;
                let [Some(id), Some(caller), Some(frame)] = found else {
                    return Err("a stack without ID, CallerID or FrameID".to_owned());
                };
                self.source.add_stack(&id, &caller, &frame)?;
            }
            "Sample" if self.in_source => {
                let [time, metric, stack] = attributes(element, ["Time", "Metric", "StackID"])?;
                self.open = Some(Open::Sample {
                    time,
                    metric,
                    stack,
                });
            }
            "Notes" if !self.in_source => self.open = Some(Open::Notes),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), String> {
        if name == "StackSource" {
            self.in_source = false;
        }
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let outcome = match open {
            Open::Frame { id } => self.source.add_frame(&id, &self.text),
            Open::Sample {
                time,
                metric,
                stack,
            } => {
                let text = self.text.trim();
                let (time, metric) = (time.as_deref(), metric.as_deref());
                match stack {
                    Some(stack) => self.source.add_numbered(time, metric, &stack),
                    None if text.is_empty() => Err("a sample without a stack".to_owned()),
                    None => {
                        let names = text.split('\n').map(str::trim);
                        self.source.add_named(time, metric, names)
                    }
                }
            }
            Open::Notes => {
                self.source.set_notes(std::mem::take(&mut self.text));
                Ok(())
            }
        };
        self.text.clear();
        outcome
    }
}

/// The values of the attributes `names`.
fn attributes<const N: usize>(
    element: &BytesStart<'_>,
    names: [&str; N],
) -> Result<[Option<String>; N], String> {
    let mut values = [const { None }; N];
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if let Some(place) = names.iter().position(|&name| name == attribute.key.0)
            && let Some(value) = values.get_mut(place)
        {
            // All are numbers, which have no escapes.
            *value = Some(attribute.value.into_owned());
        }
    }
    Ok(values)
}

/// The character of an entity reference.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    match &**reference {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    }
}
