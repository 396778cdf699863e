<?php

declare(strict_types=1);

namespace Shop;

use Twig\Extension\AbstractExtension;
use Twig\TwigFilter;

/** `{{ cents|price }}` */
final class PriceExtension extends AbstractExtension
{
    public function getFilters(): array
    {
        return [new TwigFilter('price', [$this, 'price'])];
    }

    public function price(int $cents): string
    {
        return number_format($cents / 100, 2) . ' EUR';
    }
}
