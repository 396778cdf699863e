//! The system calls in which a program waits: their numbers, and what their arguments name.

/// What an argument of a system call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Nothing that is shown.
    None,
    /// The first is an open file.
    Descriptor,
    /// The first two are an array of `struct pollfd` and its length.
    Poll,
    /// The second and the third are sets of files, all below the first.
    Select,
    /// The first is a path.
    Path,
    /// The second is a path.
    PathAt,
    /// The first is a process.
    Process,
}

/// The name of a system call, and what its arguments name; none if it is not one that waits.
pub(crate) fn known(number: u64) -> Option<(&'static str, Argument)> {
    let is_it =
        |(_, numbers, _): &&(&str, [u64; 2], Argument)| numbers.get(COLUMN) == Some(&number);
    let found = CALLS.iter().find(is_it);
    found.map(|(name, _, argument)| (*name, *argument))
}

/// The number of a system call.
#[cfg(test)]
pub(crate) fn number(name: &str) -> Option<u64> {
    let found = CALLS.iter().find(|(known, ..)| *known == name)?;
    found.1.get(COLUMN).copied()
}

/// The column of this machine in [`CALLS`].
const COLUMN: usize = if cfg!(target_arch = "aarch64") { 1 } else { 0 };
/// Not a system call of that architecture.
const NO: u64 = u64::MAX;

/// By name, on x86-64 and on aarch64.
const CALLS: [(&str, [u64; 2], Argument); 66] = {
    use Argument::{Descriptor, None, Path, PathAt, Poll, Process, Select};
    [
        ("read", [0, 63], Descriptor),
        ("write", [1, 64], Descriptor),
        ("pread64", [17, 67], Descriptor),
        ("pwrite64", [18, 68], Descriptor),
        ("readv", [19, 65], Descriptor),
        ("writev", [20, 66], Descriptor),
        ("close", [3, 57], Descriptor),
        ("ioctl", [16, 29], Descriptor),
        ("poll", [7, NO], Poll),
        ("ppoll", [271, 73], Poll),
        ("select", [23, NO], Select),
        ("pselect6", [270, 72], Select),
        ("epoll_wait", [232, NO], Descriptor),
        ("epoll_pwait", [281, 22], Descriptor),
        ("epoll_pwait2", [441, 441], Descriptor),
        ("accept", [43, 202], Descriptor),
        ("accept4", [288, 242], Descriptor),
        ("connect", [42, 203], Descriptor),
        ("recvfrom", [45, 207], Descriptor),
        ("recvmsg", [47, 212], Descriptor),
        ("recvmmsg", [299, 243], Descriptor),
        ("sendto", [44, 206], Descriptor),
        ("sendmsg", [46, 211], Descriptor),
        ("sendmmsg", [307, 269], Descriptor),
        ("sendfile", [40, 71], Descriptor),
        ("splice", [275, 76], Descriptor),
        ("copy_file_range", [326, 285], Descriptor),
        ("flock", [73, 32], Descriptor),
        ("fcntl", [72, 25], Descriptor),
        ("fsync", [74, 82], Descriptor),
        ("fdatasync", [75, 83], Descriptor),
        ("sync_file_range", [277, 84], Descriptor),
        ("ftruncate", [77, 46], Descriptor),
        ("fallocate", [285, 47], Descriptor),
        ("getdents64", [217, 61], Descriptor),
        ("fstat", [5, 80], Descriptor),
        ("io_uring_enter", [426, 426], Descriptor),
        ("io_getevents", [208, 4], None),
        ("futex", [202, 98], None),
        ("nanosleep", [35, 101], None),
        ("clock_nanosleep", [230, 115], None),
        ("pause", [34, NO], None),
        ("rt_sigsuspend", [130, 133], None),
        ("rt_sigtimedwait", [128, 137], None),
        ("semop", [65, 193], None),
        ("semtimedop", [220, 192], None),
        ("msgsnd", [69, 189], None),
        ("msgrcv", [70, 188], None),
        ("fork", [57, NO], None),
        ("vfork", [58, NO], None),
        ("clone", [56, 220], None),
        ("clone3", [435, 435], None),
        ("mmap", [9, 222], None),
        ("munmap", [11, 215], None),
        ("madvise", [28, 233], None),
        ("wait4", [61, 260], Process),
        ("waitid", [247, 95], None),
        ("open", [2, NO], Path),
        ("stat", [4, NO], Path),
        ("rename", [82, NO], Path),
        ("unlink", [87, NO], Path),
        ("openat", [257, 56], PathAt),
        ("newfstatat", [262, 79], PathAt),
        ("renameat2", [316, 276], PathAt),
        ("unlinkat", [263, 35], PathAt),
        ("statx", [332, 291], PathAt),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_and_no_name_is_there_twice() {
        for column in 0..2 {
            let numbers = CALLS.iter().map(|(_, numbers, _)| numbers[column]);
            let mut numbers: Vec<u64> = numbers.filter(|number| *number != NO).collect();
            let all = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), all, "column {column}");
        }
        let mut names: Vec<&str> = CALLS.iter().map(|(name, ..)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CALLS.len());
    }
}
