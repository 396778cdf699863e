<?php

declare(strict_types=1);

namespace Shop;

/** A tree of categories, made by recursion. */
final class Categories
{
    public static function all(): array
    {
        return self::below('Shop', 4);
    }

    private static function below(string $name, int $levels): array
    {
        if ($levels === 0) {
            return ['name' => $name, 'children' => []];
        }
        $children = [];
        foreach (['a', 'b', 'c'] as $letter) {
            $children[] = self::below("$name-$letter", $levels - 1);
        }

        return ['name' => $name, 'children' => $children];
    }
}
