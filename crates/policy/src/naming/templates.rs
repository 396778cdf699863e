//! Which functions render templates: the header `Server-Timing` adds up their time.

/// What users of Blade, Latte, Smarty 3 and 4, Twig and `WordPress` call, in the class that declares
/// it. Read in the sources of Debian 12's packages, Latte's in those of its version 3.
const RENDERS: [&[u8]; 8] = [
    b"Illuminate\\View\\View::render",
    b"Latte\\Engine::render",
    b"Latte\\Engine::renderToString",
    b"Smarty_Internal_TemplateBase::display",
    b"Smarty_Internal_TemplateBase::fetch",
    b"Twig\\Template::display",
    b"Twig\\Template::render",
    b"load_template",
];

/// A class that Twig compiled, and its methods that render: a program can ask for one block.
const COMPILED_BY_TWIG: &[u8] = b"__TwigTemplate_";
const OF_TWIG: [&[u8]; 3] = [b"doDisplay", b"block_", b"macro_"];

/// Whether a function renders a template.
///
/// ```
/// use policy::naming::templates::renders;
///
/// assert!(renders(b"Twig\\Template::render"));
/// assert!(renders(b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0::block_body"));
/// assert!(!renders(b"__TwigTemplate_bd87debc0f8762111841c9ee60d71de0::__construct"));
/// assert!(!renders(b"Twig\\Lexer::tokenize"));
/// ```
#[must_use]
pub fn renders(function: &[u8]) -> bool {
    if !function.starts_with(COMPILED_BY_TWIG) {
        return RENDERS.binary_search(&function).is_ok();
    }
    let class = function.iter().position(|byte| *byte == b':');
    let method = class.and_then(|end| function.get(end + 2..));
    method.is_some_and(|method| OF_TWIG.iter().any(|start| method.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found() {
        for name in RENDERS {
            assert!(renders(name), "{}", String::from_utf8_lossy(name));
        }
    }
}
