<?php

// The jobs of both applications.

namespace App\Message {
    final class SendMail
    {
        public function __construct(public readonly string $id)
        {
        }
    }
}

namespace App\Jobs {
    final class SendMail
    {
        public function __construct(public readonly string $id)
        {
        }

        public function handle(): void
        {
            work($this->id);
        }
    }
}
