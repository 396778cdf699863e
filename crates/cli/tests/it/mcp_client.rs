//! A client of `xhprof mcp`, by pipes. The tests of `crates/server` have it, too.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::program::program;

/// No answer is longer, in bytes.
pub(crate) const LONGEST: usize = 11_600;

/// A server, and what is said to it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
}

/// The result of a tool.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

impl Client {
    /// A server with these arguments, after the handshake.
    pub(crate) fn of(arguments: &[&str]) -> Self {
        let mut command = program();
        command.arg("mcp").args(arguments);
        Self::started(command)
    }

    /// The same of a command.
    pub(crate) fn started(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut client = Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            number: 0,
        };
        let answer = client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "a test", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "xhprof", "{answer}");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    /// Sends a line as it is.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next message. Nothing but messages is on standard output.
    pub(crate) fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        let first = message.get(0).unwrap_or(&message);
        assert_eq!(first["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Sends a request; its whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&request.to_string());
        let answer = self.heard();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let answer = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        let data = result["structuredContent"].clone();
        assert!(
            text.len() < LONGEST && data.to_string().len() < LONGEST,
            "{tool}: {text}"
        );
        Answer {
            text,
            data,
            is_error: result["isError"].as_bool().unwrap(),
        }
    }

    /// Calls a tool that must not fail.
    pub(crate) fn tool(&mut self, tool: &str, arguments: &Value) -> Answer {
        let answer = self.call(tool, arguments);
        assert!(!answer.is_error, "{tool} {arguments}: {}", answer.text);
        assert!(answer.data["next"].is_array(), "{answer:?}");
        answer
    }

    /// Calls a tool that must fail; its sentence.
    pub(crate) fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.call(tool, arguments);
        assert!(answer.is_error, "{tool} {arguments}: {}", answer.text);
        answer.text
    }

    /// Ends the input, and with it the server; what it said on standard error.
    pub(crate) fn end(mut self) -> String {
        self.input = None;
        let mut rest = String::new();
        self.output.read_line(&mut rest).unwrap();
        assert_eq!(rest, "", "more answers than questions");
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}
