<?php

class Cart
{
    private array $items = [];

    // Adds up the prices.
    public function total(): float
    {
        $sum = 0.0;
        foreach ($this->items as $item) {
            $sum += $this->price($item);
        }
        usort($this->items, fn ($a, $b) => $a <=> $b);

        return round($sum, 2);
    }

    private function price(array $item): float
    {
        $price = $item['price'];
	if ($item['tax']) {
            $price *= 1.19;
        }
        return (float) number_format($price, 2);
    }
}
