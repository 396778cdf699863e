//! The tools as a client lists them, and the check of their arguments.
//!
//! **Invariant:** a property has one meaning and one schema in all tools.

use profile::quantities::Since;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    about: &'static str,
    /// The names of its properties; those that it needs first.
    takes: &'static [&'static str],
    needs: usize,
    /// The lists of its answers.
    lists: &'static [&'static str],
    /// Whether it reads only.
    is_reading: bool,
}

const fn reading(
    [name, title, about]: [&'static str; 3],
    takes: &'static [&'static str],
    needs: usize,
    lists: &'static [&'static str],
) -> Tool {
    Tool {
        name,
        title,
        about,
        takes,
        needs,
        lists,
        is_reading: true,
    }
}

const TOOLS: [Tool; 11] = [
    reading(
        [
            "list_runs",
            "List profiles",
            "Lists the recorded profiles, the latest first: route or script, date, time, memory, \
             status. Start here: other tools take a name from this list as `run`.",
        ],
        &[
            "route",
            "status",
            "since",
            "app",
            "release",
            "sort_runs",
            "limit",
            "offset",
        ],
        0,
        &["runs"],
    ),
    reading(
        [
            "summary",
            "Summarise a profile",
            "One profile at a glance: totals, what was measured and what was not, the costliest \
             call paths and functions with file and line, what the program waited for, hints. Ask \
             this before the other tools.",
        ],
        &["run"],
        1,
        &["functions", "hints"],
    ),
    reading(
        [
            "functions",
            "Functions of a profile",
            "The functions of a profile with their costs, sorted: self is without callees, \
             inclusive is with them.",
        ],
        &["run", "sort", "metric", "filter", "limit", "offset"],
        1,
        &["functions"],
    ),
    reading(
        [
            "callers_and_callees",
            "Callers and callees of a function",
            "Which functions call a function and which ones it calls, with the number and the cost \
             of those calls.",
        ],
        &["run", "function", "metric", "limit", "offset"],
        2,
        &["functions", "callers", "callees"],
    ),
    reading(
        [
            "call_paths",
            "Costliest call paths",
            "The costliest call paths from main(), as an indented tree; with `function`, only those \
             through it. Says how a cost is reached.",
        ],
        &["run", "function", "metric", "limit"],
        1,
        &["paths"],
    ),
    reading(
        [
            "annotate_lines",
            "Source lines of a profile",
            "The source lines that cost most, with what each calls; with `function`, the lines of \
             that function in their order. Self is here with PHP's own functions that a line calls. \
             Needs a profile of samples.",
        ],
        &["run", "function", "metric", "filter", "limit", "offset"],
        1,
        &["lines"],
    ),
    reading(
        [
            "spans",
            "What a profile waited for",
            "SQL statements, HTTP requests, cache and file operations, commands: count, time, \
             callers. Marks N+1: the same statement again and again in one call of a function.",
        ],
        &["run", "filter", "limit", "offset"],
        1,
        &["spans"],
    ),
    reading(
        [
            "hints",
            "Hints on a profile",
            "What rules found: where time or memory is likely wasted, the evidence, and what to do. \
             No hint does not mean that nothing is slow.",
        ],
        &["run", "filter", "offset"],
        1,
        &["hints"],
    ),
    reading(
        [
            "differences",
            "Differences of profiles",
            "What costs more, and what less, in the profiles `new` than in `base`: functions and \
             calls between functions. Several runs a side show what is noise. Compare `calls`, too: \
             they do not vary with the machine.",
        ],
        &["base", "new", "metric", "only", "filter", "limit", "offset"],
        2,
        &["functions", "edges"],
    ),
    reading(
        [
            "regressions",
            "Regressions of releases",
            "What releases made slower, proven with the runs of two weeks before each: function, \
             caller, routes, and two runs to compare. Needs profiles with the tag `release`.",
        ],
        &["app", "release", "since", "offset"],
        0,
        &["findings"],
    ),
    Tool {
        name: "run_command",
        title: "Run and profile a command",
        about: "Runs a PHP script with its arguments under the profiler, without input, in the \
                working directory of this server, and summarises its profile. The profile is kept \
                until the server ends.",
        takes: &["command", "mode", "seconds"],
        needs: 1,
        lists: &["functions", "hints"],
        is_reading: false,
    },
];

