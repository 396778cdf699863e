//! Reads a profile, writes it in other formats, and says how long that took:
//! `convert IN FORMAT=OUT…`.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::time::Instant;

use formats::WriteOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().ok_or("usage: convert IN FORMAT=OUT…")?;
    let length = std::fs::metadata(&input)?.len();
    let began = Instant::now();
    let profile = formats::read(BufReader::with_capacity(1 << 18, File::open(&input)?))?;
    let seconds = began.elapsed().as_secs_f64();
    let shape = match &profile.body {
        profile::Body::Edges(table) => format!("{} edges", table.edges.len()),
        profile::Body::Tree(tree) => format!("a tree of {} nodes", tree.nodes.len()),
        profile::Body::Samples(samples) => format!("{} samples", samples.samples.len()),
        profile::Body::Events(events) => format!("{} events", events.events.len()),
    };
    let table = profile::FlatTable::new(&profile);
    eprintln!(
        "{shape}, {} functions, {} calls, {} ns, {} bytes, read in {seconds:.3} s: {:.0} MB/s",
        table.rows.len(),
        profile.calls(),
        table.total.wall,
        table.total.memory,
        length as f64 / 1e6 / seconds,
    );
    for argument in arguments {
        let (id, path) = argument.split_once('=').ok_or("FORMAT=OUT")?;
        let format = formats::by_id(id).ok_or("no such format")?;
        let began = Instant::now();
        let mut out = BufWriter::new(File::create(path)?);
        formats::write(format, &profile, &WriteOptions::default(), &mut out)?;
        out.flush()?;
        let length = std::fs::metadata(path)?.len();
        let seconds = began.elapsed().as_secs_f64();
        eprintln!("{id}: {length} bytes in {seconds:.3} s");
    }
    Ok(())
}
