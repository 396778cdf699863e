<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use PHPUnit\Framework\Assert;
use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\PostCondition;
use PHPUnit\Framework\Attributes\PreCondition;
use Xhprof\Limit\Calls;
use Xhprof\Limit\Limit;
use Xhprof\Limit\Memory;
use Xhprof\Limit\Queries;
use Xhprof\Options;
use Xhprof\Profile;
use Xhprof\Profiler;

/**
 * Assertions about calls, SQL statements and memory, for a PHPUnit TestCase (9.6 to 12).
 *
 * ```php
 * final class FrontPageTest extends TestCase
 * {
 *     use ProfileAssertions;
 *
 *     public function testItAsksOnce(): void
 *     {
 *         $this->assertQueries(fn () => $this->shop->frontPage(), atMost: 3, repeated: 1);
 *     }
 *
 *     #[MaxQueries(3)]
 *     public function testItIsShown(): void
 * }
 * ```
 *
 * Without the extension the tests that use these are errors, with the environment variable XHPROF_OPTIONAL=1 they
 * are skipped.
 */
trait ProfileAssertions
{
    private ?Profiler $profilerOfAttributes = null;

    /**
     * Asserts how often functions are called while `$code` runs; returns what it returns.
     *
     * @param string $function a name or a pattern: `PDO::*`
     * @param ?string $by calls by other functions do not count
     */
    public function assertCalls(string $function, callable $code, ?int $atMost = null, ?int $atLeast = null, ?int $exactly = null, ?string $by = null, string $message = ''): mixed
    {
        return $this->assertLimits([new Calls($function, $atMost, $atLeast, $exactly, $by)], $code, $message);
    }

    /**
     * Asserts that functions are not called while `$code` runs; returns what it returns.
     *
     * @param string|list<string> $functions names or patterns
     */
    public function assertNoCalls(string|array $functions, callable $code, string $message = ''): mixed
    {
        $limits = array_map(static fn(string $function): Limit => new Calls($function, exactly: 0), (array) $functions);
        return $this->assertLimits(array_values($limits), $code, $message);
    }

    /**
     * Asserts how many SQL statements are made while `$code` runs; returns what it returns.
     *
     * @param ?int $repeated how often one caller may make the same statement
     */
    public function assertQueries(callable $code, ?int $atMost = null, ?int $repeated = null, string $message = ''): mixed
    {
        return $this->assertLimits([new Queries($atMost, $repeated)], $code, $message);
    }

    /**
     * Asserts by how much memory grows while `$code` runs; returns what it returns.
     *
     * @param int|string|null $atMost of the peak: bytes, or a size such as `32MB`
     * @param int|string|null $kept of what is still in use afterwards. The value that `$code` returns counts, too
     */
    public function assertMemory(callable $code, int|string|null $atMost = null, int|string|null $kept = null, string $message = ''): mixed
    {
        return $this->assertLimits([new Memory($atMost, $kept)], $code, $message);
    }

    /** Asserts that a profile keeps a limit. */
    public function assertProfile(Profile $profile, Limit $limit, string $message = ''): void
    {
        Profiler::unrecorded(static fn() => Assert::assertThat($profile, new KeepsLimit($limit), $message));
    }

    /**
     * Begins the profile of a test with attributes, after setUp(); called by PHPUnit.
     *
     * @preCondition
     * @internal
     */
    #[PreCondition]
    public function beginProfileOfAttributes(): void
    {
        if ($this->limitsOfAttributes() !== []) {
            $this->profilerOfAttributes = $this->startedProfiler();
        }
    }

    /**
     * Checks the attributes of a test that has passed; called by PHPUnit.
     *
     * @postCondition
     * @internal
     */
    #[PostCondition]
    public function checkAttributes(): void
    {
        $profile = $this->profilerOfAttributes?->stop();
        $this->profilerOfAttributes = null;
        if ($profile !== null) {
            foreach ($this->limitsOfAttributes() as $limit) {
                $this->assertProfile($profile, $limit);
            }
        }
    }

    /**
     * Ends the profile of a test that has failed; called by PHPUnit.
     *
     * @after
     * @internal
     */
    #[After]
    public function endProfileOfAttributes(): void
    {
        $this->profilerOfAttributes?->stop();
        $this->profilerOfAttributes = null;
    }

    /** @param list<Limit> $limits */
    private function assertLimits(array $limits, callable $code, string $message): mixed
    {
        $profiler = $this->startedProfiler();
        try {
            $result = $code();
        } finally {
            $profile = $profiler->stop();
        }
        foreach ($limits as $limit) {
            $this->assertProfile($profile, $limit, $message);
        }
        return $result;
    }

    private function startedProfiler(): Profiler
    {
        if (!Profiler::isAvailable() && getenv('XHPROF_OPTIONAL') === '1') {
            Assert::markTestSkipped('the extension xhprof is not loaded, and XHPROF_OPTIONAL=1 is set');
        }
        // PHPUnit's own functions, so that those of the program are listed.
        return Profiler::start(new Options(ignoredFunctions: TestRecorder::IGNORED));
    }

    /** @return list<Limit> */
    private function limitsOfAttributes(): array
    {
        // name() since PHPUnit 10, getName() before.
        return Profiler::unrecorded(fn(): array => Limits::of($this, method_exists($this, 'name') ? $this->name() : $this->getName(false)));
    }
}
