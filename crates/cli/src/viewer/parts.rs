//! What every page is made of: the front end that `./x web` built, and the
//! policy that lets nothing else run.

use sha2::{Digest, Sha256};

use super::text::base64;

/// The page around everything, with a `{{name}}` where something goes.
pub(super) const TEMPLATE: &str = include_str!("../../../../web/page.html");
pub(super) const STYLE: &str = include_str!("../../../../web/dist/page.css");
/// The page's script. It is packed in a page, and [`BOOT`] unpacks it.
pub(super) const SCRIPT: &str = include_str!("../../../../web/dist/page.js");
pub(super) const BOOT: &str = include_str!("../../../../web/boot.js");
/// The engine's worker, with the glue between it and the engine.
pub(super) const WORKER: &[u8] = include_bytes!("../../../../web/dist/worker.js.gz");
/// The engine as WebAssembly.
pub(super) const ENGINE: &[u8] = include_bytes!("../../../../web/dist/engine.wasm.gz");

/// The Content-Security-Policy: our scripts, our style, WebAssembly, a worker made
/// of text, and no connection to anywhere.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{}' '{}' 'wasm-unsafe-eval'; style-src '{}'; \
         worker-src blob:; img-src data: blob:; connect-src 'none'; base-uri 'none'; \
         form-action 'none'",
        hash(BOOT),
        hash(SCRIPT),
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_named_by_its_hash() {
        assert_eq!(
            hash("abc"),
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
        let policy = policy();
        for text in [BOOT, SCRIPT, STYLE] {
            assert!(policy.contains(&hash(text)));
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'self'"));
    }

    #[test]
    fn the_front_end_ends_no_element_that_it_stands_in() {
        for text in [BOOT, STYLE] {
            let text = text.to_ascii_lowercase();
            for end in ["</script", "</style", "<!--"] {
                assert!(!text.contains(end), "{end}");
            }
        }
    }
}
