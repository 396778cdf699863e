//! Errors as answers.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::reading::{NotTaken, OverQuota};

/// Why a request failed: a status, and a sentence that names the thing.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// How long the sender should wait, in seconds.
    pub(crate) retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            retry_after: None,
        }
    }

    /// No run with times matches a filter.
    pub(crate) fn nothing_matches(filter: &str) -> Self {
        let reason = format!("no run with times matches “{filter}”");
        Self::new(StatusCode::NOT_FOUND, reason)
    }

    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }
}

/// The sentence of a [`Problem`], beside its answer: a browser gets a page.
#[derive(Debug, Clone)]
pub(crate) struct Message(pub(crate) String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.message }));
        let mut response = (self.status, body).into_response();
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(Message(self.message));
        response
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        use store::Error;
        let status = match &error {
            Error::Full => StatusCode::INSUFFICIENT_STORAGE,
            Error::Query(_) => StatusCode::BAD_REQUEST,
            Error::Profile(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Closed | Error::Unavailable(_) | Error::Cancelled => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let is_internal = status == StatusCode::INTERNAL_SERVER_ERROR;
        if is_internal || matches!(error, Error::Unavailable(_)) {
            tracing::error!(%error, "the store failed");
        }
        Self::new(status, error.to_string())
    }
}

impl From<OverQuota> for Problem {
    fn from(over: OverQuota) -> Self {
        Self {
            retry_after: Some(over.seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, over.to_string())
        }
    }
}

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        match error {
            NotTaken::Invalid(reason) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, reason),
            NotTaken::TooLarge(reason) => Self::new(StatusCode::PAYLOAD_TOO_LARGE, reason),
            NotTaken::Unavailable(reason) => Self::new(StatusCode::SERVICE_UNAVAILABLE, reason),
            NotTaken::OverQuota(over) => over.into(),
            NotTaken::Store(error) => error.into(),
        }
    }
}
