//! `xhprof mcp`, as a client asks it.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp_client::Client;
use crate::run::Stage;

/// A folder with some of the transcripts' profiles.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("spans.in/spans.xhp", "spans.xhp"),
        ("views.in/tiny.xhp", "tiny.xhp"),
        ("hints.in/import.json", "import.json"),
        ("report.in/hostile.xhprof", "hostile.xhprof"),
        ("diff.in/a0.json", "a0.json"),
        ("diff.in/b0.json", "b0.json"),
        ("errors.in/cut.xhprof", "broken.xhprof"),
        ("annotate.in/run.xhp", "lined.xhp"),
    ];
    for (from, to) in files {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/cmd")
            .join(from);
        fs::copy(from, folder.path().join(to)).unwrap();
    }
    folder
}

fn client(folder: &TempDir) -> Client {
    Client::of(&[folder.path().to_str().unwrap()])
}

#[test]
fn each_version_that_clients_use_is_spoken() {
    let folder = folder();
    let mut client = client(&folder);
    for (wanted, spoken) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-06-18"),
    ] {
        let answer = client.ask("initialize", &json!({ "protocolVersion": wanted }));
        assert_eq!(answer["result"]["protocolVersion"], spoken);
        let offered = answer["result"]["capabilities"].as_object().unwrap();
        let offered: Vec<&String> = offered.keys().collect();
        assert_eq!(offered, ["prompts", "resources", "tools"]);
    }
    assert_eq!(client.ask("ping", &Value::Null)["result"], json!({}));
    assert_eq!(client.end(), "");
}

#[test]
fn each_tool_answers_with_text_data_and_what_to_ask_next() {
    let folder = folder();
    let mut client = client(&folder);
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == true)
    );
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(!names.contains(&"run_command"), "{names:?}");
    for (tool, arguments, said, list) in [
        ("list_runs", json!({}), "`spans.xhp`", "runs"),
        (
            "list_runs",
            json!({ "limit": 2 }),
            "- … 5 more; ask with offset 2",
            "runs",
        ),
        (
            "summary",
            json!({ "run": "spans.xhp" }),
            "## What was measured",
            "functions",
        ),
        (
            "functions",
            json!({ "run": "tiny.xhp", "sort": "incl" }),
            "with callees",
            "functions",
        ),
        (
            "callers_and_callees",
            json!({ "run": "import.json", "function": "array_merge" }),
            "`Import::all`",
            "callers",
        ),
        (
            "call_paths",
            json!({ "run": "tiny.xhp" }),
            "- 100.0% ",
            "paths",
        ),
        (
            "annotate_lines",
            json!({ "run": "lined.xhp" }),
            "- ",
            "lines",
        ),
        ("spans", json!({ "run": "spans.xhp" }), " sql `", "spans"),
        (
            "hints",
            json!({ "run": "import.json" }),
            "Waiting dominates",
            "hints",
        ),
        (
            "differences",
            json!({ "base": ["a0.json"], "new": ["b0.json"] }),
            " wall\n",
            "functions",
        ),
    ] {
        let answer = client.tool(tool, &arguments);
        assert!(answer.text.contains(said), "{tool}: {}", answer.text);
        assert!(
            !answer.data[list].as_array().unwrap().is_empty(),
            "{tool}: {}",
            answer.data
        );
        // What an answer suggests is a question that has an answer.
        for next in answer.data["next"].as_array().unwrap() {
            client.tool(next["tool"].as_str().unwrap(), &next["arguments"]);
        }
    }
    let error = client.refusal("regressions", &json!({}));
    assert!(error.contains("set the tag \"release\""), "{error}");
    client.end();
}

#[test]
fn pages_of_a_list_have_each_row_once() {
    let folder = folder();
    let mut client = client(&folder);
    let mut names = Vec::new();
    loop {
        let asked = json!({ "run": "import.json", "limit": 5, "offset": names.len() });
        let page = client.tool("functions", &asked).data;
        let rows = page["functions"].as_array().unwrap();
        names.extend(
            rows.iter()
                .map(|row| row["name"].as_str().unwrap().to_owned()),
        );
        if page["more_functions"] == 0 {
            break;
        }
    }
    assert_eq!(names.len(), 12);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 12);
    client.end();
}

#[test]
fn names_of_a_hostile_profile_stay_in_their_code_spans() {
    let folder = folder();
    let mut client = client(&folder);
    let answer = client.tool("functions", &json!({ "run": "hostile.xhprof" }));
    for line in answer
        .text
        .lines()
        .take_while(|line| !line.is_empty() && *line != "Next:")
    {
        assert_eq!(line.matches('`').count() % 2, 0, "{line}");
    }
    assert!(!answer.text.contains('\u{1b}') && !answer.text.contains('\u{202e}'));
    client.end();
}

