//! Bodies of requests: how large they may be, and the memory and time that they get.
//!
//! **Invariant:** no handler reads from a client. A body is read after its sender was
//! admitted, within the limit of its route, and is counted until the work with it ends.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use tokio::time::timeout;

use super::memory::Memory;
use crate::problem::Problem;

/// The largest body of most routes: a form, or JSON.
const SMALL: usize = 64 << 10;

/// The largest upload, as it is sent.
pub(crate) const UPLOAD: usize = 64 << 20;

/// The routes with other limits. One that is not here takes [`SMALL`] bodies.
const LIMITS: [(&str, usize); 8] = [
    // Clients without a token may send it.
    ("/api/v1/session", 4 << 10),
    ("/api/v1/runs", UPLOAD),
    ("/api/v1/runs/batch", UPLOAD),
    // 50,000 counters of an agent.
    ("/api/v1/dropped", 8 << 20),
    ("/run/import", UPLOAD),
    ("/api/profiler/store", UPLOAD),
    ("/ingest", UPLOAD),
    ("/push.v1.PusherService/Push", UPLOAD),
];

/// The longest wait for the next bytes of a body.
const IDLE: Duration = Duration::from_secs(20);

/// The largest body of a route.
pub(crate) fn limit(route: &str) -> usize {
    let known = LIMITS.iter().find(|(path, _)| *path == route);
    known.map_or(SMALL, |(_, limit)| *limit)
}

/// The request with its whole body in memory.
pub(crate) async fn read(
    memory: &Memory,
    request: Request,
    limit: usize,
) -> Result<Request, Problem> {
    // A server with little memory takes less.
    let limit = usize::try_from(memory.limit()).map_or(limit, |most| limit.min(most));
    let declared = request.headers().get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    if request.body().is_end_stream() {
        return Ok(request);
    }
    if !memory.has(declared.unwrap_or(0)) {
        return Err(super::memory::UsedUp.into());
    }
    let (parts, body) = request.into_parts();
    let body = whole(memory, body, limit, declared).await?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

async fn whole(
    memory: &Memory,
    mut body: Body,
    limit: usize,
    declared: Option<u64>,
) -> Result<Bytes, Problem> {
    let mut lease = memory.lease();
    let expected = usize::try_from(declared.unwrap_or(0)).unwrap_or(0);
    // Pages that nothing was written to take no memory.
    let mut bytes = Vec::with_capacity(expected);
    loop {
        let next =
            std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context));
        let late = |_| {
            let reason = format!("nothing of the body came for {} s", IDLE.as_secs());
            Problem::new(StatusCode::REQUEST_TIMEOUT, reason)
        };
        let Some(frame) = timeout(IDLE, next).await.map_err(late)? else {
            break;
        };
        let broken = |error| Problem::bad(format!("the body is broken: {error}"));
        let Ok(data) = frame.map_err(broken)?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        lease.grow(data.len() as u64)?;
        bytes.extend_from_slice(&data);
    }
    Ok(lease.over(bytes))
}

fn too_large(limit: usize) -> Problem {
    let most = match limit {
        limit if limit >= 1 << 20 => format!("{} MiB", limit >> 20),
        limit => format!("{} KiB", limit >> 10),
    };
    let reason = format!("a body has at most {most} here");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::routes;
    use hyper::body::Frame;
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of some chunks; the last one may be broken.
    struct Chunks(u32, bool);

    impl HttpBody for Chunks {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(match (self.0, self.1) {
                (0, false) => None,
                (0, true) => Some(Err(io::Error::other("no such chunk"))),
                _ => {
                    self.0 -= 1;
                    Some(Ok(Frame::data(Bytes::from_static(&[7; 1000]))))
                }
            })
        }
    }

    fn body_of(memory: &Memory, body: Chunks, limit: usize) -> Result<Request, Problem> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().build().unwrap();
        runtime.block_on(read(memory, Request::new(Body::new(body)), limit))
    }

    #[test]
    fn a_body_is_counted_until_its_last_part_is_gone_and_refused_without_memory() {
        let memory = Memory::new(10_000);
        let first = body_of(&memory, Chunks(7, false), 64 << 10).unwrap();
        assert_eq!(memory.used().0, 7_000);
        let second = body_of(&memory, Chunks(4, false), 64 << 10).unwrap_err();
        assert_eq!(second.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(second.retry_after.is_some());
        assert_eq!(memory.used().0, 7_000);
        drop(first);
        assert_eq!(memory.used().0, 0);
        // What can never be there is too large, not to be sent again.
        let never = body_of(&memory, Chunks(11, false), 64 << 10).unwrap_err();
        assert_eq!(never.status, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn a_body_that_is_too_large_or_broken_is_the_fault_of_its_sender() {
        let memory = Memory::new(1 << 20);
        for (body, limit, status) in [
            (Chunks(5, false), 4_999, StatusCode::PAYLOAD_TOO_LARGE),
            (Chunks(5, true), 9_000, StatusCode::BAD_REQUEST),
        ] {
            assert_eq!(body_of(&memory, body, limit).unwrap_err().status, status);
        }
        assert!(body_of(&memory, Chunks(5, false), 5_000).is_ok());
        assert_eq!(memory.used().0, 0);
    }

    #[test]
    fn limits_are_those_of_routes_that_exist() {
        let routes = routes();
        for (path, _) in LIMITS {
            assert!(routes.iter().any(|(route, _)| route.path == path), "{path}");
        }
        assert_eq!(limit("/settings/policy"), 64 << 10);
        assert_eq!(limit("/ingest"), 64 << 20);
    }
}
