//! The document.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use formats::visible::html as escaped;

use super::files::{APP, ENGINE, STYLE, WORKER};

/// The engine is compiled in its worker, whose own policy allows that. The worker that arranges graphs is a part of
/// the app's script, so it comes from `blob:`.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self' blob:; connect-src 'self'; \
    style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

static HEAD: LazyLock<String> = LazyLock::new(|| {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>xhprof</title><link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"{}\"><script src=\"{}\" defer></script></head>\
         <body><div id=\"app\" data-mode=\"server\" data-worker=\"{}\" data-engine=\"{}\"",
        STYLE.address(),
        APP.address(),
        WORKER.address(),
        ENGINE.address()
    )
});

const END: &str = "</div><noscript><p>These pages need JavaScript.</p></noscript></body></html>\n";

/// The document of a page.
pub(crate) async fn page() -> Response {
    document(None)
}

/// The document of a request that failed, with the reason.
pub(crate) fn problem(message: &str) -> Response {
    document(Some(message))
}

fn document(problem: Option<&str>) -> Response {
    let html = match problem.map(escaped) {
        Some(text) => format!(
            "{} data-problem=\"{text}\"><p role=\"alert\">{text}</p>{END}",
            *HEAD
        ),
        None => format!("{}>{END}", *HEAD),
    };
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_no_script_of_its_own() {
        assert_eq!(HEAD.matches("<script").count(), 1);
        assert!(HEAD.contains("<script src=\"/assets/app-"));
        assert!(!HEAD.contains("<style"));
    }
}
