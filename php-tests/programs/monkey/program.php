<?php

/**
 * Uses the profiler and all kinds of calls of PHP at random.
 *
 *     php program.php SEED FOLDER
 *
 * Prints errors, and nothing else.
 */

mt_srand((int) $argv[1]);

final class Monkey
{
    /** The number of actions, and the depth. */
    private const MOST = 300, DEEPEST = 6;

    private int $done = 0;
    private int $depth = 0;
    private bool $inGenerator = false;
    private bool $isChild = false;
    private array $fibers = [];
    private array $generators = [];
    private array $objects = [];

    public function __construct(private readonly string $folder)
    {
    }

    public function play(int $times): void
    {
        if ($this->depth > self::DEEPEST || $this->done > self::MOST) {
            return;
        }
        $this->depth++;
        try {
            for ($i = 0; $i < $times; $i++) {
                $this->done++;
                mt_rand(0, 1) ? $this->profile() : $this->call();
            }
        } finally {
            $this->depth--;
        }
    }

    /** Adds an action at the end of the request. */
    public function playOn(): void
    {
        $this->done -= 30;
        $this->depth = 0;
        $this->play(5);
    }

    private function profile(): void
    {
        switch (mt_rand(0, 14)) {
            case 0:
            case 1:
                xhprof_enable(mt_rand(0, 7));
                break;
            case 2:
            case 3:
                $this->check(xhprof_disable());
                break;
            case 4:
                xhprof_pause();
                break;
            case 5:
                xhprof_resume();
                break;
            case 6:
                @xhprof_dump("$this->folder/dump", self::one('native', 'xhprof', 'json'));
                break;
            case 7:
                xhprof_status();
                break;
            case 8:
                xhprof_tag('key' . mt_rand(0, 20), str_repeat('v', mt_rand(0, 50)));
                break;
            case 9:
                xhprof_sample_enable();
                break;
            case 10:
                $this->check(xhprof_sample_disable());
                break;
            case 11:
                ini_set('xhprof.clock', self::one('auto', 'tsc', 'monotonic'));
                break;
            case 12:
                ini_set('xhprof.flags', self::one('', 'cpu', 'cpu memory'));
                break;
            case 13:
                ini_set(self::one('xhprof.max_nodes', 'xhprof.max_depth'), self::one('100', '1000', '25000'));
                break;
            case 14:
                ini_set(...self::one(['xhprof.clock', self::one('auto', 'pinned', 'monotonic')], ['xhprof.sampling_interval', self::one('100', '1000')]));
                break;
        }
    }

    private function check(?array $profile): void
    {
        $first = $profile ? array_key_first($profile) : '';
        if ($profile && !isset($profile['main()']) && !preg_match('/^\d+\.\d+$/', $first)) {
            echo "neither calls nor samples: $first\n";
        }
    }

    private function call(): void
    {
        switch (mt_rand(0, 17)) {
            case 0:
                $this->beginFiber();
                break;
            case 1:
            case 2:
                $this->goOnWithFiber();
                break;
            case 3:
                unset($this->fibers[array_rand($this->fibers ?: [0])]);
                break;
            case 4:
                $this->generators[] = $this->generator();
                break;
            case 5:
            case 6:
                $this->goOnWithGenerator();
                break;
            case 7:
                unset($this->generators[array_rand($this->generators ?: [0])]);
                break;
            case 8:
                try {
                    $this->thrower();
                } catch (Exception) {
                }
                break;
            case 9:
                array_map(fn () => $this->play(1), [1, 2]);
                break;
            case 10:
                $this->sort();
                break;
            case 11:
                eval('$this->leaf(); $this->play(1);');
                break;
            case 12:
                $this->objects[] = new Thing($this);
                break;
            case 13:
                $this->useThing();
                break;
            case 14:
                $this->deep(mt_rand(0, 40));
                break;
            case 15:
                $this->fork();
                break;
            case 16:
                for ($i = mt_rand(0, 3000); $i > 0; $i--) {
                    $this->leaf();
                }
                break;
            case 17:
                gc_collect_cycles();
                ob_start(fn ($text) => $text);
                ob_end_clean();
                if (mt_rand(0, 40) === 0) {
                    exit;
                }
                break;
        }
    }

    private function leaf(): int
    {
        return strlen('leaf');
    }

    private function deep(int $levels): void
    {
        $levels ? $this->deep($levels - 1) : $this->play(1);
    }

    private function thrower(): never
    {
        $this->play(1);
        throw new Exception('thrown');
    }

    private function sort(): void
    {
        $list = range(1, 20);
        usort($list, function ($a, $b) {
            mt_rand(0, 5) || $this->play(1);
            return $a <=> $b;
        });
    }

    private function generator(): Generator
    {
        $this->play(2);
        yield $this->leaf();
        $this->play(1);
        yield from [1, 2];
        $this->play(1);
        return 3;
    }

    private function goOnWithGenerator(): void
    {
        // A running generator must not be resumed: PHP itself crashes.
        if (!$this->generators || $this->inGenerator || Fiber::getCurrent()) {
            return;
        }
        $generator = $this->generators[array_rand($this->generators)];
        $this->inGenerator = true;
        try {
            $generator->valid() && (mt_rand(0, 3) ? $generator->next() : $generator->throw(new Exception('into a generator')));
        } catch (Exception) {
        } finally {
            $this->inGenerator = false;
        }
    }

    private function beginFiber(): void
    {
        $fiber = new Fiber(function () {
            $this->play(2);
            Fiber::suspend();
            $this->play(2);
        });
        try {
            $fiber->start();
            $this->fibers[] = $fiber;
        } catch (FiberError) {
            // For example while an object is destroyed.
        }
    }

    private function goOnWithFiber(): void
    {
        $fiber = $this->fibers ? $this->fibers[array_rand($this->fibers)] : null;
        if ($fiber?->isSuspended()) {
            try {
                mt_rand(0, 2) ? $fiber->resume() : $fiber->throw(new Exception('into a fiber'));
            } catch (Exception | FiberError) {
            }
        }
    }

    private function useThing(): void
    {
        if ($this->objects) {
            $key = array_rand($this->objects);
            $object = $this->objects[$key];
            unset($this->objects[$key]);
            mt_rand(0, 1) ? (string) $object : $object->notThere;
        }
    }

    private function fork(): void
    {
        if (mt_rand(0, 5) || $this->isChild) {
            return;
        }
        $child = pcntl_fork();
        if ($child === 0) {
            $this->isChild = true;
            $this->play(3);
            mt_rand(0, 1) ? exit : posix_kill(getmypid(), SIGTERM);
        }
        pcntl_waitpid($child, $status);
        if (pcntl_wifsignaled($status) && pcntl_wtermsig($status) !== SIGTERM) {
            echo 'a child died of signal ', pcntl_wtermsig($status), "\n";
        }
    }

    private static function one(mixed ...$of): mixed
    {
        return $of[array_rand($of)];
    }
}

final class Thing
{
    public function __construct(private readonly Monkey $monkey)
    {
    }

    public function __destruct()
    {
        $this->monkey->play(1);
    }

    public function __toString(): string
    {
        $this->monkey->play(1);
        return 'thing';
    }

    public function __get(string $name): int
    {
        $this->monkey->play(1);
        return 1;
    }
}

$monkey = new Monkey($argv[2]);
register_shutdown_function($monkey->playOn(...));
$monkey->play(40);
