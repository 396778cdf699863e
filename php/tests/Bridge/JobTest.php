<?php

declare(strict_types=1);

namespace Xhprof\Tests\Bridge;

use OpenTelemetry\API\Trace\Span;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;
use Xhprof\Bridge\Job;
use Xhprof\Bridge\Psr15Middleware;
use Xhprof\Program;

require_once __DIR__ . '/opentelemetry.php';
require_once __DIR__ . '/psr15.php';

/** One profile a job, in a directory of its own. The bridges of frameworks are tested by php/tests/frameworks/check.php. */
final class JobTest extends TestCase
{
    private string $directory = '';
    private string $before = '';

    protected function setUp(): void
    {
        $this->directory = sys_get_temp_dir() . '/xhprof-jobs-' . bin2hex(random_bytes(8));
        mkdir($this->directory, 0o700);
        $this->before = (string) ini_set('xhprof.output_dir', $this->directory);
        $_SERVER['PROFILE_JOBS'] = '1';
    }

    protected function tearDown(): void
    {
        Span::$current = null;
        unset($_SERVER['PROFILE_JOBS']);
        ini_set('xhprof.output_dir', $this->before);
        array_map(unlink(...), $this->files());
        rmdir($this->directory);
    }

    /** @return list<string> */
    private function files(): array
    {
        return glob("$this->directory/*.xhp") ?: [];
    }

    /** @return array<mixed> */
    private function report(): array
    {
        if (getenv('XHPROF_PROGRAM') === false) {
            self::markTestSkipped('XHPROF_PROGRAM does not name the program');
        }
        self::assertCount(1, $this->files());
        return (new Program())->report($this->files()[0]);
    }

    public function testAJobHasAProfileWithItsTitle(): void
    {
        self::assertSame('ba', Job::run(static fn(): string => strrev('ab'), 'SendMail'));
        self::assertSame('SendMail', $this->report()['title']);
    }

    public function testAJobInAJobIsPartOfIt(): void
    {
        Job::run(static fn() => Job::run(static fn(): string => strrev('ab'), 'inner'), 'outer');
        self::assertSame('outer', $this->report()['title']);
    }

    public function testAJobThatFailsHasItsError(): void
    {
        try {
            Job::run(static fn() => throw new \DomainException('of the job'), 'SendMail');
            self::fail('the exception is lost');
        } catch (\DomainException) {
            self::assertSame('DomainException', $this->report()['meta']['tags']['error']);
        }
    }

    public function testAJobHasTheTraceOfTheCurrentSpan(): void
    {
        Span::$current = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
        Job::run(static fn(): string => strrev('ab'), 'SendMail');
        $tags = $this->report()['meta']['tags'];
        self::assertSame('4bf92f3577b34da6a3ce929d0e0e4736', $tags['trace_id']);
        self::assertSame('00f067aa0ba902b7', $tags['span_id']);
    }

    public function testAJobOutsideOfASpanHasNoTrace(): void
    {
        Job::run(static fn(): string => strrev('ab'), 'SendMail');
        self::assertArrayNotHasKey('trace_id', $this->report()['meta']['tags']);
    }

    public function testASpanThatBeginsLaterIsTaken(): void
    {
        Job::run(static function (): void {
            Span::$current = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
            Job::route('GET article_show');
        });
        self::assertSame('00f067aa0ba902b7', $this->report()['meta']['tags']['span_id']);
    }

    public function testNoJobIsProfiledWithoutTheShare(): void
    {
        foreach (['0', 'a lot', ''] as $share) {
            $_SERVER['PROFILE_JOBS'] = $share;
            Job::run(static fn(): string => strrev('ab'));
        }
        self::assertSame([], $this->files());
        self::assertSame('off', xhprof_status()['mode']);
    }

    public function testAMiddlewareNamesTheRouteAndNotTheUrl(): void
    {
        $request = new class () implements ServerRequestInterface {
            public function getMethod(): string
            {
                return 'GET';
            }

            public function getAttribute(string $name, mixed $default = null): mixed
            {
                return $name === 'route' ? '/articles/{id}' : $default;
            }
        };
        $handler = new class () implements RequestHandlerInterface {
            public function handle(ServerRequestInterface $request): ResponseInterface
            {
                return new class () implements ResponseInterface {
                };
            }
        };
        (new Psr15Middleware())->process($request, $handler);
        self::assertStringEndsWith('GET /articles/{id}', $this->report()['title']);
        array_map(unlink(...), $this->files());
        (new Psr15Middleware(static fn(): string => 'article_show'))->process($request, $handler);
        self::assertStringEndsWith('GET article_show', $this->report()['title']);
    }
}
