<?php

/**
 * A random PHP program, the same for the same seed.
 *
 * It is written in three variants: *plain* runs under the profiler, *traced* and
 * *bare* run without it. The traced program reports its calls and returns to
 * `Tracer`, which so knows the correct profile. The bare program calls empty
 * functions in place of the profiler's. The variant must never change a random
 * choice.
 */
final class Program
{
    private const FUNCTIONS = 5;
    private const GENERATORS = 3;
    private const CLASSES = 3;
    private const GUARDS = 3;
    private const FILES = 2;

    private readonly \Random\Randomizer $random;
    /** Inside a generator, which may yield. */
    private bool $may_yield = false;
    private int $nesting = 0;
    /** The weight of each kind of statement in this program. */
    private array $weights;
    private readonly bool $has_exits;

    private readonly bool $is_traced;

    public function __construct(int $seed, private readonly string $way)
    {
        $this->is_traced = $way === 'traced';
        $this->random = new \Random\Randomizer(new \Random\Engine\Mt19937($seed));
    }

    /** The program's files, by name; `program.php` is the one to run. */
    public function files(): array
    {
        $this->weights = $this->weights();
        $this->has_exits = $this->chance(25);
        $files = [];
        for ($n = 0; $n < self::FILES; $n++) {
            $files["i$n.php"] = "<?php\nif (--G::\$fuel < 0) { return 0; }\n" . $this->body(3) . "\nreturn 1;\n";
        }
        $files['program.php'] = $this->main();
        return $files;
    }

    private function weights(): array
    {
        $weights = [
            'call' => 20, 'method' => 8, 'static' => 4, 'magic' => 8, 'closure' => 8, 'first_class' => 6, 'callback' => 10,
            'each' => 8, 'generator' => 8, 'throw_into' => 2, 'fiber' => 8, 'resume' => 6, 'suspend' => 6, 'try' => 10,
            'throw' => 4, 'return' => 2, 'guard' => 10, 'let_go' => 6, 'collect' => 2, 'include' => 4, 'eval' => 3,
            'enable' => 3, 'disable' => 2, 'error' => 4, 'iterator' => 4, 'autoload' => 2, 'output' => 2,
        ];
        // Each program lacks some kinds, so that the others meet more often.
        foreach ($weights as $kind => $weight) {
            $weights[$kind] = $this->chance(35) ? 0 : $weight;
        }
        $weights['call'] = max(5, $weights['call']);
        return $weights;
    }

    private function main(): string
    {
        $code = "<?php\n";
        for ($n = 0; $n < self::FUNCTIONS; $n++) {
            $code .= $this->declare("function f$n(\$a = null, \$b = null)", "f$n");
        }
        for ($n = 0; $n < self::GENERATORS; $n++) {
            $code .= $this->declare("function g$n(\$a = null)", "g$n", is_generator: true);
        }
        for ($n = 0; $n < self::CLASSES; $n++) {
            $code .= $this->a_class($n);
        }
        for ($n = 0; $n < self::GUARDS; $n++) {
            $code .= "class D$n { public \$p; public function __construct(\$p = null) { \$this->p = \$p; }\n"
                . $this->declare('public function __destruct()', "D$n::__destruct", end: '', guard: true) . "}\n";
        }
        $code .= $this->helpers();
        $finish = $this->is_traced ? "['Tracer', 'finish']" : "'finish'";
        $start = $this->enable();
        return $code . $this->shutdown_functions()
            . "register_shutdown_function($finish);\n"
            . ($this->chance(50) ? $this->body(3, careful: true) . "\n" : '')
            . "$start\n"
            . 'try { ' . $this->body(6) . " } catch (\\Throwable \$e) { echo get_class(\$e), ' '; }\n"
            . 'unset($e, $v, $w, $d); try { ' . $this->body(3) . " } catch (\\Throwable \$e) { echo get_class(\$e), ' '; }\n"
            . "echo 'end ';\n";
    }

