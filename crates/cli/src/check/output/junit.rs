//! JUnit XML: a suite a scenario, a case a budget. Budgets that could not be
//! decided are skipped cases; a scenario that could not run is an error.

use anyhow::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::check::budget::Verdict;
use crate::check::result::{BudgetResult, Results, ScenarioResult};

/// The whole file.
pub(in crate::check) fn render(results: &Results) -> Result<Vec<u8>> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .write_inner_content(|writer| {
            results
                .scenarios
                .iter()
                .try_for_each(|scenario| suite(writer, scenario))
        })?;
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

fn suite(writer: &mut Writer<Vec<u8>>, scenario: &ScenarioResult) -> std::io::Result<()> {
    let budgets = scenario.outcome.as_deref().unwrap_or_default();
    let count =
        |is: fn(&Verdict) -> bool| budgets.iter().filter(|budget| is(&budget.verdict)).count();
    let (failures, skipped) = (
        count(|verdict| matches!(verdict, Verdict::Broken { .. })),
        count(|verdict| matches!(verdict, Verdict::Undecided(_))),
    );
    let errors = usize::from(scenario.outcome.is_err());
    let name = text(&scenario.name);
    writer
        .create_element("testsuite")
        .with_attributes([
            ("name", name.as_str()),
            ("tests", &(budgets.len() + errors).to_string()),
            ("failures", &failures.to_string()),
            ("errors", &errors.to_string()),
            ("skipped", &skipped.to_string()),
            ("time", &format!("{:.3}", scenario.seconds)),
        ])
        .write_inner_content(|writer| {
            if let Err(why) = &scenario.outcome {
                case(
                    writer,
                    &name,
                    "the scenario runs",
                    Some(("error", "could not run", why)),
                )?;
            }
            budgets
                .iter()
                .try_for_each(|budget| of_budget(writer, &name, scenario, budget))
        })?;
    Ok(())
}

fn of_budget(
    writer: &mut Writer<Vec<u8>>,
    suite: &str,
    scenario: &ScenarioResult,
    budget: &BudgetResult,
) -> std::io::Result<()> {
    let problem = budget.problem().unwrap_or_default();
    match &budget.verdict {
        Verdict::Kept { .. } => case(writer, suite, &budget.text, None),
        Verdict::Undecided(_) => case(writer, suite, &budget.text, Some(("skipped", &problem, ""))),
        Verdict::Broken { culprits, .. } => {
            let mut lines = culprits.lines.clone();
            lines.extend(culprits.path.iter().map(|path| format!("path: {path}")));
            lines.extend(
                scenario
                    .command(budget)
                    .map(|command| format!("look: {command}")),
            );
            case(
                writer,
                suite,
                &budget.text,
                Some(("failure", &problem, &lines.join("\n"))),
            )
        }
    }
}

fn case(
    writer: &mut Writer<Vec<u8>>,
    suite: &str,
    name: &str,
    problem: Option<(&str, &str, &str)>,
) -> std::io::Result<()> {
    let name = text(name);
    let case = writer.create_element("testcase");
    let case = case.with_attributes([("name", name.as_str()), ("classname", suite), ("time", "0")]);
    let Some((kind, message, body)) = problem else {
        case.write_empty()?;
        return Ok(());
    };
    let (message, body) = (text(message), text(body));
    case.write_inner_content(|writer| {
        let problem = writer
            .create_element(kind)
            .with_attribute(("message", message.as_str()));
        let problem = match kind {
            "skipped" => problem,
            kind => problem.with_attribute(("type", kind)),
        };
        if body.is_empty() {
            problem.write_empty()?;
        } else {
            problem.write_text_content(BytesText::new(&body))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Without the characters that XML 1.0 does not have.
fn text(text: &str) -> String {
    text.replace(
        |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t'),
        "\u{fffd}",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::output::sample;

    #[test]
    fn the_file_counts_what_it_has() {
        let xml = String::from_utf8(render(&sample::results()).unwrap()).unwrap();
        assert!(xml.contains("<testsuite name=\"front page\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\">"), "{xml}");
        assert!(xml.contains("SELECT &lt;a&gt; &amp;"), "{xml}");
        assert_eq!(xml.matches("<testcase ").count(), 4);
        assert_eq!(xml.matches("<error ").count(), 1);
    }

    #[test]
    fn another_program_reads_the_file() {
        let xml = render(&sample::results()).unwrap();
        let report =
            quick_junit::Report::deserialize_from_str(std::str::from_utf8(&xml).unwrap()).unwrap();
        assert_eq!(report.test_suites.len(), 2);
        let cases: usize = report
            .test_suites
            .iter()
            .map(|suite| suite.test_cases.len())
            .sum();
        assert_eq!(cases, 4);
    }

    #[test]
    fn control_characters_do_not_break_the_file() {
        assert_eq!(text("a\u{0}\n\u{1b}[1m"), "a\u{fffd}\n\u{fffd}[1m");
    }
}
