<?php

/**
 * Computes the correct profile of a traced program.
 *
 * It keeps a stack of frames for each fiber. A function that returns marks its frame
 * as left. The next function that enters pops the frames that are marked. So a
 * function is open until its caller continues.
 *
 * Two facts it cannot know: the caller of a destructor, and the function that closes
 * an unfinished generator. Of these only the number of calls is compared.
 */
final class Tracer
{
    /** Frames by their number: name, session, whether it is shown, whether it was left. */
    private static array $frames = [];
    private static int $next = 1;
    /** The numbers of the open frames, for each fiber; 0 is no fiber. */
    private static array $stacks = [0 => []];
    /** For each fiber: session and name of the function that started it, and the fiber that resumed it. */
    private static array $bases = [];
    private static array $resumers = [];
    private static ?WeakMap $numbers = null;
    /** The number of the running profile; 0 when off. */
    private static int $session = 0;
    private static int $sessions = 0;
    private static int $flags = 0;
    private static array $ignored = [];
    private static array $calls = [];
    private static array $vague = [];
    private static bool $has_fibers = false;
    private static bool $has_exited = false;

    public static function enable(int $flags, array $ignored): void
    {
        if (self::$session === 0) {
            self::$session = ++self::$sessions;
            self::$flags = $flags;
            self::$ignored = $ignored;
            self::$calls = [];
        }
    }

    /** The calls of the profile; null when off, like the extension. */
    public static function disable(): ?array
    {
        if (self::$session === 0) {
            return null;
        }
        self::$session = 0;
        return self::$calls;
    }

    public static function finish(): void
    {
        G::$p[] = self::disable();
        file_put_contents($GLOBALS['argv'][1], serialize([
            'profiles' => G::$p,
            'vague' => self::$vague,
            'has_fibers' => self::$has_fibers,
            'has_exited' => self::$has_exited,
        ]));
    }

    /** The calling function begins, or continues if it is a generator. */
    public static function enter(bool $is_vague = false): int
    {
        $frame = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 3)[$is_vague ? 2 : 1];
        $class = isset($frame['class']) ? strstr("{$frame['class']}\0", "\0", true) . '::' : '';
        $name = $class . $frame['function'];
        if ($is_vague || $frame['function'] === '__destruct') {
            self::$vague[$name] = true;
        }
        return self::push($name, false);
    }

    public static function enter_internal(string $name): int
    {
        return self::push($name, true);
    }

    public static function leave(int $frame): void
    {
        if (isset(self::$frames[$frame])) {
            self::$frames[$frame]['left'] = true;
        }
    }

    /** A generator yields. */
    public static function suspends(int $frame): void
    {
        self::leave($frame);
        self::$frames[$frame]['suspended'] = true;
    }

    /** In a generator's `finally`: whether the generator was destroyed while it was suspended. */
    public static function closes(int $frame): int
    {
        return isset(self::$frames[$frame]['suspended']) ? self::enter(true) : $frame;
    }

    /** `Fiber::start` is about to start it. */
    public static function starts(Fiber $fiber): void
    {
        self::$has_fibers = true;
        self::$bases[self::number($fiber)] = [self::$session, self::caller(self::current())];
        self::resumes($fiber);
    }

    public static function resumes(Fiber $fiber): void
    {
        self::$resumers[self::number($fiber)] = self::current();
    }

    /** `exit` leaves all open functions without a call of the tracer. */
    public static function exits(): void
    {
        self::$has_exited = true;
        for ($fiber = self::current();; $fiber = self::$resumers[$fiber]) {
            array_walk(self::$stacks[$fiber], self::leave(...));
            if ($fiber === 0) {
                return;
            }
        }
    }

    private static function push(string $name, bool $is_internal): int
    {
        $fiber = self::current();
        $is_vague = false;
        $caller = self::caller($fiber, $is_vague);
        // After `exit`, the functions that are being left are the callers of further calls.
        if ($is_vague || self::$has_exited) {
            self::$vague[$name] = true;
        }
        $shown = self::$session !== 0
            && !($is_internal && self::$flags & 1)
            && !in_array($name, self::$ignored, true);
        if ($shown) {
            $level = 0;
            foreach (self::$stacks[$fiber] as $open) {
                $it = self::$frames[$open];
                $level += (int) ($it['shown'] && $it['session'] === self::$session && $it['name'] === $name);
            }
            $callee = $level > 0 ? "$name@$level" : $name;
            self::$calls["$caller==>$callee"] = (self::$calls["$caller==>$callee"] ?? 0) + 1;
        }
        $number = self::$next++;
        self::$frames[$number] = [
            'name' => $name, 'label' => $callee ?? $name, 'session' => self::$session, 'shown' => $shown, 'left' => false,
        ];
        self::$stacks[$fiber][] = $number;
        return $number;
    }

    /** The nearest open frame that is shown; removes frames that were left. */
    private static function caller(int $fiber, bool &$is_vague = false): string
    {
        $stack = &self::$stacks[$fiber];
        while ($stack && self::$frames[end($stack)]['left']) {
            array_pop($stack);
        }
        foreach (array_reverse($stack) as $open) {
            $frame = self::$frames[$open];
            if ($frame['shown'] && $frame['session'] === self::$session) {
                return $frame['label'];
            }
            // The caller is not shown, and its own caller is not known.
            $is_vague = $is_vague || isset(self::$vague[$frame['name']]);
        }
        [$session, $name] = self::$bases[$fiber] ?? [0, ''];
        return $session === self::$session && $session !== 0 ? $name : 'main()';
    }

    private static function current(): int
    {
        $fiber = Fiber::getCurrent();
        return $fiber === null ? 0 : self::number($fiber);
    }

    private static function number(Fiber $fiber): int
    {
        self::$numbers ??= new WeakMap();
        if (!isset(self::$numbers[$fiber])) {
            self::$numbers[$fiber] = count(self::$stacks);
            self::$stacks[] = [];
        }
        return self::$numbers[$fiber];
    }
}