    private function helpers(): string
    {
        return "class E extends Exception {}\n"
            . "final class G { public static \$g = [], \$f = [], \$o = [], \$p = []; public static \$fuel = 120; }\n"
            . $this->declare('function handler($level, $message)', 'handler', end: 'return true;')
            . $this->declare('function leaf($a = null, $b = null)', 'leaf', body: '', end: "return '';")
            . $this->declare(
                'function load($name)',
                'load',
                body: 'if (str_starts_with($name, "A")) { eval("class $name {}"); } ' . $this->body(1),
            )
            . "class I implements Iterator { private \$n = 0;\n"
            . $this->declare('public function current(): mixed', 'I::current', end: 'return $this->n;', body: '')
            . $this->declare('public function key(): mixed', 'I::key', end: 'return $this->n;', body: '')
            . $this->declare('public function next(): void', 'I::next', end: '$this->n++;', body: '', guard: true)
            . $this->declare('public function rewind(): void', 'I::rewind', end: '', body: '', guard: true)
            . $this->declare('public function valid(): bool', 'I::valid', end: 'return $this->n < 2;', body: '')
            . "}\n"
            . "class B implements IteratorAggregate {\n"
            . $this->declare('public function getIterator(): Iterator', 'B::getIterator', body: '', end: 'return g0();')
            . "}\n"
            . "set_error_handler('handler'); spl_autoload_register('load');\n"
            . ($this->is_traced ? "require '" . __DIR__ . "/Tracer.php';\n"
                : "function finish() { G::\$p[] = {$this->disabling()}; file_put_contents(\$GLOBALS['argv'][1], serialize(G::\$p)); }\n");
    }

    private function shutdown_functions(): string
    {
        return $this->chance(30)
            ? "register_shutdown_function('f" . $this->number(self::FUNCTIONS) . "');\n" : '';
    }

    private function a_class(int $n): string
    {
        $parent = $n > 0 && $this->chance(40) ? ' extends C' . ($n - 1) : '';
        $code = "class C$n$parent {\n";
        foreach (['m0($a = null, $b = null)', 'm1($a = null, $b = null)', '__call($name, $arguments)', '__get($name)', '__invoke($a = null, $b = null)'] as $method) {
            if ($n === 0 || $method[0] === 'm' || $this->chance(60)) {
                $code .= $this->declare("public function $method", "C$n::$method");
            }
        }
        $code .= $this->declare('public function __toString(): string', "C$n::__toString", end: "return 'x';");
        $code .= $this->declare('public static function s0($a = null, $b = null)', "C$n::s0");
        $code .= $this->declare('public static function __callStatic($name, $arguments)', "C$n::__callStatic");
        if ($this->chance(30)) {
            $code .= $this->declare('public function __construct()', "C$n::__construct", guard: true, end: '');
        }
        if ($this->chance(20)) {
            $code .= $this->declare('public function __destruct()', "C$n::__destruct", guard: true, end: '');
        }
        return "$code}\n";
    }

    /** A function with a body; a guard's returns nothing. */
    private function declare(
        string $head,
        string $name,
        bool $is_generator = false,
        ?string $body = null,
        ?string $end = null,
        bool $guard = false,
    ): string {
        $outside = $this->may_yield;
        $this->may_yield = $is_generator;
        $body ??= $this->body($is_generator ? 4 : 3);
        if ($is_generator) {
            $body = $this->a_yield() . " $body";
        }
        $this->may_yield = $outside;
        $end ??= $this->chance(20) ? 'return new D0;' : 'return 1;';
        $empty = $guard ? 'return;' : (str_contains($head, ': ') ? $end : 'return 0;');
        // Iterators must always end.
        $fuel = $name[0] === 'I' ? '' : "if (--G::\$fuel < 0) { $empty }";
        return "$head { " . $this->framed("$fuel echo '$name '; $body $end") . " }\n";
    }

