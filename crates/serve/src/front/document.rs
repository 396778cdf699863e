//! The document.

use std::sync::LazyLock;

use axum::http::{Uri, header};
use axum::response::{Html, IntoResponse, Response};
use form_urlencoded::Serializer;
use formats::visible::html as escaped;
use store::RunSort;

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
         <link rel=\"stylesheet\" href=\"{}\"><script src=\"{}\" defer></script>",
        STYLE.address(),
        APP.address(),
    )
});

static BODY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "</head><body><div id=\"app\" data-mode=\"server\" data-worker=\"{}\" data-engine=\"{}\"",
        WORKER.address(),
        ENGINE.address()
    )
});

const END: &str = "</div><noscript><p>These pages need JavaScript.</p></noscript></body></html>\n";

/// The document of a page.
pub(crate) async fn page(address: Uri) -> Response {
    document(&first_questions(&address), None)
}

/// The document of a request that failed, with the reason.
pub(crate) fn problem(message: &str) -> Response {
    document(&[], Some(message))
}

fn document(questions: &[String], problem: Option<&str>) -> Response {
    let preload = |question: &String| {
        let address = escaped(question);
        format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{address}\">")
    };
    let preloads: String = questions.iter().map(preload).collect();
    let end = match problem.map(escaped) {
        Some(text) => format!(" data-problem=\"{text}\"><p role=\"alert\">{text}</p>{END}"),
        None => format!(">{END}"),
    };
    let html = format!("{}{preloads}{}{end}", *HEAD, *BODY);
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response()
}

/// What the app asks the API first on a page. The browser asks it while it still loads the
/// app, so that an answer is there when the app wants it. The addresses must be those of
/// `web/src`, to the letter: otherwise the browser asks twice, and says so in its console.
fn first_questions(address: &Uri) -> Vec<String> {
    let query = address.query().unwrap_or_default();
    let value = |wanted: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let found = pairs.find(|(name, _)| name == wanted);
        found.map_or_else(String::new, |(_, value)| value.into_owned())
    };
    let page = match address.path() {
        "/login" => return Vec::new(),
        "/" => Some(question("/api/v1/pages/home", &[("q", &value("q"))])),
        "/runs" => {
            let (order, sort) = (value("order"), value("sort"));
            let is_known = serde_json::from_value::<RunSort>(sort.as_str().into()).is_ok();
            Some(question(
                "/api/v1/runs",
                &[
                    ("q", &value("q")),
                    ("sort", if is_known { &sort } else { "started" }),
                    ("ascending", if order == "ascending" { "true" } else { "" }),
                    ("limit", "50"),
                    ("cursor", &value("cursor")),
                ],
            ))
        }
        _ => None,
    };
    let session = Some("/api/v1/session".to_owned());
    session.into_iter().chain(page).collect()
}

/// An address with the values that are not empty, encoded as `URLSearchParams` does.
fn question(path: &str, values: &[(&str, &str)]) -> String {
    let given = values.iter().filter(|(_, value)| !value.is_empty());
    let query = Serializer::new(String::new()).extend_pairs(given).finish();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
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

    #[test]
    fn the_first_questions_are_those_of_the_address() {
        let of = |address: &'static str| first_questions(&Uri::from_static(address));
        assert_eq!(of("/login?next=/"), [] as [&str; 0]);
        assert_eq!(of("/routes?q=app:a"), ["/api/v1/session"]);
        assert_eq!(of("/"), ["/api/v1/session", "/api/v1/pages/home"]);
        assert_eq!(
            of("/?chart=sql&q=app:a%20route:/x%22y")[1],
            "/api/v1/pages/home?q=app%3Aa+route%3A%2Fx%22y"
        );
        assert_eq!(of("/runs")[1], "/api/v1/runs?sort=started&limit=50");
        assert_eq!(
            of("/runs?sort=wall&order=ascending&cursor=7&q=%C3%A4*")[1],
            "/api/v1/runs?q=%C3%A4*&sort=wall&ascending=true&limit=50&cursor=7"
        );
        assert_eq!(
            of("/runs?sort=%22")[1],
            "/api/v1/runs?sort=started&limit=50"
        );
    }

    #[test]
    fn an_address_does_not_leave_its_attribute() {
        let questions = ["/api/v1/runs?q=\"><script>".to_owned()];
        let answer = document(&questions, None).into_body();
        let bytes = axum::body::to_bytes(answer, 1 << 20);
        let bytes = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(bytes);
        let html = String::from_utf8(bytes.unwrap().to_vec()).unwrap();
        assert_eq!(html.matches("<script").count(), 1, "{html}");
    }
}
