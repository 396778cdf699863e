--TEST--
Destructors that the garbage collector calls, and those at the end of the request, are recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

class Ring { public $self; public function __construct() { $this->self = $this; } public function __destruct() { leaf(); } }
function leaf() {}
function makes_rings() { new Ring; new Ring; }
function collects() { return gc_collect_cycles(); }

xhprof_enable();
makes_rings();
collects();
print_calls(matching(xhprof_disable(), '/Ring|leaf/'));

$folder = make_directory();
run_code('<?php class A { function __destruct() { leaf(); } } function leaf() {} $kept = new A; $also = new A;',
    'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', 'xhprof.flags=no_builtins', "xhprof.output_dir=$folder");
print_calls(matching(unserialize(file_get_contents(glob("$folder/*.xhprof")[0])), '/A::|leaf/'));
remove_directory($folder);
?>
--EXPECT--
makes_rings==>Ring::__construct: 2
Ring::__destruct==>leaf: 2
gc_collect_cycles==>Ring::__destruct: 2
A::__destruct==>leaf: 2
main()==>A::__destruct: 2
