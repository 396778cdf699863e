//! Why an upload is refused, as a process of `readers` tells it.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::reading::NotTaken;

/// Why a body, or a profile of it, is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) reason: String,
}

impl Refused {
    pub(crate) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            reason: reason.into(),
        }
    }

    pub(crate) fn bad(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, reason)
    }

    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, reason)
    }

    pub(crate) fn too_large(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, reason)
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::new(problem.status, problem.message)
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        let status = StatusCode::from_u16(refused.status);
        Self::new(status.unwrap_or(StatusCode::BAD_REQUEST), refused.reason)
    }
}

impl From<NotTaken> for Refused {
    fn from(error: NotTaken) -> Self {
        Problem::from(error).into()
    }
}

impl From<Refused> for NotTaken {
    fn from(refused: Refused) -> Self {
        match StatusCode::from_u16(refused.status) {
            Ok(StatusCode::PAYLOAD_TOO_LARGE) => Self::TooLarge(refused.reason),
            _ => Self::Invalid(refused.reason),
        }
    }
}
