/*
 * What any profiler in PHP's execute hooks costs while it is off: nothing but
 * what lets it see, later, the calls of code that is compiled now. Calls of
 * user functions are compiled to look at zend_execute_ex, which stays PHP's own;
 * calls of internal functions go through a hook that does what PHP would have
 * done. Built by `./x bench`; nobody installs it.
 */
#include "php.h"
#include "zend_compile.h"
#include "zend_execute.h"

static void pass(zend_execute_data *frame, zval *result)
{
	frame->func->internal_function.handler(frame, result);
}

static PHP_MINIT_FUNCTION(off)
{
	zend_execute_internal = pass;
	CG(compiler_options) |= ZEND_COMPILE_IGNORE_USER_FUNCTIONS;
	return SUCCESS;
}

zend_module_entry off_module_entry = {
	STANDARD_MODULE_HEADER,
	"off", NULL, PHP_MINIT(off), NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(off)
