<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use PHPUnit\Event\Test\Finished;
use PHPUnit\Event\Test\FinishedSubscriber;
use PHPUnit\Event\Test\PreparationStarted;
use PHPUnit\Event\Test\PreparationStartedSubscriber;
use PHPUnit\Event\TestRunner\ExecutionFinished;
use PHPUnit\Event\TestRunner\ExecutionFinishedSubscriber;
use PHPUnit\Runner\Extension\Extension as PhpunitExtension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;

/**
 * Profiles each test, for PHPUnit 10 and later; {@see Hook} is for 9.6.
 *
 * ```xml
 * <extensions>
 *     <bootstrap class="Xhprof\PHPUnit\Extension">
 *         <parameter name="directory" value="build/profiles"/>
 *         <parameter name="keep" value="5"/>
 *     </bootstrap>
 * </extensions>
 * ```
 */
final class Extension implements PhpunitExtension
{
    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        $recorder = new TestRecorder(
            $parameters->has('directory') ? $parameters->get('directory') : '',
            $parameters->has('keep') ? (int) $parameters->get('keep') : 5,
        );
        $facade->registerSubscribers(
            new class ($recorder) implements PreparationStartedSubscriber {
                public function __construct(private readonly TestRecorder $recorder)
                {
                }

                public function notify(PreparationStarted $event): void
                {
                    $this->recorder->begin($event->test()->id());
                }
            },
            new class ($recorder) implements FinishedSubscriber {
                public function __construct(private readonly TestRecorder $recorder)
                {
                }

                public function notify(Finished $event): void
                {
                    $this->recorder->end();
                }
            },
            new class ($recorder) implements ExecutionFinishedSubscriber {
                public function __construct(private readonly TestRecorder $recorder)
                {
                }

                public function notify(ExecutionFinished $event): void
                {
                    echo $this->recorder->summary();
                }
            },
        );
    }
}
