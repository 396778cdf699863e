//! Derives the route of a path: the common part of the requests of one page.
//!
//! **Invariant:** few routes for many requests: numbers, dates, hashes, tokens
//! and escaped parts become `?`, one for each path segment. A segment that is
//! spelled like a word (`/articles/my-first-one`) cannot be recognized and
//! stays: a route that the program sets is always better.

/// The route of a request for `path`, which is a path or a whole URL.
///
/// ```
/// use redact::route;
/// assert_eq!(route(b"/articles/4711/comments"), b"/articles/?/comments");
/// assert_eq!(route(b"/api/v2/users?page=7"), b"/api/v2/users");
/// assert_eq!(route(b"/articles/12-first-steps"), b"/articles/?");
/// ```
#[must_use]
pub fn route(path: &[u8]) -> Vec<u8> {
    let place = super::place(path);
    let mut route = Vec::with_capacity(place.len());
    for (index, part) in place.split(|&byte| byte == b'/').enumerate() {
        if index > 0 {
            route.push(b'/');
        }
        // The first segment is empty, or a URL's scheme; hosts contain numbers.
        let is_host = index == 2 && place.windows(3).any(|window| window == b"://");
        let is_name = is_host || !has_number(part) || is_version(part);
        route.extend_from_slice(if is_name { part } else { b"?" });
    }
    route
}

/// Whether it contains a separate number: `12`, `page-12`, `12_title`,
/// `7.html`.
fn has_number(part: &[u8]) -> bool {
    part.split(|byte| matches!(byte, b'-' | b'_' | b'.'))
        .any(|word| !word.is_empty() && word.iter().all(u8::is_ascii_digit))
}

/// Whether it is an API version: `v2`, `v1.2`.
fn is_version(part: &[u8]) -> bool {
    let numbers = part.strip_prefix(b"v").unwrap_or_default();
    !numbers.is_empty()
        && numbers
            .split(|&byte| byte == b'.')
            .all(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> String {
        String::from_utf8(route(path.as_bytes())).unwrap()
    }

    #[test]
    fn what_differs_between_requests_of_one_page_becomes_a_placeholder() {
        for part in [
            "7",
            "4711",
            "-12",
            "1,200",
            "550e8400-e29b-41d4-a716-446655440000",
            "550E8400-E29B-41D4-A716-446655440000",
            "d41d8cd98f00b204e9800998ecf8427e",
            "3f2a9c1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "dQw4w9WgXcQ",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
            "dGhpcyBpcyBhIHRva2VuIHRoYXQgaXMgbG9uZw==",
            "V1StGXR8_Z5jdHi6B-myT",
            "2026-11-22",
            "20261122",
            "22.11.2026",
            "12-first-steps",
            "first-steps-12",
            "page_3",
            "7.html",
            "me@example.org",
            "caf%C3%A9",
        ] {
            assert_eq!(of(&format!("/a/{part}/edit")), "/a/?/edit", "{part}");
            assert_eq!(of(&format!("/a/{part}")), "/a/?", "{part}");
        }
    }

    #[test]
    fn words_and_versions_stay() {
        for path in [
            "/",
            "",
            "/articles",
            "/articles/",
            "/api/v2/users",
            "/api/v1.2/users",
            "/oauth2/authorize",
            "/index.php",
            "/wp-admin/admin-ajax.php",
            "/my_account/log-in",
            "//double",
        ] {
            assert_eq!(of(path), path);
        }
    }

    #[test]
    fn of_a_url_the_host_stays_and_the_query_goes() {
        assert_eq!(
            of("http://127.0.0.1:81/users/7?id=7#top"),
            "http://127.0.0.1:81/users/?"
        );
        assert_eq!(of("/users/7?id=7"), "/users/?");
    }
}
