<?php

declare(strict_types=1);

namespace Shop;

/** Makes HTML of what the shop has. */
final class Page
{
    public function head(string $title): string
    {
        return '<h1>' . $this->text($title) . '</h1>';
    }

    public function tree(array $category): string
    {
        $html = '<li>' . $this->text($category['name']);
        foreach ($category['children'] as $child) {
            $html .= $this->tree($child);
        }

        return $html . '</li>';
    }

    public function products(array $products): string
    {
        $html = '';
        foreach ($products as $product) {
            $html .= $this->product($product);
        }

        return $html;
    }

    private function product(array $product): string
    {
        $stars = array_column($product['reviews'], 'stars');
        $mean = array_sum($stars) / count($stars);
        $words = array_map(fn (array $review): int => $this->words($review['text']), $product['reviews']);

        return sprintf('<p>%s: %.1f stars, %d words</p>', $this->text($product['name']), $mean, array_sum($words));
    }

    private function words(string $text): int
    {
        return count(preg_split('/\s+/', trim($text)));
    }

    public function prices(array $prices): string
    {
        $groups = [];
        foreach ($prices as $price) {
            $groups[intdiv($price, 50)][] = $price;
        }
        $sums = array_map(fn (array $group): string => md5(serialize($group)), $groups);

        return '<pre>' . $this->text(json_encode($sums)) . '</pre>';
    }

    private function text(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES);
    }
}