    /** A function's code, with calls of the tracer. */
    private function framed(string $code): string
    {
        return $this->is_traced ? "\$__f = Tracer::enter(); try { $code } finally { Tracer::leave(\$__f); }" : $code;
    }

    /** A call of an internal function, with calls of the tracer. */
    private function internal(string $name, string $code, string $before = ''): string
    {
        if (!$this->is_traced) {
            return $code;
        }
        return "\$__i = Tracer::enter_internal('$name'); try { $before $code } finally { Tracer::leave(\$__i); }";
    }

    private function body(int $most, bool $careful = false): string
    {
        $this->nesting++;
        $statements = [];
        for ($n = $this->random->getInt(0, $this->nesting > 3 ? 1 : $most); $n > 0; $n--) {
            $statements[] = $this->statement($careful);
        }
        $this->nesting--;
        return implode(' ', $statements);
    }

    private function statement(bool $careful): string
    {
        if ($this->may_yield && $this->chance(25)) {
            return $this->a_yield();
        }
        if ($this->has_exits && $this->chance(2)) {
            return ($this->is_traced ? 'Tracer::exits(); ' : '') . 'exit(3);';
        }
        $kind = $this->kind();
        // Code before the program's own try must not throw.
        return $careful ? 'try { ' . $this->$kind() . ' } catch (\Throwable) {}' : $this->$kind();
    }

    private function kind(): string
    {
        $at = $this->random->getInt(1, array_sum($this->weights));
        foreach ($this->weights as $kind => $weight) {
            if (($at -= $weight) <= 0) {
                return $kind;
            }
        }
    }

    private function call(): string
    {
        return 'f' . $this->number(self::FUNCTIONS) . '();';
    }

    private function object(): string
    {
        return '(new C' . $this->number(self::CLASSES) . ')';
    }

    private function method(): string
    {
        return $this->object() . '->m' . $this->number(2) . '();';
    }

    private function static(): string
    {
        return 'C' . $this->number(self::CLASSES) . '::s0();';
    }

    private function magic(): string
    {
        $object = $this->object();
        return $this->one_of([
            "{$object}->zork();", 'C' . $this->number(self::CLASSES) . '::zork();', "\$v = {$object}->prop;", "\$v = (string) $object;",
            "\$v = \"a {$object}\";", "\$v = $object; \$v();",
        ]);
    }

    private function closure(): string
    {
        $static = $this->chance(30) ? 'static ' : '';
        $outside = $this->may_yield;
        $this->may_yield = false;
        $code = "{$static}function (\$a = null, \$b = null) { " . $this->framed("if (--G::\$fuel < 0) { return 0; } echo 'c '; " . $this->body(2)) . ' }';
        $this->may_yield = $outside;
        return $this->one_of(["($code)();", "\$v = $code; \$v(); \$v();", "for (\$i = 0; \$i < 2; \$i++) { (\$w = $code)(); }"]);
    }

    private function first_class(): string
    {
        return '$v = ' . $this->one_of([
            'f' . $this->number(self::FUNCTIONS) . '(...)', $this->object() . '->m0(...)', $this->object() . '->zork(...)',
            'C' . $this->number(self::CLASSES) . '::s0(...)', 'C' . $this->number(self::CLASSES) . '::zork(...)', $this->object() . '(...)',
        ]) . '; $v();';
    }

    private function callable(): string
    {
        return $this->one_of([
            "'f" . $this->number(self::FUNCTIONS) . "'", 'f' . $this->number(self::FUNCTIONS) . '(...)', '[' . $this->object() . ", 'm0']",
            "'C" . $this->number(self::CLASSES) . "::s0'", $this->object(), '[' . $this->object() . ", 'zork']", "'leaf'",
        ]);
    }

