<?php

declare(strict_types=1);

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Shop;
use Xhprof\PHPUnit\MaxCalls;
use Xhprof\PHPUnit\MaxMemory;
use Xhprof\PHPUnit\MaxQueries;
use Xhprof\PHPUnit\NoCalls;
use Xhprof\PHPUnit\ProfileAssertions;

/** Run by a PHPUnit of its own, see AttributesTest: half of these tests fail. */
#[NoCalls('var_dump')]
final class LimitedTest extends TestCase
{
    use ProfileAssertions;

    private static ?Shop $shop = null;

    public static function setUpBeforeClass(): void
    {
        // In a test, its own statements would count.
        self::$shop = new Shop();
    }

    protected function setUp(): void
    {
        // What setUp() does is not counted.
        self::$shop?->once();
    }

    #[MaxQueries(1, repeated: 1), MaxCalls('PDO::query', 1), MaxMemory('16MB')]
    public function testGoodPage(): void
    {
        self::assertSame(5, $this->onePage());
    }

    #[MaxQueries(repeated: 1)]
    public function testRepeatedStatement(): void
    {
        self::assertSame(5, (new Shop())->nPlusOne());
    }

    #[MaxCalls('PDO::query', 3)]
    #[MaxCalls('Shop\Shop::article', 9)]
    public function testTooManyCalls(): void
    {
        self::assertSame(5, (new Shop())->nPlusOne());
    }

    public function testLimitOfTheClass(): void
    {
        ob_start();
        var_dump(1);
        self::assertNotSame('', ob_get_clean());
    }

    #[MaxQueries(0)]
    public function testFailsForAnotherReason(): void
    {
        self::assertSame(6, $this->onePage());
    }

    public function testAfterAFailureIsQuiet(): void
    {
        self::assertSame(5, $this->assertQueries(fn(): int => $this->onePage(), atMost: 1));
    }

    private function onePage(): int
    {
        return self::$shop?->once() ?? 0;
    }
}
