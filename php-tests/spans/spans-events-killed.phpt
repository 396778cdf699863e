--TEST--
With xhprof.mode=events a process that is killed leaves the spans of the blocks that were full
--EXTENSIONS--
xhprof
posix
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
function leaf() {}
function work($db) { $db->query("SELECT 1 AS x"); for ($i = 0; $i < 10_000; $i++) leaf(); $db->query("SELECT 1 AS y"); }
work(new PDO("sqlite::memory:"));
posix_kill(getmypid(), 9);
', 'xhprof.mode=events');
print_spans($file);
?>
--EXPECTREGEX--
(Killed\s*)?work PDO::query: sql SELECT \? AS x
