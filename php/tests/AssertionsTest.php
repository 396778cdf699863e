<?php

declare(strict_types=1);

namespace Xhprof\Tests;

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\TestCase;
use Shop\Shop;
use Xhprof\Limit\Calls;
use Xhprof\Limit\Memory;
use Xhprof\Limit\Queries;
use Xhprof\PHPUnit\ProfileAssertions;
use Xhprof\Profile;

/** The assertions pass and fail where they should, and say who called. */
final class AssertionsTest extends TestCase
{
    use ProfileAssertions;

    private Shop $shop;

    protected function setUp(): void
    {
        $this->shop = new Shop();
    }

    private function failure(callable $assertion): string
    {
        try {
            $assertion();
        } catch (AssertionFailedError $error) {
            return $error->getMessage();
        }
        throw new \LogicException('the assertion did not fail');
    }

    private static function lineOf(string $method): int
    {
        return (int) (new \ReflectionMethod(Shop::class, $method))->getStartLine();
    }

    public function testTheResultOfTheCodeIsReturned(): void
    {
        self::assertSame(5, $this->assertQueries(fn(): int => $this->shop->once(), atMost: 1, repeated: 1));
        self::assertSame(5, $this->assertCalls('PDO::query', fn(): int => $this->shop->once(), exactly: 1));
        self::assertSame(5, $this->assertNoCalls(['var_dump', 'sleep'], fn(): int => $this->shop->once()));
        self::assertSame(5, $this->assertMemory(fn(): int => $this->shop->once(), atMost: '8MB', kept: '64KB'));
    }

    public function testAnNPlusOneNamesStatementCallerAndLine(): void
    {
        $said = $this->failure(fn() => $this->assertQueries(fn(): int => $this->shop->nPlusOne(), repeated: 1));
        self::assertStringContainsString('the same SQL statement was made 5 times by one caller (N+1)', $said);
        self::assertStringContainsString('5× PDO::query: SELECT name FROM article WHERE id = ?', $said);
        self::assertStringContainsString('by Shop\Shop::rows (' . __DIR__ . '/Fixtures/Shop.php:' . self::lineOf('rows') . ')', $said);
        self::assertStringNotContainsString('SELECT id FROM article', $said);
    }

    public function testTooManyStatementsAreListed(): void
    {
        $said = $this->failure(fn() => $this->assertQueries(fn(): int => $this->shop->nPlusOne(), atMost: 5));
        self::assertStringContainsString('6 SQL statements were made, expected: at most 5 SQL statements', $said);
        self::assertStringContainsString('SELECT id FROM article', $said);
    }

    public function testCallsAreLimitedFromBothSides(): void
    {
        $code = fn(): int => $this->shop->nPlusOne();
        $this->assertCalls('Shop\Shop::article', $code, atMost: 5, atLeast: 5);
        self::assertStringContainsString('was called 5 times, expected: at most 4 calls', $this->failure(fn() => $this->assertCalls('Shop\Shop::article', $code, atMost: 4)));
        self::assertStringContainsString('was called 5 times, expected: at least 6 calls', $this->failure(fn() => $this->assertCalls('Shop\Shop::article', $code, atLeast: 6)));
        self::assertStringContainsString('was called 5 times, expected: exactly 0 calls', $this->failure(fn() => $this->assertNoCalls('*::article', $code)));
        $this->assertCalls('count', $code, exactly: 0, by: 'somewhere else');
        $said = $this->failure(fn() => $this->assertCalls('Shop\Shop::article', $code, exactly: 0, message: 'of mine'));
        self::assertStringStartsWith('of mine', $said);
        self::assertStringContainsString('Shop.php:' . self::lineOf('nPlusOne'), $said);
    }

    public function testMemoryIsLimitedAndALeakIsFound(): void
    {
        $this->assertMemory(fn(): int => $this->shop->spike(4 << 20), kept: '64KB');
        $said = $this->failure(fn() => $this->assertMemory(fn(): int => $this->shop->spike(64 << 20), atMost: '32MB'));
        self::assertMatchesRegularExpression('/the peak of memory grew by 6\d(\.\d)? MB/', $said);
        self::assertStringContainsString('Shop.php:' . self::lineOf('spike'), $said);
        $said = $this->failure(fn() => $this->assertMemory(fn() => $this->shop->leak(3 << 20), kept: '1MB'));
        self::assertMatchesRegularExpression('/^Failed .*\n?3(\.\d)? MB are still in use afterwards/m', $said);
        self::assertStringContainsString('Shop.php:' . self::lineOf('leak'), $said);
    }

    public function testSizesAreThoseOfPhpIniAndOfTheProgram(): void
    {
        foreach (['2000' => 2_000, '2KB' => 2_000, '2kB' => 2_000, '2K' => 2_048, '2 KiB' => 2_048, '1.5MB' => 1_500_000, '1M' => 1 << 20] as $size => $bytes) {
            $profile = static fn(int $kept): Profile => Profile::fromRows(['main()' => ['ct' => 1, 'wt' => 1, 'mu' => $kept, 'pmu' => 0]]);
            self::assertNull((new Memory(kept: (string) $size))->failure($profile($bytes)), "$size");
            self::assertNotNull((new Memory(kept: (string) $size))->failure($profile($bytes + 1)), "$size");
        }
    }

    public function testALimitWithoutANumberIsRefused(): void
    {
        foreach ([fn() => new Calls('f'), fn() => new Queries(), fn() => new Memory(), fn() => new Memory('32 apples')] as $limit) {
            try {
                $limit();
                self::fail('accepted');
            } catch (\InvalidArgumentException $error) {
                self::assertMatchesRegularExpression('/needs atMost|is no size/', $error->getMessage());
            }
        }
    }

    public function testAFailureLeavesNoProfileRunning(): void
    {
        $this->failure(fn() => $this->assertNoCalls('strrev', static fn(): string => strrev('a')));
        self::assertSame('off', xhprof_status()['mode']);
    }
}
