//! Whether a signal found this thread in a system call that blocks.
//!
//! The kernel saves the thread's registers where the handler can read them. After a
//! blocking system call they show its end with `EINTR`; with `SA_RESTART` they can
//! also show the instruction that repeats the call, and the call's number.

use std::ffi::c_void;

/// Whether the thread that runs this handler was in a system call that can block, so
/// that neither the C library's allocator nor PHP's was at work.
///
/// `context` is the third argument of the handler. PHP's `zend_signal` may call a
/// handler later than the kernel did, with a context that is gone: its address is then
/// below this frame, and the answer is no.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub(super) fn is_in_blocking_call(context: *const c_void) -> bool {
    if context.is_null() || (context as usize) < super::stack::address() {
        return false;
    }
    // SAFETY: the kernel's context, which lies above this frame, as just checked.
    let registers = unsafe { registers::of(context.cast()) };
    match registers {
        Registers::Ended { error } => error == -i64::from(libc::EINTR),
        Registers::Repeats { number } => can_block(number),
        Registers::Elsewhere => false,
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
pub(super) fn is_in_blocking_call(_context: *const c_void) -> bool {
    false
}

/// What the registers say of a system call.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
enum Registers {
    /// The thread is behind the instruction, with this result.
    Ended { error: i64 },
    /// The thread is at the instruction, before the call of this number.
    Repeats { number: i64 },
    /// The thread is somewhere else.
    Elsewhere,
}

/// The calls that wait for something outside of the process. `futex` is not among
/// them: the C library's allocator waits by it for another thread.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn can_block(number: libc::c_long) -> bool {
    const BLOCKING: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_openat,
        libc::SYS_accept,
        libc::SYS_accept4,
        libc::SYS_connect,
        libc::SYS_recvfrom,
        libc::SYS_recvmsg,
        libc::SYS_recvmmsg,
        libc::SYS_sendto,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_pwait,
        libc::SYS_wait4,
        libc::SYS_waitid,
        libc::SYS_flock,
        libc::SYS_fcntl,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_rt_sigtimedwait,
        libc::SYS_rt_sigsuspend,
        libc::SYS_msgrcv,
        libc::SYS_msgsnd,
        libc::SYS_semop,
        libc::SYS_semtimedop,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_pause,
    ];
    BLOCKING.contains(&number)
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod registers {
    use super::Registers;

    /// The instruction `syscall`.
    const CALL: [u8; 2] = [0x0f, 0x05];

    /// # Safety
    ///
    /// `context` must be what the kernel handed to a handler that still runs.
    pub(super) unsafe fn of(context: *const libc::ucontext_t) -> Registers {
        // SAFETY: the caller's promise.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        let register = |number: libc::c_int| {
            usize::try_from(number)
                .ok()
                .and_then(|number| registers.get(number))
                .copied()
        };
        let (Some(at), Some(result)) = (register(libc::REG_RIP), register(libc::REG_RAX)) else {
            return Registers::Elsewhere;
        };
        // SAFETY: the instruction that runs next, and the end of the one before it
        // unless a page begins between them: the program is at it, so it is mapped.
        unsafe {
            let at = at as *const u8;
            if at.cast::<[u8; 2]>().read_unaligned() == CALL {
                return Registers::Repeats { number: result };
            }
            if at as usize % 4096 >= CALL.len()
                && at.sub(CALL.len()).cast::<[u8; 2]>().read_unaligned() == CALL
            {
                return Registers::Ended { error: result };
            }
        }
        Registers::Elsewhere
    }
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
mod registers {
    use super::Registers;

    /// The instruction `svc #0`.
    const CALL: u32 = 0xd400_0001;

    /// # Safety
    ///
    /// `context` must be what the kernel handed to a handler that still runs.
    pub(super) unsafe fn of(context: *const libc::ucontext_t) -> Registers {
        // SAFETY: the caller's promise. Instructions have four bytes, so the one
        // before `pc` is on a mapped page unless a page begins at `pc`.
        unsafe {
            let registers = &(*context).uc_mcontext;
            let at = registers.pc as *const u32;
            if *at == CALL {
                return Registers::Repeats {
                    number: registers.regs[8].cast_signed(),
                };
            }
            if at as usize % 4096 != 0 && *at.sub(1) == CALL {
                return Registers::Ended {
                    error: registers.regs[0].cast_signed(),
                };
            }
        }
        Registers::Elsewhere
    }
}
