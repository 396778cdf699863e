/*
 * The cost of an empty request with any extension that asks the engine for a slot
 * in the run-time caches of functions. (Our extension stores what it knows of a
 * function there.) The engine then makes such caches for all internal functions in
 * each request. This extension only asks for the slot. `./x bench` builds it.
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
