/*
 * The least cost of a profiler in PHP's execute hooks while it is off: only what
 * it needs to see, later, the calls of code that is compiled now. Calls of user
 * functions are compiled to look at zend_execute_ex, which stays PHP's own. Calls
 * of internal functions pass through a hook that does the same as PHP. `./x bench`
 * builds it; it is never installed.
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
