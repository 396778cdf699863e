//! A function pointer that threads share: a hook that was there before ours.
//!
//! With ZTS one thread can install a hook while another calls through it, so the
//! pointer is atomic there. Without ZTS there is one thread, and a call through a
//! plain pointer takes one instruction less.

#[cfg(not(php_zts))]
use std::cell::Cell;
use std::marker::PhantomData;
#[cfg(php_zts)]
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function pointer, or an optional one, that any thread may read and set.
pub(crate) struct HookPointer<F> {
    #[cfg(not(php_zts))]
    pointer: Cell<F>,
    #[cfg(php_zts)]
    pointer: AtomicPtr<()>,
    function: PhantomData<F>,
}

// SAFETY: without ZTS, PHP and all that it calls run in one thread.
#[cfg(not(php_zts))]
unsafe impl<F> Sync for HookPointer<F> {}

/// A function pointer as a pointer to data: both have one size.
#[cfg(php_zts)]
union Bits<F: Copy> {
    function: F,
    pointer: *mut (),
}

impl<F: Copy> HookPointer<F> {
    /// A pointer with this value.
    pub(crate) const fn new(function: F) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
        Self {
            #[cfg(not(php_zts))]
            pointer: Cell::new(function),
            // SAFETY: a function pointer has the size of `pointer`, see above, and
            // every value of it is a valid pointer that is not dereferenced.
            #[cfg(php_zts)]
            pointer: AtomicPtr::new(unsafe { Bits { function }.pointer }),
            function: PhantomData,
        }
    }

    /// The function.
    #[inline(always)]
    pub(crate) fn get(&self) -> F {
        #[cfg(not(php_zts))]
        {
            self.pointer.get()
        }
        // SAFETY: only `new` and `set` write the pointer, and both write an `F`.
        #[cfg(php_zts)]
        unsafe {
            let pointer = self.pointer.load(Ordering::Acquire);
            Bits { pointer }.function
        }
    }

    /// Sets the function.
    pub(crate) fn set(&self, function: F) {
        #[cfg(not(php_zts))]
        self.pointer.set(function);
        // SAFETY: as in `new`.
        #[cfg(php_zts)]
        self.pointer
            .store(unsafe { Bits { function }.pointer }, Ordering::Release);
    }
}
