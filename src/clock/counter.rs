//! The CPU's cycle counter on each architecture.

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::arch::x86_64::{__cpuid, _rdtsc};
    use std::sync::OnceLock;

    use recorder::Ticks;

    pub(crate) const EXISTS: bool = true;
    pub(crate) const NAME: &str = "TSC";

    #[inline(always)]
    pub(crate) fn read() -> Ticks {
        // SAFETY: every x86-64 CPU has the instruction; a kernel that forbids
        // it to user programs (PR_SET_TSC) breaks the C library's clocks too.
        Ticks(unsafe { _rdtsc() })
    }

    /// Intel SDM vol. 3, 18.17.1: CPUID 80000007H, EDX bit 8.
    pub(crate) fn is_invariant() -> bool {
        static INVARIANT: OnceLock<bool> = OnceLock::new();
        *INVARIANT.get_or_init(|| {
            let highest = __cpuid(0x8000_0000).eax;
            highest >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0
        })
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use recorder::Ticks;

    pub(crate) const EXISTS: bool = true;
    pub(crate) const NAME: &str = "CNTVCT_EL0";

    #[inline(always)]
    pub(crate) fn read() -> Ticks {
        let ticks: u64;
        // SAFETY: reading the virtual counter has no effect, and Linux and
        // macOS both open it to user programs.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
        }
        Ticks(ticks)
    }

    /// Arm ARM D12.1.2: the system counter runs at one fixed frequency, for
    /// all CPUs.
    pub(crate) fn is_invariant() -> bool {
        true
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use recorder::Ticks;

    pub(crate) const EXISTS: bool = false;
    pub(crate) const NAME: &str = "none";

    #[inline(always)]
    pub(crate) fn read() -> Ticks {
        Ticks::ZERO
    }

    pub(crate) fn is_invariant() -> bool {
        false
    }
}

pub(crate) use arch::*;
