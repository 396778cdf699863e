//! Titles and tags that a program sets for a profile or a request.
//!
//! **Invariant:** number and length are bounded. A program's tag cannot replace a
//! tag that the extension sets.

/// How many tags a request or a profile may have.
pub const MAX_TAGS: usize = 64;
/// How long a tag's name may be, in bytes.
const MAX_KEY: usize = 64;
/// How much of a tag's value is kept, in bytes.
const MAX_VALUE: usize = 1024;
/// The tag for the route.
pub const ROUTE: &str = "route";

/// The title and the tags that a program has set.
#[derive(Debug, Default)]
pub struct Annotations {
    title: Option<String>,
    tags: Vec<(String, String)>,
}

impl Annotations {
    /// Sets the title; an empty one removes it.
    pub fn set_title(&mut self, title: &[u8]) {
        self.title = Some(text(title)).filter(|title| !title.is_empty());
    }

    /// Sets a tag, unless `reserved` has its key.
    ///
    /// # Errors
    ///
    /// If the tag is refused: a message for the user.
    pub fn tag(&mut self, key: &[u8], value: &[u8], reserved: &[&str]) -> Result<(), String> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let key = str::from_utf8(key)
            .ok()
            .filter(|key| {
                (1..=MAX_KEY).contains(&key.len()) && key.as_bytes().iter().all(is_letter)
            })
            .ok_or("a tag's key must be 1 to 64 letters, digits, _ and -")?;
        if reserved.contains(&key) {
            return Err(format!(
                "the tag \"{key}\" is set by xhprof itself; choose another key"
            ));
        }
        let value = text(value);
        if let Some(known) = self.tags.iter_mut().find(|(known, _)| known == key) {
            known.1 = value;
        } else if self.tags.len() < MAX_TAGS {
            self.tags.push((key.to_owned(), value));
        } else {
            return Err(format!(
                "a profile has {MAX_TAGS} tags at most; \"{key}\" is not recorded"
            ));
        }
        Ok(())
    }

    /// The title; none if there is none.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The tags, in the order in which they were first set.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        let tags = self.tags.iter();
        tags.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The value of the tag `route`; none if it is empty or not set.
    #[must_use]
    pub fn route(&self) -> Option<&str> {
        let route = self.tags().find(|&(key, _)| key == ROUTE);
        route
            .map(|(_, value)| value)
            .filter(|route| !route.is_empty())
    }
}

/// A value as UTF-8, of at most 1,024 bytes.
#[must_use]
pub fn text(value: &[u8]) -> String {
    // Replacing invalid bytes makes the text longer, never shorter.
    let value = value.get(..MAX_VALUE).unwrap_or(value);
    let whole = match str::from_utf8(value) {
        // Drops a character that was cut.
        Err(error) if error.error_len().is_none() => value.get(..error.valid_up_to()),
        _ => Some(value),
    };
    let mut text = String::from_utf8_lossy(whole.unwrap_or_default()).into_owned();
    while text.len() > MAX_VALUE {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVED: [&str; 2] = ["status", "method"];

    fn tagged(tags: &[(&str, &str)]) -> Annotations {
        let mut annotations = Annotations::default();
        for (key, value) in tags {
            annotations
                .tag(key.as_bytes(), value.as_bytes(), &RESERVED)
                .unwrap();
        }
        annotations
    }

    #[test]
    fn the_last_value_of_a_tag_counts_and_its_place_stays() {
        let annotations = tagged(&[("a", "1"), ("b", "2"), ("a", "3")]);
        let tags: Vec<_> = annotations.tags().collect();
        assert_eq!(tags, [("a", "3"), ("b", "2")]);
    }

    #[test]
    fn a_key_that_no_file_name_could_hold_is_refused() {
        let longest = "k".repeat(64);
        for (key, is_good) in [
            ("", false),
            ("a b", false),
            ("a.b", false),
            ("ä", false),
            ("A-b_9", true),
            (&longest, true),
            (&format!("{longest}k"), false),
        ] {
            let outcome = Annotations::default().tag(key.as_bytes(), b"", &[]);
            assert_eq!(outcome.is_ok(), is_good, "{key}");
        }
        assert!(Annotations::default().tag(b"\xFF", b"", &[]).is_err());
    }

    #[test]
    fn a_tag_of_the_extension_is_not_replaced() {
        let mut annotations = Annotations::default();
        let error = annotations.tag(b"status", b"200", &RESERVED).unwrap_err();
        assert!(error.contains("\"status\""), "{error}");
        assert_eq!(annotations.tags().count(), 0);
    }

    #[test]
    fn further_tags_are_refused_and_known_ones_still_change() {
        let mut annotations = Annotations::default();
        for number in 0..MAX_TAGS {
            let key = format!("tag{number}");
            annotations.tag(key.as_bytes(), b"", &[]).unwrap();
        }
        assert!(annotations.tag(b"one_more", b"", &[]).is_err());
        annotations.tag(b"tag0", b"new", &[]).unwrap();
        assert_eq!(annotations.tags().count(), MAX_TAGS);
        assert_eq!(annotations.tags().next(), Some(("tag0", "new")));
    }

    #[test]
    fn an_empty_title_or_route_is_none() {
        let mut annotations = tagged(&[("route", "")]);
        annotations.set_title(b"import");
        assert_eq!(
            (annotations.title(), annotations.route()),
            (Some("import"), None)
        );
        annotations.set_title(b"");
        assert_eq!(annotations.title(), None);
        assert_eq!(tagged(&[("route", "/a")]).route(), Some("/a"));
    }

    #[test]
    fn a_value_is_cut_between_letters_and_is_always_text() {
        let long = format!("{}ä", "x".repeat(1023));
        assert_eq!(text(long.as_bytes()), "x".repeat(1023));
        assert_eq!(text(b"a\xFFb"), "a\u{FFFD}b");
        // Each of these bytes becomes three.
        let invalid = text(&[0xFF; 1024]);
        assert!(invalid.len() <= 1024 && invalid.chars().all(|letter| letter == '\u{FFFD}'));
    }
}
