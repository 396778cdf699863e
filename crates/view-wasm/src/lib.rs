//! The engine of the viewer in a browser: the border of WebAssembly and nothing
//! else.
//!
//! A worker calls [`Engine`]; questions and answers are the messages of the
//! crate `view`, as JSON. What is large and no text, an exported file, comes by
//! [`Engine::take_bytes`].
//!
//! It has one type, [`Engine`]: the others are those of `view`.
//!
//! ```
//! let mut engine = view_wasm::Engine::new();
//! engine.add_file("stacks.txt".to_owned(), false, b"main();work 30\n".to_vec());
//! assert!(engine.open(None).contains("opened"));
//! let answer = engine.ask(r#"{"question":{"ask":"summary"}}"#);
//! assert!(answer.contains("stacks.txt"));
//! ```
//!
//! **Invariant:** a failure is a message with a code, never a trap: a trap is
//! left to what cannot be caught, as memory that has run out.

use serde::{Deserialize, Serialize};
use view::{Answer, Document, Error, Question, Reshape, Source, TimeRange};
use wasm_bindgen::prelude::wasm_bindgen;

/// What a question is asked of: the whole document, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Scope {
    /// Only this range of time.
    range: Option<TimeRange>,
    /// With estimated stacks, if the profile has none.
    estimate: bool,
    /// Without some functions, or with their recursion as one call.
    reshape: Reshape,
}

