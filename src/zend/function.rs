//! A view of a function.

use std::marker::PhantomData;

use ext_php_rs::ffi::{
    ZEND_ACC_CALL_VIA_TRAMPOLINE, ZEND_ACC_CLOSURE, ZEND_ACC_GENERATOR, ZEND_INTERNAL_FUNCTION,
    zend_function, zend_op,
};

use super::string::bytes;

/// The kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// Compiled PHP: a function, a method, or a file's top level.
    User,
    /// Written in C, in PHP itself or in an extension.
    Internal,
}

/// A function as the engine knows it.
#[derive(Clone, Copy)]
pub(crate) struct Function<'a> {
    function: *mut zend_function,
    life: PhantomData<&'a zend_function>,
}

impl<'a> Function<'a> {
    /// A view of the engine's function.
    ///
    /// # Safety
    ///
    /// `function` must be a function, and stay one for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(function: *mut zend_function) -> Self {
        Self {
            function,
            life: PhantomData,
        }
    }

    /// The engine's function.
    pub(super) fn as_ptr(self) -> *mut zend_function {
        self.function
    }

    /// The function's kind.
    #[inline]
    pub(crate) fn kind(self) -> FunctionKind {
        // SAFETY: all kinds of functions begin with their type.
        if u32::from(unsafe { (*self.function).type_ }) == ZEND_INTERNAL_FUNCTION {
            FunctionKind::Internal
        } else {
            FunctionKind::User
        }
    }

    #[inline(always)]
    fn flags(self) -> u32 {
        // SAFETY: all kinds of functions begin with the common part.
        unsafe { (*self.function).common.fn_flags }
    }

    /// Whether each call must be inspected before it is recorded: the function is
    /// a generator or a trampoline.
    #[inline(always)]
    pub(crate) fn is_unusual(self) -> bool {
        self.flags() & (ZEND_ACC_CALL_VIA_TRAMPOLINE | ZEND_ACC_GENERATOR) != 0
    }

    /// Whether this is a trampoline, which the engine creates for one call of
    /// `__call`, `__callStatic` or an object's `__invoke`. Its run-time cache is
    /// not its own.
    #[inline(always)]
    pub(crate) fn is_trampoline(self) -> bool {
        self.flags() & ZEND_ACC_CALL_VIA_TRAMPOLINE != 0
    }

    /// Whether this is the `get` or `set` of a property.
    #[cfg(property_hooks)]
    #[inline(always)]
    pub(crate) fn is_property_hook(self) -> bool {
        // SAFETY: common part.
        unsafe { !(*self.function).common.prop_info.is_null() }
    }

    /// Whether calling this creates a generator.
    pub(crate) fn is_generator(self) -> bool {
        self.flags() & ZEND_ACC_GENERATOR != 0
    }

    /// Whether the function's address is valid until the request ends, and no call
    /// of it must be inspected: a named user function or method.
    pub(crate) fn is_usual_and_lasts(self) -> bool {
        let others = ZEND_ACC_CLOSURE | ZEND_ACC_CALL_VIA_TRAMPOLINE | ZEND_ACC_GENERATOR;
        self.kind() == FunctionKind::User && self.flags() & others == 0 && self.name().is_some()
    }

    /// The function's name; none for the top level of a file or of `eval`.
    pub(crate) fn name(self) -> Option<&'a [u8]> {
        // SAFETY: common part; the name lives as long as the function.
        unsafe { bytes((*self.function).common.function_name) }
    }

    /// The addresses of the strings that name the function and its class; none for the top
    /// level of a file. Another function may have them later.
    pub(crate) fn identity(self) -> Option<[usize; 2]> {
        // SAFETY: common part; a class outlives its methods.
        let [name, class] = unsafe {
            let common = &(*self.function).common;
            let class = common.scope.as_ref();
            [
                common.function_name.addr(),
                class.map_or(0, |class| class.name.addr()),
            ]
        };
        (name != 0).then_some([name, class])
    }

    /// The class a method belongs to: for a trait's method, the using class.
    pub(crate) fn class(self) -> Option<&'a [u8]> {
        // SAFETY: common part; a class outlives its methods.
        unsafe {
            let scope = (*self.function).common.scope;
            if scope.is_null() {
                None
            } else {
                bytes((*scope).name)
            }
        }
    }

    /// The file of a user function; none for others.
    pub(crate) fn file(self) -> Option<&'a [u8]> {
        match self.kind() {
            // SAFETY: a user function is an op_array.
            FunctionKind::User => unsafe { bytes((*self.function).op_array.filename) },
            FunctionKind::Internal => None,
        }
    }

    /// Whether this extension registered the function.
    pub(super) fn is_ours(self) -> bool {
        if self.kind() == FunctionKind::User {
            return false;
        }
        // SAFETY: an internal function names its module, which lives as long as the
        // process; functions that PHP makes up have none.
        unsafe {
            let module = (*self.function).internal_function.module;
            !module.is_null() && std::ffi::CStr::from_ptr((*module).name) == c"xhprof"
        }
    }

    /// Whether this is the top level of a file or of `eval`.
    pub(crate) fn is_file(self) -> bool {
        self.kind() == FunctionKind::User && self.name().is_none()
    }

    /// The line of the instruction at an address; none if it is no instruction of this function.
    pub(crate) fn line_at(self, opline: usize) -> Option<u32> {
        if self.kind() == FunctionKind::Internal {
            return None;
        }
        // SAFETY: a user function is an op_array.
        let (first, count) = unsafe {
            let op_array = &(*self.function).op_array;
            (op_array.opcodes, op_array.last as usize)
        };
        let offset = opline.checked_sub(first.addr())?;
        let index = offset / size_of::<zend_op>();
        if index >= count || !offset.is_multiple_of(size_of::<zend_op>()) {
            return None;
        }
        // SAFETY: one of the `last` instructions of a function that lives.
        Some(unsafe { (*first.add(index)).lineno })
    }

    /// The line on which a user function begins; zero for others.
    pub(crate) fn line(self) -> u32 {
        match self.kind() {
            // SAFETY: as in `file`.
            FunctionKind::User => unsafe { (*self.function).op_array.line_start },
            FunctionKind::Internal => 0,
        }
    }
}
