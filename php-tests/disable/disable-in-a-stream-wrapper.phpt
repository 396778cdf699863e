--TEST--
Disable works in a stream wrapper while it reads an include
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Memory
{
    public $context;
    private string $text = '<?php leaf();';
    public function stream_open($path, $mode, $options, &$opened) { leaf(); return true; }
    public function stream_read($count)
    {
        global $profile;
        $profile ??= xhprof_disable();
        $text = $this->text;
        $this->text = '';
        return $text;
    }
    public function stream_eof() { return $this->text === ''; }
    public function stream_stat() { return []; }
    public function stream_set_option($option, $a, $b) { return false; }
    public function stream_close() {}
}
function leaf() {}
function work() { include 'memory://dir/code.php'; }

stream_wrapper_register('memory', 'Memory');
$profile = null;
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
check_shape($profile);
print_calls(matching($profile, '/leaf|work$|stream_(open|read)/'));

// And the program goes on as if nothing had been.
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(matching(xhprof_disable(), '/leaf|work$|stream_(open|read)|==>load/'));
?>
--EXPECTREGEX--
^Memory::stream_open==>leaf: 1
(load::dir\/code\.php|work)==>Memory::stream_open: 1
load::dir\/code\.php==>Memory::stream_read: 1
main\(\)==>work: 1
Memory::stream_open==>leaf: 1
(load::dir\/code\.php|work)==>Memory::stream_open: 1
load::dir\/code\.php==>Memory::stream_read: \d
work==>load::dir\/code\.php: 1
work==>leaf: 1
main\(\)==>work: 1$
