--TEST--
A sampled stack names functions as a profile does
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=100
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

class A { public function run(int $n) { if ($n > 0) { $this->run($n - 1); } else { helper(); } } }
function helper() { for ($i = 0; $i < 20; $i++) { spin(1); } }

print_shares(function () {
    xhprof_sample_enable();
    (new A)->run(2);
    $samples = xhprof_sample_disable();
    foreach ($samples as $stack) {
        $names = explode('==>', $stack);
        foreach ($names as $i => $name) {
            if ($i > 0 && $name === $names[$i - 1]) { echo "calls itself: $stack\n"; }
        }
    }
    $deepest = preg_grep('/==>A::run==>A::run@1==>A::run@2==>helper==>spin(==>hrtime)?$/', $samples);
    return ['the deepest stack' => [count($deepest), count($samples), 70, 100]];
});
?>
--EXPECT--
the deepest stack: 70 to 100 %
