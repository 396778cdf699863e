//! The metadata of the request in a profile.
//!
//! It is asked for before a profile's state is used: PHP may bail out.
//!
//! **Invariant:** values from the query, cookies, the body or the environment are
//! recorded only if `xhprof.capture` lists their names. [`IDENTITY`] lists four more
//! variables, which by convention have the names of a service and of its release. Of the headers,
//! `traceparent` is read: its two ids, and only if they are ids.

use std::ffi::CStr;

use policy::output::annotations;
use policy::requests::traceparent::TraceParent;
use profile::Meta;

use super::{loaded, tags};
use crate::settings::{self, Setting, Text};
use crate::{inputs, zend};

/// A tag that identifies the application or its release: the tag, its setting, and the
/// variables of OpenTelemetry, Datadog and Sentry that are used if that is empty.
type Identity = (&'static str, &'static Setting<Text>, [&'static str; 2]);

const IDENTITY: [Identity; 2] = [
    ("app", &settings::APP, ["OTEL_SERVICE_NAME", "DD_SERVICE"]),
    (
        "release",
        &settings::RELEASE,
        ["SENTRY_RELEASE", "DD_VERSION"],
    ),
];

/// Whether the request has ended. While it runs, its outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestPhase {
    Ended,
    Running,
}

/// The metadata of a request at one moment.
#[derive(Debug, Clone)]
pub(super) struct RequestMeta(Meta);

impl RequestMeta {
    /// The metadata of the current request. Asks PHP.
    pub(super) fn ask(phase: RequestPhase) -> Self {
        let mut meta = Meta::default();
        describe(&mut meta, phase);
        Self(meta)
    }

    /// Adds it to a profile's metadata.
    pub(super) fn add_to(&self, meta: &mut Meta) {
        let Meta {
            title,
            host,
            sapi,
            php_version,
            creator,
            peak_memory,
            tags,
            ..
        } = self.0.clone();
        *meta = Meta {
            title,
            host,
            sapi,
            php_version,
            creator,
            peak_memory,
            // Not PHP's, and a forked child has another one.
            process: Some(std::process::id()),
            ..std::mem::take(meta)
        };
        for (name, value) in tags {
            meta.set_tag(&name, value);
        }
    }
}

fn describe(meta: &mut Meta, phase: RequestPhase) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let script = zend::script_path().map(text);
    let path = zend::request_path().map(text);
    let method = zend::request_method().map(text);
    let route = tags::route().or_else(|| path.as_deref().map(of_path));
    meta.title = tags::title().or(match (&method, &route) {
        (Some(method), Some(route)) => Some(with_method(method, route)),
        _ => route.clone().or_else(|| script.clone()),
    });
    if let Some(route) = route {
        meta.set_tag("route", route);
    }
    for (tag, setting, variables) in IDENTITY {
        let set = settings::value(setting);
        let is_set = !set.is_empty();
        let value = is_set.then(|| set.into_owned().into_bytes());
        let value = value.or_else(|| variables.into_iter().find_map(inputs::environment));
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            meta.set_tag(tag, annotations::text(&value));
        }
    }
    meta.host = host();
    meta.sapi = Some(zend::sapi_name().to_owned());
    meta.php_version = zend::php_version();
    meta.creator = Some(concat!("xhprof ", env!("CARGO_PKG_VERSION")).to_owned());
    if let Some(method) = method {
        let status = zend::response_status();
        meta.set_tag("method", method);
        if status > 0 {
            meta.set_tag("status", status.to_string());
        }
        if let Some(host) = zend::http_host() {
            meta.set_tag("http_host", text(host));
        }
        if let Some(path) = path {
            meta.set_tag("path", path);
        }
        if let Some(script) = script {
            meta.set_tag("script", script);
        }
    } else if phase == RequestPhase::Ended {
        // As shells report it.
        let status = match zend::signals::caught() {
            Some(signal) => 128 + signal,
            None => zend::exit_status(),
        };
        meta.set_tag("exit_status", status.to_string());
    }
    if phase == RequestPhase::Ended {
        if zend::request_failed() {
            meta.set_tag("failed", "1");
        }
        let (_, peak) = zend::memory();
        meta.peak_memory = u64::try_from(peak).ok();
    }
    trace(meta);
    loaded::describe(meta);
    // The program's own tags come last: they may name a span of its own.
    tags::describe(meta);
}

/// The trace that the request is part of, by its header `traceparent`.
fn trace(meta: &mut Meta) {
    let header = (!zend::is_command_line()).then(|| zend::server_variable(c"HTTP_TRACEPARENT"));
    let header = header.flatten().unwrap_or_default();
    if let Some(TraceParent { trace, span }) = TraceParent::parse(&header) {
        meta.set_tag("trace_id", trace);
        meta.set_tag("span_id", span);
    }
}

/// The request's route: as the program has set it, or made from the path.
pub(super) fn route() -> Option<String> {
    let of_request = || zend::request_path().map(|path| of_path(&String::from_utf8_lossy(&path)));
    tags::route().or_else(of_request)
}

/// The route for a path: `?` stands for numbers, hashes and dates.
fn of_path(path: &str) -> String {
    String::from_utf8_lossy(&redact::route(path.as_bytes())).into_owned()
}

/// The title of a request. The program's route may begin with the method.
fn with_method(method: &str, route: &str) -> String {
    let is_said = route
        .strip_prefix(method)
        .is_some_and(|rest| rest.starts_with(' '));
    if is_said {
        route.to_owned()
    } else {
        format!("{method} {route}")
    }
}

/// The machine's name.
fn host() -> Option<String> {
    let mut name = [0_u8; 256];
    zend::host_name(&mut name).then_some(())?;
    let name = CStr::from_bytes_until_nul(&name).ok()?;
    Some(name.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}
