//! `xhprof attach --trace`: another process asks for the profiles of the next requests.
//!
//! Only the process's user and root can ask, as the kernel decides. While no process asks, a request
//! reads one number.

use std::sync::atomic::Ordering;

use policy::requests::remote;

use crate::clock;
use crate::zend::remote_page::{self, RemotePage};

/// A profile that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Who asked.
    asker: u32,
    /// Which of that one's profiles it is.
    number: u32,
}

fn page() -> Option<&'static RemotePage> {
    remote_page::of_this_process()
}

/// RINIT of a server: whether this request's profile is asked for.
pub(super) fn take() -> Option<Asked> {
    let page = page()?;
    if page.number(remote::WANTED).load(Ordering::Relaxed) == 0 {
        return None;
    }
    take_from(page)
}

#[cold]
fn take_from(page: &RemotePage) -> Option<Asked> {
    let wanted = page.number(remote::WANTED);
    let until = page.time(remote::UNTIL_US).load(Ordering::Acquire);
    if clock::unix_time_us() > until || !page.is_held() {
        wanted.store(0, Ordering::Relaxed);
        return None;
    }
    let asker = page.number(remote::ASKER).load(Ordering::Relaxed);
    // Other threads of this process take theirs at the same time.
    let one_less = |number: u32| number.checked_sub(1);
    (wanted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)).ok()?;
    let taken = page.number(remote::TAKEN).load(Ordering::Acquire);
    let begin = |number: u32| {
        let has_place = number.wrapping_sub(taken) < remote::RESULTS;
        has_place.then(|| number.wrapping_add(1))
    };
    let begun = page.number(remote::BEGUN);
    let Ok(number) = begun.fetch_update(Ordering::Relaxed, Ordering::Relaxed, begin) else {
        // The next request's: the one who asked has not taken the last results.
        wanted.fetch_add(1, Ordering::Relaxed);
        return None;
    };
    Some(Asked { asker, number })
}

/// Whether the one who asked still waits.
pub(super) fn is_awaited(asked: Asked) -> bool {
    waiting(asked).is_some()
}

fn waiting(asked: Asked) -> Option<&'static RemotePage> {
    let is_same =
        |page: &&RemotePage| page.number(remote::ASKER).load(Ordering::Relaxed) == asked.asker;
    page().filter(is_same).filter(|page| page.is_held())
}

/// Tells the one who asked where the profile is, or why there is none.
pub(super) fn answer(asked: Asked, result: Result<&[u8], &str>) {
    let Some(page) = waiting(asked) else { return };
    let (kind, text) = match result {
        Ok(path) if path.len() <= remote::TEXT_SIZE => (remote::WRITTEN, path),
        Ok(_) => (remote::FAILED, &b"its path is too long"[..]),
        Err(problem) => (remote::FAILED, problem.as_bytes()),
    };
    let text = text.get(..remote::TEXT_SIZE).unwrap_or(text);
    let place = remote::result(asked.number);
    page.write(place + 8, text);
    let length = u32::try_from(text.len()).unwrap_or(0);
    page.number(place + 4).store(length, Ordering::Relaxed);
    page.number(place).store(kind, Ordering::Release);
}
