//! The Model Context Protocol on standard input and output: JSON-RPC 2.0, a message a line.
//!
//! Written here, not taken from the official SDK `rmcp`: that needs Tokio, which the everyday
//! program does not have, and 17 packages more; and its answers come from async functions,
//! while a question here is a computation.
//!
//! A thread reads: it answers `ping` and notes what is cancelled while a question is being
//! answered. **Invariants:** standard output has protocol only. No input ends the server but
//! its end; then the questions that were asked are answered.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// The longest message. Questions have some hundred bytes.
const LONGEST: u64 = 1 << 20;
/// The messages that may wait.
const WAITING: usize = 64;

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct Refusal {
    code: i32,
    message: String,
}

impl Refusal {
    pub(super) fn unknown_method(method: &str) -> Self {
        Self {
            code: -32601,
            message: format!("there is no method {method}"),
        }
    }

    pub(super) fn wrong_parameters(message: impl Into<String>) -> Self {
        Self {
            code: -32602,
            message: message.into(),
        }
    }

    pub(super) fn no_resource(message: impl Into<String>) -> Self {
        Self {
            code: -32002,
            message: message.into(),
        }
    }

    fn no_json(message: String) -> Self {
        Self {
            code: -32700,
            message,
        }
    }

    fn no_request(message: &str) -> Self {
        Self {
            code: -32600,
            message: message.to_owned(),
        }
    }

    fn answer(self, id: &Value) -> Value {
        let error = json!({ "code": self.code, "message": self.message });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// A request, and whether the client has cancelled it.
#[derive(Debug)]
pub(super) struct Request {
    id: Value,
    pub(super) method: String,
    pub(super) params: Value,
    is_cancelled: Arc<AtomicBool>,
}

impl Request {
    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// What a line holds.
enum Message {
    Request(Request),
    /// The answer to what is no request.
    Refused(Value),
}

/// The requests that have no answer yet, by their ids.
#[derive(Debug, Default)]
struct Pending(Mutex<HashMap<String, Arc<AtomicBool>>>);

impl Pending {
    fn add(&self, id: &Value) -> Arc<AtomicBool> {
        let flag = Arc::default();
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.insert(id.to_string(), Arc::clone(&flag));
        flag
    }

    /// Removes a request; whether it was cancelled.
    fn end(&self, request: &Request) -> bool {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.remove(&request.id.to_string());
        request.is_cancelled()
    }

    fn cancel(&self, id: &Value) {
        let pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flag) = pending.get(&id.to_string()) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Answers until the input ends.
///
/// # Errors
///
/// Those of standard output.
pub(super) fn serve(
    input: impl Read + Send + 'static,
    mut answer: impl FnMut(&Request) -> Result<Value, Refusal>,
) -> io::Result<()> {
    let pending = Arc::new(Pending::default());
    let (sender, jobs) = sync_channel(WAITING);
    let of_reader = Arc::clone(&pending);
    thread::spawn(move || read(io::BufReader::new(input), &of_reader, &sender));
    for (messages, is_batch) in jobs {
        let mut answers = Vec::new();
        for message in messages {
            match message {
                Message::Refused(answer) => answers.push(answer),
                Message::Request(request) => {
                    let outcome = (!request.is_cancelled()).then(|| answer(&request));
                    let was_cancelled = pending.end(&request);
                    let Some(outcome) = outcome.filter(|_| !was_cancelled) else {
                        continue;
                    };
                    answers.push(match outcome {
                        Ok(result) => {
                            json!({ "jsonrpc": "2.0", "id": request.id, "result": result })
                        }
                        Err(refusal) => refusal.answer(&request.id),
                    });
                }
            }
        }
        if is_batch && !answers.is_empty() {
            send(&answers.into())?;
        } else {
            answers.iter().try_for_each(send)?;
        }
    }
    Ok(())
}

/// A line of output.
fn send(message: &Value) -> io::Result<()> {
    let mut line = message.to_string();
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

/// Reads lines until the input, or the server, ends.
fn read(
    mut input: impl BufRead,
    pending: &Pending,
    jobs: &SyncSender<(Vec<Message>, bool)>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        let job = if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
            while !line.is_empty() && !line.ends_with(b"\n") {
                line.clear();
                input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
            }
            let refusal = Refusal::no_request("the message is longer than 1 MiB");
            (vec![Message::Refused(refusal.answer(&Value::Null))], false)
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            messages(&line, pending)
        };
        match job.0.as_slice() {
            [] => {}
            // Also while a long question is being answered.
            [Message::Request(ping)] if ping.method == "ping" && !job.1 => {
                pending.end(ping);
                send(&json!({ "jsonrpc": "2.0", "id": ping.id, "result": {} }))?;
            }
            _ => {
                if jobs.send(job).is_err() {
                    return Ok(());
                }
            }
        }
    }
}

/// The messages of a line, and whether they are a batch (protocol 2025-03-26).
fn messages(line: &[u8], pending: &Pending) -> (Vec<Message>, bool) {
    match serde_json::from_slice(line) {
        Ok(Value::Array(list)) if !list.is_empty() => {
            let messages = list.into_iter().filter_map(|value| message(value, pending));
            (messages.collect(), true)
        }
        Ok(value) => (message(value, pending).into_iter().collect(), false),
        Err(error) => {
            let refusal = Refusal::no_json(format!("the line is no JSON: {error}"));
            (vec![Message::Refused(refusal.answer(&Value::Null))], false)
        }
    }
}

/// A message that needs an answer.
fn message(mut value: Value, pending: &Pending) -> Option<Message> {
    let refused = |id: &Value, why| Some(Message::Refused(Refusal::no_request(why).answer(id)));
    let mut take = |name| value.get_mut(name).map(Value::take);
    let (id, method, params) = (take("id"), take("method"), take("params"));
    let is_answer = take("result").or_else(|| take("error")).is_some();
    let is_version_2 = take("jsonrpc").is_some_and(|version| version == "2.0");
    let params = params.unwrap_or(Value::Null);
    match (id, method) {
        // No request was sent, so its answer means nothing.
        (_, None) if is_answer => None,
        (None, Some(Value::String(method))) => {
            if method == "notifications/cancelled"
                && let Some(id) = params.get("requestId")
            {
                pending.cancel(id);
            }
            None
        }
        (Some(id @ (Value::String(_) | Value::Number(_))), Some(Value::String(method))) => {
            if !is_version_2 {
                return refused(&id, "`jsonrpc` is not \"2.0\"");
            }
            let is_cancelled = pending.add(&id);
            Some(Message::Request(Request {
                id,
                method,
                params,
                is_cancelled,
            }))
        }
        _ => refused(
            &Value::Null,
            "the message is no request: it needs a `method` and an `id`, a string or a number",
        ),
    }
}
