<?php

declare(strict_types=1);

namespace Xhprof\Tests;

use PHPUnit\Framework\TestCase;
use PHPUnit\Runner\Version;

/** Attributes and the extension of PHPUnit, in a PHPUnit of its own. */
final class AttributesTest extends TestCase
{
    private string $directory = '';

    protected function tearDown(): void
    {
        foreach (glob("$this->directory/*/*") ?: [] as $file) {
            unlink($file);
        }
        foreach (glob("$this->directory/{,.}*[!.]", GLOB_BRACE) ?: [] as $file) {
            is_dir($file) ? rmdir($file) : unlink($file);
        }
        rmdir($this->directory);
    }

    protected function setUp(): void
    {
        $this->directory = sys_get_temp_dir() . '/xhprof-phpunit-' . bin2hex(random_bytes(8));
        mkdir($this->directory, 0o700);
    }

    /** @return array{int, string} the status and the output of a PHPUnit */
    private function phpunit(bool $hasExtension, string $environment = ''): array
    {
        $isOld = version_compare(Version::id(), '10', '<');
        $extension = $isOld
            ? "<extension class='Xhprof\\PHPUnit\\Hook'><arguments><string>$this->directory/kept</string><integer>2</integer></arguments></extension>"
            : "<bootstrap class='Xhprof\\PHPUnit\\Extension'><parameter name='directory' value='$this->directory/kept'/><parameter name='keep' value='2'/></bootstrap>";
        file_put_contents("$this->directory/phpunit.xml", "<phpunit bootstrap='" . __DIR__ . "/bootstrap.php' colors='false'>"
            . '<testsuites><testsuite name="shop"><directory>' . __DIR__ . '/Fixtures/suite</directory></testsuite></testsuites>'
            . "<extensions>$extension</extensions></phpunit>");
        $command = [PHP_BINARY];
        $so = getenv('XHPROF_EXTENSION');
        if ($hasExtension && \is_string($so)) {
            $command[] = "-dextension=$so";
        }
        $command = [...$command, '-dinclude_path=' . get_include_path(), $_SERVER['argv'][0], '-c', "$this->directory/phpunit.xml"];
        $line = "$environment " . implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1';
        exec("cd $this->directory && $line", $lines, $status);
        return [$status, implode("\n", $lines)];
    }

    public function testAttributesFailTheTestsThatExceedThem(): void
    {
        [$status, $said] = $this->phpunit(true);
        self::assertNotSame(0, $status, $said);
        self::assertStringContainsString('Tests: 6', $said);
        self::assertStringContainsString('Failures: 4', $said);
        foreach (['testGoodPage', 'testAfterAFailureIsQuiet'] as $test) {
            self::assertDoesNotMatchRegularExpression("/^\\d+\\) .*$test/m", $said);
        }
        foreach (['testRepeatedStatement', 'testTooManyCalls', 'testLimitOfTheClass', 'testFailsForAnotherReason'] as $test) {
            self::assertMatchesRegularExpression("/^\\d+\\) .*$test/m", $said);
        }
        self::assertStringContainsString('made 5 times by one caller (N+1)', $said);
        self::assertStringContainsString('PDO::query was called 6 times, expected: at most 3 calls', $said);
        self::assertStringContainsString('var_dump was called 1 time, expected: exactly 0 calls', $said);
        self::assertStringContainsString('Failed asserting that 5 is identical to 6', $said);
    }

    public function testTheExtensionListsTestsAndKeepsProfiles(): void
    {
        [, $said] = $this->phpunit(true);
        self::assertStringContainsString('The 5 tests that call most:', $said);
        self::assertMatchesRegularExpression('/\d calls +9 SQL .* Shop\\\\Tests\\\\LimitedTest::testRepeatedStatement/', $said);
        $kept = glob("$this->directory/kept/*.xhprof") ?: [];
        self::assertCount(2, $kept);
        self::assertSame(0o600, fileperms($kept[0]) & 0o777);
        self::assertArrayHasKey('main()', unserialize((string) file_get_contents($kept[0])));
    }

    public function testWithoutTheExtensionTestsAreErrorsOrSkipped(): void
    {
        if (getenv('XHPROF_EXTENSION') === false) {
            self::markTestSkipped('XHPROF_EXTENSION does not name the extension, so it cannot be left out');
        }
        [, $said] = $this->phpunit(false);
        self::assertStringContainsString('the extension xhprof is not loaded: add "extension = xhprof"', $said);
        self::assertStringContainsString('Errors: 6', $said);
        [, $said] = $this->phpunit(false, 'XHPROF_OPTIONAL=1');
        self::assertStringContainsString('Skipped: 6', $said);
        self::assertStringContainsString('so no test was profiled', $said);
    }
}
