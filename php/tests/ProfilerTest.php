<?php

declare(strict_types=1);

namespace Xhprof\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Shop;
use Xhprof\Exception\AlreadyProfiling;
use Xhprof\Exception\InvalidProfile;
use Xhprof\Mode;
use Xhprof\NullProfiler;
use Xhprof\Options;
use Xhprof\Profile;
use Xhprof\Profiler;
use Xhprof\Program;

/** Real profiles of the extension. */
final class ProfilerTest extends TestCase
{
    protected function setUp(): void
    {
        self::assertTrue(Profiler::isAvailable(), 'these tests need the extension');
    }

    public function testEveryCallIsCountedAndNoneOfOurs(): void
    {
        $shop = new Shop();
        $profile = Profiler::profile(static fn(): int => $shop->nPlusOne());
        self::assertSame(1, $profile->calls('Shop\Shop::nPlusOne'));
        self::assertSame(5, $profile->calls('Shop\Shop::article', by: 'Shop\Shop::nPlusOne'));
        self::assertSame(0, $profile->calls('Xhprof\Profiler::*'));
        self::assertSame(0, $profile->calls('xhprof_*'));
        self::assertSame(0, $profile->calls('ini_set'));
        self::assertSame(6, $profile->queryCount());
        self::assertSame('SELECT name FROM article WHERE id = ?', $profile->queries()[0]->statement);
        self::assertGreaterThan(0, $profile->total()->wall);
    }

    public function testSettingsAreAsBefore(): void
    {
        $values = static fn(): array => array_map(ini_get(...), ['xhprof.collect_additional_info', 'xhprof.closure_names']);
        $before = $values();
        self::assertNotContains(false, $before);
        Profiler::profile(static fn(): string => 'x');
        self::assertSame($before, $values());
    }

    public function testAProfileInAProfileIsPartOfIt(): void
    {
        $shop = new Shop();
        $outer = Profiler::start();
        $shop->once();
        $inner = Profiler::profile(static fn(): int => $shop->nPlusOne());
        $shop->once();
        $profile = $outer->stop();
        self::assertSame(6, $inner->queryCount());
        self::assertSame(8, $profile->queryCount());
        self::assertSame(2, $profile->calls('Shop\Shop::once'));
        self::assertSame(1, $profile->total()->calls);
        self::assertSame(0, $profile->calls('Xhprof\Profiler::*'));
        self::assertSame('off', xhprof_status()['mode']);
    }

    public function testAProfileThatAnExceptionLeftOpenEndsWithTheOneAroundIt(): void
    {
        $outer = Profiler::start();
        $inner = Profiler::start();
        strrev('a');
        $profile = $outer->stop();
        self::assertSame(1, $profile->calls('strrev'));
        self::assertSame(1, $inner->stop()->calls('strrev'));
        self::assertSame($profile, $outer->stop());
        self::assertSame('off', xhprof_status()['mode']);
    }

    public function testAnExceptionPassesAndTheProfileEnds(): void
    {
        try {
            Profiler::profile(static fn() => throw new \DomainException('from the code'));
            self::fail('the exception is lost');
        } catch (\DomainException $error) {
            self::assertSame('from the code', $error->getMessage());
        }
        self::assertSame('off', xhprof_status()['mode']);
    }

    public function testAProfileOfTheProgramIsNotTouched(): void
    {
        xhprof_enable();
        try {
            Profiler::start();
            self::fail('started');
        } catch (AlreadyProfiling) {
            self::assertSame('edges', xhprof_status()['mode']);
        } finally {
            xhprof_disable();
        }
    }

    public function testCodeThatEndsTheProfileItselfIsSurvived(): void
    {
        $profile = Profiler::profile(static function (): void {
            xhprof_disable();
        });
        self::assertSame(0, $profile->calls());
    }

    public function testTheNullProfilerHasAnEmptyProfile(): void
    {
        $profile = (new NullProfiler())->stop();
        self::assertSame(0, $profile->calls());
        self::assertSame([], $profile->queries());
    }

    public function testFilesOfTheProgram(): void
    {
        if (getenv('XHPROF_PROGRAM') === false) {
            self::markTestSkipped('XHPROF_PROGRAM does not name the program');
        }
        $shop = new Shop();
        $base = sys_get_temp_dir() . '/xhprof-test-' . getmypid();
        $files = ["$base.xhp", "$base.xhprof", "$base.json", "$base.svg"];
        try {
            $tree = Profiler::profile(static fn(): int => $shop->nPlusOne(), new Options(mode: Mode::Tree, title: 'a title'));
            $tree->save($files[0]);
            self::assertSame(0o600, fileperms($files[0]) & 0o777);
            $report = (new Program())->report($files[0]);
            self::assertSame('a title', $report['title']);
            self::assertSame(6, Profile::fromFile($files[0])->calls('PDO::query'));

            $tree->save($files[3]);
            self::assertStringContainsString('<svg', (string) file_get_contents($files[3]));
            $edges = Profiler::profile(static fn(): int => $shop->nPlusOne());
            foreach ([$files[0], $files[1], $files[2]] as $file) {
                @unlink($file);
                $edges->save($file);
                $read = Profile::fromFile($file);
                self::assertSame($edges->calls(), $read->calls(), $file);
                self::assertSame(6, $read->queryCount(), $file);
            }
        } finally {
            array_map(static fn(string $file): bool => @unlink($file), $files);
        }
        $this->expectException(InvalidProfile::class);
        $this->expectExceptionMessage('cannot read /nowhere.xhp');
        Profile::fromFile('/nowhere.xhp');
    }

    public function testAProgramThatIsMissingIsNamed(): void
    {
        $this->expectException(InvalidProfile::class);
        $this->expectExceptionMessage('/nowhere/xhprof');
        Profile::fromFile(__FILE__, new Program('/nowhere/xhprof'));
    }
}
