<?php
// A page of a shop with Debian's Twig: templates that inherit, include and loop are
// parsed, compiled and rendered. `php twig.php PAGES` prints a hash of all pages.

use Twig\Environment;
use Twig\Loader\ArrayLoader;

require_once '/usr/share/php/Twig/autoload.php';

const TEMPLATES = [
    'base.html' => <<<'TWIG'
        <!doctype html><title>{% block title %}Shop{% endblock %}</title>
        {% for name, url in menu %}<a href="{{ url }}">{{ name|title }}</a>{% endfor %}
        <main>{% block main %}{% endblock %}</main>
        TWIG,
    'price.html' => '{% macro price(cents) %}{{ (cents / 100)|number_format(2, ",", ".") }} EUR{% endmacro %}',
    'product.html' => <<<'TWIG'
        {% import "price.html" as money %}
        <h2 id="{{ product.name|lower|replace({" ": "-"}) }}">{{ product.name }}</h2>
        {{ money.price(product.cents) }}{% if product.cents > 5000 %} <b>free delivery</b>{% endif %}
        <ul>{% for tag in product.tags|sort %}<li>{{ loop.index }}. {{ tag|upper }}</li>{% else %}<li>none</li>{% endfor %}</ul>
        TWIG,
    'list.html' => <<<'TWIG'
        {% extends "base.html" %}
        {% block title %}{{ parent() }}: {{ heading }}{% endblock %}
        {% block main %}{% for product in products %}{{ include("product.html", {product: product}, with_context = false) }}{% endfor %}{% endblock %}
        TWIG,
];

/** A product with a getter, so that templates call methods. */
final class Product
{
    public function __construct(public readonly string $name, private int $cents, public readonly array $tags) {}

    public function getCents(): int
    {
        return $this->cents;
    }
}

$pages = (int) ($argv[1] ?? 1);
$hash = hash_init('xxh3');
for ($page = 0; $page < $pages; $page++) {
    // Each tenth page compiles the templates, as the first requests after a release do.
    if ($page % 10 === 0) $twig = new Environment(new ArrayLoader(TEMPLATES + ["page-$page.html" => TEMPLATES['list.html']]));
    $products = array_map(static fn (int $it): Product => new Product("Thing <$it>", $it * 313 + $page, array_slice(['new', 'sale', 'blue'], $it % 4)), range(1, 40));
    $context = ['menu' => ['home' => '/', 'all things' => '/all'], 'heading' => "page $page", 'products' => $products];
    hash_update($hash, $twig->render('list.html', $context));
}
echo hash_final($hash), "\n";
