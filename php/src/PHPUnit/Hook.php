<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use PHPUnit\Runner\AfterLastTestHook;
use PHPUnit\Runner\AfterTestHook;
use PHPUnit\Runner\BeforeTestHook;

/**
 * Profiles each test, for PHPUnit 9.6; {@see Extension} is for later ones.
 *
 * ```xml
 * <extensions>
 *     <extension class="Xhprof\PHPUnit\Hook">
 *         <arguments><string>build/profiles</string><integer>5</integer></arguments>
 *     </extension>
 * </extensions>
 * ```
 */
final class Hook implements BeforeTestHook, AfterTestHook, AfterLastTestHook
{
    private readonly TestRecorder $recorder;

    public function __construct(string $directory = '', int $keep = 5)
    {
        $this->recorder = new TestRecorder($directory, $keep);
    }

    public function executeBeforeTest(string $test): void
    {
        $this->recorder->begin($test);
    }

    public function executeAfterTest(string $test, float $time): void
    {
        $this->recorder->end();
    }

    public function executeAfterLastTest(): void
    {
        echo $this->recorder->summary();
    }
}
