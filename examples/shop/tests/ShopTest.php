<?php

declare(strict_types=1);

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Application;
use Xhprof\PHPUnit\ProfileAssertions;

/** The budgets of the shop, as tests. */
final class ShopTest extends TestCase
{
    use ProfileAssertions;

    private Application $shop;

    protected function setUp(): void
    {
        $this->shop = new Application((string) getenv('SHOP_FAULT'));
        // Compiles templates and loads classes.
        $this->shop->answer('/articles');
    }

    public function testOneStatementForAllArticles(): void
    {
        $page = $this->assertQueries(fn(): string => $this->shop->answer('/articles'), atMost: 1, repeated: 1);
        self::assertStringContainsString('Article 25', $page);
    }

    public function testEachPriceIsFormattedOnce(): void
    {
        $this->assertCalls('Shop\PriceExtension::price', fn(): string => $this->shop->answer('/articles'), atMost: 25);
    }

    public function testRequestsLeaveNothingInMemory(): void
    {
        $this->assertMemory(function (): void {
            for ($number = 0; $number < 20; $number++) {
                $this->shop->answer('/articles');
            }
        }, kept: '100KB');
    }
}
