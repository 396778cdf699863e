<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

/**
 * One profile a job or request of a worker, written as automatic ones are (`xhprof.output_dir`).
 *
 * The environment variable PROFILE_JOBS is the share of jobs that are profiled: `1` is every job, `0.01` one of a
 * hundred. Without it no job is. Without the extension nothing happens.
 */
final class Job
{
    private static bool $isProfiling = false;

    private function __construct()
    {
    }

    /**
     * Begins a profile if it is this job's turn; null if not, or if a job around this one is profiled.
     *
     * @param array<string, string> $tags
     */
    public static function begin(string $title = '', array $tags = []): ?self
    {
        $share = $_SERVER['PROFILE_JOBS'] ?? getenv('PROFILE_JOBS');
        $share = is_numeric($share) ? (float) $share : 0.0;
        if (self::$isProfiling || random_int(1, 1_000_000) > $share * 1_000_000 || !\function_exists('xhprof_write')) {
            return null;
        }
        self::$isProfiling = true;
        $options = ['mode' => 'tree'] + ($title === '' ? [] : ['title' => $title]) + ($tags === [] ? [] : ['tags' => $tags]);
        xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY, $options);
        Trace::tag();
        return new self();
    }

    /**
     * Names the request or job: its route's name, never its URL; a command's name; a message's class.
     *
     * Without a profile of this class, the name is that of the automatic profile, if there is one.
     */
    public static function route(string $route): void
    {
        if (\function_exists('xhprof_tag')) {
            xhprof_tag('route', $route);
            Trace::tag();
        }
    }

    /** Ends the profile and writes it. */
    public function end(?\Throwable $error = null): void
    {
        if (self::$isProfiling) {
            self::$isProfiling = false;
            if ($error !== null) {
                xhprof_tag('error', $error::class);
            }
            xhprof_write();
        }
    }

    /**
     * Runs a job and profiles it if it is its turn: for the loops of RoadRunner, FrankenPHP, Swoole and queues.
     *
     * @template T
     * @param callable(): T $job
     * @return T
     */
    public static function run(callable $job, string $title = ''): mixed
    {
        $profile = self::begin($title);
        $error = null;
        try {
            return $job();
        } catch (\Throwable $error) {
            throw $error;
        } finally {
            $profile?->end($error);
        }
    }
}
