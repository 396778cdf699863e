<?php

declare(strict_types=1);

namespace Shop;

/** Keeps the last page; with the fault, every page. */
final class PageCache
{
    /** @var list<string> */
    private array $pages = [];

    public function __construct(private readonly bool $isLeaking)
    {
    }

    public function keep(string $page): void
    {
        // The text of a page is many times this long in a real shop.
        $copy = str_repeat($page, 20);
        $this->pages = $this->isLeaking ? [...$this->pages, $copy] : [$copy];
    }
}
