/*
 * What an empty request costs as soon as any extension asks the engine for a
 * slot in the run-time caches of functions, which is where we keep what is
 * known of a function: the engine then makes such caches for all internal
 * functions, request after request. Does nothing but ask. Built by `./x bench`.
 */
#include "php.h"
#include "zend_extensions.h"

static PHP_MINIT_FUNCTION(slot)
{
	zend_get_op_array_extension_handle("slot");
	return SUCCESS;
}

zend_module_entry slot_module_entry = {
	STANDARD_MODULE_HEADER,
	"slot", NULL, PHP_MINIT(slot), NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(slot)
