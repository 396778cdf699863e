//! Constants in the code of a method, read without running it.
//!
//! `src/templates.rs` asks for what Twig compiled: methods that return an array of
//! constants, or an object that is made from constants. Any class may have methods
//! of these names, so the code may be anything. What does not have the expected
//! form is not read.

use ext_php_rs::ffi::{self, zend_class_entry, zend_op, zend_op_array, zval};

use super::bindings::{
    IS_CONST, ZEND_EXT_FCALL_BEGIN, ZEND_EXT_STMT, ZEND_NEW, ZEND_NOP, ZEND_RETURN, ZEND_SEND_VAL,
    ZEND_SEND_VAL_EX, ZEND_USER_CLASS,
};
use super::{Function, FunctionKind, Value};

/// How many instructions of a method are read.
const MAX_INSTRUCTIONS: usize = 64;

impl<'a> Function<'a> {
    /// The class that a user function is a method of, if PHP code declares it.
    fn user_class(self) -> Option<&'a zend_class_entry> {
        // SAFETY: the common part of all functions; a class outlives its methods.
        let class = unsafe { (*self.as_ptr()).common.scope.as_ref() }?;
        let is_declared = i32::from(class.type_) == ZEND_USER_CLASS;
        (is_declared && self.kind() == FunctionKind::User).then_some(class)
    }

    /// The line on which the function's class begins; none if the class is in
    /// another file than the function.
    pub(crate) fn line_of_class(self) -> Option<u32> {
        // SAFETY: a class that PHP code declares has `info.user`, with its file.
        let (file, line) = unsafe {
            let place = self.user_class()?.info.user;
            (super::string::bytes(place.filename), place.line_start)
        };
        (file.is_some() && file == self.file()).then_some(line)
    }

    /// A method that the function's own class declares; `name` in lower case.
    pub(crate) fn sibling(self, name: &str) -> Option<Self> {
        let class = self.user_class()?;
        // SAFETY: the table maps names in lower case to functions, which live as
        // long as the class.
        unsafe {
            let table = &raw const class.function_table;
            let found = ffi::zend_hash_str_find(table, name.as_ptr().cast(), name.len());
            let method = found.as_ref()?.value.ptr.cast::<ffi::zend_function>();
            let is_own = std::ptr::eq((*method).common.scope, class);
            is_own.then(|| Self::new(method))
        }
    }

    /// The lines of a user function with the comment above it, which PHP keeps
    /// unless `opcache.save_comments` is off.
    pub(crate) fn lines_with_comment(self) -> std::ops::Range<u32> {
        let Some(code) = self.code() else {
            return 0..0;
        };
        // SAFETY: the comment is null, or lives as long as the function.
        let comment = unsafe { super::string::bytes(code.doc_comment) };
        let lines = comment.map_or(0, |comment| {
            1 + comment.iter().filter(|byte| **byte == b'\n').count()
        });
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        code.line_start.saturating_sub(lines)..code.line_end.saturating_add(1)
    }

    /// The entries of an array of positive integers that the method returns, at most
    /// `limit`. Empty if the method returns anything else.
    pub(crate) fn returned_integers(self, limit: usize) -> Vec<(u32, u32)> {
        let code = self.code();
        let returned = code.and_then(|code| {
            let last = instructions(code).find(|line| line.opcode == ZEND_RETURN)?;
            constant(code, last)?.as_array()
        });
        let entries = returned.into_iter().flat_map(|array| {
            let keys_and_values = array.iter().take(limit);
            keys_and_values.filter_map(|(key, value)| {
                let value = Value::new(value).as_count()?;
                match key {
                    ext_php_rs::types::ArrayKey::Long(key) => {
                        Some((u32::try_from(key).ok()?, u32::try_from(value).ok()?))
                    }
                    _ => None,
                }
            })
        });
        entries.collect()
    }

    /// The first three arguments of the first object that the method makes, if all
    /// of them are constant strings.
    pub(crate) fn strings_of_new(self) -> Option<[&'a [u8]; 3]> {
        let code = self.code()?;
        let mut arguments = instructions(code)
            .skip_while(|line| line.opcode != ZEND_NEW)
            .skip(1)
            .filter(|line| ![ZEND_NOP, ZEND_EXT_STMT, ZEND_EXT_FCALL_BEGIN].contains(&line.opcode));
        let mut next = |number| {
            let line = arguments.next()?;
            let is_sent = [ZEND_SEND_VAL, ZEND_SEND_VAL_EX].contains(&line.opcode);
            // SAFETY: each alternative of this union is 32 bits. It is the number of
            // the argument, except for a named one, whose type is not zero.
            let is_in_order = line.op2_type == 0 && unsafe { line.op2.num } == number;
            (is_sent && is_in_order).then(|| constant(code, line)?.as_bytes())?
        };
        Some([next(1)?, next(2)?, next(3)?])
    }

    /// The code of a user function; none if PHP has not finished compiling it.
    fn code(self) -> Option<&'a zend_op_array> {
        if self.kind() != FunctionKind::User {
            return None;
        }
        // SAFETY: a user function is an op_array.
        let code = unsafe { &(*self.as_ptr()).op_array };
        (code.fn_flags & ffi::ZEND_ACC_DONE_PASS_TWO != 0).then_some(code)
    }
}

/// The first instructions of a function.
fn instructions(code: &zend_op_array) -> impl Iterator<Item = &zend_op> {
    let all = if code.opcodes.is_null() {
        &[]
    } else {
        // SAFETY: `opcodes` are `last` instructions, which live as long as the
        // function. Nothing here runs PHP code, which could change them.
        unsafe { std::slice::from_raw_parts(code.opcodes, code.last as usize) }
    };
    all.iter().take(MAX_INSTRUCTIONS)
}

/// The first operand of an instruction, if that is a constant.
fn constant<'a>(code: &'a zend_op_array, line: &'a zend_op) -> Option<Value<'a>> {
    if line.op1_type != IS_CONST {
        return None;
    }
    let count = usize::try_from(code.last_literal).ok()?;
    // SAFETY: each alternative of this union is 32 bits.
    #[expect(clippy::cast_possible_wrap, reason = "the engine has it signed")]
    let distance = unsafe { line.op1.constant } as i32;
    // `RT_CONSTANT` of zend_compile.h on 64-bit systems: in bytes from here.
    let address = (&raw const *line)
        .cast::<zval>()
        .wrapping_byte_offset(distance as isize);
    let offset = (address as usize).checked_sub(code.literals as usize)?;
    let index = offset / size_of::<zval>();
    if code.literals.is_null() || !offset.is_multiple_of(size_of::<zval>()) || index >= count {
        return None;
    }
    // SAFETY: `literals` are `last_literal` values, which live as long as the
    // function, and the index is below that.
    Some(Value::new(unsafe { &*code.literals.add(index) }))
}
