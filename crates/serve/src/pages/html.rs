//! Text as HTML: escaping, links, forms and tables.

use std::fmt::Write;

pub use formats::visible::html as escaped;

use crate::api::Filter;

/// Text for the value of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A condition of a filter, with a value that may have blanks.
pub(super) fn condition(key: &str, value: &str) -> String {
    let value = value.replace('"', "");
    if value.is_empty() || value.contains(char::is_whitespace) {
        format!("{key}:\"{value}\"")
    } else {
        format!("{key}:{value}")
    }
}

/// A filter with one more condition.
pub(super) fn with(filter: &str, condition: &str) -> String {
    format!("{filter} {condition}").trim().to_owned()
}

/// The name of a function, as a link to its page.
pub(super) fn function(name: &str, filter: &str) -> String {
    format!(
        "<a href=\"/function?name={}&amp;q={}\">{}</a>",
        encoded(name),
        encoded(filter),
        escaped(name)
    )
}

/// The name of a route, as a link to its page.
pub(super) fn route(app: &str, name: &str) -> String {
    let filter = format!("{} {}", condition("app", app), condition("route", name));
    let text = if name.is_empty() { "(no route)" } else { name };
    format!(
        "<a href=\"/route?q={}\">{}</a>",
        encoded(&filter),
        escaped(text)
    )
}

/// A paragraph of an error.
pub(super) fn error(message: &str) -> String {
    format!("<p class=\"error\" role=\"alert\">{}</p>", escaped(message))
}

/// The form of a filter; `hidden` are other parts of the address that stay.
pub(super) fn form(filter: &Filter, hidden: &[(&str, &str)]) -> String {
    let mut form = format!(
        "<form class=\"filter\" role=\"search\"><input name=\"q\" type=\"search\" aria-label=\"Filter\" \
         value=\"{}\" placeholder=\"route:/cart* wall:&gt;200ms release:2026.11 since:7d\">",
        escaped(&filter.q)
    );
    for (name, value) in hidden {
        let _ = write!(
            form,
            "<input type=\"hidden\" name=\"{name}\" value=\"{}\">",
            escaped(value)
        );
    }
    form.push_str("<button>Filter</button></form>");
    form
}

/// A table: rows of HTML, whose cells have the classes of their columns.
///
/// Classes: `left` for text, `name` for text that may be long, `few` for what a
/// narrow screen does without.
pub(super) struct Table {
    html: String,
    classes: Vec<&'static str>,
}

impl Table {
    /// An empty table with a name, and its headings as HTML with their classes.
    pub(super) fn new(label: &str, headings: &[(&'static str, &str)]) -> Self {
        let label = escaped(label);
        let mut html = format!(
            "<div class=\"table\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\">\
             <table><thead><tr>"
        );
        for (class, heading) in headings {
            let _ = write!(html, "<th scope=\"col\"{}>{heading}</th>", class_of(class));
        }
        html.push_str("</tr></thead><tbody>");
        let classes = headings.iter().map(|(class, _)| *class).collect();
        Self { html, classes }
    }

    /// Adds a row of HTML; `attributes` are those of the row.
    pub(super) fn row<const N: usize>(&mut self, attributes: &str, cells: [String; N]) {
        self.cells(attributes, cells.into());
    }

    /// The same, if the number of columns depends on the caller.
    pub(super) fn cells(&mut self, attributes: &str, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.classes.len(), "a cell for each heading");
        let _ = write!(self.html, "<tr{attributes}>");
        for (cell, class) in cells.into_iter().zip(&self.classes) {
            let _ = write!(self.html, "<td{}>{cell}</td>", class_of(class));
        }
        self.html.push_str("</tr>");
    }

    /// The whole table.
    pub(super) fn finish(mut self) -> String {
        self.html.push_str("</tbody></table></div>");
        self.html
    }
}

fn class_of(class: &str) -> String {
    if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("</script><b a=\"'&'\">\0\n"),
            "&lt;/script&gt;&lt;b a=&quot;&#39;&amp;&#39;&quot;&gt;\\x00\\x0a"
        );
        assert_eq!(escaped("größe"), "größe");
        assert_eq!(
            escaped("a\u{202e}b\u{2066}\u{200b}"),
            "a\\u{202e}b\\u{2066}\\u{200b}"
        );
        assert_eq!(encoded("a b&c=é/"), "a%20b%26c%3D%C3%A9/");
        assert_eq!(condition("route", "/a b\""), "route:\"/a b\"");
        assert_eq!(
            function("<b>", "route:/a b"),
            "<a href=\"/function?name=%3Cb%3E&amp;q=route%3A/a%20b\">&lt;b&gt;</a>"
        );
    }
}
