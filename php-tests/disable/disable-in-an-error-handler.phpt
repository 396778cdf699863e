--TEST--
Disable works in an error handler, which is called by the function with the error
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function handler() { global $profile; leaf(); $profile = xhprof_disable(); return true; }
function leaf() {}
function work() { leaf(); $undefined[] = $nothing; leaf(); }

set_error_handler('handler');
xhprof_enable();
work();
print_calls($profile);
?>
--EXPECT--
work==>leaf: 1
handler==>leaf: 1
handler==>xhprof_disable: 1
work==>handler: 1
main()==>work: 1
main(): 1
