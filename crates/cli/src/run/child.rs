//! Runs the child process: forwards signals to it and waits for its end.
//!
//! Ctrl-C reaches every process in the terminal's foreground. The program
//! writes its profile and ends; `xhprof` must not end, because it still has to
//! print the report. Signals that reach only `xhprof` (`kill`, a service
//! manager) are forwarded.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

/// A running program.
pub(super) struct Child {
    child: std::process::Child,
    signals: Signals,
}

/// Takes the signals that a program may get, or send by its end. They are taken before anything
/// temporary is made, which a signal would leave there, and before the program starts: it may end
/// at once.
pub(super) fn take_signals() -> Result<Signals> {
    let signals = Signals::new([SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
    signals.context("cannot install signal handlers")
}

impl Child {
    /// Starts a program with `xhprof`'s standard streams.
    pub(super) fn spawn(signals: Signals, command: &mut Command) -> Result<Self> {
        let binary = Path::new(command.get_program()).display().to_string();
        let child = command
            .spawn()
            .with_context(|| format!("cannot run {binary}"))?;
        Ok(Self { child, signals })
    }

    /// The process ID.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program to end, whatever signals come.
    pub(super) fn wait(mut self) -> Result<Ending> {
        let mut interrupts = 0;
        for signal in self.signals.forever() {
            match signal {
                SIGINT | SIGQUIT => {
                    interrupts += 1;
                    if interrupts > 1 {
                        kill(&self.child, Signal::KILL);
                    } else if !is_in_foreground() {
                        let signal = if signal == SIGINT {
                            Signal::INT
                        } else {
                            Signal::QUIT
                        };
                        kill(&self.child, signal);
                    }
                }
                SIGTERM => kill(&self.child, Signal::TERM),
                SIGHUP => kill(&self.child, Signal::HUP),
                _ => {
                    if let Some(status) = self.child.try_wait()? {
                        return Ok(Ending(status));
                    }
                }
            }
        }
        // The iterator ends only if its handle is closed, which no code does.
        Ok(Ending(self.child.wait()?))
    }
}

/// Sends a signal to a child that has not been waited for, whose process ID is
/// therefore still its own.
fn kill(child: &std::process::Child, signal: Signal) {
    // If the child has already ended, there is nothing to do.
    let _ = rustix::process::kill_process(Pid::from_child(child), signal);
}

/// Whether the terminal sends its signals to `xhprof`, and so to the program
/// too.
fn is_in_foreground() -> bool {
    let group = || -> io::Result<Pid> { Ok(rustix::termios::tcgetpgrp(File::open("/dev/tty")?)?) };
    group().is_ok_and(|group| group == rustix::process::getpgrp())
}

/// How a program ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending(ExitStatus);

impl Ending {
    /// The exit code that a shell would report.
    pub(super) fn exit_code(self) -> u8 {
        let code = self.0.code().or_else(|| Some(128 + self.0.signal()?));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
    }

    /// Why there may be no profile.
    pub(super) fn why_no_profile(self) -> String {
        const KILL: i32 = 9;
        match self.0.signal() {
            Some(KILL) => "php was killed (signal 9), by the kernel for lack of memory or by \
                           a user, and could not write one"
                .to_owned(),
            Some(signal) => format!("php died of signal {signal} before it could write one"),
            None => "PHP may have run no script (`php -v`, a server without a request), or the \
                     program called xhprof_disable() and kept the profile, or replaced itself by \
                     another program; if it was none of these, run `xhprof doctor`"
                .to_owned(),
        }
    }
}
