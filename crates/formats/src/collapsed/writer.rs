//! Writes collapsed stacks sorted, without holding all lines in memory.

use std::cmp::Ordering;
use std::io::{self, BufWriter, Write};

use profile::{Children, Metric, NodeId, Tree};

use crate::shared::same_names;

/// The name of a function without a name.
const UNKNOWN: &[u8] = b"(unknown)";

/// A name as a frame: characters that a line cannot hold or that readers
/// misread are replaced.
#[must_use]
pub fn frame(name: &[u8]) -> Vec<u8> {
    let replaced: Vec<u8> = name
        .iter()
        .map(|&byte| match byte {
            b';' => b':',
            0..b' ' | 0x7f => b' ',
            byte => byte,
        })
        .collect();
    let mut frame = replaced.trim_ascii().to_vec();
    if frame.is_empty() {
        return UNKNOWN.to_vec();
    }
    // A trailing number, as in `query 42`, would be read as the first of two
    // counts. Replaced in every position, so that a function has one name.
    if let Some(blank) = blank_before_number(&frame)
        && let Some(byte) = frame.get_mut(blank)
    {
        *byte = b'_';
    }
    // Flame graph tools colour by these suffixes: kernel, inlined, jitted,
    // waker.
    if let [.., b'_', b'[', b'k' | b'i' | b'j' | b'w', b']'] = *frame {
        frame.insert(frame.len() - 3, b' ');
    }
    frame
}

/// The position of the last blank in ` 42` or ` 4.2` at the end of `frame`.
fn blank_before_number(frame: &[u8]) -> Option<usize> {
    let blank = frame.iter().rposition(|&byte| byte == b' ')?;
    let number = frame.get(blank + 1..)?;
    let whole = number
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let rest = match number.get(whole..)? {
        [b'.', rest @ ..] => rest,
        rest => rest,
    };
    (whole > 0 && rest.iter().all(u8::is_ascii_digit)).then_some(blank)
}

/// The stacks to write, and the names of their functions.
#[derive(Debug)]
pub(crate) struct Stacks<'a> {
    /// The paths.
    pub(crate) tree: &'a Tree,
    /// By symbol, without `;` and line ends.
    pub(crate) names: &'a [Vec<u8>],
    /// The cost to write; stacks without a positive cost are left out.
    pub(crate) metric: Metric,
    /// Whether stacks begin with the root, or with the functions that it calls.
    pub(crate) with_root: bool,
}

/// Writes one line for each stack, sorted by the lines' bytes.
pub(crate) fn write_lines(stacks: &Stacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tree = same_names::merged(stacks.tree, stacks.names);
    let mut values = Vec::with_capacity(tree.nodes.len());
    for (own, node) in tree.self_costs().iter().zip(&tree.nodes) {
        let value = stacks.metric.of_own(own, node.cost.calls);
        values.push(u64::try_from(value).unwrap_or(0));
    }
    let lines = Lines {
        tree: &tree,
        children: tree.children(),
        names: stacks.names,
        values,
    };
    let mut out = BufWriter::with_capacity(1 << 16, out);
    lines.write(stacks.with_root, &mut out)?;
    out.flush()
}

struct Lines<'a> {
    tree: &'a Tree,
    children: Children,
    names: &'a [Vec<u8>],
    values: Vec<u64>,
}

/// The lines of one node: its own, which ends there, or those of its
/// descendants, which continue with a `;`.
#[derive(Clone, Copy)]
struct Group {
    node: NodeId,
    is_below: bool,
}

