//! One page with everything in it: front end, engine and profiles.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::args::{Editor, EditorPath};

use super::parts;
use super::text::{base64, escaped};

/// A browser holds the text of an element as a string, which has a limit; a
/// multiple of three, so that no piece but the last is padded.
const PIECE: usize = 6 * 1024 * 1024;

/// A file that the page opens.
#[derive(Debug)]
pub(super) struct Embedded {
    pub(super) name: String,
    pub(super) is_base: bool,
    bytes: Vec<u8>,
    is_packed: bool,
}

impl Embedded {
    /// A file as the page holds it: packed, if that makes it smaller.
    pub(super) fn new(name: String, is_base: bool, bytes: Vec<u8>) -> io::Result<Self> {
        let packed = packed(&bytes)?;
        let is_packed = packed.len() < bytes.len();
        Ok(Self {
            name,
            is_base,
            bytes: if is_packed { packed } else { bytes },
            is_packed,
        })
    }
}

/// Packed as a browser unpacks it.
pub(super) fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}

/// A page, with what it opens and how it begins.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) title: String,
    /// Whether the title was given, and replaces what the profile says.
    pub(super) is_titled: bool,
    pub(super) metric: &'static str,
    pub(super) estimate: bool,
    pub(super) editor: Option<Editor>,
    pub(super) editor_paths: Vec<EditorPath>,
    /// The view that it begins with, as its address has it: `flame?up=1`.
    pub(super) start: Option<String>,
    pub(super) files: Vec<Embedded>,
    /// The answers of its first view, packed.
    pub(super) answers: Option<Vec<u8>>,
    /// The text of source files, as JSON.
    pub(super) sources: Option<Embedded>,
    /// What is shown without JavaScript.
    pub(super) plain: String,
}

impl Page {
    /// Writes it as HTML.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rest = parts::TEMPLATE;
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            self.write_part(name, out)?;
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }

    fn write_part(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        match name {
            "policy" => write!(out, "{}", parts::policy()),
            "title" => write!(out, "{}", escaped(&self.title)),
            "style" => write!(out, "{}", parts::STYLE),
            "boot" => write!(out, "{}", parts::BOOT),
            "noscript" => write!(out, "{}", self.plain),
            "options" => self.write_options(out),
            // Runs while the browser reads what stands behind.
            "page" => write_data(
                out,
                "data-part=\"page\"",
                true,
                &packed(parts::SCRIPT.as_bytes())?,
            ),
            "parts" => {
                if let Some(answers) = &self.answers {
                    write_data(out, "data-part=\"answers\"", true, answers)?;
                }
                write_data(out, "data-part=\"worker\"", true, parts::WORKER)?;
                write_data(out, "data-part=\"engine\"", true, parts::ENGINE)?;
                for (place, file) in self.files.iter().enumerate() {
                    let base = if file.is_base { " data-base" } else { "" };
                    let name = escaped(&file.name);
                    let attributes = format!(
                        "data-part=\"profile\" data-file=\"{place}\" data-name=\"{name}\"{base}"
                    );
                    write_data(out, &attributes, file.is_packed, &file.bytes)?;
                }
                if let Some(sources) = &self.sources {
                    let (is_packed, bytes) = (sources.is_packed, &sources.bytes);
                    write_data(out, "data-part=\"sources\"", is_packed, bytes)?;
                }
                Ok(())
            }
            name => Err(io::Error::other(format!("the template asks for {name}"))),
        }
    }

    fn write_options(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, " data-metric=\"{}\"", self.metric)?;
        if self.is_titled {
            write!(out, " data-title=\"{}\"", escaped(&self.title))?;
        }
        if self.estimate {
            write!(out, " data-estimate")?;
        }
        if let Some(Editor(address)) = &self.editor {
            write!(out, " data-editor=\"{}\"", escaped(address))?;
            let paths = self.editor_paths.iter();
            let paths: Vec<[&str; 2]> = paths.map(|path| [&*path.from, &*path.to]).collect();
            let paths = serde_json::to_string(&paths)?;
            write!(out, " data-editor-paths=\"{}\"", escaped(&paths))?;
        }
        if let Some(start) = &self.start {
            write!(out, " data-start=\"{}\"", escaped(start))?;
        }
        Ok(())
    }
}

/// Data as scripts that do not run.
fn write_data(
    out: &mut dyn Write,
    attributes: &str,
    is_packed: bool,
    bytes: &[u8],
) -> io::Result<()> {
    let packed = if is_packed {
        " data-packed=\"gzip\""
    } else {
        ""
    };
    let mut rest = bytes;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(PIECE));
        writeln!(
            out,
            "<script type=\"application/octet-stream\" {attributes}{packed}>{}</script>",
            base64(piece)
        )?;
        rest = after;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(files: Vec<Embedded>) -> String {
        let page = Page {
            title: "</title>{{boot}}".to_owned(),
            is_titled: true,
            metric: "wall",
            estimate: true,
            editor: Some(Editor("zed://file{file}\"".to_owned())),
            editor_paths: vec![EditorPath {
                from: "/a".to_owned(),
                to: "/b".to_owned(),
            }],
            start: None,
            files,
            answers: None,
            sources: None,
            plain: "<p>plain {{style}}</p>".to_owned(),
        };
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_put_in_is_not_filled_in_again() {
        let html = page(Vec::new());
        assert!(html.contains("<title>&lt;/title&gt;{{boot}}</title>"));
        assert!(html.contains("<p>plain {{style}}</p>"));
        assert!(html.contains("data-title=\"&lt;/title&gt;{{boot}}\" data-estimate"));
        assert!(html.contains(
            "data-editor=\"zed://file{file}&quot;\" \
             data-editor-paths=\"[[&quot;/a&quot;,&quot;/b&quot;]]\">"
        ));
    }

    #[test]
    fn a_large_file_is_in_pieces_that_can_be_joined() {
        // Random enough not to be packed.
        let mut state = 1_u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        })
        .take(PIECE + 5)
        .collect();
        let file = Embedded::new("a\"b".to_owned(), true, bytes).unwrap();
        assert!(!file.is_packed);
        let html = page(vec![file]);
        let begin = "data-part=\"profile\" data-file=\"0\" data-name=\"a&quot;b\" data-base>";
        let pieces: Vec<&str> = html.split(begin).skip(1).collect();
        assert_eq!(pieces.len(), 2);
        let length = |piece: &str| piece.split("</script>").next().unwrap().len();
        assert_eq!(length(pieces[0]), PIECE / 3 * 4);
        assert_eq!(length(pieces[1]), 8);
    }

    #[test]
    fn a_page_is_at_most_1_15_mb_more_than_its_profile() {
        assert!(
            page(Vec::new()).len() < 1_150_000,
            "{}",
            page(Vec::new()).len()
        );
    }
}
