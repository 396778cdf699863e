--TEST--
An exception handler is called by main()
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { throw new Exception('uncaught'); }
function leaf() {}
function handler(Throwable $error) { leaf(); }
function ending() { leaf(); print_calls(xhprof_disable()); }

set_exception_handler('handler');
register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
?>
--EXPECT--
a==>b: 1
main()==>a: 1
handler==>leaf: 1
main()==>handler: 1
ending==>leaf: 1
main()==>ending: 1
main(): 1
