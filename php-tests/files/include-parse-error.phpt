--TEST--
A file with a parse error throws as ever and leaves the callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work()
{
    try {
        include __DIR__ . '/../fixtures/parse-error.inc';
    } catch (ParseError $error) {
        helper();
        return get_class($error);
    }
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$result = work();
helper();
print_calls(xhprof_disable());
echo "$result\n";
?>
--EXPECT--
work==>load::fixtures/parse-error.inc: 1
work==>helper: 1
main()==>work: 1
main()==>helper: 1
main(): 1
ParseError