impl Lines<'_> {
    fn write(&self, with_root: bool, out: &mut impl Write) -> io::Result<()> {
        // The path written so far, and the length of each group's prefix in it.
        let mut path: Vec<u8> = Vec::new();
        let mut walk: Vec<(Group, usize)> = Vec::new();
        if with_root {
            self.push([NodeId::ROOT].iter(), 0, &mut walk);
        } else {
            self.push(self.children.of(NodeId::ROOT).iter(), 0, &mut walk);
        }
        while let Some((group, begins)) = walk.pop() {
            path.truncate(begins);
            path.extend_from_slice(self.name(group.node));
            if group.is_below {
                path.push(b';');
                let below = self.children.of(group.node).iter();
                self.push(below, path.len(), &mut walk);
            } else {
                out.write_all(&path)?;
                writeln!(out, " {}", self.value(group.node))?;
            }
        }
        Ok(())
    }

    /// Pushes the groups of siblings on the stack, the first of them on top.
    fn push<'n>(
        &self,
        siblings: impl Iterator<Item = &'n NodeId>,
        begins: usize,
        walk: &mut Vec<(Group, usize)>,
    ) {
        let from = walk.len();
        for &node in siblings {
            for is_below in [false, true] {
                let has_lines = if is_below {
                    !self.children.of(node).is_empty()
                } else {
                    self.value(node) > 0
                };
                if has_lines {
                    walk.push((Group { node, is_below }, begins));
                }
            }
        }
        walk[from..].sort_unstable_by(|(one, _), (other, _)| self.order(*other, *one));
    }

    /// Compares the bytes of the groups' lines. The lines of one group are
    /// contiguous: only a `;` ends a frame.
    fn order(&self, one: Group, other: Group) -> Ordering {
        let (a, b) = (self.name(one.node), self.name(other.node));
        let common = a.len().min(b.len());
        let order = a[..common].cmp(&b[..common]);
        order.then_with(|| self.key(one).cmp(&self.key(other)))
    }

    /// The beginning of a group's lines, up to where they differ from every
    /// other group's.
    fn key(&self, group: Group) -> Vec<u8> {
        let mut key = self.name(group.node).to_vec();
        if group.is_below {
            key.push(b';');
        } else {
            key.extend_from_slice(format!(" {}", self.value(group.node)).as_bytes());
        }
        key
    }

    fn name(&self, node: NodeId) -> &[u8] {
        &self.names[self.tree[node].symbol.index()]
    }

    fn value(&self, node: NodeId) -> u64 {
        self.values[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{SymbolId, TreeBuilder};

    #[test]
    fn a_frame_has_nothing_that_is_misread() {
        for (name, expected) in [
            ("a;b\n\tc", "a:b  c"),
            (" \0a ", "a"),
            ("", "(unknown)"),
            (" \n", "(unknown)"),
            ("query 42", "query_42"),
            ("query 4.2", "query_4.2"),
            ("query 4.", "query_4."),
            ("a 1 2", "a 1_2"),
            ("a b2", "a b2"),
            ("a .5", "a .5"),
            ("42", "42"),
            ("f_[k]", "f_ [k]"),
            ("f_[0]", "f_[0]"),
        ] {
            assert_eq!(frame(name.as_bytes()), expected.as_bytes(), "{name:?}");
        }
        assert_eq!(frame(b"\xff\xfe"), b"\xff\xfe");
    }

    #[test]
    fn lines_are_in_the_order_of_their_bytes_whatever_the_names() {
        let names = ["m", "a", "a b", "a!", "a 5x", "ab", "a -", "A", "\u{fc}"];
        let names: Vec<_> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let mut builder = TreeBuilder::new();
        let mut value = 1;
        for first in 1..names.len() {
            let first = SymbolId(u32::try_from(first).unwrap());
            let node = builder.child(NodeId::ROOT, first);
            for second in (1..names.len()).rev() {
                let second = SymbolId(u32::try_from(second).unwrap());
                let below = builder.child(node, second);
                builder.cost(below).wall = value;
                value += 7;
            }
            builder.cost(node).wall = value;
        }
        let tree = builder.finish_self_costs();
        let stacks = Stacks {
            tree: &tree,
            names: &names,
            metric: Metric::Wall,
            with_root: true,
        };
        let mut out = Vec::new();
        write_lines(&stacks, &mut out).unwrap();
        let lines: Vec<_> = out.trim_ascii_end().split(|&byte| byte == b'\n').collect();
        assert_eq!(lines.len(), 72);
        assert!(lines.is_sorted());
    }
}
