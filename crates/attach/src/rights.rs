//! Why this process may not read another one, and how to get the right.
//!
//! The kernel answers only "permission denied". This module compares what it compares: users, the capability, Yama's
//! setting, and whether the target may be dumped (`ptrace(2)`, "Ptrace access mode checking").

use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Bit 19 of the capabilities: `CAP_SYS_PTRACE`.
const SYS_PTRACE: u64 = 1 << 19;

/// What is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The target belongs to another user.
    User {
        /// That user's number.
        theirs: u32,
        /// The caller's.
        ours: u32,
    },
    /// The target has the caller's user, but it may not be dumped: it has changed its user since it began.
    NotDumpable,
    /// The target has the caller's user, and Yama allows only parents to trace.
    Yama {
        /// `kernel.yama.ptrace_scope`.
        scope: u32,
    },
    /// The caller is root without the capability, as in a container.
    Capability,
    /// The caller has all of these: another security module denies it.
    Other,
}

/// The facts about both processes.
#[derive(Debug, Clone, Copy)]
struct Facts {
    ours: u32,
    capabilities: u64,
    /// The user of the target itself, and that of its folder in `/proc`: root's, if it may not be dumped.
    theirs: Option<(u32, u32)>,
    scope: u32,
}

impl Missing {
    /// What is missing to read that process.
    #[must_use]
    pub fn for_process(process: u32) -> Self {
        let own = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let target = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let folder = fs::metadata(format!("/proc/{process}")).map(|folder| folder.uid());
        let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let user = |status: &str| {
            field(status, "Uid:")?
                .split_ascii_whitespace()
                .nth(1)?
                .parse()
                .ok()
        };
        let capabilities = field(&own, "CapEff:");
        let capabilities = capabilities.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
        Self::of(Facts {
            ours: user(&own).unwrap_or(0),
            capabilities: capabilities.unwrap_or(0),
            theirs: user(&target).zip(folder.ok()),
            scope: scope.trim().parse().unwrap_or(0),
        })
    }

    fn of(facts: Facts) -> Self {
        let Facts {
            ours,
            theirs,
            scope,
            ..
        } = facts;
        let is_capable = facts.capabilities & SYS_PTRACE != 0;
        match theirs {
            _ if is_capable => Self::Other,
            _ if ours == 0 => Self::Capability,
            Some((theirs, _)) if theirs != ours => Self::User { theirs, ours },
            Some((_, folder)) if folder != ours => Self::NotDumpable,
            _ if scope > 0 => Self::Yama { scope },
            _ => Self::Other,
        }
    }
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name))
}

const AS_ROOT: &str = "run it as root (sudo), or give the program the capability once: \
    setcap cap_sys_ptrace=ep /path/to/xhprof";

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { theirs, ours } => write!(
                f,
                "it belongs to user {theirs}, and this is user {ours}; run as that user, {AS_ROOT}"
            ),
            Self::NotDumpable => write!(
                f,
                "it has changed its user since it began, so only root may read it; {AS_ROOT}; \
                 or set `process.dumpable = yes` in php-fpm's pool"
            ),
            Self::Yama { scope: 3.. } => f.write_str(
                "kernel.yama.ptrace_scope is 3, which forbids it to every user until the machine starts again",
            ),
            Self::Yama { scope } => write!(
                f,
                "kernel.yama.ptrace_scope is {scope}, so only root and parents may read it; {AS_ROOT}; \
                 or allow it to its user: sysctl kernel.yama.ptrace_scope=0"
            ),
            Self::Capability => f.write_str(
                "this root lacks the capability CAP_SYS_PTRACE; in a container, start it with \
                 `--cap-add SYS_PTRACE` (Kubernetes: securityContext.capabilities.add), or run on the host",
            ),
            Self::Other => f.write_str(
                "the user and the capability suffice, so a security module (SELinux, AppArmor, seccomp) or \
                 another user namespace denies it; the kernel's log may name it",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ours: u32, capabilities: u64, theirs: Option<(u32, u32)>, scope: u32) -> Missing {
        Missing::of(Facts {
            ours,
            capabilities,
            theirs,
            scope,
        })
    }

    #[test]
    fn each_failure_has_its_reason() {
        assert_eq!(
            of(7, 0, Some((33, 33)), 0),
            Missing::User {
                theirs: 33,
                ours: 7
            }
        );
        assert_eq!(of(33, 0, Some((33, 0)), 1), Missing::NotDumpable);
        assert_eq!(of(33, 0, Some((33, 33)), 1), Missing::Yama { scope: 1 });
        assert_eq!(of(0, 0, Some((33, 33)), 0), Missing::Capability);
        assert_eq!(of(0, SYS_PTRACE, Some((33, 33)), 0), Missing::Other);
        assert_eq!(of(33, 0, Some((33, 33)), 0), Missing::Other);
    }

    #[test]
    fn each_reason_says_what_to_do() {
        for (missing, way) in [
            (
                Missing::User {
                    theirs: 33,
                    ours: 7,
                },
                "setcap cap_sys_ptrace=ep",
            ),
            (Missing::NotDumpable, "process.dumpable"),
            (
                Missing::Yama { scope: 1 },
                "sysctl kernel.yama.ptrace_scope=0",
            ),
            (Missing::Yama { scope: 3 }, "until the machine starts again"),
            (Missing::Capability, "--cap-add SYS_PTRACE"),
            (Missing::Other, "AppArmor"),
        ] {
            assert!(missing.to_string().contains(way), "{missing}");
        }
    }
}
