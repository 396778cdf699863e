/* threads_run($code, $threads, $requests): starts that many threads, each with that
 * many requests that run the code, like a server with threads. Returns the number of
 * requests in which the code did not return `true`. */

#include "php.h"
#include "php_main.h"
#include "zend_exceptions.h"
#include "SAPI.h"
#include "TSRM.h"
#include <pthread.h>
#include <stdatomic.h>

ZEND_TSRMLS_CACHE_DEFINE()

#define MOST 64

static const char *code;
static zend_long requests;
static atomic_long failed;

static void run_request(void)
{
	/* volatile: it is set between a setjmp and a longjmp. */
	volatile bool is_true = false;

	PG(auto_globals_jit) = 1;
	if (php_request_startup() == FAILURE) {
		atomic_fetch_add(&failed, 1);
		return;
	}
	PG(during_request_startup) = 0;
	SG(sapi_started) = 0;
	SG(headers_sent) = 1;
	SG(request_info).no_headers = 1;
	zend_first_try {
		zval result;
		ZVAL_UNDEF(&result);
		if (zend_eval_string(code, &result, "thread") == SUCCESS && !EG(exception)) {
			is_true = Z_TYPE(result) == IS_TRUE;
		}
		zend_clear_exception();
		zval_ptr_dtor(&result);
	} zend_end_try();
	if (!is_true) {
		atomic_fetch_add(&failed, 1);
	}
	php_request_shutdown(NULL);
}

static void *run_thread(void *unused)
{
	ts_resource(0);
	ZEND_TSRMLS_CACHE_UPDATE();
	for (zend_long i = 0; i < requests; i++) {
		run_request();
	}
	ts_free_thread();
	return NULL;
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_threads_run, 0, 0, 3)
	ZEND_ARG_TYPE_INFO(0, code, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, threads, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, requests, IS_LONG, 0)
ZEND_END_ARG_INFO()

PHP_FUNCTION(threads_run)
{
	char *text;
	size_t length;
	zend_long count;
	pthread_t threads[MOST];

	if (zend_parse_parameters(ZEND_NUM_ARGS(), "sll", &text, &length, &count, &requests) == FAILURE) {
		return;
	}
	if (count < 1 || count > MOST) {
		zend_argument_value_error(2, "must be 1 to %d", MOST);
		return;
	}
	code = text;
	atomic_store(&failed, 0);
	for (zend_long i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0) {
			count = i;
			atomic_fetch_add(&failed, 1);
		}
	}
	for (zend_long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	RETURN_LONG(atomic_load(&failed));
}

static const zend_function_entry functions[] = {
	PHP_FE(threads_run, arginfo_threads_run)
	PHP_FE_END
};

PHP_MINIT_FUNCTION(threads)
{
	ZEND_TSRMLS_CACHE_UPDATE();
	return SUCCESS;
}

zend_module_entry threads_module_entry = {
	STANDARD_MODULE_HEADER, "threads", functions, PHP_MINIT(threads), NULL, NULL, NULL, NULL,
	"1", STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(threads)
