//! What the command line names: `-` or a path, and what messages say of it.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::users;
use crate::words::own_line;

/// Whether `path` is `-`, which stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of an input in messages.
pub fn title(path: &Path) -> String {
    if is_standard(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Why the user may not read `path`, and who may: `x: it belongs to …`.
pub(crate) fn permission_error(path: &Path) -> String {
    let name = path.display();
    let Ok(file) = path.symlink_metadata() else {
        return format!(
            "{name}: this user may not enter its directory; {}",
            as_root()
        );
    };
    let owner = users::name(file.uid());
    let mode = file.permissions().mode() & 0o7777;
    format!(
        "{name}: it belongs to {owner}, and its mode {mode:04o} lets no other user read it; {}",
        as_root()
    )
}

fn as_root() -> String {
    format!("try `sudo {}`", own_line())
}
