//! Tickets: a value of the trigger that works for a minute.
//!
//! `xhprof serve` gives them, and PHP checks them with the same secret: a page, an address or a
//! log with a ticket does not have the secret.
//!
//! **Invariant:** only who knows the secret can make a ticket.

use std::fmt::Write;

use super::sha256::hmac;
use super::trigger::is_secret;

/// How long a ticket works, in seconds.
pub const LASTS_S: u64 = 60;

/// How much earlier than the server's the clock of PHP's machine may be, in seconds.
const EARLY_S: u64 = 30;

/// What a ticket begins with.
const KIND: &str = "ticket";

/// A ticket that works from `now` on, in seconds since 1970: `ticket-1795305660-6a09…`.
#[must_use]
pub fn new(secret: &str, now: u64) -> String {
    of(secret.as_bytes(), now.saturating_add(LASTS_S))
}

/// Whether `given` is a ticket that works.
#[must_use]
pub fn is_valid(given: &[u8], secret: &[u8], now: u64) -> bool {
    let end = str::from_utf8(given).ok().and_then(|text| {
        let (kind, rest) = text.split_once('-')?;
        let (end, _) = rest.split_once('-')?;
        end.parse::<u64>().ok().filter(|_| kind == KIND)
    });
    let Some(end) = end else { return false };
    let is_in_time = now <= end && end <= now.saturating_add(LASTS_S + EARLY_S);
    // An empty secret is none.
    is_in_time && !secret.is_empty() && is_secret(given, of(secret, end).as_bytes())
}

fn of(secret: &[u8], end: u64) -> String {
    let mut text = format!("{KIND}-{end}-");
    for byte in hmac(secret, text.as_bytes()) {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_795_305_600;

    #[test]
    fn a_ticket_works_for_a_minute() {
        let ticket = new("hush", NOW);
        for (now, works) in [
            (NOW - EARLY_S - 1, false),
            (NOW - EARLY_S, true),
            (NOW, true),
            (NOW + LASTS_S, true),
            (NOW + LASTS_S + 1, false),
        ] {
            assert_eq!(is_valid(ticket.as_bytes(), b"hush", now), works, "{now}");
        }
    }

    #[test]
    fn only_the_secret_makes_a_ticket() {
        let ticket = new("hush", NOW);
        assert!(!ticket.contains("hush"));
        assert!(!is_valid(ticket.as_bytes(), b"other", NOW));
        assert!(!is_valid(new("", NOW).as_bytes(), b"", NOW));
        let later = ticket.replace(&(NOW + 60).to_string(), &(NOW + 61).to_string());
        let (short, _) = ticket.split_at(ticket.len() - 1);
        for wrong in [
            "",
            "ticket",
            "ticket--",
            "ticket-1795305660-",
            &later,
            short,
            &format!("{ticket}0"),
            &ticket.to_uppercase(),
            "hush",
        ] {
            assert!(!is_valid(wrong.as_bytes(), b"hush", NOW), "{wrong}");
        }
        assert!(!is_valid(b"\xff", b"hush", NOW));
    }
}
