//! Keys of a terminal, without waiting for them.
//!
//! **Invariant:** the terminal's mode is what it was before when the value is dropped.

use std::io;

use anyhow::{Context, Result};
use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    Enter,
    Escape,
    Backspace,
    /// Ctrl-C, which is no signal in this mode.
    Interrupt,
}

/// A terminal whose keys come at once and are not shown.
pub(super) struct Keyboard {
    before: Termios,
}

impl Keyboard {
    /// Changes the mode of the terminal behind standard input.
    pub(super) fn open() -> Result<Self> {
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).context("cannot read the terminal's mode")?;
        let mut raw = before.clone();
        raw.make_raw();
        // A read returns at once, with or without keys.
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&stdin, OptionalActions::Now, &raw)
            .context("cannot change the terminal's mode")?;
        Ok(Self { before })
    }

    /// The keys since the last call.
    pub(super) fn pressed(&mut self) -> Result<Vec<Key>> {
        let mut bytes = [0; 64];
        // Not buffered: what is not read now is read the next time.
        let length = rustix::io::read(io::stdin(), &mut bytes).context("cannot read the keys")?;
        Ok(keys(bytes.get(..length).unwrap_or_default()))
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// The keys that sent these bytes. An arrow key sends Escape and more, which is nothing.
fn keys(bytes: &[u8]) -> Vec<Key> {
    if bytes.len() > 1 && bytes.starts_with(b"\x1b") {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let key = |letter| match letter {
        '\x03' => Some(Key::Interrupt),
        '\x1b' => Some(Key::Escape),
        '\r' | '\n' => Some(Key::Enter),
        '\x08' | '\x7f' => Some(Key::Backspace),
        letter if letter.is_control() => None,
        letter => Some(Key::Letter(letter)),
    };
    text.chars().filter_map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_keys() {
        assert_eq!(
            keys(b"s/\r"),
            [Key::Letter('s'), Key::Letter('/'), Key::Enter]
        );
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
        assert_eq!(keys(b"\x1b[A"), []);
        assert_eq!(
            keys("ä\x7f\x03".as_bytes()),
            [Key::Letter('ä'), Key::Backspace, Key::Interrupt]
        );
        assert_eq!(keys(b""), []);
    }
}
