/* Prints where PHP keeps what `crates/attach` reads from a process, one `name value` a line.
 *
 * Compiled against the headers of one PHP, plain or with -DZTS=1: see make.sh. Values that are no offsets begin
 * with `size.`, `flag.` or `number.`.
 */

#include <stddef.h>
#include <stdio.h>

#include "php.h"
#include "php_globals.h"
#include "SAPI.h"
#include "zend_modules.h"

#define OFFSET(name, type, field) printf("%s %zu\n", name, offsetof(type, field))
#define VALUE(name, value) printf("%s %lu\n", name, (unsigned long)(value))

int main(void)
{
	VALUE("number.api", ZEND_MODULE_API_NO);

	OFFSET("executor.current_execute_data", zend_executor_globals, current_execute_data);
	OFFSET("executor.function_table", zend_executor_globals, function_table);
	OFFSET("executor.class_table", zend_executor_globals, class_table);
	OFFSET("executor.zend_constants", zend_executor_globals, zend_constants);
	OFFSET("compiler.in_compilation", zend_compiler_globals, in_compilation);
	OFFSET("compiler.compiled_filename", zend_compiler_globals, compiled_filename);

	OFFSET("frame.opline", zend_execute_data, opline);
	OFFSET("frame.func", zend_execute_data, func);
	OFFSET("frame.call_info", zend_execute_data, This.u1.type_info);
	OFFSET("frame.prev_execute_data", zend_execute_data, prev_execute_data);
	VALUE("size.frame", sizeof(zend_execute_data));
	OFFSET("op.lineno", zend_op, lineno);
	OFFSET("op.opcode", zend_op, opcode);
	VALUE("size.op", sizeof(zend_op));

	OFFSET("function.type", zend_function, type);
	OFFSET("function.fn_flags", zend_function, common.fn_flags);
	OFFSET("function.function_name", zend_function, common.function_name);
	OFFSET("function.scope", zend_function, common.scope);
	OFFSET("function.module", zend_function, internal_function.module);
	OFFSET("function.last", zend_function, op_array.last);
	OFFSET("function.opcodes", zend_function, op_array.opcodes);
	OFFSET("function.filename", zend_function, op_array.filename);
	OFFSET("function.line_start", zend_function, op_array.line_start);
	VALUE("size.function", sizeof(zend_function));
	OFFSET("class.name", zend_class_entry, name);
	OFFSET("string.len", zend_string, len);
	OFFSET("string.val", zend_string, val);

	OFFSET("table.used", HashTable, nNumUsed);
	OFFSET("table.buckets", HashTable, arData);
	OFFSET("bucket.value", Bucket, val);
	OFFSET("bucket.key", Bucket, key);
	VALUE("size.bucket", sizeof(Bucket));

	OFFSET("module.api", zend_module_entry, zend_api);
	OFFSET("module.debug", zend_module_entry, zend_debug);
	OFFSET("module.zts", zend_module_entry, zts);
	OFFSET("module.name", zend_module_entry, name);
	OFFSET("module.version", zend_module_entry, version);
	VALUE("size.module", sizeof(zend_module_entry));

	OFFSET("sapi.request_method", sapi_globals_struct, request_info.request_method);
	OFFSET("sapi.request_uri", sapi_globals_struct, request_info.request_uri);
	OFFSET("sapi.path_translated", sapi_globals_struct, request_info.path_translated);
	OFFSET("core.server", php_core_globals, http_globals[TRACK_VARS_SERVER]);
	OFFSET("zval.type", zval, u1.v.type);
	VALUE("number.array", IS_ARRAY);
	VALUE("number.string", IS_STRING);
	OFFSET("sapi_module.name", sapi_module_struct, name);

	VALUE("flag.call_generator", ZEND_CALL_GENERATOR);
	VALUE("flag.acc_generator", ZEND_ACC_GENERATOR);
	VALUE("flag.acc_closure", ZEND_ACC_CLOSURE);
	VALUE("flag.acc_fake_closure", ZEND_ACC_FAKE_CLOSURE);
	VALUE("flag.acc_trampoline", ZEND_ACC_CALL_VIA_TRAMPOLINE);
	VALUE("number.include_or_eval", ZEND_INCLUDE_OR_EVAL);
	return 0;
}