    private function callback(): string
    {
        $make = '';
        $callable = $this->callable();
        if (str_contains($callable, 'new')) {
            // Created before the internal function is called, because of the tracer.
            [$make, $callable] = ["\$k = $callable; ", '$k'];
        }
        [$name, $code] = $this->one_of([
            ['array_map', "\$v = array_map($callable, [1, 2]);"],
            ['array_filter', "\$v = array_filter([1, 2], $callable);"],
            ['array_walk', "\$w = [1, 2]; array_walk(\$w, $callable);"],
            ['array_reduce', "\$v = array_reduce([1, 2], $callable);"],
            ['usort', "\$w = [3, 1]; usort(\$w, $callable);"],
            ['iterator_to_array', '$v = iterator_to_array(g' . $this->number(self::GENERATORS) . '(), false);'],
            ['iterator_to_array', '$v = iterator_to_array(new I, false);'],
            ['iterator_apply', "iterator_apply(new I, $callable, [1]);"],
            ['preg_replace_callback', "\$v = preg_replace_callback('/./', $callable, 'ab');"],
            ['array_map', "array_map($callable, [new D0, new D1]);"],
        ]);
        return $make . $this->internal($name, $code) . ($this->chance(30) ? ' $k = null;' : '');
    }

    private function each(): string
    {
        $generator = 'g' . $this->number(self::GENERATORS) . '()';
        return "foreach ($generator as \$v) { " . $this->body(1) . ($this->chance(50) ? ' break;' : '') . ' }';
    }

    /** Advances a new or a stored generator by one step, and may store it. */
    private function generator(): string
    {
        $take = $this->chance(50) ? 'g' . $this->number(self::GENERATORS) . '()' : '(array_pop(G::$g) ?? g0())';
        $step = $this->one_of(['current', 'next', 'send', 'rewind', 'valid', 'key']);
        $argument = $step === 'send' ? '1' : '';
        return "\$w = $take; " . $this->internal("Generator::$step", "\$w->$step($argument);")
            . ($this->chance(50) ? ' G::$g[] = $w; $w = null;' : '') . ($this->chance(30) ? ' $w = null;' : '');
    }

    private function throw_into(): string
    {
        return '$w = array_pop(G::$g) ?? g0(); ' . $this->internal('Generator::throw', "\$w->throw(new E('into'));");
    }

    private function fiber(): string
    {
        $callable = $this->callable();
        return "\$w = new Fiber($callable); G::\$f[] = \$w; " . $this->internal('Fiber::start', '$w->start(1);', 'Tracer::starts($w);')
            . ($this->chance(30) ? ' array_pop(G::$f);' : '') . ($this->chance(30) ? ' $w = null;' : '');
    }

    private function resume(): string
    {
        $step = $this->chance(80) ? 'resume' : 'throw';
        $argument = $step === 'throw' ? "new E('fiber')" : '';
        $pop = $this->one_of(['array_shift', 'array_pop']);
        return "if ((\$w = $pop(G::\$f)) && \$w->isSuspended()) { "
            . $this->internal("Fiber::$step", "\$w->$step($argument);", 'Tracer::resumes($w);')
            . ' G::$f[] = $w; }';
    }

    private function suspend(): string
    {
        return 'if (Fiber::getCurrent()) { ' . $this->internal('Fiber::suspend', 'Fiber::suspend(1);') . ' }';
    }

    private function try(): string
    {
        $code = 'try { ' . $this->body(2) . ' }';
        if ($this->chance(60)) {
            $code .= ' catch (' . $this->one_of(['E', '\Throwable']) . ' $e) { ' . $this->body(1) . ' }';
        } else {
            $force = $this->may_yield && $this->is_traced ? '$__f = Tracer::closes($__f); ' : '';
            $outside = $this->may_yield;
            $this->may_yield = false;
            $code .= " finally { $force" . $this->body(1) . ' }';
            $this->may_yield = $outside;
        }
        return $code;
    }

    private function throw(): string
    {
        return "throw new E('x');";
    }

    private function return(): string
    {
        return 'return 0;';
    }

