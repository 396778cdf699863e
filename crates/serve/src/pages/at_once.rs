//! Two questions to the store at once: half of the time of a question to a database is
//! waiting.

use std::panic::resume_unwind;

use store::Wanted;

/// Both answers, as long as they are wanted. The second question is asked by this thread.
pub(super) fn at_once<A: Send, B>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    std::thread::scope(|scope| {
        let wanted = Wanted::current().unwrap_or_default();
        let one = scope.spawn(move || wanted.during(one));
        let other = other();
        (
            one.join().unwrap_or_else(|panic| resume_unwind(panic)),
            other,
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn both_are_asked_at_the_same_time() {
        // Each waits until the other was asked.
        let met = Barrier::new(2);
        let ask = |answer| {
            met.wait();
            answer
        };
        assert_eq!(at_once(|| ask(1), || ask(2)), (1, 2));
    }
}
