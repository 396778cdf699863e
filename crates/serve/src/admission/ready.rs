//! Whether the store answers, for probes: asked at most once a second, however many ask.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use store::Store;
use tokio::time::timeout;

/// How long an answer is told again.
const FRESH: Duration = Duration::from_secs(1);

/// The longest wait for the store.
const TIME: Duration = Duration::from_secs(2);

type Answer = Result<(), String>;

/// The last answer of the store.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    last: Arc<Mutex<Option<(Instant, Answer)>>>,
    /// Held by the question.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl Ready {
    /// Nothing if the store answers, else a sentence.
    pub(crate) async fn of(&self, store: &Arc<dyn Store>) -> Answer {
        let late = |_| {
            Err(format!(
                "the store has not answered for {} s",
                TIME.as_secs()
            ))
        };
        timeout(TIME, self.asked(store)).await.unwrap_or_else(late)
    }

    async fn asked(&self, store: &Arc<dyn Store>) -> Answer {
        if let Some(answer) = self.fresh() {
            return answer;
        }
        let asking = Arc::clone(&self.asking).lock_owned().await;
        if let Some(answer) = self.fresh() {
            return answer;
        }
        let (store, last) = (Arc::clone(store), Arc::clone(&self.last));
        let ask = move || {
            let answer = store.ready().map_err(|error| error.to_string());
            let mut last = last.lock();
            *last = Some((Instant::now(), answer.clone()));
            drop(last);
            // Until the question ends, not until the probe does.
            drop(asking);
            answer
        };
        let asked = tokio::task::spawn_blocking(ask).await;
        asked.unwrap_or_else(|_| Err("the question to the store failed".to_owned()))
    }

    fn fresh(&self) -> Option<Answer> {
        let last = self.last.lock();
        let (since, answer) = last.as_ref()?;
        (since.elapsed() < FRESH).then(|| answer.clone())
    }
}
