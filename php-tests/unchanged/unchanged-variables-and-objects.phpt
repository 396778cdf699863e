--TEST--
A profile keeps no value alive and adds no variable
--EXTENSIONS--
xhprof
--FILE--
<?php
class Loud { public function __construct(public string $name) {} public function __destruct() { echo "$this->name gone\n"; } }
function makes(string $name) { return new Loud($name); }
function takes(Loud $loud) { return 1; }
function local() { $local = new Loud('local'); return 1; }

xhprof_enable(XHPROF_FLAGS_MEMORY);
$before = array_keys(get_defined_vars());
takes(makes('temporary'));
makes('unused');
local();
$kept = makes('kept');
array_map('takes', [makes('element')]);
$weak = WeakReference::create($kept);
$kept = null;
var_dump($weak->get());
$profile = xhprof_disable();
echo implode(' ', array_diff(array_keys(get_defined_vars()), $before)), "\n";
?>
--EXPECT--
temporary gone
unused gone
local gone
element gone
kept gone
NULL
before kept weak profile
