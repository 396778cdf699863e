//! Summary of a native file without its calls: for lists of thousands of files.
//!
//! Sections are checked as in [`read`](fn@super::read), but neither names nor
//! nodes are kept: a file takes the memory of its largest section.

use std::io::Read;

use super::costs::Columns;
use super::head::Head;
use super::meta::MetaReader;
use super::section::{SectionReader, kind};
use super::varint::Cursor;
use super::{Error, Limits};
use crate::{Budget, Cost, Meta, Metrics, Profile};

/// A profile's metadata and total costs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The metadata.
    pub meta: Meta,
    /// The measured costs.
    pub metrics: Metrics,
    /// The total cost; its calls are all calls.
    pub total: Cost,
    /// The number of spans, including those over a limit.
    pub spans: u64,
}

impl Summary {
    /// The summary of a profile in memory.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let root = match profile.tree() {
            Some(tree) => tree.root_cost(),
            None => profile.edges().root,
        };
        let spans = &profile.spans;
        Self {
            meta: profile.meta.clone(),
            metrics: profile.metrics,
            total: Cost {
                calls: profile.calls(),
                ..root
            },
            spans: spans.left_out.count.saturating_add(spans.list.len() as u64),
        }
    }
}

/// Reads what a file comes to. None for call events, whose sums are not in the
/// file: [`read`](fn@super::read) makes them.
///
/// # Errors
///
/// [`Error`], for a file that is not native, damaged, truncated or over a
/// limit.
pub fn summary(
    input: impl Read,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<Summary>, Error> {
    let input = std::io::BufReader::with_capacity(1 << 16, input);
    let mut sections = SectionReader::new(input, limits.section, budget)?;
    let head = Head::read(&mut sections)?;
    if head.body == kind::CALLS {
        return Ok(None);
    }
    let mut meta = MetaReader::within(budget);
    let mut sum = Sum::default();
    let mut spans = 0_u64;
    loop {
        let kind = sections.next()?;
        let mut cursor = sections.cursor();
        match kind {
            kind::END => break,
            kind::META => meta.take(cursor)?,
            kind::TREE => sum.add_nodes(&mut cursor)?,
            kind::EDGES => sum.add_edges(&mut cursor)?,
            kind::SAMPLES => sum.add_samples(&mut cursor)?,
            kind::SPANS => spans = spans.saturating_add(count_spans(&mut cursor)?),
            _ => {}
        }
    }
    sections.finish()?;
    Ok(Some(Summary {
        meta: meta.meta,
        metrics: head.metrics,
        total: sum.total,
        spans,
    }))
}

#[derive(Debug, Default)]
struct Sum {
    total: Cost,
    has_root: bool,
}

impl Sum {
    /// Nodes contain self costs, which add up to the total.
    fn add_nodes(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let columns = Columns::take(cursor)?;
        for _ in 0..cursor.count()? {
            cursor.number()?;
            cursor.number()?;
            let own = columns.cost(cursor)?;
            let calls = self.total.calls.saturating_add(own.calls);
            self.total = super::costs::with(self.total, own);
            self.total.calls = calls;
        }
        Ok(())
    }

    /// The first edge is the root.
    fn add_edges(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let columns = Columns::take(cursor)?;
        for _ in 0..cursor.count()? {
            for _ in 0..2 {
                if cursor.number()? & 1 == 1 {
                    cursor.number()?;
                }
            }
            let cost = columns.cost(cursor)?;
            if self.has_root {
                self.total.calls = self.total.calls.saturating_add(cost.calls);
            } else {
                self.total = cost;
                self.has_root = true;
            }
        }
        Ok(())
    }

    fn add_samples(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            cursor.signed()?;
            self.total.wall = self.total.wall.saturating_add(cursor.number()?);
            cursor.signed()?;
        }
        Ok(())
    }
}

fn count_spans(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    for _ in 0..cursor.count()? {
        cursor.bytes()?;
    }
    let count = cursor.count()?;
    for _ in 0..count {
        // Kind, text, two symbols, start, duration, rows.
        for _ in 0..7 {
            cursor.number()?;
        }
    }
    Ok((count as u64).saturating_add(cursor.number()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Body, LeftOut, NodeId, Sample, SamplesBuilder, Span, SpanKind, Spans, Symbol, SymbolId,
        TreeBuilder, native,
    };

    fn check(profile: &Profile) {
        let mut file = Vec::new();
        native::write(profile, &mut file).unwrap();
        let limits = Limits::default();
        let read = native::read(file.as_slice(), &limits).unwrap();
        let expected = Summary::of(&read);
        assert_eq!(
            summary(file.as_slice(), &limits, &Budget::default()).unwrap(),
            Some(expected)
        );
        file.pop();
        assert!(summary(file.as_slice(), &limits, &Budget::default()).is_err());
    }

    fn tree() -> Profile {
        let mut profile = Profile::empty();
        profile.symbols.push(Symbol::new(&b"f"[..]));
        let mut builder = TreeBuilder::new();
        let mut node = NodeId::ROOT;
        for wall in 1..5 {
            *builder.cost(node) += Cost {
                calls: wall,
                wall: wall * 1000,
                cpu: wall * 10,
                memory: -7,
                peak: 3,
            };
            node = builder.child(node, SymbolId(1));
        }
        profile.body = Body::Tree(builder.finish_self_costs());
        profile.metrics.cpu = true;
        profile.metrics.memory = true;
        profile.meta.title = Some("GET /".to_owned());
        profile.meta.peak_memory = Some(1 << 20);
        profile.meta.set_tag("status", "200");
        profile.spans = Spans {
            texts: vec![b"select"[..].into()],
            list: vec![Span {
                kind: SpanKind::from_number(1),
                text: None,
                symbol: SymbolId(1),
                caller: SymbolId(0),
                start: 5,
                duration: 6,
                rows: Some(7),
            }],
            left_out: LeftOut {
                count: 2,
                duration: 9,
            },
        };
        profile
    }

    #[test]
    fn a_summary_is_what_the_whole_profile_comes_to() {
        check(&Profile::empty());
        let tree = tree();
        check(&tree);
        let edges = Profile {
            body: Body::Edges(tree.edges().into_owned()),
            ..tree.clone()
        };
        check(&edges);
        let mut samples = SamplesBuilder::default();
        for at in 1..4 {
            let stack = NodeId::ROOT;
            samples.add(Sample::new(at, at * 5, stack));
        }
        check(&Profile {
            body: Body::Samples(samples.finish()),
            ..tree
        });
    }
}
