//! What Twig compiled: a class for each template, with its name, its path and a
//! map of lines as constants.
//!
//! ```php
//! class __TwigTemplate_bd87… extends Template
//!     public function block_body($context, array $blocks = [])
//!     public function getDebugInfo() { return array (  49 => 8, …); }
//!     public function getSourceContext() { return new Source("", "page.html.twig", "/srv/…"); }
//! ```
//!
//! Twig 2 and 3 write it so. The map goes from lines of the file to lines of the
//! template.

use std::ops::Range;

use super::template::{Template, is_compiled as is_class};

use super::{Named, find};

/// Whether a function is one of a compiled template.
pub(super) fn is_compiled(function: &[u8]) -> bool {
    parts(function).is_some()
}

/// The class and the method; none if it is no template.
fn parts(function: &[u8]) -> Option<(&[u8], &[u8])> {
    let colons = find(function, b"::")?;
    let class = function.get(..colons)?;
    is_class(class).then_some((class, function.get(colons + 2..)?))
}

/// Names a function by the file that Twig wrote; `line` is its first line there.
pub(super) fn named(function: &[u8], line: u32, text: &[u8]) -> Option<Named> {
    let (class, method) = parts(function)?;
    let header = [b"\nclass ", class, b" extends "].concat();
    let start = find(text, &header)? + 1;
    let body = text.get(start..)?;
    // In the text of a template Twig writes `\"` for each quotation mark.
    let source_at = find(body, b"return new Source(\"")?;
    let mut literals = body.get(source_at + b"return new Source(".len()..)?;
    let _code = literal(&mut literals)?;
    let template = literal(&mut literals)?;
    let path = literal(&mut literals)?;
    let before = text.get(..start)?.iter().filter(|byte| **byte == b'\n');
    let class_line = u32::try_from(before.count() + 1).unwrap_or(u32::MAX);
    let template = Template::new(class, class_line, &template, lines(body.get(..source_at)?));
    let named = if method.starts_with(b"{closure") {
        template.closure(line)
    } else {
        template.method(method, range(text, line))
    };
    Some(Named {
        name: named.name,
        file: path.starts_with(b"/").then_some(path),
        line: named.line,
    })
}

/// Reads a text in double quotation marks and the comma behind it.
fn literal(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let mut bytes = rest.strip_prefix(b"\"")?.iter().copied().enumerate();
    let mut value = Vec::new();
    while let Some((place, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let behind = rest.get(place + 2..)?;
                *rest = behind.strip_prefix(b", ").unwrap_or(behind);
                return Some(value);
            }
            // PHP's addcslashes() wrote it.
            b'\\' => match bytes.next()?.1 {
                b't' => value.push(b'\t'),
                // Twig itself wrote `'` so.
                b'x' => {
                    let digits = rest.get(place + 3..place + 5)?;
                    let digits = std::str::from_utf8(digits).ok()?;
                    value.push(u8::from_str_radix(digits, 16).ok()?);
                    bytes.nth(1)?;
                }
                b'0' => {
                    bytes.nth(1)?;
                    value.push(0);
                }
                escaped => value.push(escaped),
            },
            byte => value.push(byte),
        }
    }
    None
}

/// The lines of a method: from its comment to that of the next one. Twig notes the
/// line of a block where the comment begins.
fn range(text: &[u8], line: u32) -> Range<u32> {
    let (mut start, mut end, mut comment) = (line, u32::MAX, None);
    for (text, number) in text.split(|byte| *byte == b'\n').zip(1_u32..) {
        let text = text.trim_ascii_start();
        let is_method = [
            &b"public function "[..],
            b"protected function ",
            b"private function ",
        ];
        if text.starts_with(b"/**") {
            comment = Some(number);
        } else if !text.starts_with(b"*") {
            if number == line {
                start = comment.unwrap_or(line);
            } else if number > line && is_method.iter().any(|start| text.starts_with(start)) {
                end = comment.unwrap_or(number);
                break;
            }
            comment = None;
        }
    }
    start..end
}