/// What a server offers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub(super) has_store: bool,
    pub(super) may_run: bool,
}

impl Offer {
    fn tools(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS
            .iter()
            .filter(move |tool| tool.is_reading || self.may_run)
    }

    pub(super) fn tool(self, name: &str) -> Option<&'static Tool> {
        self.tools().find(|tool| tool.name == name)
    }

    /// The names of a tool's properties. Only runs of a store have an application.
    fn takes(self, tool: &Tool) -> impl Iterator<Item = &'static str> {
        let takes = tool.takes.iter().copied();
        takes.filter(move |name| self.has_store || !(*name == "app" || *name == "release"))
    }

    /// The result of `tools/list`.
    pub(super) fn list(self) -> Value {
        let tools = self.tools().map(|tool| {
            let properties = self
                .takes(tool)
                .map(|name| (name.to_owned(), property(name)));
            let lists = tool.lists.iter().flat_map(|name| {
                let rows = json!({ "type": "array", "items": { "type": "object" } });
                let more = json!({ "type": "integer", "description": "rows beyond these" });
                [((*name).to_owned(), rows), (format!("more_{name}"), more)]
            });
            let mut answer: Map<String, Value> = lists.collect();
            let next = json!({
                "type": "array",
                "description": "what to ask next: tool, arguments, why",
                "items": { "type": "object" },
            });
            answer.insert("next".to_owned(), next);
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.about,
                "inputSchema": {
                    "type": "object",
                    "properties": properties.collect::<Map<String, Value>>(),
                    "required": tool.takes.get(..tool.needs),
                    "additionalProperties": false,
                },
                "outputSchema": {
                    "type": "object",
                    "properties": answer,
                    "required": ["next"],
                },
                "annotations": {
                    "title": tool.title,
                    "readOnlyHint": tool.is_reading,
                    "destructiveHint": !tool.is_reading,
                    "idempotentHint": tool.is_reading,
                    "openWorldHint": !tool.is_reading,
                },
            })
        });
        json!({ "tools": tools.collect::<Vec<_>>() })
    }

    /// The arguments of a call, or what is wrong with them.
    pub(super) fn asked(self, tool: &Tool, arguments: &Value) -> Result<Asked, String> {
        let empty = Map::new();
        let arguments = match arguments {
            Value::Null => &empty,
            Value::Object(arguments) => arguments,
            _ => return Err("the arguments of a tool are an object".to_owned()),
        };
        let known: Vec<&str> = self.takes(tool).collect();
        for (name, value) in arguments {
            if !known.contains(&name.as_str()) {
                let known = known.join(", ");
                return Err(format!(
                    "{} has no argument {name}; it takes {known}",
                    tool.name
                ));
            }
            if let Some(Value::Array(choices)) = property(name).get("enum")
                && !choices.contains(value)
            {
                let choices = choices.iter().filter_map(Value::as_str);
                let choices = choices.collect::<Vec<_>>().join(", ");
                return Err(format!("{name} is one of {choices}"));
            }
        }
        for name in tool.takes.iter().take(tool.needs) {
            if !arguments.contains_key(*name) {
                return Err(format!("{} needs the argument {name}", tool.name));
            }
        }
        let arguments = Value::Object(arguments.clone());
        let asked: Asked = serde_json::from_value(arguments)
            .map_err(|error| format!("wrong arguments of {}: {error}", tool.name))?;
        if let Some(since) = &asked.since {
            let _: Since = since.parse().map_err(|error| format!("since: {error}"))?;
        }
        Ok(asked)
    }
}