#[test]
fn what_is_outside_of_the_folder_is_not_read() {
    let folder = folder();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.xhp");
    fs::copy(folder.path().join("tiny.xhp"), &secret).unwrap();
    symlink(&secret, folder.path().join("link.xhp")).unwrap();
    symlink(outside.path(), folder.path().join("up")).unwrap();
    let mut client = client(&folder);
    let up = format!(
        "../{}/secret.xhp",
        outside.path().file_name().unwrap().to_str().unwrap()
    );
    for run in [
        "link.xhp",
        "up/secret.xhp",
        &up,
        secret.to_str().unwrap(),
        "/etc/passwd",
        "",
    ] {
        let error = client.refusal("summary", &json!({ "run": run }));
        assert!(
            error.contains("this server reads no other place"),
            "{error}"
        );
        let error = client.refusal(
            "differences",
            &json!({ "base": ["tiny.xhp"], "new": [run] }),
        );
        assert!(
            error.contains("this server reads no other place"),
            "{error}"
        );
    }
    let uri = "xhprof://run/..%2F..%2Fetc%2Fpasswd";
    assert_eq!(
        client.ask("resources/read", &json!({ "uri": uri }))["error"]["code"],
        -32002
    );
    let listed = client.tool("list_runs", &json!({})).text;
    assert!(
        !listed.contains("link") && !listed.contains("secret"),
        "{listed}"
    );
    client.end();
}

#[test]
fn bad_input_gets_an_error_and_the_server_lives_on() {
    let folder = folder();
    let mut client = client(&folder);
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(3 << 20)
    );
    let deep = "[".repeat(100_000);
    for (line, code) in [
        ("{", -32700),
        ("nonsense", -32700),
        (&deep, -32700),
        (&long, -32600),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":[]}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"x"}}"#,
            -32602,
        ),
    ] {
        client.say(line);
        let answer = client.heard();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().len() > 10,
            "{answer}"
        );
        client.ask("ping", &json!({}));
    }
    // No request: no answer.
    client.say("");
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    client.say(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
    for (tool, arguments, said) in [
        ("summary", json!({}), "needs the argument run"),
        ("summary", json!({ "run": 7 }), "expected a string"),
        ("summary", json!([1]), "are an object"),
        (
            "functions",
            json!({ "run": "tiny.xhp", "sort": "colour" }),
            "sort is one of self, ",
        ),
        (
            "functions",
            json!({ "run": "tiny.xhp", "limit": -1 }),
            "expected u32",
        ),
        (
            "functions",
            json!({ "run": "tiny.xhp", "colour": 1 }),
            "has no argument colour",
        ),
        (
            "functions",
            json!({ "run": "tiny.xhprof" }),
            "there is no file tiny.xhprof",
        ),
        (
            "functions",
            json!({ "run": "broken.xhprof" }),
            "cannot be read as a profile",
        ),
        (
            "functions",
            json!({ "run": "import.json", "metric": "peak", "filter": "[" }),
            "",
        ),
        (
            "callers_and_callees",
            json!({ "run": "tiny.xhp", "function": "nothing" }),
            "no function",
        ),
        (
            "call_paths",
            json!({ "run": "import.json" }),
            "ask callers_and_callees",
        ),
        (
            "annotate_lines",
            json!({ "run": "tiny.xhp" }),
            "the profile has no lines",
        ),
        ("list_runs", json!({ "since": "yesterday" }), "since: "),
        (
            "differences",
            json!({ "base": [], "new": ["a0.json"] }),
            "1 to 50 profiles",
        ),
    ] {
        let answer = client.call(tool, &arguments);
        assert!(
            answer.is_error || said.is_empty(),
            "{tool} {arguments}: {}",
            answer.text
        );
        assert!(
            answer.text.contains(said),
            "{tool} {arguments}: {}",
            answer.text
        );
    }
    // A file that is deleted between two questions.
    client.tool("summary", &json!({ "run": "tiny.xhp" }));
    fs::remove_file(folder.path().join("tiny.xhp")).unwrap();
    client.refusal("summary", &json!({ "run": "tiny.xhp" }));
    client.tool("list_runs", &json!({}));
    client.end();
}

