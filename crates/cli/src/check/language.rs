//! The language of budgets: `calls("PDO::*") <= 12`, `wall <= base + noise`.
//!
//! A parser library reads the text into an expression. [`super::facts`] gives
//! the names a meaning. Each part keeps its column, so every error can point to
//! the place.

use winnow::combinator::{
    alt, cut_err, delimited, eof, opt, preceded, repeat, separated, terminated,
};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

/// A condition: two expressions and how they must compare.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    pub(super) left: Expression,
    /// None for a function that is a condition by itself: `no_call("sleep")`.
    pub(super) right: Option<(Comparison, Expression)>,
}

/// How two values must compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    AtMost,
    Less,
    AtLeast,
    More,
    Equal,
}

impl Comparison {
    /// Whether `left` compares so with `right`.
    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::AtMost => left <= right,
            Self::Less => left < right,
            Self::AtLeast => left >= right,
            Self::More => left > right,
            #[expect(clippy::float_cmp, reason = "counts are whole numbers")]
            Self::Equal => left == right,
        }
    }

    /// As words: `at most 12`.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::AtMost => "at most",
            Self::Less => "less than",
            Self::AtLeast => "at least",
            Self::More => "more than",
            Self::Equal => "exactly",
        }
    }
}

/// A value of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Number {
        value: f64,
        unit: Unit,
        /// Where it is in the text, for `--update`.
        place: std::ops::Range<usize>,
    },
    Name {
        /// `calls`, `spans.sql.count`
        path: String,
        /// None without parentheses.
        arguments: Option<Vec<Argument>>,
        column: usize,
    },
    Binary {
        left: Box<Self>,
        operator: char,
        right: Box<Self>,
        column: usize,
    },
}

impl Expression {
    /// Where it begins.
    pub(super) fn column(&self) -> usize {
        match self {
            Self::Number { place, .. } => place.start,
            Self::Name { column, .. } => *column,
            Self::Binary { left, .. } => left.column(),
        }
    }
}

/// An argument of a function: `"PDO::*"`, `under: "route"`, `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) text: String,
    pub(super) column: usize,
}

/// What a value measures. Values of different units do not compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Count,
    /// Nanoseconds.
    Time,
    Bytes,
    /// A share of 1.
    Share,
}

impl Unit {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Count => "a count",
            Self::Time => "a time, such as 20ms",
            Self::Bytes => "a size, such as 32MB",
            Self::Share => "a share, such as 5%",
        }
    }
}

/// Why a text is no condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LanguageError {
    /// The byte of the text at which it stopped.
    pub(super) column: usize,
    pub(super) message: String,
}

impl LanguageError {
    pub(super) fn new(column: usize, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
        }
    }
}

/// The longest budget, in bytes: there is no reason for a longer one.
const LONGEST: usize = 4096;

/// Parses a condition.
pub(super) fn parse(text: &str) -> Result<Condition, LanguageError> {
    if text.len() > LONGEST {
        let message = format!("a budget has at most {LONGEST} bytes");
        return Err(LanguageError::new(LONGEST, message));
    }
    condition
        .parse(LocatingSlice::new(text))
        .map_err(|error| LanguageError::new(error.offset(), described(error.inner())))
}

/// `expected a comparison`, from the labels of the parser.
fn described(error: &ContextError) -> String {
    // The innermost comes first.
    for context in error.context() {
        match context {
            StrContext::Expected(StrContextValue::Description(text)) => {
                return format!("expected {text}");
            }
            StrContext::Label(text) => return (*text).to_owned(),
            _ => {}
        }
    }
    "this is not understood here".to_owned()
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = winnow::ModalResult<T, ContextError>;

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn condition(input: &mut Input<'_>) -> Parsed<Condition> {
    blanks.parse_next(input)?;
    let left = sum.parse_next(input)?;
    let right = opt((comparison, cut_err(sum))).parse_next(input)?;
    let needed = if right.is_some() {
        "the end of the budget"
    } else {
        "a comparison: <=, <, >=, > or =="
    };
    eof.context(expected(needed)).parse_next(input)?;
    Ok(Condition { left, right })
}

fn blanks<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(0.., char::is_whitespace).parse_next(input)
}

fn digits<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(1.., |letter: char| letter.is_ascii_digit()).parse_next(input)
}

