--TEST--
An anonymous class's name ends before the NUL byte and the path behind it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Base { public function inherited() {} }
interface Job { public function run(); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$plain = new class { public function run() { return 1; } };
$plain->run();
$child = new class extends Base { public function run() { $this->inherited(); } };
$child->run();
$job = new class implements Job { public function run() { return (fn () => 1)(); } };
$job->run();
$profile = xhprof_disable();
print_calls($profile);
foreach ($profile as $edge => $cost) {
    if (str_contains($edge, "\0") || str_contains($edge, __DIR__)) {
        echo "there is a path in ", json_encode($edge), "\n";
    }
}
?>
--EXPECTF--
main()==>class@anonymous::run: 1
Base@anonymous::run==>Base::inherited: 1
main()==>Base@anonymous::run: 1
Job@anonymous::run==>Job@anonymous::{closure%S}: 1
main()==>Job@anonymous::run: 1
main(): 1