#[test]
fn a_batch_has_one_answer_and_a_cancelled_request_has_none() {
    let folder = folder();
    let mut client = client(&folder);
    client.say(
        r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"b","method":"prompts/list"}]"#,
    );
    let answers = client.heard();
    let ids: Vec<&Value> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, ["a", "b"]);
    client.end();

    // The first question takes long; the second one waits, and is cancelled.
    let stage = Stage::new();
    let mut client = running(&stage, "terminated", "60");
    for (id, tool) in [(100, "run_command"), (101, "list_runs")] {
        let params = json!({ "name": tool, "arguments": if id == 100 { json!({ "command": ["s.php"] }) } else { json!({}) } });
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        client.say(&request.to_string());
    }
    // While a command runs, `ping` is answered.
    client.ask("ping", &json!({}));
    for id in [101, 100] {
        let params = json!({ "requestId": id });
        client.say(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
                .to_string(),
        );
    }
    client.ask("prompts/list", &json!({}));
    client.end();
    stage.assert_clean();
}

#[test]
fn the_profiles_are_resources_and_the_prompts_name_tools() {
    let folder = folder();
    let mut client = client(&folder);
    let list = client.ask("resources/list", &json!({}))["result"]["resources"].clone();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 8);
    for resource in list {
        let read = client.ask("resources/read", &json!({ "uri": resource["uri"] }));
        let content = &read["result"]["contents"][0];
        assert_eq!(content["mimeType"], "text/markdown");
        assert!(
            content["text"].as_str().unwrap().len() > 100,
            "{resource} {read}"
        );
    }
    let templates = client.ask("resources/templates/list", &json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(*template, "xhprof://run/{run}");
    let prompts = client.ask("prompts/list", &json!({}))["result"]["prompts"].clone();
    for (prompt, tool) in prompts
        .as_array()
        .unwrap()
        .iter()
        .zip(["summary", "regressions"])
    {
        let arguments = json!({ "name": prompt["name"], "arguments": {} });
        let got = client.ask("prompts/get", &arguments);
        let text = got["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap();
        assert!(text.contains(tool), "{text}");
    }
    client.end();
}

fn running(stage: &Stage, end: &str, seconds: &str) -> Client {
    let mut command = stage.program(end);
    command
        .args(["mcp", "--allow-run", "--run-limit", seconds])
        .arg(stage.path("tmp"));
    Client::started(command)
}

#[test]
fn a_command_is_profiled_within_its_limits() {
    let stage = Stage::new();
    let mut client = running(&stage, "echo", "60");
    let answer = client.tool("run_command", &json!({ "command": ["s.php", "a b"] }));
    assert!(answer.text.contains("100 µs wall"), "{}", answer.text);
    assert_eq!(answer.data["run"], "recorded-1.xhp");
    assert!(
        answer.data["ending"]
            .as_str()
            .unwrap()
            .starts_with("ended with exit code 0 after")
    );
    let functions = client.tool("functions", &json!({ "run": "recorded-1.xhp" }));
    assert_eq!(functions.data["functions"].as_array().unwrap().len(), 2);
    let listed = client.tool("list_runs", &json!({}));
    assert!(listed.text.contains("`recorded-1.xhp`"), "{}", listed.text);
    let error = client.refusal("run_command", &json!({ "command": ["nothing.php"] }));
    assert!(error.contains("there is no script nothing.php"), "{error}");
    client.refusal("run_command", &json!({ "command": [] }));
    client.end();
    stage.assert_clean();

    let mut client = running(&stage, "terminated", "1");
    let began = Instant::now();
    let answer = client.tool("run_command", &json!({ "command": ["s.php"] }));
    assert!(
        answer.text.starts_with("The command was stopped after 1."),
        "{}",
        answer.text
    );
    assert!(began.elapsed() < Duration::from_secs(30));
    client.end();
    stage.assert_clean();
}

#[test]
fn a_signal_ends_the_command_with_the_server() {
    let stage = Stage::new();
    let mut command = stage.program("terminated");
    command.args(["mcp", "--allow-run"]).arg(stage.path("tmp"));
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut server = command.spawn().unwrap();
    let params = json!({ "name": "run_command", "arguments": { "command": ["s.php"] } });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    // Open until the end: the server would end with its input.
    let mut input = server.stdin.take().unwrap();
    writeln!(input, "{request}").unwrap();
    // The program writes it when it runs.
    while !stage.path("mode").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    assert_eq!(server.wait().unwrap().signal(), Some(15));
    stage.assert_clean();
}

#[test]
fn a_directory_that_is_not_there_is_refused_at_the_start() {
    let mut command = crate::program::program();
    let output = command.args(["mcp", "/nowhere/x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("cannot read /nowhere/x"), "{error}");
}
