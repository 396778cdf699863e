//! A connection that is cut when its client does not read.
//!
//! The kernel takes some hundred kilobytes for the client. What comes after them has to
//! move: [`MIN_READ`] bytes in [`TIME`], or the connection fails. How long a client may take to
//! send is limited where it is read: its head in `listen`, its body in `bodies`.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How much a client must read in which time.
const MIN_READ: usize = 16 << 10;
const TIME: Duration = Duration::from_secs(20);

/// A stream with that limit.
pub(crate) struct Patient<S> {
    stream: S,
    time: Duration,
    /// Until when [`MIN_READ`] bytes have to be written, since the client made us wait.
    until: Option<Pin<Box<Sleep>>>,
    written: usize,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self::within(stream, TIME)
    }

    fn within(stream: S, time: Duration) -> Self {
        Self {
            stream,
            time,
            until: None,
            written: 0,
        }
    }

    /// What the client did: an error if it was too slow.
    fn patiently<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
        written: impl Fn(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        match &polled {
            Poll::Pending => {
                let until = Instant::now() + self.time;
                let until = self.until.get_or_insert_with(|| {
                    self.written = 0;
                    Box::pin(sleep_until(until))
                });
                if pin!(until).poll(context).is_ready() {
                    let reason = "the client does not read its answer";
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, reason)));
                }
            }
            Poll::Ready(Ok(done)) => {
                self.written += written(done);
                if self.written >= MIN_READ {
                    self.until = None;
                }
            }
            Poll::Ready(Err(_)) => {}
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patiently(context, polled, |written| *written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.patiently(context, polled, |written| *written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        // All that was written is with the kernel.
        self.patiently(context, polled, |()| MIN_READ)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.patiently(context, polled, |()| MIN_READ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    fn run<T>(work: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(work)
    }

    #[test]
    fn who_does_not_read_is_cut_and_who_reads_slowly_is_not() {
        let time = Duration::from_millis(300);
        run(async {
            let (ours, theirs) = duplex(1024);
            let mut ours = Patient::within(ours, time);
            let error = ours.write_all(&[0; 100_000]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            drop(theirs);
        });
        run(async {
            let (ours, mut theirs) = duplex(MIN_READ);
            let mut ours = Patient::within(ours, time);
            let reader = async {
                let mut buffer = vec![0; MIN_READ];
                // Longer than the limit in all.
                for _ in 0..8 {
                    tokio::time::sleep(time / 4).await;
                    theirs.read_exact(&mut buffer).await.unwrap();
                }
            };
            let bytes = vec![0; 8 * MIN_READ];
            let (written, ()) = tokio::join!(ours.write_all(&bytes), reader);
            written.unwrap();
        });
    }
}
