<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Limit;

/**
 * Reads the attributes of tests.
 *
 * @internal
 */
final class Limits
{
    /** @return list<Limit> of the method, then of its class and the classes above */
    public static function of(object $test, string $method): array
    {
        $places = method_exists($test, $method) ? [new \ReflectionMethod($test, $method)] : [];
        for ($class = new \ReflectionObject($test); $class instanceof \ReflectionClass; $class = $class->getParentClass()) {
            $places[] = $class;
        }
        $limits = [];
        foreach ($places as $place) {
            foreach ($place->getAttributes(HasLimit::class, \ReflectionAttribute::IS_INSTANCEOF) as $attribute) {
                $limits = [...$limits, ...$attribute->newInstance()->limits()];
            }
        }
        return $limits;
    }
}
