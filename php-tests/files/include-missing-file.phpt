--TEST--
Including a file that is not there warns as ever and leaves the callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() { include __DIR__ . '/../fixtures/not-there.php'; helper(); }
function strict() { require_once __DIR__ . '/../fixtures/not-there.php'; }

error_reporting(0);
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
$profile = xhprof_disable();
check_shape($profile);
print_calls(matching($profile, '/^(?!work==>load)/'));
echo str_contains(error_get_last()['message'], 'not-there.php') ? "warned\n" : "silent\n";

register_shutdown_function(function () {
    helper();
    $profile = xhprof_disable();
    check_shape($profile);
    print_calls(matching($profile, '/^main/'));
});
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
strict();
?>
--EXPECTF--
work==>helper: 1
main()==>work: 1
main(): 1
warned
main()==>strict: 1
main()==>{closure%S}: 1
main(): 1
