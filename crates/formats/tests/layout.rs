//! The layout of pages and pictures in a browser: which elements are visible at
//! which width. Skipped, with a reason, without Chromium.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of a test, and a test that is skipped says so"
)]

#[expect(dead_code, reason = "one profile of several is enough here")]
mod nasty;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use formats::flamegraph::FLAMEGRAPH_SVG;
use formats::html_report::HTML_REPORT;
use formats::{Format, WriteOptions};
use nasty::tiny;
use serde_json::Value;

const WIDTHS: [u32; 7] = [400, 1000, 1200, 1400, 1680, 1920, 2560];

/// A directory of this test's own, which goes at its end.
struct Stage(PathBuf);

impl Stage {
    fn new(name: &str) -> Self {
        let name = format!("xhprof-layout-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, format: &Format, options: &WriteOptions) {
        let mut out = Vec::new();
        formats::write(format, &tiny(), options, &mut out).unwrap();
        fs::write(self.0.join(name), out).unwrap();
    }

    /// What `measure`, the body of a function of a window, finds in `file` at
    /// each width; none, and why, if there is no browser.
    fn measured(&self, file: &str, measure: &str) -> Option<Vec<Value>> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let directories: Vec<PathBuf> = std::env::split_paths(&paths).collect();
        let mut programs = names
            .iter()
            .flat_map(|name| directories.iter().map(move |path| path.join(name)));
        let Some(browser) = programs.find(|path| path.is_file()) else {
            println!("skipped: there is no chromium");
            return None;
        };
        let frames: String = WIDTHS
            .iter()
            .map(|width| format!("<iframe src=\"{file}\" width=\"{width}\" height=\"900\" style=\"border:0\"></iframe>\n"))
            .collect();
        let page = format!(
            "<!doctype html><body>{frames}<script>\nconst measure = (window, document) => {{ {measure} }};\n\
             addEventListener('load', () => {{\n\
             const found = [...document.querySelectorAll('iframe')].map((frame) => measure(frame.contentWindow, frame.contentDocument));\n\
             document.body.innerHTML = '';\n\
             document.body.append('MEASURED' + encodeURIComponent(JSON.stringify(found)) + 'END');\n}});\n</script></body>"
        );
        let probe = self.0.join("probe.html");
        fs::write(&probe, page).unwrap();
        let output = Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-web-security",
                "--allow-file-access-from-files",
                "--window-size=2600,1000",
                "--virtual-time-budget=20000",
                "--dump-dom",
            ])
            .arg(format!(
                "--user-data-dir={}",
                self.0.join("browser").display()
            ))
            .arg(format!("file://{}", probe.display()))
            .output()
            .unwrap();
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let measured = dom
            .split_once("MEASURED")
            .and_then(|(_, rest)| rest.split_once("END"));
        let Some((text, _)) = measured else {
            println!(
                "skipped: chromium does not run here: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            return None;
        };
        let found: Vec<Value> = serde_json::from_str(&decoded(text)).unwrap();
        assert_eq!(found.len(), WIDTHS.len());
        Some(found)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What a browser still holds open stays in the temporary directory.
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

/// What `encodeURIComponent` made of a text.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap().to_owned();
            bytes.push(u8::from_str_radix(&digits, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn calls_are_in_sight_at_every_width() {
    let stage = Stage::new("report");
    stage.write("report.html", &HTML_REPORT, &WriteOptions::default());
    let with_base = WriteOptions {
        base: Some(tiny()),
        ..WriteOptions::default()
    };
    stage.write("change.html", &HTML_REPORT, &with_base);
    for file in ["report.html", "change.html"] {
        let measured = stage.measured(
            file,
            "const heads = [...document.querySelectorAll('.sideways th')]\
               .filter((head) => head.textContent.trim() === 'calls');\
             const isHidden = (head) => head.getBoundingClientRect().right >\
               Math.min(head.closest('.sideways').getBoundingClientRect().right, window.innerWidth) + 0.5;\
             return { sides: document.querySelectorAll('.side table').length,\
               heads: heads.length, hidden: heads.filter(isHidden).length,\
               page: document.documentElement.scrollWidth - window.innerWidth };",
        );
        let Some(measured) = measured else { return };
        for (width, found) in WIDTHS.iter().zip(measured) {
            // The table of functions, and each of callers or callees.
            let sides = found["sides"].as_u64().unwrap();
            assert!(sides > 3, "{file} {width}: {found}");
            assert_eq!(found["heads"], sides + 1, "{file} {width}: {found}");
            assert_eq!(found["hidden"], 0, "{file} {width}: {found}");
            // It does not scroll sideways; the scroll bar has its place, too.
            assert!(
                found["page"].as_i64().unwrap() <= 0,
                "{file} {width}: {found}"
            );
        }
    }
}

#[test]
fn a_picture_is_as_wide_as_the_window_and_its_title_beside_the_buttons() {
    let stage = Stage::new("picture");
    let options = WriteOptions {
        title: Some("GET /a/title/that/is/longer/than/any/window/".repeat(6)),
        ..WriteOptions::default()
    };
    stage.write("picture.svg", &FLAMEGRAPH_SVG, &options);
    let measured = stage.measured(
        "picture.svg",
        "const box = (element) => element.getBoundingClientRect();\
         const title = box(document.querySelector('.title'));\
         const shown = [...document.querySelectorAll('.button, foreignObject')]\
           .filter((element) => !element.classList.contains('hidden')).map(box);\
         const under = shown.filter((it) => it.left < title.right && it.right > title.left\
           && it.top < title.bottom && it.bottom > title.top);\
         const root = box(document.querySelector('.graph rect'));\
         return { controls: shown.length, under: under.length, right: title.right, left: root.left, end: root.right };",
    );
    let Some(measured) = measured else { return };
    for (width, found) in WIDTHS.iter().zip(measured) {
        let number = |name: &str| found[name].as_f64().unwrap();
        assert!(number("controls") >= 2.0, "{width}: {found}");
        assert_eq!(found["under"], 0, "{width}: {found}");
        assert!(number("right") <= f64::from(*width), "{width}: {found}");
        assert!((number("left") - 12.0).abs() < 1.0, "{width}: {found}");
        assert!(
            (number("end") - f64::from(*width) + 12.0).abs() < 1.0,
            "{width}: {found}"
        );
    }
}
