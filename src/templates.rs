//! Names of Twig's templates, for functions of the classes that Twig compiled.
//!
//! The program names templates by the compiled files, which a profile of a server
//! may outlive and `eval` does not have. Here the class's constants are in PHP's
//! memory. `symbols` asks once per function, before its first call is recorded.

use policy::templates::{Template, is_compiled};

use crate::zend::Function;

/// How many lines of a template's map are read.
const MAX_LINES: usize = 10_000;

/// A function as the author of the template knows it.
#[derive(Debug)]
pub(crate) struct Named<'a> {
    /// The function's name, as PHP has the template's.
    pub(crate) name: Vec<u8>,
    /// The template and a line of it; none if it is in no file.
    pub(crate) place: Option<(&'a [u8], u32)>,
}

/// What a function is in its template; none if it is not one of a template's.
pub(crate) fn named(function: Function<'_>) -> Option<Named<'_>> {
    let class = function.class().filter(|class| is_compiled(class))?;
    let method = function.name()?;
    // A method of a trait, or a closure that is bound to the class, is of another file.
    let class_line = function.line_of_class()?;
    let [_code, name, path] = function.sibling("getsourcecontext")?.strings_of_new()?;
    if name.is_empty() {
        return None;
    }
    let lines = function.sibling("getdebuginfo");
    let lines = lines.map(|method| method.returned_integers(MAX_LINES));
    let template = Template::new(class, class_line, name, lines.unwrap_or_default());
    let named = if method.ends_with(b"}") {
        template.closure(function.line())
    } else {
        template.method(method, function.lines_with_comment())
    };
    Some(Named {
        name: named.name,
        place: path.starts_with(b"/").then_some((path, named.line)),
    })
}
