//! `bindgen ENGINE.WASM WORKER.JS FOLDER`: makes of the compiled engine and the
//! worker's bundle what a page embeds, `engine.wasm.gz` and `worker.js.gz`.
//!
//! The same input gives the same bytes: gzip is told no time and no name, and
//! what packs is locked as a crate.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, worker, folder] = &arguments[..] else {
        return Err("usage: bindgen ENGINE.WASM WORKER.JS FOLDER".into());
    };
    let mut output = Bindgen::new()
        .input_path(engine)
        .out_name("engine")
        // A classic script: a page that is a file has no worker of modules.
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    let glue = output.js();
    let worker = format!("{glue}\n{}", fs::read_to_string(worker)?);
    let folder = Path::new(folder);
    fs::write(folder.join("worker.js.gz"), packed(worker.as_bytes())?)?;
    let engine = output.wasm_mut().emit_wasm();
    fs::write(folder.join("engine.wasm.gz"), packed(&engine)?)?;
    Ok(())
}

fn packed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = GzBuilder::new().write(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}
