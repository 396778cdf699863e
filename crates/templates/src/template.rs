//! Names of Twig's templates, from the constants of what Twig compiled.
//!
//! Twig compiles a template to a class `__TwigTemplate_bd87…` with a method for
//! each block. The class returns the template's name, and a map from its own lines
//! to lines of the template.

use std::ops::Range;

const PREFIX: &[u8] = b"__TwigTemplate_";
/// What begins the number of an embedded template, behind the class of its template.
const EMBEDDED: &[u8] = b"___";
/// The shortest hash in a class's name, in hexadecimal digits.
const HASH: usize = 32;

/// Whether a class is a compiled template.
pub(crate) fn is_compiled(class: &[u8]) -> bool {
    let Some(rest) = class.strip_prefix(PREFIX) else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit());
    digits.count() >= HASH
}

/// A compiled template.
#[derive(Debug, Clone)]
pub(crate) struct Template<'a> {
    name: &'a [u8],
    is_embedded: bool,
    /// Pairs of a line of the compiled file and a line of the template.
    lines: Vec<(u32, u32)>,
}

/// What a compiled function is to the author of the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The function's name.
    pub(crate) name: Vec<u8>,
    /// The line of the template.
    pub(crate) line: u32,
}

impl<'a> Template<'a> {
    /// The template called `name`, whose class begins on `class_line` of the
    /// compiled file. `lines` are pairs of a line there and a line of the template.
    pub(crate) fn new(
        class: &[u8],
        class_line: u32,
        name: &'a [u8],
        lines: impl IntoIterator<Item = (u32, u32)>,
    ) -> Self {
        // The map of an embedded template also has the lines of the classes before.
        let is_own = |(compiled, _): &(u32, u32)| *compiled >= class_line;
        Self {
            name,
            is_embedded: class.windows(EMBEDDED.len()).any(|part| part == EMBEDDED),
            lines: lines.into_iter().filter(is_own).collect(),
        }
    }

    /// The name and the line of a method, which is on these lines of the compiled
    /// file, with the comment above it.
    ///
    /// | method | name |
    /// |---|---|
    /// | `doDisplay` | `twig::page.html.twig` |
    /// | `block_body` | `twig::page.html.twig::block_body` |
    /// | `doDisplay` of an embedded template | `twig::page.html.twig::embed_12`, by its line |
    pub(crate) fn method(&self, method: &[u8], place: Range<u32>) -> Named {
        let mut name = self.whole();
        if method != b"doDisplay" {
            name.extend_from_slice(b"::");
            name.extend_from_slice(method);
        }
        let line = self.first_in(place).unwrap_or_else(|| self.first());
        Named { name, line }
    }

    /// The name and the line of a closure, by the line on which it begins in the
    /// compiled file: `twig::page.html.twig::{closure:page.html.twig:4}`.
    pub(crate) fn closure(&self, line: u32) -> Named {
        let line = self.before(line).unwrap_or_else(|| self.first());
        let mut name = self.whole();
        name.extend_from_slice(b"::{closure:");
        name.extend_from_slice(last_two_parts(self.name));
        name.extend_from_slice(format!(":{line}}}").as_bytes());
        Named { name, line }
    }

    fn whole(&self) -> Vec<u8> {
        let mut name = [b"twig::", self.name].concat();
        if self.is_embedded {
            name.extend_from_slice(format!("::embed_{}", self.first()).as_bytes());
        }
        name
    }

    /// The template's first line with code, or the embedded one's.
    fn first(&self) -> u32 {
        let lines = self.lines.iter().map(|(_, template)| *template);
        lines.min().unwrap_or(1)
    }

    /// The first line of the template in a range of the compiled file: that of the
    /// range's beginning, else the smallest.
    fn first_in(&self, place: Range<u32>) -> Option<u32> {
        let exact = self.lines.iter().find(|(line, _)| *line == place.start);
        let inside = self.lines.iter().filter(|(line, _)| place.contains(line));
        let smallest = inside.min_by_key(|(_, template)| *template);
        exact.or(smallest).map(|(_, template)| *template)
    }

