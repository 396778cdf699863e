//! Where a profile is written: by the settings or, on the command line, by
//! `XHPROF_OUTPUT`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::settings::{self, Mode, OutputFormat};
use crate::zend::ini;
use crate::{inputs, zend};

/// What `XHPROF_OUTPUT` says.
#[derive(Debug, Clone)]
struct Place {
    directory: PathBuf,
    file: Option<Named>,
}

/// A file that `XHPROF_OUTPUT` names.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// Its name without the ending.
    pub(super) stem: String,
    pub(super) format: OutputFormat,
    /// The process that it is for: a forked child's file gets another name.
    pub(super) process: u32,
}

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
    /// The working directory at the beginning of the request.
    static BEGAN_IN: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// RINIT: reads `XHPROF_OUTPUT` and the working directory, before the program can
/// change it.
pub(crate) fn choose_place() -> Result<()> {
    BEGAN_IN.set(std::env::current_dir().ok());
    let place = if zend::is_command_line() {
        let path = inputs::process_variable("XHPROF_OUTPUT").filter(|path| !path.is_empty());
        path.map(|path| Place::named(&path)).transpose()?
    } else {
        None
    };
    PLACE.set(place);
    Ok(())
}

/// The same when the program begins a profile, if RINIT has not done it.
pub(crate) fn choose_place_if_none() -> Result<()> {
    if BEGAN_IN.with_borrow(Option::is_some) {
        return Ok(());
    }
    choose_place()
}

/// RSHUTDOWN: forgets both.
pub(crate) fn forget_place() {
    PLACE.set(None);
    BEGAN_IN.set(None);
}

/// The directory of the profiles. A relative path in php.ini is resolved against the
/// working directory at the beginning of the request; one that the program sets, at
/// that time.
pub(crate) fn directory() -> PathBuf {
    if let Some(place) = PLACE.with_borrow(Clone::clone) {
        return place.directory;
    }
    if let Some(directory) = ini::directory(settings::OUTPUT_DIR.name) {
        return directory;
    }
    let setting = settings::value(&settings::OUTPUT_DIR);
    let path = if setting.is_empty() {
        PathBuf::from(OsString::from_vec(zend::temporary_directory()))
    } else {
        PathBuf::from(setting.as_ref())
    };
    BEGAN_IN.with_borrow(|began_in| match began_in {
        Some(began_in) => began_in.join(path),
        None => path,
    })
}

/// Where automatic profiles are collected, if that is not the directory of the
/// profiles: `xhprof run` waits for them there. They are native, are called by run
/// id and script, and count for no limit, whatever the settings say.
pub(super) fn collected() -> Option<PathBuf> {
    let setting = settings::value(&settings::AUTOMATIC_DIR);
    (!setting.is_empty()).then(|| PathBuf::from(setting.as_ref()))
}

/// The directory of automatic profiles.
pub(super) fn automatic_directory() -> PathBuf {
    collected().unwrap_or_else(directory)
}

/// The format of automatic profiles.
pub(crate) fn automatic_format() -> OutputFormat {
    match collected() {
        Some(_) => OutputFormat::Native,
        None => format(),
    }
}

/// The format of the profiles.
pub(super) fn format() -> OutputFormat {
    named().map_or_else(
        || settings::value(&settings::OUTPUT_FORMAT),
        |named| named.format,
    )
}

/// Whether the format of the program's own profiles can hold spans.
pub(crate) fn has_place_for_spans() -> bool {
    settings::value(&settings::MODE) == Mode::Events || format() == OutputFormat::Native
}

/// Whether automatic profiles can hold spans.
pub(crate) fn has_automatic_place_for_spans() -> bool {
    settings::value(&settings::MODE) == Mode::Events || automatic_format() == OutputFormat::Native
}

/// The file that `XHPROF_OUTPUT` names, if it names one.
pub(super) fn named() -> Option<Named> {
    PLACE.with_borrow(|place| place.as_ref()?.file.clone())
}

/// Whether a file is in a directory, after resolving both paths.
pub(super) fn is_in(path: &Path, directory: &Path) -> bool {
    let parent = parent(path);
    let same = |path: &Path| fs::canonicalize(path).ok();
    parent == directory || same(parent).is_some_and(|parent| Some(parent) == same(directory))
}

/// The directory of a path: the working directory if it names none.
pub(super) fn parent(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

impl Place {
    fn named(path: &[u8]) -> Result<Self> {
        let is_directory = path.ends_with(b"/");
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        let path = std::path::absolute(&path)
            .with_context(|| format!("cannot use XHPROF_OUTPUT {}", path.display()))?;
        if is_directory || path.is_dir() {
            return Ok(Self {
                directory: path,
                file: None,
            });
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let format = ending.and_then(OutputFormat::of_ending);
        let (Some(format), Some(stem), Some(directory)) = (format, stem, path.parent()) else {
            bail!(
                "XHPROF_OUTPUT must be a directory, or a file ending in .xhp, .xhprof or .json, \
                 not {}",
                path.display()
            );
        };
        if settings::value(&settings::MODE) == Mode::Events && format != OutputFormat::Native {
            bail!(
                "with xhprof.mode=events, XHPROF_OUTPUT must end in .xhp, not {}",
                path.display()
            );
        }
        Ok(Self {
            directory: Path::to_path_buf(directory),
            file: Some(Named {
                stem: stem.to_owned(),
                format,
                process: std::process::id(),
            }),
        })
    }
}
