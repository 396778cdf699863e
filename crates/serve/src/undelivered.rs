//! Findings that the receiver of the webhook did not take, for the page "Settings".

use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use crate::retention::now_us;

/// How many are listed.
const MAX_LISTED: usize = 100;

/// The findings that the receiver refused when they were last sent.
#[derive(Debug, Default)]
pub struct Undelivered(Mutex<Vec<Refused>>);

/// A finding that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Refused {
    /// What tells the finding from others.
    pub(crate) id: String,
    /// Its application.
    pub(crate) app: String,
    /// When, in microseconds since 1970.
    pub(crate) at_us: u64,
    /// What the receiver answered.
    pub(crate) reason: String,
}

impl Undelivered {
    /// Notes that a finding was refused.
    pub(crate) fn add(&self, id: &str, app: &str, reason: &str) {
        let mut list = self.0.lock();
        list.retain(|refused| refused.id != id);
        list.insert(
            0,
            Refused {
                id: id.to_owned(),
                app: app.to_owned(),
                at_us: now_us(),
                reason: reason.to_owned(),
            },
        );
        list.truncate(MAX_LISTED);
    }

    /// Notes that it was taken.
    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().retain(|refused| refused.id != id);
    }

    /// The latest first.
    pub(crate) fn all(&self) -> Vec<Refused> {
        self.0.lock().clone()
    }
}
