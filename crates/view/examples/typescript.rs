//! Writes the TypeScript definitions of all questions and answers into a
//! folder: `typescript FOLDER`. `./x web` runs it.

use std::error::Error;
use std::path::Path;

use ts_rs::{Config, TS};
use view::{Answer, FormatChoice, Question, TimeRange};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("usage: typescript FOLDER")?;
    // Numbers come as JSON, which has doubles; costs stay below 2^53.
    let config = Config::new()
        .with_out_dir(Path::new(&folder))
        .with_large_int("number");
    Question::export_all(&config)?;
    Answer::export_all(&config)?;
    FormatChoice::export_all(&config)?;
    TimeRange::export_all(&config)?;
    Ok(())
}
