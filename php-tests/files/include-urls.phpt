--TEST--
Names of files have no users, passwords, parameters and code of URLs
--EXTENSIONS--
xhprof
--INI--
xhprof.run_init=1
xhprof.closure_names=1
allow_url_include=1
error_reporting=8191
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

final class Template
{
    /** @var resource|null */
    public $context;
    private string $rest = '<?php (function () { eval("time();"); })();';

    public function stream_open(): bool
    {
        return true;
    }

    public function stream_read(int $length): string
    {
        [$read, $this->rest] = [substr($this->rest, 0, $length), substr($this->rest, $length)];
        return $read;
    }

    public function stream_eof(): bool
    {
        return $this->rest === '';
    }

    public function stream_stat(): array
    {
        return [];
    }

    public function stream_set_option(): bool
    {
        return false;
    }
}

stream_wrapper_register('tpl', Template::class);
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
include 'tpl://me:secret@shop/page.php?token=secret#secret';
include 'data:text/plain,<?php $secret = "a/b";';
$profile = xhprof_disable();

$named = array_filter(array_keys($profile), fn (string $edge) => preg_match('/==>(load|run_init|eval|\{closure)/', $edge));
sort($named);
echo implode("\n", $named), "\n";

$file = sys_get_temp_dir() . '/xhprof-test-' . getmypid() . '.xhp';
xhprof_enable(0, ['mode' => 'tree', 'lines' => true]);
include 'tpl://you:secret@shop/other.php?token=secret';
$content = file_get_contents(xhprof_write($file));
unlink($file);
var_dump(str_contains($content, 'tpl://shop/other.php'), str_contains($content, 'secret'));
?>
--EXPECT--
main()==>load::data:text/plain
main()==>load::shop/page.php
main()==>run_init::data:text/plain
main()==>run_init::shop/page.php
run_init::shop/page.php==>{closure:shop/page.php:1}
{closure:shop/page.php:1}==>eval::tpl://shop/page.php(1) : eval()'d code
{closure:shop/page.php:1}==>run_init::shop/page.php(1) : eval()'d code
bool(true)
bool(false)
