//! What other receivers get, and what the agent makes of their answers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::time::Duration;

use agent::{Agent, Protocol, Target};
use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder, native};
use prost::Message;
use serde_json::Value;

use super::server::{Action, Asked, Server};
use super::{Machine, PATIENCE, SHORT, counter, dropped, until};

const ALL: [Protocol; 3] = [Protocol::Pyroscope, Protocol::Otlp, Protocol::Sentry];

/// A run of an application, by which a test knows it again.
fn run(app: &str) -> Vec<u8> {
    let mut profile = Profile::empty();
    profile.meta.set_tag("app", app);
    profile.meta.set_tag("release", "2026.11");
    profile.meta.host = Some("web1".to_owned());
    profile.meta.started_unix_us = Some(1_793_491_200_000_000);
    profile.symbols = vec![Symbol::new(*b"main()"), Symbol::new(*b"Cart::total")];
    let mut tree = TreeBuilder::new();
    let child = tree.child(NodeId::ROOT, SymbolId(1));
    for (node, wall) in [(NodeId::ROOT, 3_000_000), (child, 4_000_000)] {
        *tree.cost(node) += Cost {
            wall,
            calls: 1,
            ..Cost::default()
        };
    }
    profile.body = Body::Tree(tree.finish_self_costs());
    let mut bytes = Vec::new();
    native::write(&profile, &mut bytes).unwrap();
    bytes
}

/// A machine with runs of the applications `app-0`, `app-1` and so on.
fn machine(runs: usize) -> Machine {
    let machine = Machine::new(0);
    for number in 0..runs {
        let path = machine.spool().join(format!("{number}.xhp"));
        fs::write(path, run(&format!("app-{number}"))).unwrap();
    }
    machine
}

fn target(protocol: Protocol, url: &str) -> Target {
    if protocol == Protocol::Sentry {
        return Target::of_dsn(&format!("{}/42", url.replace("://", "://key@"))).unwrap();
    }
    Target {
        protocol,
        url: url.to_owned(),
        ..Target::default()
    }
}

fn start(machine: &Machine, targets: Vec<Target>) -> Agent {
    start_with(PATIENCE, machine, targets)
}

fn start_with(timeout: Duration, machine: &Machine, targets: Vec<Target>) -> Agent {
    let options = agent::Options {
        targets,
        timeout,
        ..machine.options(&[])
    };
    Agent::start(options).unwrap()
}

/// The answer of a receiver that has the run.
fn taken(protocol: Protocol) -> Action {
    Action::Answer(200, kind(protocol), "")
}

fn kind(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Otlp => "Content-Type: application/x-protobuf\r\n",
        Protocol::Sentry => "Content-Type: application/json\r\n",
        _ => "Content-Type: application/proto\r\n",
    }
}

#[derive(Clone, PartialEq, Message)]
struct Push {
    #[prost(message, repeated, tag = "1")]
    series: Vec<Series>,
}

