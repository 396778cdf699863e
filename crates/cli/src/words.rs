//! Quotes command lines for a shell, for messages that suggest a command.

use std::ffi::{OsStr, OsString};

/// A word, in quotes if the shell would interpret it.
pub(crate) fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Words separated by blanks, each quoted if necessary.
pub(crate) fn quoted_line(words: &[OsString]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// This program's own command line, as it was typed but with a short program
/// name.
pub(crate) fn own_line() -> String {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    format!("xhprof {}", quoted_line(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_the_words_back() {
        let words = ["run.xhp", "a b", "it's", "", "--x=1", "$HOME"].map(OsString::from);
        assert_eq!(
            quoted_line(&words),
            "run.xhp 'a b' 'it'\\''s' '' --x=1 '$HOME'"
        );
    }
}
