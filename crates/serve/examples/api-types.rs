//! Writes the TypeScript definitions of the API's answers into a folder: `api-types FOLDER`. `./x web` runs it.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: api-types FOLDER")?;
    serve::write_types(Path::new(&folder))?;
    Ok(())
}
