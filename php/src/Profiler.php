<?php

declare(strict_types=1);

namespace Xhprof;

use Xhprof\Exception\AlreadyProfiling;
use Xhprof\Exception\ExtensionMissing;

/**
 * Begins and ends profiles.
 *
 * ```php
 * $profiler = Profiler::start(new Options(memory: false));
 * $shop->frontPage();
 * $profile = $profiler->stop();
 * echo $profile->calls('PDO::*');
 * ```
 *
 * PHP has one profile at a time. A second `start()` suspends the first profile; the
 * first one continues when the second one stops, and has its calls, too. The first
 * profile then lists them as called by `main()`.
 */
final class Profiler implements RunningProfiler
{
    /** @var list<self> those that have begun, the one that records last */
    private static array $open = [];

    /** @var array<string, array<string, int>> what was recorded until it was suspended */
    private array $rows = [];

    /** @var array<string, string> values before the profile */
    private array $settings = [];

    private ?TemporaryFile $native = null;
    private bool $hasBeenSuspended = false;
    private ?Profile $profile = null;

    private function __construct(private readonly Options $options)
    {
    }

    /** Whether the extension is there. */
    public static function isAvailable(): bool
    {
        return \function_exists('xhprof_status') && \function_exists('xhprof_write');
    }

    /**
     * Begins a profile.
     *
     * @throws ExtensionMissing
     * @throws AlreadyProfiling if the program itself has begun one
     */
    public static function start(?Options $options = null): self
    {
        if (!self::isAvailable()) {
            throw ExtensionMissing::because();
        }
        $suspended = end(self::$open);
        if ($suspended !== false) {
            $suspended->hasBeenSuspended = true;
            $suspended->collect();
        }
        $status = xhprof_status();
        if ($status['mode'] !== 'off' && !$status['automatic']) {
            throw new AlreadyProfiling('a profile of xhprof_enable() or xhprof_sample_enable() is running: end it first');
        }
        $profiler = new self($options ?? new Options());
        self::$open[] = $profiler;
        $profiler->enable();
        return $profiler;
    }

    /** Begins a profile if the extension is there; else does nothing. */
    public static function startIfAvailable(?Options $options = null): RunningProfiler
    {
        return self::isAvailable() ? self::start($options) : new NullProfiler();
    }

    /** Profiles one call. */
    public static function profile(callable $code, ?Options $options = null): Profile
    {
        $profiler = self::start($options);
        try {
            $code();
        } finally {
            $profile = $profiler->stop();
        }
        return $profile;
    }

    /**
     * Runs code that is in no profile of this package.
     *
     * @template T
     * @param callable(): T $code
     * @return T
     */
    public static function unrecorded(callable $code): mixed
    {
        $isPaused = self::$open !== [] && xhprof_pause();
        try {
            return $code();
        } finally {
            if ($isPaused) {
                xhprof_resume();
            }
        }
    }

    public function stop(): Profile
    {
        if ($this->profile !== null) {
            return $this->profile;
        }
        // Profiles that an exception left open end here, too.
        while (($last = end(self::$open)) !== false && $last !== $this) {
            $last->end();
        }
        $this->end();
        $outer = end(self::$open);
        if ($outer !== false) {
            $outer->enable();
        }
        \assert($this->profile !== null);
        return $this->profile;
    }

    /** Ends the innermost profile, and adds it to the one around it. */
    private function end(): void
    {
        $this->collect();
        array_pop(self::$open);
        $outer = end(self::$open);
        if ($outer !== false) {
            $outer->add($this->rows);
        }
        // With parts of its time in other profiles, the file would lack them.
        $this->profile = Profile::fromRows($this->rows, $this->hasBeenSuspended ? null : $this->native);
    }

    private function enable(): void
    {
        // Back to their values after the profile: here, ini_set() would be part of it.
        foreach ($this->options->settings() as $name => $value) {
            $before = ini_set($name, $value);
            if ($before !== false) {
                $this->settings[$name] = $before;
            }
        }
        xhprof_enable($this->options->flags(), $this->options->options());
    }

    private function collect(): void
    {
        if ($this->options->mode === Mode::Tree && !$this->hasBeenSuspended) {
            $file = TemporaryFile::create('.xhp');
            $this->native = xhprof_dump($file->path) ? $file : null;
        }
        // Null if the program itself has called xhprof_disable(): then its rows are lost.
        /** @var array<string, array<string, int>> $rows */
        $rows = xhprof_disable() ?? ['main()' => ['ct' => 1, 'wt' => 0]];
        foreach ($this->settings as $name => $value) {
            ini_set($name, $value);
        }
        $own = '/^Xhprof\\\\(Profiler|Options|TemporaryFile)::|==>Xhprof\\\\(Profiler|Options|TemporaryFile)::/';
        foreach (preg_grep($own, array_keys($rows)) ?: [] as $key) {
            unset($rows[$key]);
        }
        $this->add($rows);
    }

    /** @param array<string, array<string, int>> $rows */
    private function add(array $rows): void
    {
        foreach ($rows as $key => $costs) {
            foreach ($costs as $name => $cost) {
                // However many parts it has, main() is called once.
                if ($key !== 'main()' || $name !== 'ct' || !isset($this->rows[$key])) {
                    $this->rows[$key][$name] = ($this->rows[$key][$name] ?? 0) + $cost;
                }
            }
        }
    }
}
