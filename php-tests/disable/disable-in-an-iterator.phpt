--TEST--
Disable works in an iterator's method
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Endless implements Iterator
{
    private int $at = 0;
    public function current(): mixed { return $this->at; }
    public function key(): mixed { return $this->at; }
    public function next(): void { $this->at++; }
    public function rewind(): void {}
    public function valid(): bool
    {
        if ($this->at === 2) { print_calls(xhprof_disable()); }
        return $this->at < 4;
    }
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
foreach (new Endless as $x);
?>
--EXPECT--
main()==>Endless::rewind: 1
main()==>Endless::valid: 3
main()==>Endless::current: 2
main()==>Endless::next: 2
main(): 1
