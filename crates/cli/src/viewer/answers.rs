//! What a page knows before its engine runs: the answers to the questions of
//! the view that it begins with.
//!
//! The engine in the page would say the same. It takes some tenths of a second
//! to start, and until then the page shows these.

use std::io;

use view::{Answer, Document, MetricName, Question};

use super::page::packed;

/// The questions, as the page asks them. `$metric` stands for the metric.
const QUESTIONS: &str = include_str!("../../../../web/src/engine/first.json");

/// Most call paths, or calls one by one: the engine opens a larger profile with
/// limits that this program does not have, and the page asks for no hints of it.
const MOST: u64 = 500_000;

/// Most bytes of a page, packed: names may be long.
const LARGEST: usize = 40_000;

/// The answers, packed: `[[question, answer], …]`. None of a large profile.
pub(super) fn first(document: &mut Document, metric: MetricName) -> io::Result<Option<Vec<u8>>> {
    let summary = document.summary();
    let is_long = summary.shape == "events" && summary.calls > MOST;
    if is_long || u64::from(summary.nodes) > MOST {
        return Ok(None);
    }
    // As the page chooses it: wall time stands for the first of the profile.
    let measured = |metric: &MetricName| summary.metrics.contains(metric);
    let wanted = Some(metric).filter(|metric| *metric != MetricName::Wall && measured(metric));
    let metric = wanted.or(summary.metrics.first().copied());
    let name = serde_json::to_value(metric.unwrap_or(MetricName::Calls))?;
    let questions = QUESTIONS.replace("$metric", name.as_str().unwrap_or_default());
    let mut pairs = Vec::new();
    for asked in serde_json::from_str::<Vec<serde_json::Value>>(&questions)? {
        let question: Question = serde_json::from_value(asked.clone())?;
        // A file of callers and callees has no flame graph.
        if let Ok(answer) = document.answer(&question) {
            pairs.push((asked, answer));
        }
    }
    smallest(pairs)
}

/// As many of the first answers as fit.
fn smallest(mut pairs: Vec<(serde_json::Value, Answer)>) -> io::Result<Option<Vec<u8>>> {
    while !pairs.is_empty() {
        let bytes = packed(&serde_json::to_vec(&pairs)?)?;
        if bytes.len() <= LARGEST {
            return Ok(Some(bytes));
        }
        pairs.pop();
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;
    use view::Source;

    use super::*;

    fn asked(stacks: &str, metric: MetricName) -> Vec<serde_json::Value> {
        let source = Source {
            name: "a.txt",
            bytes: stacks.as_bytes(),
        };
        let mut document = Document::open(&[source]).unwrap();
        let bytes = first(&mut document, metric).unwrap().unwrap();
        assert!(bytes.len() <= LARGEST, "{}", bytes.len());
        let pairs: Vec<(serde_json::Value, serde_json::Value)> =
            serde_json::from_reader(GzDecoder::new(&bytes[..])).unwrap();
        for (question, answer) in &pairs {
            assert_eq!(question["ask"], answer["is"]);
        }
        pairs.into_iter().map(|(question, _)| question).collect()
    }

    #[test]
    fn every_question_of_the_first_view_is_answered() {
        let questions = asked("main();f 10\nmain();g 30\n", MetricName::Wall);
        assert_eq!(questions.len(), 7);
        assert_eq!(questions[1]["sort"]["metric"], "wall");
        // What was not measured is not what the page asks for.
        let questions = asked("main();f 10\n", MetricName::Memory);
        assert_eq!(questions[1]["sort"]["metric"], "wall");
    }

    #[test]
    fn answers_with_long_names_leave_the_page_small() {
        let mut state = 1_u32;
        let name = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + state.to_be_bytes()[0] % 26)
        });
        let name: String = name.take(200_000).collect();
        let questions = asked(&format!("main();{name} 10\n"), MetricName::Wall);
        assert_eq!(questions.len(), 1);
        assert_eq!(questions[0]["ask"], "summary");
    }
}
