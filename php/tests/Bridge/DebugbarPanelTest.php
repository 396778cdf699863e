<?php

declare(strict_types=1);

namespace Xhprof\Tests\Bridge;

use DebugBar\DataCollector\DataCollector;
use PHPUnit\Framework\TestCase;
use Shop\Shop;
use Xhprof\Bridge\DebugbarPanel;
use Xhprof\Profiler;

require_once __DIR__ . '/debugbar.php';

/** What the bar gets: with a stand-in for it. */
final class DebugbarPanelTest extends TestCase
{
    protected function tearDown(): void
    {
        DataCollector::$editor = null;
    }

    public function testTheTabsHaveFunctionsAndStatementsWithTheirCallers(): void
    {
        DataCollector::$editor = 'editor://';
        $shop = new Shop();
        $panel = new DebugbarPanel();
        $shop->nPlusOne();
        $data = $panel->collect();
        self::assertSame(6, $data['queries']);
        $statement = $data['statements']['data']['SELECT name FROM article WHERE id = ?'];
        self::assertSame(5, $statement['count']);
        self::assertStringStartsWith('5× Shop\Shop::rows', $statement['callers']);
        self::assertStringContainsString('/Fixtures/Shop.php:', $statement['xdebug_link']['url']);
        $functions = $data['functions']['data'];
        self::assertSame(6, $functions['PDO::query']['calls'] ?? null);
        self::assertArrayNotHasKey('xdebug_link', $functions['PDO::query']);
        self::assertMatchesRegularExpression('/^[\d,]+\.\d\d ms$/', $functions['PDO::query']['own']);
        self::assertSame($data, $panel->collect());
        foreach ($panel->getWidgets() as $name => $widget) {
            [$collector, $key] = explode('.', $widget['map']);
            self::assertSame($panel->getName(), $collector, $name);
            self::assertArrayHasKey($key, $data, $name);
        }
        json_encode($data, JSON_THROW_ON_ERROR);
    }

    public function testWithinAProfileOfTheProgramItSaysWhyThereIsNone(): void
    {
        xhprof_enable();
        try {
            $data = (new DebugbarPanel())->collect();
        } finally {
            xhprof_disable();
        }
        self::assertSame(['Another profile was running: of the program, or because of the trigger.' => ''], $data['functions']['data']);
    }

    public function testViewsOfBladeHaveTheirNames(): void
    {
        $folder = sys_get_temp_dir() . '/xhprof-views-' . bin2hex(random_bytes(8));
        mkdir($folder, 0o700);
        $file = "$folder/" . sha1('page') . '.php';
        file_put_contents($file, "<?php strrev('a'); ?>\n<?php /**PATH /srv/resources/views/shop/page.blade.php ENDPATH**/ ?>");
        try {
            $panel = new DebugbarPanel();
            require $file;
            self::assertSame(1, $panel->collect()['functions']['data']['run_init::shop/page.blade.php']['calls'] ?? null);
        } finally {
            unlink($file);
            rmdir($folder);
        }
        self::assertSame(Profiler::isAvailable() ? '0' : false, ini_get('xhprof.run_init'));
    }
}
