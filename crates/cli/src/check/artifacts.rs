//! Files that a check keeps: profiles, flame graphs, pages.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::output;

/// Copies the profiles of all runs, for a later `--base`. Runs of an earlier
/// check in the same directory go.
pub(super) fn save(files: &[PathBuf], directory: &Path) -> Result<()> {
    make_directory(Some(directory))?;
    for entry in
        fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?
    {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("run-") && name.ends_with(".xhp") {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    for (number, file) in files.iter().enumerate() {
        copy(file, &directory.join(format!("run-{}.xhp", number + 1)))?;
    }
    Ok(())
}

/// Keeps the profile of the first run, a flame graph (of the difference, if
/// there is a base) and a page. Returns what could be made.
pub(super) fn keep(files: &[PathBuf], base: &[PathBuf], directory: &Path) -> Result<Vec<PathBuf>> {
    make_directory(Some(directory))?;
    let Some(first) = files.first() else {
        return Ok(Vec::new());
    };
    let profile = directory.join("run-1.xhp");
    copy(first, &profile)?;
    let mut kept = vec![profile.clone()];
    let picture = directory.join("flamegraph.svg");
    let mut command = vec![
        "flamegraph".into(),
        profile.clone().into_os_string(),
        "-o".into(),
        picture.clone().into(),
    ];
    if let Some(base) = base.first() {
        command.extend(["--base".into(), base.clone().into_os_string()]);
    }
    if is_done(&command)? {
        kept.push(picture);
    }
    let page = directory.join("profile.html");
    if is_done(&[
        "html".into(),
        profile.into_os_string(),
        "-o".into(),
        page.clone().into(),
    ])? {
        kept.push(page);
    }
    Ok(kept)
}

/// Runs this program. A picture that cannot be drawn, because the profile has
/// no paths, is no reason to fail.
fn is_done(arguments: &[std::ffi::OsString]) -> Result<bool> {
    let program = std::env::current_exe().context("cannot find this program's file")?;
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(status.success())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut file = File::open(from).with_context(|| format!("cannot read {}", from.display()))?;
    output::write(to, |out| {
        io::copy(&mut file, out)?;
        Ok(())
    })
}

/// Makes a directory that only its owner can enter, unless it is there.
pub(super) fn make_directory(directory: Option<&Path>) -> Result<()> {
    let Some(directory) = directory.filter(|directory| !directory.as_os_str().is_empty()) else {
        return Ok(());
    };
    if directory.is_symlink() {
        bail!(
            "cannot write to {}: it is a symbolic link",
            directory.display()
        );
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))
}
