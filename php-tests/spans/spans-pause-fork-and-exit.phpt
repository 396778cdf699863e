--TEST--
Spans end with exceptions and fatal errors, are not recorded in a pause, and are no child's of its parent's
--EXTENSIONS--
xhprof
pcntl
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

$begin = '<?php error_reporting(E_ALL & ~E_DEPRECATED); $db = new PDO("sqlite::memory:"); function usleep_in_sql($us) { usleep($us); }
    $db->sqliteCreateFunction("wait", "usleep_in_sql"); ';
$ends = '$db->sqliteCreateFunction("end", "ends");';
foreach (['tree', 'events'] as $mode) {
    echo "$mode:\n";
    [$file] = spans_of($begin . $ends . '
        $db->query("SELECT 1 AS before");
        xhprof_pause(); $db->query("SELECT 1 AS paused"); xhprof_resume();
        function ends() { throw new LogicException; }
        try { $db->query("SELECT end(), 1 AS thrown"); } catch (LogicException) {}
        function in_fiber($db) { $db->query("SELECT 1 AS in_fiber"); }
        $fiber = new Fiber(in_fiber(...)); $fiber->start($db);
        $db->query("SELECT 1 AS after");
    ', "xhprof.mode=$mode");
    print_spans($file);
    [$file] = spans_of($begin . $ends . '
        function ends() { ini_set("memory_limit", "4M"); str_repeat("x", 1 << 30); }
        register_shutdown_function(function () { usleep(300_000); });
        $db->query("SELECT wait(100), end(), 1 AS fatal");
    ', "xhprof.mode=$mode", 'display_errors=0', 'log_errors=0');
    print_spans($file);
    // It ended with the error, and not with the profile.
    echo $file['spans'][0]['duration'] < 250_000_000 ? '' : "{$file['spans'][0]['duration']} ns\n";
    $files = spans_of($begin . '
        $db->query("SELECT 1 AS parent");
        $child = pcntl_fork();
        if (!$child) { (new PDO("sqlite::memory:"))->query("SELECT 1 AS child"); exit; }
        pcntl_waitpid($child, $status);
    ', "xhprof.mode=$mode");
    $lines = array_map(fn ($file) => implode(', ', array_column($file['spans'], 'text')), $files);
    sort($lines);
    echo implode("\n", $lines), "\n";
}
?>
--EXPECT--
tree:
main() PDO::query: sql SELECT ? AS before
main() PDO::query: sql SELECT end(), ? AS thrown
in_fiber PDO::query: sql SELECT ? AS in_fiber
main() PDO::query: sql SELECT ? AS after
main() PDO::query: sql SELECT wait(?), end(), ? AS fatal
SELECT ? AS child
SELECT ? AS parent
events:
main() PDO::query: sql SELECT ? AS before
main() PDO::query: sql SELECT end(), ? AS thrown
in_fiber PDO::query: sql SELECT ? AS in_fiber
main() PDO::query: sql SELECT ? AS after
main() PDO::query: sql SELECT wait(?), end(), ? AS fatal
SELECT ? AS child
SELECT ? AS parent
