--TEST--
The functions work through every way of calling a function
--EXTENSIONS--
xhprof
--FILE--
<?php
namespace App;

require __DIR__ . '/../include/calls.php';

function leaf() {}

$enable = 'xhprof_enable';
$disable = xhprof_disable(...);
$enable(flags: XHPROF_FLAGS_NO_BUILTINS, options: ['ignored_functions' => 'nothing']);
leaf();
print_calls($disable());

\call_user_func('xhprof_enable', 1);
leaf();
print_calls(\call_user_func_array('xhprof_disable', []));

\array_map('xhprof_enable', [1]);
leaf();
print_calls((new \ReflectionFunction('xhprof_disable'))->invoke());

xhprof_enable(options: []);
leaf();
// By its name alone PHP makes an instruction of call_user_func(), not a call.
$call = 'call_user_func';
print_calls($call('xhprof_disable'));
?>
--EXPECT--
main()==>App\leaf: 1
main(): 1
main()==>App\leaf: 1
main(): 1
main()==>App\leaf: 1
main(): 1
main()==>App\leaf: 1
call_user_func==>xhprof_disable: 1
main()==>call_user_func: 1
main(): 1
