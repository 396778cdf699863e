//! Sends the batches of one target, again and again until it has them.
//!
//! Several connections send at once what waits. After a failure only the first one tries
//! again, so that a target that is down or busy is not asked by all of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::batch::Batch;
use crate::client::Later;
use crate::dropped::{Dropped, Reason};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::forward::Forwarder;
use crate::send::{Outcome, Refusal, Sender};
use crate::shared::{Shared, TargetState};

/// How long to wait for a batch before the dropped counters are looked at.
const IDLE: Duration = Duration::from_secs(5);

/// How often the other connections look whether the target takes batches again.
const PAUSE: Duration = Duration::from_millis(200);

/// The shortest time between two reports of dropped runs.
const BETWEEN_REPORTS: Duration = Duration::from_secs(10);

/// What sends the batches.
#[derive(Debug)]
pub(crate) enum Sends {
    /// As they are, to a server of ours.
    Batches(Sender),
    /// Run by run, to another receiver.
    Runs(Forwarder),
}

impl Sends {
    fn send(&mut self, batch: &Batch) -> Result<Outcome> {
        match self {
            Self::Batches(sender) => Ok(sender.send(batch)),
            Self::Runs(forwarder) => forwarder.send(batch),
        }
    }
}

/// A connection to one target, on a thread of its own.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    number: usize,
    /// Whether it is the first connection to its target.
    is_first: bool,
    sender: Sends,
    report_at: Instant,
}

impl Worker {
    /// A connection to the target with that number.
    pub(crate) fn new(shared: Arc<Shared>, number: usize, is_first: bool, sender: Sends) -> Self {
        Self {
            shared,
            number,
            is_first,
            sender,
            report_at: Instant::now(),
        }
    }

    /// Sends until the agent ends, then what is left, until an attempt fails.
    pub(crate) fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let Some(target) = shared.targets.get(self.number) else {
            return;
        };
        while !target.queue.is_over() {
            if !self.is_first && target.health.is_failing() {
                if shared.stop.wait(PAUSE) {
                    return;
                }
                continue;
            }
            shared.stop.wait(target.health.wait());
            let entry = target.queue.next(IDLE);
            let is_end = shared.stop.is_set();
            // Another connection may have failed while this one waited for a batch.
            let is_too_early = !is_end && !target.health.wait().is_zero();
            let must_wait = is_too_early || !self.is_first && target.health.is_failing();
            if let Some(entry) = entry
                && must_wait
            {
                target.queue.put_back(entry);
                continue;
            }
            if let Some(entry) = entry
                && !self.attempt(target, entry)
            {
                if is_end {
                    return;
                }
                continue;
            }
            if self.is_first {
                self.report(target);
            }
        }
        if self.is_first {
            self.report_at = Instant::now();
            self.report(target);
        }
    }

    /// Sends a batch, and notes what came of it. False if it must be tried again.
    fn attempt(&mut self, target: &TargetState, entry: Entry) -> bool {
        let (reason, is_of_batch, asked) = match self.sent(target, entry) {
            Ok(None) => {
                if let Some(failure) = target.health.succeeded() {
                    tracing::info!(target = target.url, failure, "sent again");
                }
                return true;
            }
            Ok(Some(later)) => {
                target.failures.fetch_add(1, Ordering::Relaxed);
                (later.reason, later.is_of_batch, later.wait)
            }
            Err(error) => (error.to_string(), true, None),
        };
        // Other connections go on with this batch when it is back.
        if let Some(wait) = target.health.failed(&reason, asked) {
            let wait_s = wait.as_secs_f32();
            tracing::warn!(
                target = target.url,
                reason,
                wait_s,
                "not sent; it is tried again"
            );
        }
        target.queue.later(entry, is_of_batch);
        false
    }

    /// Sends a batch. None if it needs no further attempt.
    fn sent(&mut self, target: &TargetState, entry: Entry) -> Result<Option<Later>> {
        let batch = match target.queue.read(entry) {
            Err(error @ Error::Damaged(..)) => {
                tracing::error!(%error, "it cannot be sent");
                target.queue.give_up(entry, Reason::Damaged)?;
                return Ok(None);
            }
            batch => batch?,
        };
        let outcome = match self.sender.send(&batch) {
            Err(error @ Error::Damaged(..)) => {
                tracing::error!(%error, "it cannot be sent");
                target.queue.give_up(entry, Reason::Damaged)?;
                return Ok(None);
            }
            outcome => outcome?,
        };
        match outcome {
            Outcome::Taken(answers) => {
                self.taken(target, entry, &batch, &answers)?;
                Ok(None)
            }
            Outcome::Refused {
                is_too_large,
                reason,
            } => {
                self.refused(target, entry, &batch, is_too_large, &reason)?;
                Ok(None)
            }
            Outcome::Later(later) => Ok(Some(later)),
        }
    }

    fn taken(
        &self,
        target: &TargetState,
        entry: Entry,
        batch: &Batch,
        answers: &[Option<Refusal>],
    ) -> Result<()> {
        let mut refused = Vec::new();
        for (part, answer) in batch.contents.parts.iter().zip(answers) {
            let Some(refusal) = answer else { continue };
            tracing::warn!(
                target = target.url,
                file = part.name,
                reason = refusal.text,
                "a run was refused"
            );
            refused.push(Dropped {
                app: part.app.clone(),
                bytes: part.bytes,
                reason: refusal.why,
            });
        }
        let is_refused = |answer: &Option<Refusal>| {
            let refusal = answer.as_ref();
            refusal.is_some_and(|refusal| refusal.why.is_for_good())
        };
        let is_refused: Vec<_> = answers.iter().map(is_refused).collect();
        self.shared.refused.keep(batch, &is_refused);
        let taken = answers.len().saturating_sub(refused.len());
        target.queue.done(entry, taken as u64, &refused)
    }

    /// Halves a batch that is refused as a whole, down to the run that is the
    /// reason.
    fn refused(
        &self,
        target: &TargetState,
        entry: Entry,
        batch: &Batch,
        is_too_large: bool,
        reason: &str,
    ) -> Result<()> {
        let url = &target.url;
        let runs = batch.contents.parts.len();
        if runs > 1 && batch.contents.is_packed {
            tracing::info!(
                target = url,
                runs,
                reason,
                "a batch was refused; it is halved"
            );
            let numbers = [self.shared.number(), self.shared.number()];
            return match target.queue.split(batch, entry, numbers) {
                Err(error @ Error::Damaged(..)) => {
                    tracing::error!(%error, "it cannot be halved");
                    target.queue.give_up(entry, Reason::Damaged)
                }
                split => split,
            };
        }
        let name = batch.contents.parts.first().map(|part| &part.name);
        tracing::warn!(target = url, file = name, reason, "a run was refused");
        let reason = if is_too_large {
            Reason::TooLarge
        } else {
            Reason::Refused
        };
        self.shared.refused.keep(batch, &vec![true; runs]);
        target.queue.give_up(entry, reason)
    }

    /// Says how many runs were dropped, if the server does not know it.
    fn report(&mut self, target: &TargetState) {
        if self.report_at > Instant::now() {
            return;
        }
        // Other receivers have no place for these counters; `/metrics` has them.
        let Sends::Batches(sender) = &self.sender else {
            return;
        };
        let Some(report) = target.queue.report() else {
            return;
        };
        self.report_at = Instant::now() + BETWEEN_REPORTS;
        match sender.report(&report) {
            Ok(_) => target.queue.reported(&report),
            Err(later) => {
                tracing::debug!(target = target.url, reason = later.reason, "no report");
            }
        }
    }
}
