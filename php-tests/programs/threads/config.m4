PHP_ARG_ENABLE([threads], [whether to build threads], [AS_HELP_STRING([--enable-threads], [Build threads])], [yes])
PHP_NEW_EXTENSION(threads, threads.c, $ext_shared,, -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1)
