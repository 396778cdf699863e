<?php

declare(strict_types=1);

namespace Shop;

/** The products, from the database. */
final class Catalogue
{
    public function __construct(private \PDO $connection)
    {
    }

    /** One statement for each product: what the hint N+1 is about. */
    public function withReviews(): array
    {
        $products = $this->connection->query('SELECT * FROM product')->fetchAll(\PDO::FETCH_ASSOC);
        foreach ($products as &$product) {
            $product['reviews'] = $this->reviews((int) $product['id']);
        }

        return $products;
    }

    private function reviews(int $product): array
    {
        $statement = $this->connection->query("SELECT stars, text FROM review WHERE product = $product");

        return $statement->fetchAll(\PDO::FETCH_ASSOC);
    }

    /** Adds one array to the next: quadratic. */
    public function prices(): array
    {
        $all = [];
        foreach ($this->connection->query('SELECT price FROM product') as $row) {
            $all = array_merge($all, array_fill(0, 200, (int) $row['price']));
        }
        sort($all);

        return $all;
    }
}
