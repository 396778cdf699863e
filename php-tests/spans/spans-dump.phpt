--TEST--
xhprof_dump() has statements where the running profile has them: beside the calls or in names
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

$code = '<?php
$db = new PDO("sqlite::memory:");
$db->query("SELECT 17");
xhprof_dump(getenv("XHPROF_TEST_DUMP") . "/native");
xhprof_dump(getenv("XHPROF_TEST_DUMP") . "/json", "json");
';
foreach (['native', 'json'] as $format) {
    [$directory, $dumps] = [make_directory(), make_directory()];
    putenv("XHPROF_TEST_DUMP=$dumps");
    $ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.collect_additional_info=1', "xhprof.output_dir=$directory", "xhprof.output_format=$format");
    echo $ended->output, $ended->errors, "a profile in $format:\n";
    foreach (array_keys(json_decode(file_get_contents("$dumps/json"), true)) as $name) {
        if (str_contains($name, 'query')) echo "  json: $name\n";
    }
    $file = read_native("$dumps/native");
    foreach (preg_grep('/query/', $file['names']) as $name) echo "  native: $name\n";
    foreach ($file['spans'] as $span) echo "  native: $span[function] waited for $span[text]\n";
    remove_directory($directory);
    remove_directory($dumps);
}
?>
--EXPECT--
a profile in native:
  json: main()==>PDO::query
  native: PDO::query
  native: PDO::query waited for SELECT ?
a profile in json:
  json: main()==>PDO::query#SELECT ?
  native: PDO::query
  native: PDO::query#SELECT ?
