<?php
// Property hooks before and in profiles: prints what was tested, and each call that is missing.

class Point
{
    public int $x = 1 {
        get { return $this->x + 1; }
        set { $this->x = $value; }
    }
    public int $virtual { get => $this->helper(); }
    public static int $calls = 0;

    private function helper(): int
    {
        return ++self::$calls;
    }
}

function reads(Point $point): int
{
    $sum = 0;
    for ($i = 0; $i < 3; $i++) {
        $sum += $point->x + $point->virtual;
        $point->x = 5;
        $point->x += 1;
        $sum += isset($point->virtual) ? $point->virtual : 0;
    }
    return $sum;
}

/** The calls of hooks in a profile. */
function hooks(?array $profile): array
{
    $hooks = [];
    foreach ($profile ?? [] as $name => $cost) {
        $callee = strstr($name, '==>');
        if (str_contains($callee, '::$')) {
            $hooks[substr($callee, 3)] = ($hooks[substr($callee, 3)] ?? 0) + $cost['ct'];
        }
    }
    ksort($hooks);
    return $hooks;
}

function expect(string $what, array $expected, array $actual): void
{
    ksort($expected);
    if ($expected != $actual) {
        echo "$what: expected ", json_encode($expected), ', but ', json_encode($actual), "\n";
        exit;
    }
}

$point = new Point();
// Before any profile: PHP enters the hooks itself from the second time on.
for ($i = 0; $i < 200; $i++) {
    reads($point);
}

$all = ['Point::$x::get' => 6, 'Point::$x::set' => 6, 'Point::$virtual::get' => 9];
for ($i = 0; $i < 1000; $i++) {
    xhprof_enable();
    reads($point);
    expect("job $i", $all, hooks(xhprof_disable()));
    // Between the jobs, too.
    $i % 5 || reads($point);
}
echo "$i jobs\n";

for ($i = 0; $i < 3; $i++) {
    if ($i === 1) {
        xhprof_enable();
    }
    $point->virtual;
    $point->x;
}
expect('in main()', ['Point::$x::get' => 2, 'Point::$virtual::get' => 2], hooks(xhprof_disable()));
echo "a hook's second call in main()\n";

function once(Point $point): void
{
    $point->x;
}
xhprof_enable();
once($point);
xhprof_pause();
once($point);
once($point);
xhprof_resume();
once($point);
once($point);
expect('paused', ['Point::$x::get' => 3], hooks(xhprof_disable()));
echo "a hook that was paused\n";

function generates(Point $point): Generator
{
    for (;;) {
        yield $point->x;
    }
}
$generator = generates($point);
$closure = fn (Point $point) => $point->virtual;
for ($i = 0; $i < 5; $i++) {
    $generator->next();
    $closure($point);
}
xhprof_enable();
for ($i = 0; $i < 3; $i++) {
    $generator->next();
    $closure($point);
}
expect('a generator', ['Point::$x::get' => 3, 'Point::$virtual::get' => 3], hooks(xhprof_disable()));
echo "a hook in a generator and in a closure\n";