    private function guard(): string
    {
        $guard = 'new D' . $this->number(self::GUARDS);
        return $this->one_of([
            "\$d = $guard;", "G::\$o[] = $guard;", "\$d = $guard(new D0);", "$guard;", "\$d = [$guard, new D1];", "f0($guard);",
            "(new C0)->m0($guard, new D0);", "\$d = $guard; \$d = null;", "\$v = fn () => \$d; \$d = $guard;",
        ]);
    }

    private function let_go(): string
    {
        return $this->one_of([
            'array_pop(G::$o);', 'array_shift(G::$o);', 'G::$o = [];', 'unset($d);', '$v = null;', 'G::$g = [];', 'array_pop(G::$f);', '$w = null;', '$e = null;',
        ]);
    }

    private function collect(): string
    {
        $guard = 'new D' . $this->number(self::GUARDS);
        return "\$c = $guard; \$c->p = \$c; \$c = null; " . $this->internal('gc_collect_cycles', 'gc_collect_cycles();');
    }

    private function include(): string
    {
        return '$v = include __DIR__ . "/i' . $this->number(self::FILES) . '.php";';
    }

    private function eval(): string
    {
        return "\$v = eval('f" . $this->number(self::FUNCTIONS) . '(); return ' . $this->one_of(['1', 'leaf()', 'new D1', 'nonsense here', 'leaf(...)']) . ";');";
    }

    private function enable(): string
    {
        $flags = $this->one_of([0, 0, 1, 1, 4, 5, 7]);
        $ignored = $this->chance(25) ? [$this->one_of(['f1', 'g0', 'C0::m0', '{closure}', 'array_map', 'D0::__destruct', 'Fiber::start'])] : [];
        $ignored = var_export($ignored, true);
        return match ($this->way) {
            'traced' => "Tracer::enable($flags, $ignored);",
            'plain' => "xhprof_enable($flags, ['ignored_functions' => $ignored]);",
            // Also a C function: a PHP function would fill other places in memory.
            'bare' => 'usleep(0);',
        };
    }

    private function disable(): string
    {
        $disable = $this->disabling();
        return "G::\$p[] = $disable;" . ($this->chance(70) ? ' ' . $this->enable() : '');
    }

    private function disabling(): string
    {
        return ['traced' => 'Tracer::disable()', 'plain' => 'xhprof_disable()', 'bare' => 'usleep(0)'][$this->way];
    }

    private function error(): string
    {
        return $this->one_of(['$v = $nothing;', '$v = [][0];', $this->internal('trigger_error', "trigger_error('x');"), '$v = 1 / 0;', 'f9();']);
    }

    private function iterator(): string
    {
        return 'foreach (new ' . $this->one_of(['I', 'B']) . ' as $v) { ' . $this->body(1) . ' }';
    }

    private function autoload(): string
    {
        return '$v = new ' . $this->one_of(['A', 'N']) . $this->number(3) . ';';
    }

    private function output(): string
    {
        return "ob_start('leaf'); echo 1; " . $this->internal('ob_end_clean', 'ob_end_clean();');
    }

    private function a_yield(): string
    {
        $value = $this->one_of(['1', 'leaf()', 'new D0', 'from g' . $this->number(self::GENERATORS) . '()', 'from [1, 2]']);
        if (!$this->is_traced) {
            return "\$y = yield $value;";
        }
        $make = '';
        if ($value === 'leaf()') {
            // Called before the generator is left.
            [$make, $value] = ['$__y = leaf(); ', '$__y'];
        }
        return "{$make}Tracer::suspends(\$__f); try { \$y = yield $value; } "
            . 'catch (\Throwable $__e) { $__f = Tracer::enter(); throw $__e; } $__f = Tracer::enter();';
    }

    private function chance(int $percent): bool
    {
        return $this->random->getInt(1, 100) <= $percent;
    }

    private function number(int $below): int
    {
        return $this->random->getInt(0, $below - 1);
    }

    private function one_of(array $choices): mixed
    {
        return $choices[$this->random->getInt(0, count($choices) - 1)];
    }
}
