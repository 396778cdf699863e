<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Exception\XhprofException;
use Xhprof\Options;
use Xhprof\Profile;
use Xhprof\Profiler;

/**
 * Profiles each test, keeps the profiles of the slowest, and ends with the tests that call most.
 *
 * {@see Extension} and {@see Hook} call it: it knows no PHPUnit.
 */
final class TestRecorder
{
    private const LISTED = 5;

    /** PHPUnit, this package and autoloaders: what they call becomes a call of main(), and is not counted. */
    public const IGNORED = [
        'PHPUnit\*', 'SebastianBergmann\*', '*/autoload.php', '*/vendor/composer/*',
        'Xhprof\PHPUnit\*', 'Xhprof\Limit\*',
        '*::beginProfileOfAttributes', '*::checkAttributes', '*::endProfileOfAttributes',
        '*::assertLimits', '*::startedProfiler', '*::limitsOfAttributes',
    ];

    private ?Profiler $profiler = null;
    private string $test = '';

    /** @var array<string, array{calls: int, queries: int, wall: int}> */
    private array $tests = [];

    /** @var array<string, Profile> the slowest */
    private array $kept = [];

    /**
     * @param string $directory where profiles are written; empty for nowhere
     * @param int $keep of how many tests, the slowest ones
     */
    public function __construct(
        private readonly string $directory = '',
        private readonly int $keep = 5,
    ) {
    }

    public function begin(string $test): void
    {
        if (!Profiler::isAvailable()) {
            return;
        }
        $this->end();
        $this->test = $test;
        try {
            $this->profiler = Profiler::start(new Options(
                title: $test,
                ignoredFunctions: self::IGNORED,
            ));
        } catch (XhprofException) {
            // The test before has left a profile of its own running. This one is not profiled.
            $this->profiler = null;
        }
    }

    public function end(): void
    {
        if ($this->profiler === null) {
            return;
        }
        $profile = $this->profiler->stop();
        $this->profiler = null;
        $wall = $profile->total()->wall;
        $this->tests[$this->test] = ['calls' => $profile->calls() - $profile->calls(by: 'main()'), 'queries' => $profile->queryCount(), 'wall' => $wall];
        if ($this->directory === '' || $this->keep < 1) {
            return;
        }
        $this->kept[$this->test] = $profile;
        if (\count($this->kept) > $this->keep) {
            uasort($this->kept, static fn(Profile $one, Profile $two): int => $two->total()->wall <=> $one->total()->wall);
            array_pop($this->kept);
        }
    }

    /** Writes the profiles; returns what is printed after the last test. */
    public function summary(): string
    {
        $this->end();
        if (!Profiler::isAvailable()) {
            return "\nxhprof: the extension is not loaded, so no test was profiled\n";
        }
        if ($this->tests === []) {
            return '';
        }
        uasort($this->tests, static fn(array $one, array $two): int => $two['calls'] <=> $one['calls']);
        $count = min(self::LISTED, \count($this->tests));
        $text = $count === 1 ? "\nThe test that calls most:\n" : "\nThe $count tests that call most:\n";
        foreach (\array_slice($this->tests, 0, $count) as $test => $costs) {
            $text .= \sprintf(
                "  %10s calls  %5s SQL  %9s ms  %s\n",
                number_format($costs['calls']),
                number_format($costs['queries']),
                number_format($costs['wall'] / 1000, 1),
                $test,
            );
        }
        return $text . $this->written();
    }

    private function written(): string
    {
        if ($this->kept === []) {
            return '';
        }
        if (!is_dir($this->directory) && !@mkdir($this->directory, 0o700, true)) {
            return "xhprof: cannot make the directory $this->directory, so no profile is kept\n";
        }
        try {
            foreach ($this->kept as $test => $profile) {
                $name = trim((string) preg_replace('/[^A-Za-z0-9_.-]+/', '_', $test), '._');
                $profile->save("$this->directory/" . substr($name, 0, 120) . '.' . substr(hash('sha256', $test), 0, 8) . '.xhprof');
            }
        } catch (XhprofException $error) {
            return "xhprof: {$error->getMessage()}\n";
        }
        $count = \count($this->kept);
        return "The profiles of the slowest ($count): xhprof report $this->directory/…\n";
    }
}
