<?php
// One call instruction, five methods: before, in and after a profile.

class A { public function add(int $n): int { return $n + 1; } }
class B { public function add(int $n): int { return $n + 1; } }
class C { public function add(int $n): int { return $n + 1; } }
class D { public function add(int $n): int { return $n + 1; } }
class E { public function add(int $n): int { return $n + 1; } }

function sum(array $objects, int $rounds): int
{
    $sum = 0;
    for ($i = 0; $i < $rounds; $i++) {
        $sum = $objects[$i % 5]->add($sum);
    }
    return $sum;
}

$objects = [new A, new B, new C, new D, new E];
echo sum($objects, 15000), ' ', sum($objects, 15000), "\n";
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
echo sum($objects, 15000);
$profile = xhprof_disable();
foreach (['A', 'B', 'C', 'D', 'E'] as $class) {
    echo ' ', $profile["sum==>$class::add"]['ct'] ?? 0;
}
echo "\n", sum($objects, 15000), ' ', sum($objects, 15000), "\n";
