--TEST--
A generator that is passed around is called by the function that resumes it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Source { public static function numbers(int $n) { while ($n-- > 0) { yield helper(); } } }
function helper() { return 1; }
function one(Generator $g) { return $g->current(); }
function two(Generator $g) { $g->next(); return one($g); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$g = Source::numbers(5);
one($g);
two($g);
$g->next();
print_calls(xhprof_disable());
?>
--EXPECT--
Source::numbers==>helper: 3
one==>Source::numbers: 1
main()==>one: 1
two==>Source::numbers: 1
two==>one: 1
main()==>two: 1
main()==>Source::numbers: 1
main(): 1
