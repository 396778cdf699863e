//! Answers that wait for clients to read them.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};

use super::memory::{Lease, Memory};
use crate::problem::Problem;

/// Answers up to this size are not counted: the kernel takes them.
const SMALL: u64 = 64 << 10;

/// The answer, whose body is counted until it was sent; a short one instead if there is no
/// memory for it.
pub(crate) fn counted(memory: &Memory, response: Response) -> Response {
    let size = response.body().size_hint().lower();
    if size <= SMALL {
        return response;
    }
    let mut lease = memory.lease();
    if let Err(used_up) = lease.grow(size) {
        return Problem::from(used_up).into_response();
    }
    response.map(|body| {
        Body::new(Counted {
            body,
            _lease: lease,
        })
    })
}

struct Counted {
    body: Body,
    _lease: Lease,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
