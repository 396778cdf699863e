//! `/metrics`, in Prometheus' text format, on a loopback address.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tiny_http::{Header, Method, Response, Server};

use crate::dropped::Reason;
use crate::error::{Error, Result};
use crate::shared::{Shared, TargetState};

/// Serves the metrics, on a thread of its own.
pub(crate) fn serve(shared: Arc<Shared>, address: SocketAddr) -> Result<()> {
    let server = Server::http(address)
        .map_err(|error| Error::Option(format!("--metrics {address}: {error}")))?;
    tracing::info!(address = %server.server_addr(), "metrics");
    let kind = Header::from_bytes("Content-Type", "text/plain; version=0.0.4");
    let thread = std::thread::Builder::new().name("metrics".to_owned());
    thread.spawn(move || {
        for request in server.incoming_requests() {
            let is_it = request.url() == "/metrics" && *request.method() == Method::Get;
            let response = if is_it {
                Response::from_string(text(&shared))
            } else {
                Response::from_string("only /metrics is here\n").with_status_code(404)
            };
            let response = match &kind {
                Ok(kind) => response.with_header(kind.clone()),
                Err(()) => response,
            };
            // A client that went away needs no answer.
            let _ = request.respond(response);
        }
    })?;
    Ok(())
}

/// All metrics as text.
pub(crate) fn text(shared: &Shared) -> String {
    let mut text = String::new();
    let taken = shared.taken.load(Ordering::Relaxed);
    let left = shared.left.load(Ordering::Relaxed);
    let (refused, refused_bytes) = shared.refused.size();
    for (name, kind, help, value) in [
        (
            "xhprof_agent_taken_runs_total",
            "counter",
            "Runs that were taken from the spool.",
            taken,
        ),
        (
            "xhprof_agent_left_files",
            "gauge",
            "Files that stay in the spool, because they cannot be read.",
            left,
        ),
        (
            "xhprof_agent_refused_files",
            "gauge",
            "Files that a target refused, and that are kept in the queue's folder refused.",
            refused,
        ),
        (
            "xhprof_agent_refused_bytes",
            "gauge",
            "Their size.",
            refused_bytes,
        ),
    ] {
        head(&mut text, name, kind, help);
        let _ = writeln!(text, "{name} {value}");
    }
    type Value = fn(&TargetState) -> u64;
    let families: [(&str, &str, &str, Value); 6] = [
        (
            "xhprof_agent_sent_runs_total",
            "counter",
            "Runs that the target has acknowledged.",
            |target| target.queue.acknowledged().runs,
        ),
        (
            "xhprof_agent_failures_total",
            "counter",
            "Attempts to send that were not acknowledged.",
            |target| target.failures.load(Ordering::Relaxed),
        ),
        (
            "xhprof_agent_acknowledged_timestamp_seconds",
            "gauge",
            "The last acknowledgement.",
            |target| target.queue.acknowledged().at_s,
        ),
        (
            "xhprof_agent_queued_runs",
            "gauge",
            "Runs that wait in the queue.",
            |target| target.queue.size().runs,
        ),
        (
            "xhprof_agent_queued_batches",
            "gauge",
            "Batches that wait in the queue.",
            |target| target.queue.size().batches as u64,
        ),
        (
            "xhprof_agent_queued_bytes",
            "gauge",
            "Their size on the disk.",
            |target| target.queue.size().bytes,
        ),
    ];
    for (name, kind, help, value) in families {
        head(&mut text, name, kind, help);
        for target in &shared.targets {
            let url = label(&target.url);
            let _ = writeln!(text, "{name}{{target=\"{url}\"}} {}", value(target));
        }
    }
    let name = "xhprof_agent_dropped_runs_total";
    head(
        &mut text,
        name,
        "counter",
        "Runs that the target does not get.",
    );
    for target in &shared.targets {
        let url = label(&target.url);
        for reason in Reason::ALL {
            let (runs, reason) = (target.queue.dropped(reason), reason.name());
            let _ = writeln!(
                text,
                "{name}{{target=\"{url}\",reason=\"{reason}\"}} {runs}"
            );
        }
    }
    text
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// A text in quotes of a label.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
