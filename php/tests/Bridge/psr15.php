<?php

/** PSR-7's and PSR-15's interfaces, as far as the middleware uses them: Debian has no package of the latter. */

declare(strict_types=1);

namespace Psr\Http\Message {
    if (!interface_exists(ResponseInterface::class)) {
        interface ResponseInterface
        {
        }

        interface ServerRequestInterface
        {
            public function getMethod(): string;

            public function getAttribute(string $name, mixed $default = null): mixed;
        }
    }
}

namespace Psr\Http\Server {
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\ServerRequestInterface;

    if (!interface_exists(MiddlewareInterface::class)) {
        interface RequestHandlerInterface
        {
            public function handle(ServerRequestInterface $request): ResponseInterface;
        }

        interface MiddlewareInterface
        {
            public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface;
        }
    }
}
