/*
 * The floor of the benchmark: the least cost of any profiler in PHP's execute
 * hooks. Its hooks read the cycle counter at entry and exit and store nothing.
 *
 * Like our extension, it is armed before any code is compiled, so that compiled
 * calls look at the hooks (ZEND_COMPILE_IGNORE_USER_FUNCTIONS). Its hooks are put
 * in only when it is enabled. `./x bench` builds it; it is never installed.
 */
#include "php.h"
#include "zend_compile.h"
#include "zend_execute.h"
#include <stdint.h>
#if defined(__x86_64__)
# include <x86intrin.h>
# define TICKS() __rdtsc()
#else
# include <time.h>
static inline uint64_t TICKS(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}
#endif

static void (*user_before)(zend_execute_data *) = execute_ex;
static void (*internal_before)(zend_execute_data *, zval *);
static int is_on;
/* Written and never read, so that the compiler keeps the readings. */
static volatile uint64_t ticks;

static void floor_user(zend_execute_data *frame)
{
	uint64_t start = TICKS();
	user_before(frame);
	ticks = TICKS() - start;
}

static void floor_internal(zend_execute_data *frame, zval *result)
{
	if (!is_on) {
		frame->func->internal_function.handler(frame, result);
		return;
	}
	uint64_t start = TICKS();
	frame->func->internal_function.handler(frame, result);
	ticks = TICKS() - start;
}

ZEND_BEGIN_ARG_INFO_EX(no_arguments, 0, 0, 0)
ZEND_END_ARG_INFO()

static PHP_FUNCTION(floor_enable)
{
	ZEND_PARSE_PARAMETERS_NONE();
	is_on = 1;
	zend_execute_ex = floor_user;
}

static PHP_FUNCTION(floor_disable)
{
	ZEND_PARSE_PARAMETERS_NONE();
	is_on = 0;
	zend_execute_ex = user_before;
}

static const zend_function_entry functions[] = {
	PHP_FE(floor_enable, no_arguments)
	PHP_FE(floor_disable, no_arguments)
	PHP_FE_END
};

static PHP_MINIT_FUNCTION(floor)
{
	internal_before = zend_execute_internal;
	zend_execute_internal = floor_internal;
	CG(compiler_options) |= ZEND_COMPILE_IGNORE_USER_FUNCTIONS;
	return SUCCESS;
}

zend_module_entry floor_module_entry = {
	STANDARD_MODULE_HEADER,
	"floor", functions, PHP_MINIT(floor), NULL, NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(floor)