#[derive(Debug, Deserialize)]
struct Request {
    #[serde(default)]
    scope: Scope,
    question: Question,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Reply {
    Answer(Box<Answer>),
    Error(Failure),
    Opened,
}

/// An error as a message.
#[derive(Debug, Serialize)]
struct Failure {
    code: &'static str,
    /// The error and its causes.
    message: String,
    /// The threshold in percent that [`Engine::open`] can open the files with
    /// instead; left out if that would not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
}

/// An engine with at most one open document.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Engine {
    files: Vec<File>,
    document: Option<Document>,
    /// The part of the document that was asked about last.
    part: Option<(Scope, Document)>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct File {
    name: String,
    is_base: bool,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Engine {
    /// An engine without a document.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands over a file, to be opened by [`Engine::open`].
    pub fn add_file(&mut self, name: String, is_base: bool, bytes: Vec<u8>) {
        self.files.push(File {
            name,
            is_base,
            bytes,
        });
    }

    /// Opens the files that were handed over: compares them, if some are a base;
    /// adds them up, if there are several. With a threshold, what costs less than
    /// so many percent is left out, unless files are compared. Returns a reply as
    /// JSON. If it fails, the document that was open before stays.
    pub fn open(&mut self, threshold: Option<f64>) -> String {
        let files = std::mem::take(&mut self.files);
        let side = |is_base: bool| -> Vec<Source<'_>> {
            let side = files.iter().filter(|file| file.is_base == is_base);
            side.map(|file| Source {
                name: &file.name,
                bytes: &file.bytes,
            })
            .collect()
        };
        let (base, new) = (side(true), side(false));
        let opened = match threshold {
            _ if !base.is_empty() => Document::compare(&base, &new),
            Some(threshold) => Document::open_above(&new, threshold),
            None => Document::open(&new),
        };
        let reply = match opened {
            Ok(document) => {
                self.document = Some(document);
                self.part = None;
                Reply::Opened
            }
            Err(error) => failure(&error),
        };
        to_json(&reply)
    }

    /// Answers a request: `{"scope": …, "question": …}`. Returns a reply as
    /// JSON.
    pub fn ask(&mut self, request: &str) -> String {
        let reply = match serde_json::from_str::<Request>(request) {
            Ok(request) => self
                .answer(&request)
                .unwrap_or_else(|error| failure(&error)),
            Err(error) => Reply::Error(Failure {
                code: "bad-request",
                message: error.to_string(),
                threshold: None,
            }),
        };
        to_json(&reply)
    }

    /// The formats that a profile can be exported to, as JSON.
    #[must_use]
    pub fn formats() -> String {
        to_json(&view::export_formats())
    }

    /// The bytes of the last answer that had some: an exported file.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

impl Engine {
    fn answer(&mut self, request: &Request) -> Result<Reply, Error> {
        let document = self.in_scope(&request.scope)?;
        let mut answer = document.answer(&request.question)?;
        if let Answer::Export(file) = &mut answer {
            self.bytes = std::mem::take(&mut file.bytes);
        }
        Ok(Reply::Answer(Box::new(answer)))
    }

    /// The document, or the part of it, which is kept until another is wanted.
    fn in_scope(&mut self, scope: &Scope) -> Result<&mut Document, Error> {
        let document = self.document.as_mut().ok_or(Error::NothingToOpen)?;
        if *scope == Scope::default() {
            return Ok(document);
        }
        if self.part.as_ref().is_none_or(|(of, _)| of != scope) {
            // The old one first: both together may not fit.
            self.part = None;
            let part = match scope.range {
                Some(range) => Some(document.in_range(range)?),
                None if scope.estimate => document.estimated(),
                None => None,
            };
            let part = match part {
                Some(part) if scope.reshape.is_empty() => part,
                Some(part) => part.reshaped(&scope.reshape)?,
                // There is nothing to estimate.
                None if scope.reshape.is_empty() => return Ok(document),
                None => document.reshaped(&scope.reshape)?,
            };
            self.part = Some((scope.clone(), part));
        }
        self.part
            .as_mut()
            .map(|(_, part)| part)
            .ok_or(Error::NothingToOpen)
    }
}

fn failure(error: &Error) -> Reply {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        message.push_str(": ");
        message.push_str(&source.to_string());
        cause = source.source();
    }
    Reply::Error(Failure {
        code: error.code(),
        message,
        threshold: error.threshold(),
    })
}

/// Messages are made of numbers and text, which JSON can hold.
fn to_json(message: &impl Serialize) -> String {
    serde_json::to_string(message)
        .unwrap_or_else(|error| format!(r#"{{"error":{{"code":"internal","message":"{error}"}}}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        let mut engine = Engine::new();
        engine.add_file(
            "a".to_owned(),
            false,
            b"main();f 10\nmain();g 30\n".to_vec(),
        );
        assert_eq!(engine.open(None), r#""opened""#);
        engine
    }

    #[test]
    fn questions_and_answers_are_json() {
        let mut engine = engine();
        let reply = engine.ask(r#"{"question":{"ask":"search","text":"g"}}"#);
        assert!(reply.contains(r#""covered":30"#), "{reply}");
        let reply = engine.ask(r#"{"question":{"ask":"export","format":"collapsed"}}"#);
        assert!(reply.contains("ending"), "{reply}");
        assert_eq!(engine.take_bytes(), b"main();f 10\nmain();g 30\n");
        assert_eq!(engine.take_bytes(), b"");
    }

    #[test]
    fn a_threshold_leaves_out_what_is_cheap_and_keeps_the_total() {
        let mut engine = Engine::new();
        let file = b"main();f 1\nmain();g 999\n".to_vec();
        engine.add_file("a".to_owned(), false, file);
        assert_eq!(engine.open(Some(1.0)), r#""opened""#);
        let reply = engine.ask(r#"{"question":{"ask":"functions"}}"#);
        assert!(reply.contains(r#""name":"[other]""#), "{reply}");
        assert!(!reply.contains(r#""name":"f""#), "{reply}");
        assert!(reply.contains(r#""wall":1000"#), "{reply}");
    }

    #[test]
    fn failures_have_a_code_and_the_document_stays_open() {
        let mut engine = engine();
        assert!(engine.ask("{").contains("bad-request"));
        let range = r#"{"scope":{"range":{"from":0,"to":9}},"question":{"ask":"summary"}}"#;
        assert!(engine.ask(range).contains("needs-times"));
        engine.add_file("b".to_owned(), false, b"\0\x01".to_vec());
        assert!(engine.open(None).contains("unreadable"));
        let reply = engine.ask(r#"{"question":{"ask":"summary"}}"#);
        assert!(reply.contains(r#""wall":40"#), "{reply}");
    }
}
