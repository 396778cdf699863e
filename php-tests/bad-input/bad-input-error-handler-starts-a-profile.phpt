--TEST--
An error handler that profiles while enable warns does no harm
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

set_error_handler(function () { xhprof_disable(); xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); a(); return true; });
xhprof_enable(0, ['ignored_functions' => [7]]);
a();
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt']);
ini_set('xhprof.clock', 'nonsense');
a();
check_shape(xhprof_disable());
echo "done\n";
?>
--EXPECT--
done
