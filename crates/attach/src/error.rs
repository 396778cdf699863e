//! Why a process cannot be read.

use std::fmt;
use std::io;

use crate::layout::version_of_api;
use crate::rights::Missing;

/// Why a process cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// There is no such process, or it has just ended.
    Gone,
    /// The caller may not read it.
    Denied(Missing),
    /// It runs no PHP.
    NoPhp,
    /// It runs a PHP that no layout fits.
    Unknown {
        /// The API of its extensions, such as 20230831.
        api: u64,
        /// Whether it is thread-safe.
        zts: bool,
    },
    /// It runs a PHP that was built with `--enable-debug`, whose layout is another one.
    Debug,
    /// It has PHP's symbols, but what they point to is not what a PHP has.
    Unbelievable,
    /// It is a thread-safe PHP whose threads were not found.
    NoThreads,
    /// It is no core file, or one of another machine.
    NoCore,
    /// It has no extension that can be asked for profiles.
    NotRemote,
    /// Another program asks it for profiles now.
    Busy,
    /// `/proc` or the memory cannot be read for another reason.
    Io(io::Error),
}

impl AttachError {
    /// The error for a failure to open a file of the process.
    pub(crate) fn of_io(process: u32, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Gone,
            io::ErrorKind::PermissionDenied => Self::Denied(Missing::for_process(process)),
            // ESRCH
            _ if error.raw_os_error() == Some(3) => Self::Gone,
            _ => Self::Io(error),
        }
    }
}

impl std::error::Error for AttachError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("there is no such process"),
            Self::Denied(missing) => write!(f, "permission denied: {missing}"),
            Self::NoPhp => f.write_str("it runs no PHP"),
            Self::Unknown { api, zts } => {
                let version = version_of_api(*api);
                let threads = if *zts { ", thread-safe" } else { "" };
                write!(
                    f,
                    "it runs a PHP {version} (API {api}{threads}), whose layout this program does not know; \
                     see docs/attach.md for how to make it from that PHP's headers, and pass it with --layout"
                )
            }
            Self::Debug => f.write_str(
                "it runs a PHP that was built with --enable-debug, whose layout this program does not know",
            ),
            Self::Unbelievable => f.write_str(
                "it has the symbols of a PHP, but its memory is not that of a PHP that has started; try again",
            ),
            Self::NoThreads => f.write_str(
                "it runs a thread-safe PHP, and its threads were not found: no thread has used PHP yet, or its \
                 binary lacks what leads to them",
            ),
            Self::NoCore => f.write_str("it is no core file of a 64-bit program"),
            Self::NotRemote => f.write_str(
                "it has no extension xhprof that can be asked for profiles: servers have one from their first request \
                 on, unless `xhprof.auto_enable` is never; commands have none",
            ),
            Self::Busy => f.write_str("another `xhprof attach` asks it for profiles now"),
            Self::Io(_) => f.write_str("it cannot be read"),
        }
    }
}