/// The schema of a property.
fn property(name: &str) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let choice = |of: &[&str], about: &str| json!({ "type": "string", "enum": of, "default": of.first(), "description": about });
    let number = |from: u32, to: u32, default: u32, about: &str| {
        json!({
            "type": "integer", "minimum": from, "maximum": to, "default": default,
            "description": about,
        })
    };
    let list = |about: &str| {
        json!({
            "type": "array", "items": { "type": "string" }, "minItems": 1, "description": about,
        })
    };
    match name {
        "run" => text("a profile, as list_runs names it"),
        "function" => text(
            "a function: its whole name, its end (`get` for `Cache::get`), or a pattern with *",
        ),
        "filter" => text("only what contains this text or regular expression, in any case"),
        "route" => {
            text("only routes or scripts that contain this; in a store the whole route, with *")
        }
        "status" => text("only this status: 500, 5xx, `exit 1` or failed"),
        "since" => {
            text("only what is not older: 30m, 2h, 7d, 2026-11-22 or 2026-11-22T10:30, in UTC")
        }
        "app" => text("the application; needed if the store has several"),
        "release" => text("only this release"),
        "base" => list("profiles of before, as list_runs names them"),
        "new" => list("profiles of after"),
        "command" => list("the script and its arguments: [\"bin/console\", \"app:import\"]"),
        "metric" => choice(
            &["wall", "cpu", "memory", "peak", "calls"],
            "the cost; summary says what was measured",
        ),
        "sort" => choice(
            &["self", "incl", "calls", "cpu", "memory", "peak", "name"],
            "what comes first: self or inclusive cost of the metric, or another cost",
        ),
        "sort_runs" => choice(
            &["date", "wall", "cpu", "peak", "calls"],
            "what comes first",
        ),
        "only" => choice(
            &["worse", "better"],
            "only changes in this direction; by default both",
        ),
        "mode" => choice(
            &["tree", "events", "sample"],
            "what to record: costs of every call path, each call in time, or samples with lines",
        ),
        "limit" => number(1, 100, 20, "how many rows"),
        "seconds" => number(1, 3_600, 60, "stop the command after so long"),
        _ => number(
            0,
            1_000_000,
            0,
            "how many rows to skip: the number that a cut list ends with",
        ),
    }
}

/// The arguments of all tools.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    pub(super) run: String,
    pub(super) function: Option<String>,
    pub(super) filter: Option<String>,
    pub(super) route: Option<String>,
    pub(super) status: Option<String>,
    pub(super) since: Option<String>,
    pub(super) app: Option<String>,
    pub(super) release: Option<String>,
    pub(super) base: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) command: Vec<String>,
    pub(super) metric: Option<String>,
    pub(super) sort: Option<String>,
    pub(super) sort_runs: Option<String>,
    pub(super) only: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) limit: Option<u32>,
    pub(super) offset: u32,
    pub(super) seconds: Option<u64>,
}

impl Asked {
    /// How many rows.
    pub(super) fn limit(&self) -> usize {
        self.limit.unwrap_or(20).clamp(1, 100) as usize
    }

    /// How many rows to skip.
    pub(super) fn offset(&self) -> usize {
        self.offset.min(1_000_000) as usize
    }

    pub(super) fn since(&self) -> Option<Since> {
        self.since.as_deref().and_then(|since| since.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Offer = Offer {
        has_store: true,
        may_run: true,
    };

    #[test]
    fn each_tool_takes_what_its_schema_says_and_nothing_else() {
        for tool in ALL.list()["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let found = ALL.tool(name).unwrap();
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            let value = |schema: &Value| match schema["type"].as_str().unwrap() {
                "string" => schema.get("default").cloned().unwrap_or("1d".into()),
                "integer" => schema["default"].clone(),
                _ => json!(["x"]),
            };
            let whole = properties
                .iter()
                .map(|(name, schema)| (name.clone(), value(schema)));
            let whole: Map<String, Value> = whole.collect();
            assert_eq!(properties.len(), found.takes.len());
            assert!(ALL.asked(found, &whole.clone().into()).is_ok(), "{name}");
            for (name, schema) in properties {
                assert!(
                    schema["description"].as_str().unwrap().len() < 120,
                    "{name}"
                );
                let mut wrong = whole.clone();
                wrong.insert(name.clone(), json!({}));
                assert!(ALL.asked(found, &wrong.into()).is_err(), "{name}");
            }
            let error = ALL.asked(found, &json!({ "colour": 1 })).unwrap_err();
            assert!(error.starts_with(&format!("{name} has no argument colour; it takes ")));
        }
    }

    #[test]
    fn what_is_not_offered_is_not_listed() {
        let names = |offer: Offer| offer.list()["tools"].as_array().unwrap().len();
        let less = Offer {
            has_store: false,
            may_run: false,
        };
        assert_eq!((names(ALL), names(less)), (11, 10));
        assert!(less.tool("run_command").is_none());
        let list = less.tool("list_runs").unwrap();
        assert!(less.asked(list, &json!({ "app": "x" })).is_err());
    }
}
