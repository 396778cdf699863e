<?php

declare(strict_types=1);

/**
 * A small shop, as the tests of the viewer profile it: it has statements, a
 * loop that asks again and again, recursion, and a function that costs much.
 */

namespace Shop;

require __DIR__ . '/src/Catalogue.php';
require __DIR__ . '/src/Categories.php';
require __DIR__ . '/src/Page.php';

function connect(): \PDO
{
    $connection = new \PDO('sqlite::memory:');
    $connection->exec('CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price INTEGER)');
    $connection->exec('CREATE TABLE review (product INTEGER, stars INTEGER, text TEXT)');
    $connection->beginTransaction();
    $product = $connection->prepare('INSERT INTO product (name, price) VALUES (?, ?)');
    $review = $connection->prepare('INSERT INTO review VALUES (?, ?, ?)');
    for ($number = 1; $number <= 40; $number++) {
        $product->execute(["Product $number", 100 + $number * 7 % 500]);
        for ($star = 1; $star <= 3; $star++) {
            $review->execute([$number, $star, str_repeat("It is good. ", $star)]);
        }
    }
    $connection->commit();

    return $connection;
}

$catalogue = new Catalogue(connect());
$page = new Page();
$html = $page->head('Shop');
$html .= $page->tree(Categories::all());
$html .= $page->products($catalogue->withReviews());
$html .= $page->prices($catalogue->prices());
echo strlen($html) > 1000 ? "ok\n" : "too short\n";
