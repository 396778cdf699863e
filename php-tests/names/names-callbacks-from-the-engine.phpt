--TEST--
Autoloaders, stream wrappers, output callbacks, error and exception handlers are called by who needs them
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Wrapper {
    public $context;
    private $rest = 'text';
    public function stream_open($path, $mode, $options, &$opened) { leaf(); return true; }
    public function stream_read($count) { leaf(); $text = $this->rest; $this->rest = ''; return $text; }
    public function stream_eof() { return $this->rest === ''; }
    public function stream_stat() { return []; }
    public function stream_close() { leaf(); }
}
function leaf() {}
function autoloader($name) { leaf(); eval("class $name {}"); }
function error_handler($level, $message) { leaf(); return true; }
function output_callback($buffer) { leaf(); return ''; }

function needs_a_class() { new Missing; class_exists('Also'); }
function reads() { return file_get_contents('test://x'); }
function opens() { fclose(fopen('test://x', 'r')); }
function errs() { return $nothing; }
function warns() { trigger_error('x', E_USER_WARNING); }
function prints() { ob_start('output_callback'); echo 'x'; ob_end_clean(); }
function throws_late() { throw new Exception('late'); }

stream_wrapper_register('test', Wrapper::class);
spl_autoload_register('autoloader');
set_error_handler('error_handler');
xhprof_enable();
needs_a_class();
reads();
opens();
errs();
warns();
prints();
$rows = xhprof_disable();
ksort($rows);
print_calls(matching($rows, '/==>(autoloader|error_handler|output_callback|Wrapper::stream_(open|close))$/'));
echo $rows['autoloader==>leaf']['ct'] + $rows['error_handler==>leaf']['ct'] + $rows['output_callback==>leaf']['ct'], "\n";

function exception_handler($thrown) { leaf(); echo $thrown->getMessage(), "\n"; }
set_exception_handler('exception_handler');
register_shutdown_function(function () {
    print_calls(matching(xhprof_disable(), '/exception_handler|throws_late/'));
});
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
throws_late();
?>
--EXPECT--
class_exists==>autoloader: 1
errs==>error_handler: 1
fclose==>Wrapper::stream_close: 1
file_get_contents==>Wrapper::stream_close: 1
file_get_contents==>Wrapper::stream_open: 1
fopen==>Wrapper::stream_open: 1
needs_a_class==>autoloader: 1
ob_end_clean==>output_callback: 1
trigger_error==>error_handler: 1
5
late
main()==>throws_late: 1
exception_handler==>leaf: 1
main()==>exception_handler: 1
