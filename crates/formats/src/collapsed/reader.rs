//! Reads collapsed stacks of `xhprof`, `flamegraph.pl`, Excimer, phpspy and
//! perf.
//!
//! The counts of other tools are samples and those of `xhprof` are not, but a
//! line does not show which. So a profile that was read has weights, and
//! neither times nor calls. `main()` is the root; it is the caller of stacks
//! that begin with another function.

use std::io::BufRead;

use profile::{
    Body, Budget, LinedId, Meta, Metrics, NodeId, Profile, SamplesBuilder, SelfCost, Spans,
    SymbolId, WallUnit,
};

use crate::format::Detection;
use crate::shared::symbols::Symbols;
use crate::{HEAD, ReadError};

/// The maximum length of a line, in bytes: 16 MiB, a stack of half a million
/// frames.
const MAX_LINE: usize = 16 << 20;

/// How many lines are examined to recognize the format.
const LOOKAHEAD: usize = 20;

pub(super) fn detect(head: &[u8]) -> Detection {
    let mut lines = head.split(|&byte| byte == b'\n').peekable();
    let mut seen = 0;
    while let Some(line) = lines.next() {
        let is_cut = lines.peek().is_none();
        let parts = split(line).filter(|_| !line.contains(&0));
        let is_stack = parts.is_some_and(|(stack, _)| !stack.is_empty());
        let is_empty = !is_stack && (parts.is_some() || line.trim_ascii().is_empty());
        match (is_stack, is_cut, is_empty) {
            // The last line may be cut off by the end of the head.
            (true, true, _) if head.len() < HEAD && seen == 0 => return Detection::NeedMore,
            (_, true, _) if head.len() >= HEAD && seen == 0 && is_deep(line) => {
                return Detection::NeedMore;
            }
            (_, true, _) | (_, _, true) => {}
            (true, ..) => seen += 1,
            (false, ..) => return Detection::No,
        }
        if seen == LOOKAHEAD {
            break;
        }
    }
    if seen > 0 {
        Detection::Yes
    } else {
        Detection::No
    }
}

/// Whether a line without an end can be a very deep stack.
fn is_deep(line: &[u8]) -> bool {
    line.contains(&b';') && !line.iter().any(|&byte| byte < b' ' && byte != b'\t')
}

/// Reads one stack a line.
pub(crate) fn read_lines(
    format: &'static str,
    input: &mut dyn BufRead,
    budget: &Budget,
) -> Result<Profile, ReadError> {
    let mut stacks = StackLines::within(budget);
    let mut line = Vec::new();
    for number in 1.. {
        let broken = |reason: String| ReadError::Line {
            format,
            line: number,
            reason,
        };
        line.clear();
        // Fully qualified: `take` of the trait object, not by value.
        let mut limited = std::io::Read::take(&mut *input, MAX_LINE as u64);
        if limited.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() == MAX_LINE && line.last() != Some(&b'\n') {
            return Err(broken(format!("longer than {} MiB", MAX_LINE >> 20)));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (stack, count) =
            split(&line).ok_or_else(|| broken("not a stack, a blank and a count".to_owned()))?;
        let (sign, digits) = signed(count);
        let weight =
            weight(digits).ok_or_else(|| broken("a count that is too large".to_owned()))?;
        stacks.add(stack, sign, weight);
        budget.check()?;
    }
    stacks.finish(format)
}

/// A line as a stack and a count. py-spy writes samples without a stack, ` 1`.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let blank = line.iter().rposition(u8::is_ascii_whitespace)?;
    let stack = line.get(..blank)?.trim_ascii();
    let count = line.get(blank + 1..)?;
    is_count(count).then_some((stack, count))
}

/// The sign of a count, and the rest of it.
fn signed(count: &[u8]) -> (Sign, &[u8]) {
    match count {
        [b'-', digits @ ..] => (Sign::Minus, digits),
        digits => (Sign::Plus, digits),
    }
}

/// Digits, with an optional sign and fraction: some tools write fractions of a
/// sample, and a difference of two profiles may be negative.
fn is_count(count: &[u8]) -> bool {
    let (_, count) = signed(count);
    let mut parts = count.splitn(2, |&byte| byte == b'.');
    let whole = parts.next().unwrap_or_default();
    let fraction = parts.next().unwrap_or_default();
    !whole.is_empty() && whole.iter().chain(fraction).all(u8::is_ascii_digit)
}

