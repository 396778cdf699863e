//! Findings as a webhook sends them: one at a time, as JSON with a text.

use std::time::SystemTime;

use ::serve::{Message, Notice, condition, encoded};
use anyhow::Result;
use cli::regressions::{json, markdown, words};
use profile::quantities::Since;
use regressions::{Finding, Place, Report};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Store;

use super::stored::of_app;

/// The version of what is sent. It changes when programs that read it have to.
const VERSION: u32 = 1;

/// Findings of releases that are older are not sent: a webhook that was just set
/// would send those of years.
const SINCE: Since = Since::Ago(14 * 86_400 * 1_000_000);

/// The findings of an application, the latest release first.
pub(crate) fn notices(store: &dyn Store, app: &str) -> Result<Vec<Notice>> {
    let findings = of_app(store, app, Some(SINCE))?;
    let mut notices = Vec::new();
    for (report, since) in findings.reports.iter().zip(&findings.since) {
        for finding in report.findings.iter().filter(|finding| !finding.is_gone) {
            let id = id(app, report, finding);
            let body = json!({
                "version": VERSION,
                "event": "regression",
                "id": id,
                "app": app,
                "release": report.release,
                "since_unix": since * 3600,
                "sent_unix": unix_seconds(),
                "finding": json::finding(&findings, &report.release, finding),
                "text": markdown::one(&findings, app, report, finding),
            });
            let message = message(
                app,
                report,
                finding,
                markdown::one(&findings, app, report, finding),
            );
            notices.push(Notice { id, body, message });
        }
    }
    Ok(notices)
}

/// A finding as people read it in a chat.
fn message(app: &str, report: &Report, finding: &Finding, markdown: String) -> Message {
    let place = |place: &Place| (place.route.clone(), words::cost(finding.kind, place));
    let of_app = encoded(&condition("app", app));
    Message {
        title: format!("{app} {}: {}", report.release, words::kind(finding.kind)),
        sentence: words::sentence(finding),
        routes: finding.places.iter().map(place).collect(),
        proof: words::evidence(finding),
        markdown,
        path: format!("/regressions?q={of_app}#{}", id(app, report, finding)),
    }
}

/// The same for a finding whatever is known of it later.
pub(super) fn id(app: &str, report: &Report, finding: &Finding) -> String {
    let caller = finding.caller.as_deref().unwrap_or_default();
    let parts = [
        app,
        &report.release,
        finding.kind.name(),
        &finding.function,
        caller,
    ];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let hash = hash.finalize();
    let digits = hash.iter().take(16).map(|byte| format!("{byte:02x}"));
    digits.collect()
}

fn unix_seconds() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}
