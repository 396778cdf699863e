/*
 * Hooks that read nothing: each call of a user function and of an internal one
 * passes through a C function, as with any profiler in PHP's execute hooks. What it
 * costs is PHP's own: calls of user functions nest on the C stack, and internal
 * functions are called through one pointer more. `./x bench` builds it; it is never
 * installed.
 */
#include "php.h"
#include "zend_compile.h"
#include "zend_execute.h"

static void (*user_before)(zend_execute_data *) = execute_ex;

static void pass_user(zend_execute_data *frame)
{
	user_before(frame);
	/* So that the call is no jump: a profiler has work to do after it. */
	__asm__ volatile ("" ::: "memory");
}

static void pass_internal(zend_execute_data *frame, zval *result)
{
	frame->func->internal_function.handler(frame, result);
	__asm__ volatile ("" ::: "memory");
}

static PHP_MINIT_FUNCTION(hooks)
{
	user_before = zend_execute_ex;
	zend_execute_ex = pass_user;
	zend_execute_internal = pass_internal;
	return SUCCESS;
}

zend_module_entry hooks_module_entry = {
	STANDARD_MODULE_HEADER,
	"hooks", NULL, PHP_MINIT(hooks), NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(hooks)
