//! `xhprof view`: the page on a port of this machine, for one user.
//!
//! **Invariant:** a request gets the page only with the secret in its path, and only
//! under a name of this machine: another site whose name resolves to this machine
//! (DNS rebinding) gets nothing.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, anyhow};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tiny_http::{Header, Method, Request, Response, Server};

use super::parts;
use crate::args::ViewerArguments;
use crate::pager;

/// Serves the page until a signal comes.
pub(super) fn show(html: Vec<u8>, arguments: &ViewerArguments) -> Result<()> {
    let secret = secret()?;
    let server = Server::http(("127.0.0.1", arguments.port)).map_err(|error| {
        anyhow!(
            "cannot listen on port {} of 127.0.0.1: {error}",
            arguments.port
        )
    })?;
    let server = Arc::new(server);
    let address = server.server_addr().to_ip().context("no port was given")?;
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let ended = Arc::clone(&server);
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            ended.unblock();
        }
    });
    let url = format!("http://{address}/{secret}/");
    pager::print(false, |_| Ok(format!("{url}\nCtrl-C ends it.\n")))?;
    if !arguments.no_browser {
        open(&url);
    }
    let page = Page {
        html,
        path: format!("/{secret}/"),
        hosts: [address.to_string(), format!("localhost:{}", address.port())],
    };
    for request in server.incoming_requests() {
        // A browser that went away is no reason to end.
        let _ = page.answer(request);
    }
    Ok(())
}

struct Page {
    html: Vec<u8>,
    path: String,
    hosts: [String; 2],
}

impl Page {
    fn answer(&self, request: Request) -> std::io::Result<()> {
        let host = request
            .headers()
            .iter()
            .find(|header| header.field.equiv("Host"));
        let is_ours =
            host.is_some_and(|header| self.hosts.iter().any(|ours| header.value == ours.as_str()));
        let (status, body) = match (is_ours, request.url() == self.path, request.method()) {
            (true, true, Method::Get | Method::Head) => (200, &self.html[..]),
            (true, true, _) => (405, &b"only to be read\n"[..]),
            _ => (404, &b"nothing here\n"[..]),
        };
        let kind = if status == 200 {
            "text/html"
        } else {
            "text/plain"
        };
        let mut response = Response::from_data(body).with_status_code(status);
        for (name, value) in [
            ("Content-Type", format!("{kind}; charset=utf-8")),
            (
                "Content-Security-Policy",
                format!("{}; frame-ancestors 'none'", parts::policy()),
            ),
            ("Cache-Control", "no-store".to_owned()),
            ("Referrer-Policy", "no-referrer".to_owned()),
            ("X-Content-Type-Options", "nosniff".to_owned()),
            ("Cross-Origin-Resource-Policy", "same-origin".to_owned()),
        ] {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        request.respond(response)
    }
}

/// 128 random bits.
fn secret() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Opens the browser, where there is a desktop.
fn open(url: &str) {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if has_desktop {
        "xdg-open"
    } else {
        return;
    };
    let child = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    // The address has been printed, whatever becomes of this.
    if let Ok(mut child) = child {
        thread::spawn(move || child.wait());
    }
}