fn comparison(input: &mut Input<'_>) -> Parsed<Comparison> {
    let sign = alt(("<=", ">=", "==", "<", ">"));
    terminated(sign, blanks)
        .map(|sign| match sign {
            "<=" => Comparison::AtMost,
            ">=" => Comparison::AtLeast,
            "==" => Comparison::Equal,
            "<" => Comparison::Less,
            _ => Comparison::More,
        })
        .parse_next(input)
}

fn sum(input: &mut Input<'_>) -> Parsed<Expression> {
    chain(input, product, ['+', '-'])
}

fn product(input: &mut Input<'_>) -> Parsed<Expression> {
    chain(input, atom, ['*', '/'])
}

/// Operands with operators of one rank between them, from left to right.
fn chain(
    input: &mut Input<'_>,
    operand: fn(&mut Input<'_>) -> Parsed<Expression>,
    operators: [char; 2],
) -> Parsed<Expression> {
    let mut left = operand(input)?;
    loop {
        let column = input.current_token_start();
        let operator: Option<char> =
            opt(terminated(one_of(operators), blanks)).parse_next(input)?;
        let Some(operator) = operator else {
            return Ok(left);
        };
        let right = cut_err(operand).parse_next(input)?;
        left = Expression::Binary {
            left: Box::new(left),
            operator,
            right: Box::new(right),
            column,
        };
    }
}

fn atom(input: &mut Input<'_>) -> Parsed<Expression> {
    terminated(alt((number, name)), blanks)
        .context(expected("a number or a name, such as calls(\"PDO::*\")"))
        .parse_next(input)
}

fn number(input: &mut Input<'_>) -> Parsed<Expression> {
    let start = input.current_token_start();
    let literal = (digits, opt(('.', digits))).take().parse_next(input)?;
    let end = input.current_token_start();
    let word = (blanks, alt(("%", take_while(1.., char::is_alphabetic))));
    let word: Option<(&str, &str)> = opt(word).parse_next(input)?;
    let (factor, unit) = match word.map_or("", |(_, word)| word) {
        "" => (1.0, Unit::Count),
        "%" => (0.01, Unit::Share),
        "ns" => (1.0, Unit::Time),
        "us" | "µs" | "μs" => (1e3, Unit::Time),
        "ms" => (1e6, Unit::Time),
        "s" => (1e9, Unit::Time),
        "B" => (1.0, Unit::Bytes),
        "kB" | "KB" => (1e3, Unit::Bytes),
        "MB" => (1e6, Unit::Bytes),
        "GB" => (1e9, Unit::Bytes),
        // As in php.ini.
        "K" | "KiB" => (1024.0, Unit::Bytes),
        "M" | "MiB" => (1_048_576.0, Unit::Bytes),
        "G" | "GiB" => (1_073_741_824.0, Unit::Bytes),
        _ => {
            let error =
                "this unit is not known: %, ns, us, ms, s, B, kB, MB, GB, KiB, MiB, GiB are";
            return cut_err(winnow::combinator::fail.context(StrContext::Label(error)))
                .parse_next(input);
        }
    };
    let value: f64 = literal.parse().unwrap_or(f64::MAX);
    Ok(Expression::Number {
        value: value * factor,
        unit,
        place: start..if word.is_some() {
            input.current_token_start()
        } else {
            end
        },
    })
}

fn name(input: &mut Input<'_>) -> Parsed<Expression> {
    let column = input.current_token_start();
    let first = one_of(|letter: char| letter.is_ascii_alphabetic());
    let rest = take_while(0.., |letter: char| {
        letter.is_ascii_alphanumeric() || letter == '_' || letter == '.'
    });
    let path = (first, rest).take().parse_next(input)?;
    let arguments = opt(arguments).parse_next(input)?;
    Ok(Expression::Name {
        path: path.to_owned(),
        arguments,
        column,
    })
}

fn arguments(input: &mut Input<'_>) -> Parsed<Vec<Argument>> {
    let list = separated(0.., argument, (',', blanks));
    delimited(
        ('(', blanks),
        list,
        cut_err(')').context(expected("a pattern in double quotes, `,` or `)`")),
    )
    .parse_next(input)
}

fn argument(input: &mut Input<'_>) -> Parsed<Argument> {
    let column = input.current_token_start();
    let word = take_while(1.., |letter: char| {
        letter.is_ascii_alphabetic() || letter == '_'
    });
    let name = opt(terminated(word, (blanks, one_of([':', '=']), blanks))).parse_next(input)?;
    let star = '*'.value("*".to_owned());
    let text = terminated(alt((quoted, star)), blanks).parse_next(input)?;
    Ok(Argument {
        name: name.map(str::to_owned),
        text,
        column,
    })
}

/// `"Acme\\Repo::find"`. A backslash before another character than `\` and `"`
/// is itself, as namespaces need it.
fn quoted(input: &mut Input<'_>) -> Parsed<String> {
    let escaped = preceded('\\', one_of(['\\', '"']));
    let character = alt((escaped, any.verify(|letter| *letter != '"')));
    let text = repeat(0.., character).fold(String::new, |mut text, letter| {
        text.push(letter);
        text
    });
    let end = cut_err('"').context(expected("the closing quotation mark"));
    delimited('"', text, end).parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (usize, String) {
        let error = parse(text).unwrap_err();
        (error.column, error.message)
    }

    #[test]
    fn a_budget_has_a_fact_a_comparison_and_a_limit() {
        let condition = parse(r#" calls("Acme\\Repo::find", under: "route") == 1 "#).unwrap();
        let Expression::Name {
            path,
            arguments,
            column,
        } = condition.left
        else {
            panic!("no name")
        };
        assert_eq!((path.as_str(), column), ("calls", 1));
        let arguments = arguments.unwrap();
        assert_eq!(arguments[0].text, "Acme\\Repo::find");
        assert_eq!(arguments[1].name.as_deref(), Some("under"));
        let (comparison, limit) = condition.right.unwrap();
        assert_eq!(comparison, Comparison::Equal);
        assert!(matches!(
            limit,
            Expression::Number {
                value: 1.0,
                unit: Unit::Count,
                ..
            }
        ));
    }

    #[test]
    fn a_single_backslash_is_itself() {
        let condition = parse(r#"no_call("Acme\Repo::find", *)"#).unwrap();
        let Expression::Name { arguments, .. } = condition.left else {
            panic!("no name")
        };
        let texts: Vec<String> = arguments
            .unwrap()
            .into_iter()
            .map(|argument| argument.text)
            .collect();
        assert_eq!(texts, ["Acme\\Repo::find", "*"]);
        assert_eq!(condition.right, None);
    }

    #[test]
    fn numbers_have_units_and_places() {
        for (text, expected, expected_unit) in [
            ("32MB", 32e6, Unit::Bytes),
            ("1.5 KiB", 1536.0, Unit::Bytes),
            ("5%", 0.05, Unit::Share),
            ("20ms", 2e7, Unit::Time),
            ("12", 12.0, Unit::Count),
        ] {
            let budget = format!("calls <= {text}");
            let (_, limit) = parse(&budget).unwrap().right.unwrap();
            let Expression::Number { value, unit, place } = limit else {
                panic!("no number")
            };
            assert!((value - expected).abs() < 1e-9, "{text}: {value}");
            assert_eq!((unit, budget.get(place)), (expected_unit, Some(text)));
        }
    }

    #[test]
    fn operators_bind_from_left_to_right_by_rank() {
        let (_, right) = parse("wall <= base * 2 + noise - 1ms")
            .unwrap()
            .right
            .unwrap();
        let Expression::Binary {
            left,
            operator: '-',
            ..
        } = right
        else {
            panic!("{right:?}")
        };
        let Expression::Binary {
            left,
            operator: '+',
            ..
        } = *left
        else {
            panic!("{left:?}")
        };
        assert!(matches!(*left, Expression::Binary { operator: '*', .. }));
    }

    #[test]
    fn errors_point_to_the_column() {
        assert_eq!(error("calls(\"a\") 12").0, 11);
        assert!(
            error("calls(\"a\") 12")
                .1
                .starts_with("expected a comparison")
        );
        assert_eq!(error("calls(\"a\") <= ").0, 14);
        assert_eq!(error("calls(a) <= 1").0, 6);
        assert_eq!(
            error("calls(\"a <= 1").1,
            "expected the closing quotation mark"
        );
        assert_eq!(error("calls <= 3 apples").0, 17);
        assert!(
            error("calls <= 3 apples")
                .1
                .starts_with("this unit is not known")
        );
        assert_eq!(
            error("calls <= 3 4"),
            (11, "expected the end of the budget".to_owned())
        );
        assert_eq!(error("").0, 0);
        assert_eq!(error(&"(".repeat(5_000)).0, 4096);
    }
}
