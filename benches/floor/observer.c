/*
 * The cost of an observer that never observes: PHP asks it about each function once in
 * a request, and gets no handler. What this costs while nothing is recorded is PHP's
 * own: with an observer, calls of user functions look for handlers, also in code that
 * the JIT compiled. `./x bench` builds it; it is never installed.
 */
#include "php.h"
#include "zend_observer.h"

static zend_observer_fcall_handlers asked(zend_execute_data *frame)
{
	zend_observer_fcall_handlers none = {NULL, NULL};
	(void) frame;
	return none;
}

static PHP_MINIT_FUNCTION(observer)
{
	zend_observer_fcall_register(asked);
	return SUCCESS;
}

zend_module_entry observer_module_entry = {
	STANDARD_MODULE_HEADER,
	"observer", NULL, PHP_MINIT(observer), NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(observer)
