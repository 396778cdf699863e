--TEST--
Commands of Memcached are spans with their name alone, and what asks no server is none
--EXTENSIONS--
xhprof
memcached
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
function work(Memcached $memcached) {
    // No server listens on port 1 of this machine.
    $memcached->addServer("127.0.0.1", 1);
    $memcached->set("secret", "secret");
    $memcached->getMulti(["secret"]);
    $memcached->getResultCode();
}
work(new Memcached);
');
print_spans($file);
?>
--EXPECT--
work Memcached::set: memcached SET
work Memcached::getMulti: memcached GETMULTI