/// A count, rounded.
fn weight(count: &[u8]) -> Option<u64> {
    let count = str::from_utf8(count).ok()?;
    let (whole, fraction) = count.split_once('.').unwrap_or((count, ""));
    let whole = whole.parse::<u64>().ok()?;
    let up = fraction.bytes().next().is_some_and(|digit| digit >= b'5');
    whole.checked_add(u64::from(up))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// Stacks, added line by line.
#[derive(Debug)]
struct StackLines {
    symbols: Symbols,
    builder: SamplesBuilder,
    /// The previous line, with the end of each of its frames and the node it
    /// leads to. Sorted lines share most frames with the previous line.
    last: Vec<u8>,
    last_frames: Vec<(usize, NodeId)>,
    lines: u64,
    /// Negative counts, which samples cannot hold.
    below: Vec<(NodeId, SelfCost)>,
    /// The number of lines with two counts.
    of_two: u64,
    budget: Budget,
}

impl StackLines {
    fn within(budget: &Budget) -> Self {
        Self {
            symbols: Symbols::within(budget),
            builder: SamplesBuilder::within(budget),
            last: Vec::new(),
            last_frames: Vec::new(),
            lines: 0,
            below: Vec::new(),
            of_two: 0,
            budget: budget.clone(),
        }
    }

    fn add(&mut self, stack: &[u8], sign: Sign, weight: u64) {
        self.lines += 1;
        if stack.is_empty() {
            return self.count(NodeId::ROOT, sign, weight);
        }
        self.of_two += u64::from(split(stack).is_some());
        let same = stack
            .iter()
            .zip(&self.last)
            .take_while(|(one, other)| one == other)
            .count();
        // A frame is the same only if the separator after it is too.
        let shared = self.last_frames.iter().take_while(|(end, _)| {
            *end < same || *end == same && stack.get(same).is_none_or(|&byte| byte == b';')
        });
        let shared = shared.count();
        self.last_frames.truncate(shared);
        let (mut end, mut node) = match self.last_frames.last() {
            Some(&(end, node)) => (Some(end), node),
            None => (None, NodeId::ROOT),
        };
        while end.is_none_or(|end| end < stack.len()) {
            let from = end.map_or(0, |end| end + 1);
            let rest = stack.get(from..).unwrap_or_default();
            let length = rest.iter().position(|&byte| byte == b';');
            let frame = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
            let symbol = match frame.trim_ascii() {
                b"" => self.symbols.id(b"(unknown)"),
                frame => self.symbols.id(frame),
            };
            // The root exists already.
            if from > 0 || symbol != SymbolId::ROOT {
                node = self.builder.push(node, symbol);
            }
            let ends = from + frame.len();
            if (self.budget)
                .room(&mut self.last_frames, "call paths")
                .is_err()
            {
                return;
            }
            self.last_frames.push((ends, node));
            end = Some(ends);
        }
        self.last.clear();
        self.last.extend_from_slice(stack);
        self.count(node, sign, weight);
    }

    fn count(&mut self, node: NodeId, sign: Sign, weight: u64) {
        if sign == Sign::Plus || weight == 0 {
            self.builder.count(node, LinedId::UNKNOWN, weight);
        } else if self.budget.room(&mut self.below, "samples").is_ok() {
            let wall = i64::try_from(weight).unwrap_or(i64::MAX).saturating_neg();
            let own = SelfCost {
                wall,
                ..SelfCost::default()
            };
            self.below.push((node, own));
        }
    }

    fn finish(mut self, format: &'static str) -> Result<Profile, ReadError> {
        if self.lines == 0 {
            return Err(ReadError::Empty);
        }
        if self.lines == self.of_two {
            return Err(ReadError::Line {
                format,
                line: 1,
                reason: "two counts in every line: a comparison of two profiles, and not one"
                    .to_owned(),
            });
        }
        let body = if self.below.is_empty() {
            Body::Samples(self.builder.finish())
        } else {
            let above = self.builder.samples().iter().map(|sample| {
                let own = SelfCost {
                    wall: i64::try_from(sample.weight).unwrap_or(i64::MAX),
                    ..SelfCost::default()
                };
                (sample.stack, own)
            });
            let mut own = std::mem::take(&mut self.below);
            self.budget.room_for(&mut own, above.len(), "samples")?;
            own.extend(above);
            Body::Tree(self.builder.finish_tree(own))
        };
        Ok(Profile {
            symbols: self.symbols.finish(),
            body,
            metrics: Metrics {
                calls: false,
                wall_unit: WallUnit::Samples,
                cpu: false,
                memory: false,
            },
            meta: Meta::default(),
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Result<Profile, ReadError> {
        read_lines(
            "collapsed stacks",
            &mut input.as_bytes(),
            &Budget::default(),
        )
    }

    /// Each sample as a line again.
    fn lines(input: &str) -> Vec<String> {
        let profile = read(input).unwrap();
        let Body::Samples(samples) = &profile.body else {
            panic!("no samples");
        };
        let line = |sample: &profile::Sample| {
            let names = samples.path(sample.stack);
            let names = names
                .iter()
                .map(|&symbol| str::from_utf8(profile.name(symbol)).unwrap());
            format!("{} {}", names.collect::<Vec<_>>().join(";"), sample.weight)
        };
        samples.samples.iter().map(line).collect()
    }

    #[test]
    fn what_other_tools_write_is_read() {
        // Excimer, perf and phpspy through stackcollapse, flamegraph.pl's fractions,
        // and Windows' line ends.
        assert_eq!(
            lines("index.php;App::run;strlen 3\nphp-fpm;main;execute_ex_[k] 12\n"),
            [
                "main();index.php;App::run;strlen 3",
                "main();php-fpm;main;execute_ex_[k] 12"
            ]
        );
        assert_eq!(
            lines("main();<internal> f;g 2.5\r\n\r\nmain() 1.4\nmain();a;;b  0"),
            [
                "main();<internal> f;g 3",
                "main() 1",
                "main();a;(unknown);b 0"
            ]
        );
    }

    #[test]
    fn a_sample_without_a_stack_is_one_of_the_root() {
        let input = "a;b 1\n 2\n\t3\na;b 4\n";
        assert_eq!(lines(input), ["main();a;b 5", "main() 5"]);
        assert_eq!(super::detect(input.as_bytes()), Detection::Yes);
        assert_eq!(super::detect(b" 1\n 2\n"), Detection::No);
    }

    #[test]
    fn a_frame_is_shared_with_the_line_before_only_as_a_whole() {
        let input =
            "a;b;c 1\na;b 2\na;bc 3\na;b;cd;e 4\na;b;c 5\nab 6\na 7\nmain();main() 8\nmain() 9\n";
        let expected: Vec<_> = input
            .lines()
            .map(|line| match line.strip_prefix("main()") {
                Some(_) => line.to_owned(),
                None => format!("main();{line}"),
            })
            // The same stack is the same sample: 1 and 5.
            .map(|line| line.replace("a;b;c 1", "a;b;c 6"))
            .filter(|line| line != "main();a;b;c 5")
            .collect();
        assert_eq!(lines(input), expected);
    }

    #[test]
    fn a_comparison_is_refused_and_a_frame_that_ends_in_a_number_is_not() {
        let error = read("a;b 1 2\na;c 0 5\n").unwrap_err().to_string();
        assert!(error.contains("comparison of two profiles"), "{error}");
        assert_eq!(lines("a;b 1 2\na 3\n"), ["main();a;b 1 2", "main();a 3"]);
    }

    #[test]
    fn broken_lines_are_refused_with_their_number() {
        let reason = |input: &str| read(input).unwrap_err().to_string();
        for line in ["main()", "main() x", "main() --5", "5", " x", "a 5."] {
            let input = format!("a 1\n\n{line}\n");
            if line == "a 5." {
                assert!(read(&input).is_ok());
                continue;
            }
            assert_eq!(
                reason(&input),
                "broken collapsed stacks, line 3: not a stack, a blank and a count",
                "{line}"
            );
        }
        assert_eq!(
            reason("a 18446744073709551616"),
            "broken collapsed stacks, line 1: a count that is too large"
        );
        assert!(matches!(read("\n\n"), Err(ReadError::Empty)));
    }

    #[test]
    fn it_is_recognized_by_lines_that_end_in_a_count() {
        let detect = |head: &str| super::detect(head.as_bytes());
        for head in ["a;b 1\n", "main() 5\nmain();x 6\nmain();y", "\n\na;b 1\n"] {
            assert_eq!(detect(head), Detection::Yes, "{head}");
        }
        assert_eq!(detect("main();f 5"), Detection::NeedMore);
        for head in [
            "",
            "hello",
            "hello\n",
            "a;b 1\nc\n",
            "<?php",
            "a\0b 5\n",
            "a;b",
        ] {
            assert_eq!(detect(head), Detection::No, "{head}");
        }
    }
}
