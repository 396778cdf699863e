//! The annotated source as a page of its own: no script, nothing from elsewhere.

use std::fmt::Write;

use formats::visible::html as escaped;
use profile::FlatTable;

use super::Annotated;
use crate::report::lines::functions;
use crate::report::table::Cell;
use crate::terminal::Style;

/// The head of the page before its title. The colours of the style are those of `web/src/styles/base.css`.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
const STYLE: &str = include_str!("page.css");

impl Annotated<'_> {
    /// All lines of the file or the function.
    pub(super) fn html(&self) -> String {
        let head = escaped(&self.heading());
        let mut html =
            format!("{HEAD}<title>{head}</title>\n<style>\n{STYLE}</style>\n<h1>{head}</h1>\n");
        for note in &self.notes {
            let _ = writeln!(html, "<p class=\"note\">{}</p>", escaped(note));
        }
        html.push_str(
            "<table>\n<thead><tr><th scope=\"col\">self</th><th scope=\"col\">%</th><th scope=\"col\">incl</th>\
             <th scope=\"col\">line</th><th scope=\"col\" class=\"source\">source</th></tr></thead>\n<tbody>\n",
        );
        let mut last = None;
        for line in self.shown(None) {
            if last.is_some_and(|last| line > last + 1) {
                html.push_str("<tr><td colspan=\"5\" class=\"source\">…</td></tr>\n");
            }
            last = Some(line);
            self.push_row(line, &mut html);
        }
        html.push_str("</tbody>\n</table>\n</html>\n");
        html
    }

    fn push_row(&self, line: u32, html: &mut String) {
        let row = self.row(line);
        let [own, share, inclusive, _] = row.map(|row| self.row_cells(row)).unwrap_or_default();
        let style = row.filter(|_| !self.metric.is_signed()).map(|row| {
            let own = row.own.of(self.metric);
            Cell::share(FlatTable::percent(own, self.total)).style
        });
        let class = match style {
            Some(Style::Hot) => " class=\"hot\"",
            Some(Style::Warm) => " class=\"warm\"",
            _ => "",
        };
        let source = self.source.as_ref();
        let code = source.and_then(|source| source.lines.get(line as usize - 1).cloned());
        let code = code.or_else(|| row.map(|row| functions(self.profile(), row)));
        let code = code.unwrap_or_default();
        let _ = write!(
            html,
            "<tr id=\"L{line}\"{class}><td>{}</td><td>{}</td><td>{}</td><td><a href=\"#L{line}\">{line}</a></td>\
             <td class=\"source\"><code>{}</code>",
            escaped(own.trim()),
            escaped(share.trim()),
            escaped(inclusive.trim()),
            escaped(&code)
        );
        if let Some(callees) = row.and_then(|row| self.callees(row)) {
            let _ = write!(html, "<small>{}</small>", escaped(&callees));
        }
        html.push_str("</td></tr>\n");
    }
}
