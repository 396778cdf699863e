<?php

declare(strict_types=1);

namespace Xhprof\Tests;

use PHPUnit\Framework\TestCase;
use Xhprof\Exception\InvalidProfile;
use Xhprof\Location;
use Xhprof\Pattern;
use Xhprof\Profile;

/** What a profile answers, from an array alone. */
final class ProfileTest extends TestCase
{
    private const ROWS = [
        'Shop::page==>PDO::query#SELECT ?' => ['ct' => 2, 'wt' => 20],
        'Shop::list==>PDO::query#SELECT ?' => ['ct' => 3, 'wt' => 30],
        'Shop::list==>curl_exec#https://example.org/' => ['ct' => 1, 'wt' => 5],
        'walk==>walk@1' => ['ct' => 1, 'wt' => 2],
        'walk@1==>walk@2' => ['ct' => 1, 'wt' => 1],
        'main()==>walk' => ['ct' => 1, 'wt' => 3],
        'main()==>Shop::{closure:a#b.php:7}' => ['ct' => 4, 'wt' => 4],
        'main()' => ['ct' => 1, 'wt' => 100, 'mu' => -5, 'pmu' => 7],
    ];

    public function testCallsAreCountedByPatternInAnyCase(): void
    {
        $profile = Profile::fromRows(self::ROWS);
        self::assertSame(5, $profile->calls('pdo::*'));
        self::assertSame(5, $profile->calls('\PDO::query'));
        self::assertSame(2, $profile->calls('PDO::query', by: '*::page'));
        self::assertSame(0, $profile->calls('PDO::quer'));
        self::assertSame(0, $profile->calls('main()'));
        self::assertSame(13, $profile->calls());
        self::assertSame(7, $profile->edges());
    }

    public function testLevelsOfRecursionAreOneFunction(): void
    {
        $profile = Profile::fromRows(self::ROWS);
        self::assertSame(3, $profile->calls('walk'));
        $callers = $profile->callers('walk');
        self::assertSame([['walk', 2], ['main()', 1]], array_map(static fn($call): array => [$call->caller, $call->cost->calls], $callers));
    }

    public function testNamesOfClosuresAreNotCutAtTheHash(): void
    {
        $profile = Profile::fromRows(self::ROWS);
        self::assertSame(4, $profile->calls('*{closure:a#b.php:7}'));
        self::assertSame('a#b.php:7', (string) Location::of('Shop::{closure:a#b.php:7}'));
    }

    public function testStatementsHaveTheirCallers(): void
    {
        $profile = Profile::fromRows(self::ROWS);
        self::assertSame(5, $profile->queryCount());
        $queries = $profile->queries();
        self::assertCount(1, $queries);
        self::assertSame('SELECT ?', $queries[0]->statement);
        self::assertSame(3, $queries[0]->repeated());
        self::assertSame(['Shop::list', 'Shop::page'], array_column($queries[0]->calls, 'caller'));
        self::assertCount(2, $profile->spans());
    }

    public function testTheTotalIsMains(): void
    {
        $total = Profile::fromRows(self::ROWS)->total();
        self::assertSame([100, -5, 7, null], [$total->wall, $total->memory, $total->peak, $total->cpu]);
    }

    /**
     * @param array<mixed> $rows
     */
    private function refuses(array $rows, string $reason): void
    {
        try {
            Profile::fromRows($rows);
            self::fail("accepted: $reason");
        } catch (InvalidProfile $error) {
            self::assertStringContainsString($reason, $error->getMessage());
        }
    }

    public function testOtherArraysAreRefused(): void
    {
        $this->refuses([], '"main()" is missing');
        $this->refuses(['main()' => 'main()==>f'], '"main()" has no costs');
        $this->refuses(['main()' => ['ct' => '1']], 'is no number');
    }

    public function testAPatternIsTextBesidesItsStars(): void
    {
        self::assertTrue((new Pattern('App\*::find'))->matches('app\Repo::FIND'));
        self::assertFalse((new Pattern('a.c'))->matches('abc'));
        self::assertFalse((new Pattern('find'))->matches('findAll'));
        self::assertTrue((new Pattern('a(*)'))->matches("a(\n)"));
    }

    public function testAFileIsWrittenForItsOwnerAndReplacesNoLink(): void
    {
        $path = sys_get_temp_dir() . '/xhprof-test-' . getmypid() . '.xhprof';
        $profile = Profile::fromRows(self::ROWS);
        try {
            $profile->save($path);
            self::assertSame(0o600, fileperms($path) & 0o777);
            self::assertSame(self::ROWS, unserialize((string) file_get_contents($path)));
            symlink($path, "$path.json");
            try {
                $profile->save("$path.json");
                self::fail('a link was followed');
            } catch (InvalidProfile $error) {
                self::assertStringContainsString('symbolic link', $error->getMessage());
            }
        } finally {
            @unlink($path);
            @unlink("$path.json");
        }
        $this->expectException(InvalidProfile::class);
        $this->expectExceptionMessage('its directory does not exist');
        $profile->save('/nowhere/at/all.xhprof');
    }
}
