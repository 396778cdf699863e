<?php

declare(strict_types=1);

namespace Xhprof\Tests\Bridge;

use PHPUnit\Framework\TestCase;
use Shop\Shop;
use Xhprof\Bridge\QueryMonitorPanel;
use Xhprof\Profile;

/** How times are added up. `./x wordpress` shows the panel in a real WordPress. */
final class QueryMonitorPanelTest extends TestCase
{
    public function testCallbacksHaveTheTimeOfTheirHook(): void
    {
        $closure = static fn(string $text): string => $text;
        $line = __LINE__ - 1;
        $shop = new Shop();
        $profile = Profile::fromRows([
            'main()' => ['ct' => 1, 'wt' => 1_000],
            'main()==>do_action' => ['ct' => 3, 'wt' => 900],
            'do_action==>WP_Hook::apply_filters' => ['ct' => 3, 'wt' => 890],
            'WP_Hook::apply_filters==>current' => ['ct' => 9, 'wt' => 5],
            'WP_Hook::apply_filters==>Shop\\Shop::once' => ['ct' => 1, 'wt' => 100],
            'WP_Hook::apply_filters==>Shop\\Shop::article' => ['ct' => 2, 'wt' => 200],
            'WP_Hook::apply_filters==>trim' => ['ct' => 4, 'wt' => 40],
            "WP_Hook::apply_filters==>Xhprof\\Tests\\Bridge\\QueryMonitorPanelTest::{closure:Bridge/QueryMonitorPanelTest.php:$line}" => ['ct' => 1, 'wt' => 30],
            'WP_Hook::apply_filters==>gone' => ['ct' => 1, 'wt' => 7],
        ]);
        $rows = QueryMonitorPanel::byHook($profile, [
            'init' => [[$shop, 'once'], 'trim', new \stdClass(), [1, 2]],
            'the_content' => [[Shop::class, 'ARTICLE'], $closure],
            'the_title' => ['TRIM', $shop->once(...)],
        ]);
        self::assertSame(
            ['the_content' => [230, 3], 'init, the_title' => [140, 5], 'removed since' => [7, 1]],
            array_map(static fn(array $row): array => [$row['wall'], $row['calls']], $rows),
        );
        self::assertEquals(['Shop\Shop::once' => 100, 'trim' => 40], $rows['init, the_title']['callbacks']);
    }

    public function testOwnTimesAreAddedUpByPlugin(): void
    {
        $folder = sys_get_temp_dir() . '/xhprof-plugins-' . bin2hex(random_bytes(8)) . '/wp-content/plugins/shop';
        mkdir($folder, 0o700, true);
        file_put_contents("$folder/shop.php", '<?php function xhprof_test_shop() {} function xhprof_test_cart() {}');
        require "$folder/shop.php";
        unlink("$folder/shop.php");
        for ($depth = 0; $depth < 4; $depth++, $folder = \dirname($folder)) {
            rmdir($folder);
        }
        $profile = Profile::fromRows([
            'main()' => ['ct' => 1, 'wt' => 100],
            'main()==>Shop\\Shop::once' => ['ct' => 1, 'wt' => 90],
            'Shop\\Shop::once==>xhprof_test_shop' => ['ct' => 1, 'wt' => 80],
            'xhprof_test_shop==>xhprof_test_cart' => ['ct' => 1, 'wt' => 70],
            'xhprof_test_cart==>usleep' => ['ct' => 1, 'wt' => 30],
            'Shop\\Shop::once==>usleep' => ['ct' => 1, 'wt' => 10],
            'xhprof_test_cart==>array_map' => ['ct' => 1, 'wt' => 5],
            'array_map==>strrev' => ['ct' => 1, 'wt' => 2],
            'xhprof_test_cart==>load::a/b.php' => ['ct' => 1, 'wt' => 15],
        ]);
        self::assertSame(
            ['plugin shop' => 63, 'loading of files' => 15, 'other code' => 10, 'PHP' => 2],
            QueryMonitorPanel::byPlugin($profile),
        );
    }
}
