--TEST--
A parse error in eval() throws as ever and leaves the callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work()
{
    try { eval('helper('); } catch (ParseError $error) { helper(); }
    eval('helper();');
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
helper();
print_calls(xhprof_disable());
?>
--EXPECTF--
work==>eval::%seval-parse-error.php(7) : eval()'d code: 1
work==>helper: 2
work==>eval::%seval-parse-error.php(8) : eval()'d code: 1
main()==>work: 1
main()==>helper: 1
main(): 1
