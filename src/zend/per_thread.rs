//! Per-thread storage, without cost in PHP without ZTS.

/// Declares per-thread statics: plain statics without ZTS, thread-locals with it.
/// `NAME.get()` returns a shared reference.
macro_rules! per_thread {
    ($(#[$doc:meta])* static $name:ident: $type:ty = $value:expr;) => {
        #[cfg(not(php_zts))]
        $(#[$doc])*
        static $name: $crate::zend::per_thread::OneThread<$type> =
            $crate::zend::per_thread::OneThread($value);

        #[cfg(php_zts)]
        $(#[$doc])*
        static $name: $crate::zend::per_thread::EachThread<$type> = {
            thread_local! {
                static VALUE: $type = const { $value };
            }
            $crate::zend::per_thread::EachThread(&VALUE)
        };
    };
}

pub(crate) use per_thread;

/// The data of the only thread there is.
#[cfg(not(php_zts))]
pub(crate) struct OneThread<T>(pub(crate) T);

// SAFETY: without ZTS, PHP and all that it calls run in one thread.
#[cfg(not(php_zts))]
unsafe impl<T> Sync for OneThread<T> {}

#[cfg(not(php_zts))]
impl<T> OneThread<T> {
    /// The thread's data.
    #[inline(always)]
    pub(crate) fn get(&self) -> &T {
        &self.0
    }
}

/// The data of each thread, by its thread-local.
#[cfg(php_zts)]
pub(crate) struct EachThread<T: 'static>(pub(crate) &'static std::thread::LocalKey<T>);

#[cfg(php_zts)]
impl<T> EachThread<T> {
    /// The thread's data, which lives as long as the thread.
    #[inline(always)]
    pub(crate) fn get(&self) -> &T {
        let data: *const T = self.0.with(std::ptr::from_ref);
        // SAFETY: the thread-local has no destructor, so it lives as long as the
        // thread; the reference is never sent to another thread.
        unsafe { &*data }
    }
}