/// Reads `return array (  49 => 8,  38 => 1,);` of the last `getDebugInfo()`: pairs
/// of a line of the compiled file and a line of the template.
fn lines(class: &[u8]) -> Vec<(u32, u32)> {
    let marker = b"function getDebugInfo()";
    let mut places = class.windows(marker.len()).enumerate();
    let place = places.rfind(|(_, window)| *window == marker);
    let body = place.and_then(|(place, _)| class.get(place + marker.len()..));
    let text = String::from_utf8_lossy(body.unwrap_or_default());
    let array = text.split(';').next().unwrap_or_default();
    let array = array.rsplit(['(', '[']).next().unwrap_or_default();
    let pairs = array.split(',').filter_map(|pair| {
        let (compiled, template) = pair.split_once("=>")?;
        let template = template.trim().trim_end_matches([')', ']']);
        Some((compiled.trim().parse().ok()?, template.trim().parse().ok()?))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by Twig for a template with a block, a macro and an embedded
    /// template, and then shortened. The comment of the block is of 3.27. `Source` has the template's text, as in
    /// debug mode.
    const COMPILED: &str = r#"<?php
/* a/page.html.twig */
class __TwigTemplate_bd87debc0f8762111841c9ee60d71de0 extends Template
{
    protected function doDisplay(array $context, array $blocks = [])
    {
        // line 2
        $macros["m"] = $this->macros["m"] = $this;
        // line 1
        $this->parent->display($context, $blocks);
    }

    // line 8
    /**
     * @return iterable<null|scalar|\Stringable>
     */
    public function block_body($context, array $blocks = [])
    {
        // line 10
        echo "function getSourceContext() { return new Source(\"a\", \"b\", \"c\"); }
    class __TwigTemplate_ extends X";
    }

    // line 4
    public function macro_field($__name__ = null, ...$__varargs__)
    {
        ob_start(function () { return ''; });
        // line 5
        echo "  <input name=\"";
    }

    public function getDebugInfo()
    {
        return array (  29 => 5,  25 => 4,  20 => 10,  14 => 8,  10 => 1,  8 => 2,);
    }

    public function getSourceContext()
    {
        return new Source("{# say \"hi\" \x27 \$x \\ #}
return new Source(\"\", \"no\", \"\");", "a/\"pa\x27ge\".html.twig", "/srv/tpl/a/page.html.twig");
    }
}


/* a/page.html.twig */
class __TwigTemplate_bd87debc0f8762111841c9ee60d71de0___1511294902 extends Template
{
    protected function doDisplay(array $context, array $blocks = [])
    {
        $this->parent->display($context, $blocks);
    }

    public function block_card($context, array $blocks = [])
    {
        // line 14
        echo "in";
    }

    public function getDebugInfo()
    {
        return array (  56 => 14,  50 => 12,  10 => 1,  8 => 2,);
    }

    public function getSourceContext()
    {
        return new Source("", "a/page.html.twig", "");
    }
}
"#;

    fn named(method: &str, line: u32) -> Option<(String, bool, u32)> {
        let function = format!("__TwigTemplate_bd87debc0f8762111841c9ee60d71de0{method}");
        let named = super::named(function.as_bytes(), line, COMPILED.as_bytes())?;
        let name = String::from_utf8(named.name).unwrap();
        Some((name, named.file.is_some(), named.line))
    }

    #[test]
    fn every_function_has_the_template_and_its_line() {
        let page = "twig::a/\"pa'ge\".html.twig";
        for (method, line, name, template_line) in [
            ("::doDisplay", 5, page.to_owned(), 1),
            ("::block_body", 17, format!("{page}::block_body"), 8),
            ("::macro_field", 25, format!("{page}::macro_field"), 4),
            ("::getDebugInfo", 32, format!("{page}::getDebugInfo"), 1),
            (
                "::{closure:bd/87.php:27}",
                27,
                format!("{page}::{{closure:a/\"pa'ge\".html.twig:4}}"),
                4,
            ),
        ] {
            assert_eq!(named(method, line), Some((name, true, template_line)));
        }
        // A template from a database has no path.
        let card = "twig::a/page.html.twig::embed_12";
        assert_eq!(
            named("___1511294902::block_card", 53),
            Some((format!("{card}::block_card"), false, 14))
        );
        assert_eq!(
            named("___1511294902::doDisplay", 48),
            Some((card.to_owned(), false, 12))
        );
    }

    #[test]
    fn what_is_no_template_keeps_its_name() {
        assert!(!is_compiled(b"__TwigTemplate_::doDisplay"));
        assert!(!is_compiled(b"Twig\\Template::display"));
        assert!(!is_compiled(
            b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0"
        ));
        assert_eq!(named("0::doDisplay", 5), None);
        let class = b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0::doDisplay";
        for end in 0..COMPILED.len() {
            // A file that was cut is no reason to fail.
            let _ = super::named(class, 5, &COMPILED.as_bytes()[..end]);
        }
    }
}
