--TEST--
Disable works in an autoloader, which is called by the function that needs the class
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function load(string $class)
{
    leaf();
    eval("class $class { public static function run() { leaf(); } }");
    if ($class === 'Second') {
        print_calls(xhprof_disable());
    }
}
function leaf() {}
function work() { First::run(); Second::run(); }

spl_autoload_register('load');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
?>
--EXPECTF--
load==>leaf: 2
load==>eval::%s(%d) : eval()'d code: 2
work==>load: 2
First::run==>leaf: 1
work==>First::run: 1
main()==>work: 1
main(): 1