    /// The line of the template that a line of the compiled file belongs to.
    fn before(&self, line: u32) -> Option<u32> {
        let before = self.lines.iter().filter(|(compiled, _)| *compiled <= line);
        before.max().map(|(_, template)| *template)
    }
}

/// The last two parts of a name with slashes, as in names of files.
fn last_two_parts(name: &[u8]) -> &[u8] {
    let slashes = name.iter().enumerate().rev();
    let mut slashes = slashes.filter(|(_, byte)| **byte == b'/');
    let start = slashes.nth(1).map(|(place, _)| place + 1);
    start.and_then(|start| name.get(start..)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: &[u8] = b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0";

    fn text(named: Named) -> (String, u32) {
        (String::from_utf8(named.name).unwrap(), named.line)
    }

    #[test]
    fn functions_have_the_name_and_the_line_of_their_template() {
        let lines = [(29, 5), (25, 4), (20, 10), (14, 8), (10, 1), (8, 2)];
        let template = Template::new(CLASS, 3, b"a/b/page.html.twig", lines);
        let page = "twig::a/b/page.html.twig";
        assert_eq!(
            text(template.method(b"doDisplay", 5..13)),
            (page.to_owned(), 1)
        );
        let block = template.method(b"block_body", 14..22);
        assert_eq!(text(block), (format!("{page}::block_body"), 8));
        // Without the comment, whose line has the block's line.
        let block = template.method(b"block_body", 17..22);
        assert_eq!(text(block), (format!("{page}::block_body"), 10));
        // A method without a line has the first one.
        let method = template.method(b"getDebugInfo", 32..36);
        assert_eq!(text(method), (format!("{page}::getDebugInfo"), 1));
        for (line, template_line) in [(27, 4), (29, 5), (1, 1), (u32::MAX, 5)] {
            let name = format!("{page}::{{closure:b/page.html.twig:{template_line}}}");
            assert_eq!(text(template.closure(line)), (name, template_line));
        }
    }

    #[test]
    fn an_embedded_template_has_lines_of_its_own() {
        let class = [CLASS, b"___1511294902"].concat();
        let lines = [(56, 14), (50, 12), (10, 1), (8, 2)];
        let template = Template::new(&class, 44, b"page.html.twig", lines);
        let name = "twig::page.html.twig::embed_12".to_owned();
        assert_eq!(text(template.method(b"doDisplay", 46..49)), (name, 12));
        let none = Template::new(&class, 44, b"", []);
        let name = "twig::::embed_1::m".to_owned();
        assert_eq!(text(none.method(b"m", 0..0)), (name, 1));
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "a hostile place")]
    fn hostile_numbers_and_names_are_kept_in_bounds() {
        let lines = [(0, 0), (u32::MAX, u32::MAX), (7, 0)];
        let template = Template::new(CLASS, 0, b"/\xff\0//", lines);
        assert_eq!(template.method(b"", u32::MAX..0).line, u32::MAX);
        assert_eq!(template.method(b"x", 9..3).line, 0);
        assert_eq!(template.closure(0).line, 0);
    }

    #[test]
    fn only_classes_of_twig_are_compiled_templates() {
        let embedded = [CLASS, b"___12"].concat();
        let long = [PREFIX, &[b'a'; 64][..]].concat();
        for class in [CLASS, &embedded, &long] {
            assert!(is_compiled(class), "{}", String::from_utf8_lossy(class));
        }
        let short = &CLASS[..CLASS.len() - 1];
        let other = [PREFIX, &[b'g'; 64][..]].concat();
        let inside = [b"A\\", CLASS].concat();
        for class in [b"", PREFIX, short, &other, &inside, b"Twig\\Template"] {
            assert!(!is_compiled(class), "{}", String::from_utf8_lossy(class));
        }
    }
}
