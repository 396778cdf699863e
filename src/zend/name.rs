//! Function names as XHProf has them, by the rules of [`policy::naming::functions`].

use policy::naming::functions as naming;
pub(crate) use policy::naming::functions::write_file;

use super::{Function, FunctionKind};

/// Writes the name under which `function` is recorded to `name`; false if it
/// has none, being the top level of a file.
pub(crate) fn write_name(function: Function<'_>, name: &mut Vec<u8>) -> bool {
    let Some(function_name) = function.name() else {
        name.clear();
        return false;
    };
    naming::write_name(function.class(), function_name, name);
    true
}

/// Adds file and line to the name of a closure. Other names are not changed.
pub(crate) fn add_place_to_closure(function: Function<'_>, name: &mut Vec<u8>) {
    if function.kind() == FunctionKind::User
        && let Some(file) = function.file()
    {
        naming::add_place_to_closure(file, function.line(), name);
    }
}

/// The top level of a file: `run_init::dir/file.php`.
pub(crate) fn write_run_init(function: Function<'_>, name: &mut Vec<u8>) {
    naming::write_run_init(function.file().unwrap_or(b""), name);
}