#[derive(Clone, PartialEq, Message)]
struct Series {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// A message whose first field is read as bytes.
#[derive(Clone, PartialEq, Message)]
struct Bytes {
    #[prost(bytes = "vec", repeated, tag = "1")]
    first: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<Text>,
}

#[derive(Clone, PartialEq, Message)]
struct Text {
    #[prost(string, tag = "1")]
    text: String,
}

/// The labels of a request, and its profile as this project reads it.
fn read(asked: &Asked) -> (BTreeMap<String, String>, Profile) {
    if asked.path == "/push.v1.PusherService/Push" {
        let push = Push::decode(&asked.body[..]).unwrap();
        let [series] = &push.series[..] else {
            panic!("{push:?}")
        };
        let labels = series.labels.iter();
        let labels = labels.map(|label| (label.name.clone(), label.value.clone()));
        let pprof = &series.samples[0].first[0];
        return (labels.collect(), formats::read(&pprof[..]).unwrap());
    }
    if asked.path == "/api/42/envelope/" {
        let (transaction, _) = envelope(&asked.body);
        let app = transaction["tags"]["app"].as_str().unwrap().to_owned();
        return ([("service_name".to_owned(), app)].into(), Profile::empty());
    }
    assert_eq!(asked.path, "/v1development/profiles");
    let mut plain = Vec::new();
    let mut packed = flate2::read::GzDecoder::new(&asked.body[..]);
    packed.read_to_end(&mut plain).unwrap();
    let of_resource = &Bytes::decode(&plain[..]).unwrap().first[0];
    let resource = &Bytes::decode(&of_resource[..]).unwrap().first[0];
    let attributes = Bytes::decode(&resource[..]).unwrap().first;
    let attributes = attributes.iter().map(|bytes| {
        let KeyValue { key, value } = KeyValue::decode(&bytes[..]).unwrap();
        (key, value.unwrap().text)
    });
    (attributes.collect(), formats::read(&plain[..]).unwrap())
}

/// The transaction and the profile of an envelope.
fn envelope(body: &[u8]) -> (Value, Value) {
    let (head, mut rest) = line(body);
    let mut items = Vec::new();
    for kind in ["transaction", "profile"] {
        let (item, behind) = line(rest);
        assert_eq!(item["type"], kind);
        let length = usize::try_from(item["length"].as_u64().unwrap()).unwrap();
        let (payload, behind) = behind.split_at(length);
        items.push(serde_json::from_slice::<Value>(payload).unwrap());
        rest = behind.strip_prefix(b"\n").unwrap();
    }
    assert!(rest.is_empty());
    let [transaction, profile] = items.try_into().unwrap();
    assert_eq!(head["event_id"], transaction["event_id"]);
    (transaction, profile)
}

/// A line as JSON, and what is behind it.
fn line(bytes: &[u8]) -> (Value, &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let value = serde_json::from_slice(&bytes[..end]).unwrap();
    (value, &bytes[end + 1..])
}

#[test]
fn sentry_gets_a_transaction_with_its_profile_in_the_trace_of_the_run() {
    let server = Server::new(|_| taken(Protocol::Sentry));
    let machine = machine(0);
    let mut profile = formats::read(&run("shop")[..]).unwrap();
    for (name, value) in [
        ("route", "cart_show"),
        ("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("span_id", "00f067aa0ba902b7"),
    ] {
        profile.meta.set_tag(name, value);
    }
    let mut bytes = Vec::new();
    native::write(&profile, &mut bytes).unwrap();
    fs::write(machine.spool().join("a.xhp"), bytes).unwrap();
    let agent = start(&machine, vec![target(Protocol::Sentry, &server.address)]);
    until("acknowledged", || {
        machine.files() == 0 && machine.queued() == 0
    });
    agent.finish();
    let [asked] = &server.asked()[..] else {
        panic!("one request")
    };
    let auth = asked.header("x-sentry-auth");
    assert!(auth.starts_with("Sentry sentry_version=7, ") && auth.ends_with("sentry_key=key"));
    let (transaction, item) = envelope(&asked.body);
    assert_eq!(transaction["transaction"], "cart_show");
    assert_eq!(transaction["release"], "2026.11");
    assert_eq!(transaction["server_name"], "web1");
    let (begin, end) = (&transaction["start_timestamp"], &transaction["timestamp"]);
    let length = end.as_f64().unwrap() - begin.as_f64().unwrap();
    assert!((length - 0.007).abs() < 1e-6, "{length}");
    let trace = &transaction["contexts"]["trace"];
    assert_eq!(trace["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(trace["parent_span_id"], "00f067aa0ba902b7");
    assert_eq!(item["transaction"]["id"], transaction["event_id"]);
    assert_eq!(item["transaction"]["trace_id"], trace["trace_id"]);
    assert_eq!(
        item["event_id"],
        transaction["contexts"]["profile"]["profile_id"]
    );
}

/// The applications whose runs came, each as often as it came.
fn apps(server: &Server) -> Vec<String> {
    let asked = server.asked();
    let complete = asked.iter().filter(|asked| !asked.body.is_empty());
    let apps = complete.map(|asked| {
        let (labels, _) = read(asked);
        let name = labels.get("service_name").or(labels.get("service.name"));
        name.unwrap().clone()
    });
    let mut apps: Vec<_> = apps.collect();
    apps.sort();
    apps
}

fn all(runs: usize) -> Vec<String> {
    (0..runs).map(|number| format!("app-{number}")).collect()
}

#[test]
fn a_run_is_forwarded_with_its_labels_and_its_calls() {
    let pyroscope = Server::new(|_| taken(Protocol::Pyroscope));
    let otlp = Server::new(|_| taken(Protocol::Otlp));
    let machine = machine(3);
    let agent = start(
        &machine,
        vec![
            target(Protocol::Pyroscope, &pyroscope.address),
            target(Protocol::Otlp, &otlp.address),
        ],
    );
    until("acknowledged", || {
        machine.files() == 0 && machine.queued() == 0
    });
    for (server, names) in [
        (&pyroscope, ["service_name", "release", "hostname"]),
        (&otlp, ["service.name", "service.version", "host.name"]),
    ] {
        assert_eq!(apps(server), all(3));
        for asked in server.asked() {
            let (labels, profile) = read(&asked);
            let [_, release, host] = names.map(|name| labels[name].as_str());
            assert_eq!((release, host), ("2026.11", "web1"));
            let tree = profile.tree().unwrap();
            assert_eq!(tree.root_cost().wall, 7_000_000);
            let names = profile.symbols.iter().map(|symbol| &symbol.name[..]);
            assert!(names.clone().any(|name| name == b"Cart::total"));
        }
    }
    assert_eq!(counter(&agent, "xhprof_agent_sent_runs_total"), 3);
    agent.finish();
}

/// The receiver fails so for the second run, three times, and takes it then. Each
/// run must come, and what was taken must not come again.
fn check_that_it_is_sent_again(action: impl Fn() -> Action + Copy + Send + Sync + 'static) {
    check_that_it_is_sent_again_after(PATIENCE, action);
}

fn check_that_it_is_sent_again_after(
    timeout: Duration,
    action: impl Fn() -> Action + Copy + Send + Sync + 'static,
) {
    for protocol in ALL {
        let server = Server::new(move |asked| match asked.number {
            1..4 => action(),
            _ => taken(protocol),
        });
        let machine = machine(5);
        let agent = start_with(timeout, &machine, vec![target(protocol, &server.address)]);
        until("acknowledged", || {
            machine.files() == 0 && machine.queued() == 0
        });
        let requests = server.asked().len();
        // On a machine with other load an answer may come after a short time.
        if timeout == PATIENCE {
            assert_eq!(requests, 8, "{protocol:?}: five, and three that failed");
        }
        let mut apps = apps(&server);
        // Requests whose body did not come are not among them.
        assert!(apps.len() <= requests, "{apps:?}");
        apps.dedup();
        assert_eq!(apps, all(5), "{protocol:?}");
        assert!(counter(&agent, "xhprof_agent_failures_total") >= 3);
        for reason in ["queue_full", "refused", "too_large", "damaged"] {
            assert_eq!(dropped(&agent, reason), 0, "{reason}");
        }
        agent.finish();
    }
}

#[test]
fn receivers_that_fail_or_want_another_token_get_the_run_again() {
    check_that_it_is_sent_again(|| Action::Answer(401, "", ""));
    check_that_it_is_sent_again(|| Action::Answer(403, "", "{}"));
    check_that_it_is_sent_again(|| Action::Answer(404, "", "404 page not found"));
    check_that_it_is_sent_again(|| Action::Answer(429, "", ""));
    check_that_it_is_sent_again(|| Action::Answer(500, "", ""));
    check_that_it_is_sent_again(|| Action::Answer(503, "", ""));
}

#[test]
fn proxies_acknowledge_nothing_and_refuse_nothing() {
    let page = "Content-Type: text/html\r\n";
    check_that_it_is_sent_again(move || Action::Answer(200, page, "<h1>Welcome</h1>"));
    check_that_it_is_sent_again(move || Action::Answer(400, page, "<h1>HTTPS, please</h1>"));
    check_that_it_is_sent_again(|| Action::Answer(302, "Location: /login\r\n", ""));
}

#[test]
fn connections_that_are_cut_or_silent_keep_the_queue() {
    check_that_it_is_sent_again(|| Action::Close);
    check_that_it_is_sent_again(|| Action::StoreAndClose);
    check_that_it_is_sent_again_after(SHORT, || Action::Silence);
    check_that_it_is_sent_again_after(SHORT, || Action::Drip);
}

#[test]
fn a_receiver_that_asks_to_wait_gets_the_time() {
    for protocol in ALL {
        let server = Server::new(move |asked| match asked.number {
            0 => Action::Answer(429, "Retry-After: 1\r\n", ""),
            _ => taken(protocol),
        });
        let machine = machine(1);
        let begin = std::time::Instant::now();
        let agent = start(&machine, vec![target(protocol, &server.address)]);
        until("acknowledged", || {
            machine.files() == 0 && machine.queued() == 0
        });
        assert!(begin.elapsed() >= Duration::from_secs(1));
        agent.finish();
    }
}

#[test]
fn what_a_receiver_refuses_is_dropped_and_counted() {
    for protocol in ALL {
        for (status, body, reason) in [
            (413, "", "too_large"),
            (
                400,
                r#"{"code":"invalid_argument","message":"no"}"#,
                "refused",
            ),
        ] {
            let server = Server::new(move |asked| match asked.number {
                1 => Action::Answer(status, "Content-Type: application/json\r\n", body),
                _ => taken(protocol),
            });
            let machine = machine(3);
            let agent = start(&machine, vec![target(protocol, &server.address)]);
            until("done", || machine.files() == 0 && machine.queued() == 0);
            assert_eq!(counter(&agent, "xhprof_agent_sent_runs_total"), 2);
            assert_eq!(dropped(&agent, reason), 1);
            assert_eq!(server.asked().len(), 3);
            agent.finish();
        }
    }
}

#[test]
fn a_collector_that_rejects_a_profile_with_status_200_has_not_taken_it() {
    // partial_success { rejected_profiles: 1, error_message: "no" }
    let body = "\n\u{6}\u{8}\u{1}\u{12}\u{2}no";
    let server = Server::new(move |_| Action::Answer(200, kind(Protocol::Otlp), body));
    let machine = machine(1);
    let agent = start(&machine, vec![target(Protocol::Otlp, &server.address)]);
    until("done", || machine.files() == 0 && machine.queued() == 0);
    assert_eq!(dropped(&agent, "refused"), 1);
    assert_eq!(counter(&agent, "xhprof_agent_sent_runs_total"), 0);
    agent.finish();
}

#[test]
fn what_is_no_profile_is_dropped_for_this_target_only() {
    let ours = Server::new(|_| Action::Store);
    let server = Server::new(|_| taken(Protocol::Otlp));
    let machine = Machine::new(0);
    for name in ["a.xhp", "b.xhp"] {
        fs::write(machine.spool().join(name), format!("<p>{name}</p>")).unwrap();
    }
    let mut targets = machine.options(&[&ours.address]).targets;
    targets.push(target(Protocol::Otlp, &server.address));
    let agent = start(&machine, targets);
    until("done", || machine.files() == 0 && machine.queued() == 0);
    assert_eq!(ours.stored().len(), 2);
    assert!(server.asked().is_empty());
    let metrics = agent.metrics();
    let name = format!("otlp={}", server.address);
    let line = format!("xhprof_agent_dropped_runs_total{{target=\"{name}\",reason=\"refused\"}} 2");
    assert!(metrics.contains(&line), "{metrics}");
    // Only servers of ours have a place for the counters.
    agent.finish();
    assert!(server.asked().is_empty());
}

#[test]
fn headers_come_from_a_file_that_is_read_each_time() {
    let server = Server::new(|asked| match asked.header("x-scope-orgid") {
        "team" => taken(Protocol::Pyroscope),
        _ => Action::Answer(401, "", ""),
    });
    let machine = machine(1);
    let file = machine.folder.path().join("headers");
    let of = |text: &str| fs::write(&file, text).unwrap();
    of("no header at all, and no token");
    let mut to = target(Protocol::Pyroscope, &server.address);
    to.token_file = Some(file.clone());
    let agent = start(&machine, vec![to]);
    until("a failure", || {
        counter(&agent, "xhprof_agent_failures_total") > 1
    });
    assert!(server.asked().is_empty());
    of("secret\n");
    until("refused", || !server.asked().is_empty());
    assert_eq!(server.asked()[0].token.as_deref(), Some("secret"));
    of("X-Scope-OrgID: team\nAuthorization: Basic eDp5\n");
    until("acknowledged", || machine.queued() == 0);
    let last = server.asked().pop().unwrap();
    assert_eq!(last.header("authorization"), "Basic eDp5");
    agent.finish();
}

#[test]
fn runs_that_a_receiver_has_not_got_are_sent_after_the_next_start() {
    let machine = machine(3);
    let dead = super::nothing();
    let agent = start(&machine, vec![target(Protocol::Otlp, &dead)]);
    until("a failure", || {
        counter(&agent, "xhprof_agent_failures_total") > 0
    });
    agent.finish();
    assert!(machine.queued() > 0);
    let later = Server::new(|_| taken(Protocol::Otlp));
    let listener = std::net::TcpListener::bind(dead.trim_start_matches("http://")).unwrap();
    let to = later.address.trim_start_matches("http://").to_owned();
    std::thread::spawn(move || super::relay(&listener, &to));
    let agent = start(&machine, vec![target(Protocol::Otlp, &dead)]);
    until("acknowledged", || machine.queued() == 0);
    assert_eq!(apps(&later), all(3));
    agent.finish();
}
