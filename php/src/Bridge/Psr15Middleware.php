<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/**
 * PSR-15: one profile a request of a worker, and the route of automatic profiles under php-fpm.
 *
 * Put it outermost. A router's middleware further in knows the route, so `$route` is asked after the answer.
 */
final class Psr15Middleware implements MiddlewareInterface
{
    /**
     * @param ?\Closure(ServerRequestInterface): ?string $route the name or pattern of the request's route, such as
     *     `/articles/{id}`; by default the request's attribute `route` or `__route__`, if a router has set it
     *     before this middleware
     */
    public function __construct(private readonly ?\Closure $route = null)
    {
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $job = Job::begin();
        $error = null;
        try {
            return $handler->handle($request);
        } catch (\Throwable $error) {
            throw $error;
        } finally {
            $route = $this->route === null ? $this->attribute($request) : ($this->route)($request);
            if ($route !== null) {
                Job::route($request->getMethod() . ' ' . $route);
            }
            $job?->end($error);
        }
    }

    private function attribute(ServerRequestInterface $request): ?string
    {
        foreach (['route', '__route__'] as $name) {
            $route = $request->getAttribute($name);
            // Slim's route is an object with a pattern.
            $route = \is_object($route) && method_exists($route, 'getPattern') ? $route->getPattern() : $route;
            if (\is_string($route)) {
                return $route;
            }
        }
        return null;
    }
}
