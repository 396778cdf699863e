<?php

/**
 * Random programs of code whose run-time caches outlive it: closures of included files,
 * nested ones, in constants and attributes, first-class callables, generators, eval, and
 * property hooks. A worker runs jobs, of which most are profiled.
 *
 * Each piece of such code calls `tick()`, which counts its calls. So a program knows what
 * its profiles must have: as many calls of `tick()` by such code as were counted.
 */
final class Kept
{
    private readonly Random\Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Random\Randomizer(new Random\Engine\Mt19937($seed));
    }

    /** @return array<string, string> the program's files and their code */
    public function files(): array
    {
        $files = [];
        $count = $this->random->getInt(1, 4);
        for ($file = 0; $file < $count; $file++) {
            $closures = [];
            for ($i = $this->random->getInt(1, 6); $i > 0; $i--) {
                $closures[] = $this->closure(3);
            }
            $files["file$file.php"] = "<?php\nreturn [" . implode(",\n", $closures) . "];\n";
        }
        $files['declared.php'] = $this->declared();
        $jobs = [];
        for ($job = $this->random->getInt(4, 12); $job > 0; $job--) {
            $jobs[] = [$this->random->getInt(0, 3) > 0, array_map(
                fn () => $this->random->getInt(0, $count - 1),
                range(0, $this->random->getInt(0, 3)),
            ), $this->random->getInt(0, 2)];
        }
        // Preloaded files declare no constants.
        $constant = PHP_VERSION_ID >= 80500 ? 'const IN_CONSTANT = static function () { tick(); };' : '';
        $files['program.php'] = str_replace(['JOBS', 'CONSTANT'], [var_export($jobs, true), $constant], self::PROGRAM);
        return $files;
    }

    /** A closure, or something that is called like one. */
    private function closure(int $depth): string
    {
        $inner = fn () => $this->closure($depth - 1);
        $kinds = $depth === 0 ? 3 : 11;
        return match ($this->random->getInt(1, $kinds)) {
            1 => 'function () { tick(); }',
            2 => 'fn () => tick()',
            3 => 'static fn () => tick()',
            4 => "function () { tick(); ({$inner()})(); }",
            5 => "function () { array_map(fn (\$call) => [tick(), \$call()], [{$inner()}, {$inner()}]); }",
            6 => "(function () { \$one = {$inner()}; return function () use (\$one) { tick(); \$one(); }; })()",
            7 => "function () { foreach ((function () { tick(); yield {$inner()}; tick(); yield fn () => tick(); })() as \$call) \$call(); }",
            8 => "function () { eval('\$call = function () { tick(); }; \$call();'); ({$inner()})(); }",
            9 => 'named(...)',
            10 => '(new Named())->method(...)',
            11 => "(new class({$inner()}) { function __construct(private \$call) {} function __invoke() { (fn () => tick())(); (\$this->call)(); } })",
        };
    }

    private function declared(): string
    {
        $code = "<?php\nfunction named() { (fn () => tick())(); }\n"
            . "class Named { function method() { (static fn () => tick())(); } }\n";
        if (PHP_VERSION_ID >= 80400) {
            $reads = str_repeat('$hooked->first; $hooked->second; $hooked->first = 1; ', $this->random->getInt(1, 3));
            $code .= 'class Hooked { public $first { get { tick(); return 1; } set { tick(); } }'
                . ' public $second { get => $this->third; } public $third { get => [tick(), 1][1]; } }' . "\n"
                . "function hooks(): void { \$hooked = new Hooked(); for (\$i = 0; \$i < 3; \$i++) { $reads } }\n";
        } else {
            $code .= "function hooks(): void {}\n";
        }
        if (PHP_VERSION_ID >= 80500) {
            $code .= '#[Attribute] class Tag { function __construct(public Closure $call) {} }
#[Tag(static function () { tick(); })] enum Kind { case One; const CALL = static function () { tick(); }; }
function with_default(Closure $call = static function () { tick(); }) { $call(); }
function constants(): void
{
    (IN_CONSTANT)(); (Kind::CALL)(); with_default();
    ((new ReflectionClass(Kind::class))->getAttributes()[0]->newInstance()->call)();
}
';
        } else {
            $code .= "function constants(): void {}\n";
        }
        return $code;
    }

    private const PROGRAM = <<<'PHP'
        <?php
        function tick(): void
        {
            $GLOBALS['ticks']++;
        }
        function job(array $files, int $more): void
        {
            foreach ($files as $file) {
                foreach (require __DIR__ . "/file$file.php" as $call) {
                    $call();
                }
            }
            if ($more > 0) hooks();
            if ($more > 1) constants();
        }
        require __DIR__ . '/declared.php';
        CONSTANT
        $ticks = 0;
        for ($round = 0; $round < 3; $round++) {
            foreach (JOBS as [$is_profiled, $files, $more]) {
                $before = $ticks;
                $is_profiled && xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
                job($files, $more);
                $profile = $is_profiled ? xhprof_disable() : [];
                $found = 0;
                $calls = [];
                foreach ($profile as $name => $cost) {
                    $calls[$name] = $cost['ct'];
                    if (preg_match('/(\{closure.*|::\$.*)==>tick$/', $name)) {
                        $found += $cost['ct'];
                    }
                }
                ksort($calls);
                // Names of closures of eval have numbers that go on.
                echo md5(serialize($calls)), ' ', $is_profiled ? $found - ($ticks - $before) : 0, "\n";
            }
        }
        PHP;
}
