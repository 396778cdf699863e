//! Work on threads that may wait, each with a permit that it holds until it ends.

use std::sync::Arc;

use axum::http::StatusCode;
use store::CancelToken;
use tokio::sync::Semaphore;

use crate::problem::Problem;

/// Cancels a question when its request is dropped: the client left, or it took too long.
#[derive(Debug)]
pub(crate) struct CancelOnDrop(pub(crate) CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Works on a thread that may wait, with one of these permits.
pub(crate) async fn run_blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let permit = permit.map_err(|_| stopping())?;
    let work = move || {
        let done = work();
        drop(permit);
        done
    };
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the work failed");
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

pub(crate) fn stopping() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::{sleep, timeout};

    #[test]
    fn a_permit_is_held_until_the_work_ends_after_its_client_left() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(async {
            let permits = Arc::new(Semaphore::new(1));
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let work = run_blocking(&permits, move || wait.recv().is_ok());
            // The client leaves.
            assert!(timeout(Duration::from_millis(50), work).await.is_err());
            assert_eq!(permits.available_permits(), 0);
            go.send(()).unwrap();
            while permits.available_permits() == 0 {
                sleep(Duration::from_millis(1)).await;
            }
        });
    }

    #[test]
    fn work_is_cancelled_when_its_client_leaves() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(async {
            let permits = Arc::new(Semaphore::new(1));
            let waiting = CancelOnDrop(CancelToken::default());
            let cancel = waiting.0.clone();
            let request = async {
                let _waiting = waiting;
                let until_ended = move || {
                    while !cancel.is_cancelled() {
                        std::thread::yield_now();
                    }
                };
                run_blocking(&permits, until_ended).await
            };
            assert!(timeout(Duration::from_millis(50), request).await.is_err());
            // It ends, or this waits for ever.
            while permits.available_permits() == 0 {
                sleep(Duration::from_millis(1)).await;
            }
        });
    }
}
