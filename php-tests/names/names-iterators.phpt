--TEST--
An iterator's methods are called by the function that iterates
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Two implements Iterator
{
    private int $at = 0;
    public function current(): mixed { return $this->at; }
    public function key(): mixed { return $this->at; }
    public function next(): void { $this->at++; }
    public function rewind(): void { $this->at = 0; }
    public function valid(): bool { return $this->at < 2; }
}
class Pair implements IteratorAggregate
{
    public function getIterator(): Iterator { return new Two; }
}
function loop(iterable $things) { foreach ($things as $thing); }

xhprof_enable();
loop(new Two);
iterator_to_array(new Pair, false);
print_calls(xhprof_disable());
?>
--EXPECT--
loop==>Two::rewind: 1
loop==>Two::valid: 3
loop==>Two::current: 2
loop==>Two::next: 2
main()==>loop: 1
iterator_to_array==>Pair::getIterator: 1
iterator_to_array==>Two::rewind: 1
iterator_to_array==>Two::valid: 3
iterator_to_array==>Two::current: 2
iterator_to_array==>Two::next: 2
main()==>iterator_to_array: 1
main()==>xhprof_disable: 1
main(): 1
