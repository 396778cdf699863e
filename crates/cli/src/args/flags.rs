//! `--flags` of `run`: what is measured besides calls and wall time.

use settings::Flags;

/// What `--flags` and `XHPROF_FLAGS` say: words that replace the default, or words with a sign
/// that change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MeasuredFlags(pub(crate) Flags);

impl Default for MeasuredFlags {
    fn default() -> Self {
        Self(settings::FLAGS.default)
    }
}

impl std::str::FromStr for MeasuredFlags {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text
            .split([',', ' ', '|'])
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect();
        let has_sign = |word: &&str| word.starts_with(['+', '-']);
        if words.iter().any(has_sign) && !words.iter().all(has_sign) {
            return Err(
                "words with a sign change the default, words without replace it: use one kind"
                    .to_owned(),
            );
        }
        let changes = words.first().is_some_and(has_sign);
        let mut flags = if changes {
            settings::FLAGS.default
        } else {
            Flags::NONE
        };
        for word in &words {
            match word.strip_prefix(['+', '-']).unwrap_or(word) {
                "none" if words.len() == 1 && !changes => {}
                known => set(&mut flags, known, !word.starts_with('-'))?,
            }
        }
        Ok(Self(flags))
    }
}

fn set(flags: &mut Flags, word: &str, on: bool) -> Result<(), String> {
    let flag = match word {
        "cpu" => &mut flags.cpu,
        "memory" => &mut flags.memory,
        "sql" => &mut flags.sql,
        "lines" => &mut flags.lines,
        "no_builtins" => &mut flags.no_builtins,
        "none" => return Err("`none` stands alone".to_owned()),
        _ => {
            return Err(format!(
                "there is no flag `{word}`; there are {}, and none",
                Flags::all_words()
            ));
        }
    };
    *flag = on;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        text.parse::<MeasuredFlags>()
            .map_or_else(|problem| problem, |flags| flags.0.words())
    }

    #[test]
    fn words_replace_the_default_and_signs_change_it() {
        assert_eq!(MeasuredFlags::default().0.words(), "cpu memory sql");
        assert_eq!(words("cpu"), "cpu");
        assert_eq!(words("none"), "");
        assert_eq!(words("+no_builtins"), "cpu memory no_builtins sql");
        assert_eq!(words("-memory,-sql"), "cpu");
        assert_eq!(words("+lines -sql"), "cpu lines memory");
        assert_eq!(words("-memory +no_builtins"), "cpu no_builtins sql");
    }

    #[test]
    fn what_is_mixed_or_unknown_is_refused() {
        assert!(words("cpu,+sql").contains("use one kind"));
        assert!(words("none,cpu").contains("stands alone"));
        assert_eq!(
            words("+spans"),
            "there is no flag `spans`; there are cpu, lines, memory, no_builtins and sql, and none"
        );
    }
}
