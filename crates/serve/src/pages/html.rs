//! Text as HTML, and the frame of every page.

use std::fmt::Write;

use axum::response::Html;

use crate::api::Filter;
use crate::state::State;

/// Text for an element or an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character if character.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out
}

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
    if value.contains(char::is_whitespace) {
        format!("{key}:\"{value}\"")
    } else {
        format!("{key}:{value}")
    }
}

/// The form of a filter.
pub(super) fn form(filter: &Filter, error: Option<&str>) -> String {
    let mut form = format!(
        "<form><input name=\"q\" aria-label=\"Filter\" value=\"{}\" \
         placeholder=\"route:/cart* wall:&gt;200ms release:2026.11 since:7d\"> \
         <button>Filter</button></form>",
        escaped(&filter.q)
    );
    if let Some(error) = error {
        let _ = write!(form, "<p class=\"error\">{}</p>", escaped(error));
    }
    form
}

/// The beginning of a table: its headings, as HTML, with their classes.
pub(super) fn table(headings: &[(&str, &str)]) -> String {
    let mut html = String::from("<div class=\"table\"><table><thead><tr>");
    for (class, heading) in headings {
        let _ = write!(html, "<th scope=\"col\" class=\"{class}\">{heading}</th>");
    }
    html.push_str("</tr></thead><tbody>");
    html
}

/// The end of a table.
pub(super) const END: &str = "</tbody></table></div>";

/// The pages that each page links to.
const PAGES: [(&str, &str); 4] = [
    ("/", "Runs"),
    ("/routes", "Routes"),
    ("/compare", "Compare"),
    ("/regressions", "Regressions"),
];

/// A whole page.
pub(super) fn page(state: &State, title: &str, body: &str) -> Html<String> {
    let demo = if state.config.is_demo {
        "<p class=\"demo\">Demo data: this shop does not exist.</p>"
    } else {
        ""
    };
    let links = PAGES.iter().map(|(address, name)| {
        let current = if title.starts_with(name) {
            " aria-current=\"page\""
        } else {
            ""
        };
        format!("<a href=\"{address}\"{current}>{name}</a>")
    });
    Html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title} · xhprof</title><link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"/style.css\"></head>\
         <body><header><strong>xhprof</strong><nav>{links}</nav></header>\
         {demo}<main><h1>{title}</h1>\n{body}</main></body></html>\n",
        title = escaped(title),
        links = links.collect::<String>(),
    ))
}

/// The page of a request that failed.
pub(crate) fn problem(state: &State, message: &str) -> Html<String> {
    let body = format!("<p class=\"error\">{}</p>", escaped(message));
    page(state, "This did not work", &body)
}

/// Nanoseconds, as people read them.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn time(nanoseconds: u64) -> String {
    span(nanoseconds as f64)
}

/// The same with a sign.
pub(super) fn span(nanoseconds: f64) -> String {
    let (size, unit) = match nanoseconds.abs() {
        size if size >= 1e9 => (1e9, "s"),
        size if size >= 1e6 => (1e6, "ms"),
        size if size >= 1e3 => (1e3, "µs"),
        _ => (1.0, "ns"),
    };
    let value = nanoseconds / size;
    let digits = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

/// Bytes, as people read them.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} B"),
        1024..1_048_576 => format!("{:.1} KiB", size as f64 / 1024.0),
        _ => format!("{:.1} MiB", size as f64 / 1_048_576.0),
    }
}

/// Seconds since 1970 as `2026-11-22 13:05` in UTC.
pub(super) fn date(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400);
    let of_day = seconds.rem_euclid(86_400);
    // The civil calendar, with years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_year = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_of_year + 2) / 5 + 1;
    let month = if month_of_year < 10 {
        month_of_year + 3
    } else {
        month_of_year - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3600, of_day / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escaped("<b a=\"'&\n"), "&lt;b a=&quot;&#39;&amp;\\x0a");
        assert_eq!(encoded("a b&c=é/"), "a%20b%26c%3D%C3%A9/");
        assert_eq!(condition("route", "/a b\""), "route:\"/a b\"");
    }

    #[test]
    fn numbers_are_shown_with_three_digits() {
        assert_eq!(time(1_234_567), "1.23 ms");
        assert_eq!(time(0), "0 ns");
        assert_eq!(span(-12_345.0), "-12.3 µs");
        assert_eq!(date(1_795_352_700), "2026-11-22 13:05");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
    }
}
