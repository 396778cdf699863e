//! Faults of PHP itself that hurt a program which is profiled, and what is refused
//! because of them.
//!
//! docs/engines.md shows the same table to readers; `phpinfo()` and `xhprof doctor` name
//! the rows that hold for a PHP. The versions are those of PHP's NEWS. Where PHP 8.5's was
//! not to be had, the number is the first version that is known to have the fix.

/// What a fault depends on, of the PHP that runs. It may be later than that of the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Php {
    /// `PHP_VERSION_ID`: 80423 is 8.4.23.
    pub version: u32,
    /// Whether handlers of the VM call each other (`ZEND_VM_KIND_TAILCALL`): PHP 8.5 and
    /// later, built by Clang 19 or GCC 16.
    pub is_tail_call: bool,
    /// The JIT that is on.
    pub jit: Jit,
    /// Whether an extension observes calls, be it this one or another.
    pub is_observed: bool,
}

/// Which parts of a program the JIT compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jit {
    /// None.
    Off,
    /// Whole functions.
    Function,
    /// The paths that ran often.
    Tracing,
}

/// What a fault needs to happen, beside what [`Php`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// An interrupt of the VM, as each sample is one: sampling is refused.
    Interrupt,
    /// An observer. It is registered when PHP starts and is there for good, so a refusal
    /// would mend nothing: the fault is only told.
    Observer,
}

/// A fault of PHP.
#[derive(Debug)]
pub struct Fault {
    /// What makes it happen.
    pub cause: Cause,
    /// What it is, for `phpinfo()` and for the line that refuses to sample.
    pub text: &'static str,
    holds: fn(&Php) -> bool,
}

/// All that are known.
pub const FAULTS: [Fault; 4] = [
    Fault {
        cause: Cause::Interrupt,
        text: "the function JIT of this PHP loses values when a program is interrupted; \
               set opcache.jit=tracing or disable",
        // Seen from 8.2 to 8.6; `pcntl_async_signals(true)` and a signal alone show it.
        holds: |php| matches!(php.jit, Jit::Function),
    },
    Fault {
        cause: Cause::Interrupt,
        text: "php-src pull request 21910: under the tracing JIT an interrupt in a call that is \
               observed can crash this PHP; fixed in 8.4.22 and 8.5.7; update PHP, or set \
               opcache.jit=disable",
        holds: |php| {
            let is_old =
                (80400..80422).contains(&php.version) || (80500..80507).contains(&php.version);
            is_old && php.is_observed && matches!(php.jit, Jit::Tracing)
        },
    },
    Fault {
        cause: Cause::Interrupt,
        text: "php-src pull requests 21922 and 22265: with the tail-call VM an interrupt can crash \
               this PHP; fixed in 8.5.9 at the latest; update PHP",
        holds: |php| (80500..80509).contains(&php.version) && php.is_tail_call,
    },
    Fault {
        cause: Cause::Observer,
        text: "php-src issue 22158: under the tracing JIT a call of one of many methods can crash \
               where calls are observed and another extension reserves a slot of functions; \
               fixed in 8.4.23, and in 8.5.9 at the latest; update PHP, or set opcache.jit=disable",
        holds: |php| {
            let is_old =
                (80400..80423).contains(&php.version) || (80500..80509).contains(&php.version);
            is_old && php.is_observed && matches!(php.jit, Jit::Tracing)
        },
    },
];

impl Php {
    /// The faults that this PHP has.
    pub fn faults(self) -> impl Iterator<Item = &'static Fault> {
        FAULTS.iter().filter(move |fault| (fault.holds)(&self))
    }

    /// Why this PHP must not be interrupted, and so not be sampled; none if it may be.
    #[must_use]
    pub fn interrupts_harm(self) -> Option<&'static str> {
        let harms = |fault: &&Fault| fault.cause == Cause::Interrupt;
        self.faults().find(harms).map(|fault| fault.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACED: Php = Php {
        version: 80427,
        is_tail_call: false,
        jit: Jit::Tracing,
        is_observed: true,
    };

    fn numbers(php: Php) -> Vec<u32> {
        let number = |fault: &Fault| {
            let digits = fault.text.split(|c: char| !c.is_ascii_digit());
            digits
                .filter_map(|part| part.parse().ok())
                .find(|number| *number > 9_999)
        };
        php.faults()
            .map(|fault| number(fault).unwrap_or(0))
            .collect()
    }

    #[test]
    fn faults_end_with_the_version_that_mends_them() {
        let version = |version| numbers(Php { version, ..TRACED });
        assert_eq!(version(80236), [] as [u32; 0]);
        assert_eq!(version(80400), [21910, 22158]);
        assert_eq!(version(80421), [21910, 22158]);
        assert_eq!(version(80422), [22158]);
        assert_eq!(version(80423), [] as [u32; 0]);
        assert_eq!(version(80506), [21910, 22158]);
        assert_eq!(version(80508), [22158]);
        assert_eq!(version(80509), [] as [u32; 0]);
        assert_eq!(version(80600), [] as [u32; 0]);
    }

    #[test]
    fn sampling_is_refused_where_an_interrupt_harms() {
        let old = Php {
            version: 80506,
            ..TRACED
        };
        assert!(
            old.interrupts_harm()
                .is_some_and(|why| why.contains("21910"))
        );
        let unobserved = Php {
            is_observed: false,
            ..old
        };
        assert_eq!(unobserved.interrupts_harm(), None);
        let tail_call = Php {
            is_tail_call: true,
            jit: Jit::Off,
            ..old
        };
        assert!(
            tail_call
                .interrupts_harm()
                .is_some_and(|why| why.contains("21922"))
        );
        let mended = Php {
            version: 80600,
            ..tail_call
        };
        assert_eq!(mended.interrupts_harm(), None);
        let function = Php {
            jit: Jit::Function,
            ..TRACED
        };
        assert!(
            function
                .interrupts_harm()
                .is_some_and(|why| why.contains("function JIT"))
        );
        // A fault that only observers meet stops no sampling.
        let observed = Php {
            version: 80422,
            ..TRACED
        };
        assert_eq!(observed.interrupts_harm(), None);
    }
}
