<?php

declare(strict_types=1);

namespace Xhprof\Tests;

use PHPUnit\Framework\TestCase;
use Xhprof\Location;
use Xhprof\Profile;
use Xhprof\Template;

/** Twig's templates, with the real Twig. */
final class TemplateTest extends TestCase
{
    private const PAGE = <<<'TWIG'
        {% extends 'base.twig' %}
        {% import _self as own %}
        {% macro field(name) %}
        <input name="{{ name }}">
        {% endmacro %}
        {% block body %}
            {{ own.field('a') }}
            {% embed 'card.twig' %}
                {% block card %}
                    {{ 1 }}
                {% endblock %}
            {% endembed %}
        {% endblock %}
        TWIG;

    public function testFunctionsOfATemplateHaveItsNameAndLines(): void
    {
        if (stream_resolve_include_path('Twig/autoload.php') === false) {
            self::markTestSkipped("Debian's package of Twig is not installed");
        }
        require_once 'Twig/autoload.php';
        $twig = new \Twig\Environment(new \Twig\Loader\ArrayLoader([
            'a/page.twig' => self::PAGE,
            'base.twig' => '<html>{% block body %}{% endblock %}</html>',
            'card.twig' => '{% block card %}{% endblock %}',
        ]), ['cache' => false]);
        self::assertStringContainsString('<input name="a">', $twig->render('a/page.twig'));
        $page = $twig->getTemplateClass('a/page.twig');
        $embedded = array_values(array_filter(get_declared_classes(), static fn(string $class): bool => str_starts_with($class, "{$page}___")));
        self::assertCount(1, $embedded);
        $names = [
            "$page::doDisplay" => ['twig::a/page.twig', 1],
            "$page::block_body" => ['twig::a/page.twig::block_body', 6],
            "$page::macro_field" => ['twig::a/page.twig::macro_field', 3],
            "$embedded[0]::doDisplay" => ['twig::a/page.twig::embed_8', 8],
            "$embedded[0]::block_card" => ['twig::a/page.twig::embed_8::block_card', 9],
        ];
        foreach ($names as $function => [$name, $line]) {
            self::assertSame($name, Template::name($function));
            self::assertSame("a/page.twig:$line", (string) Location::of($name));
        }
        $profile = Profile::fromRows([
            "$page::block_body==>$page::macro_field" => ['ct' => 2, 'wt' => 2],
            "main()==>$page::block_body" => ['ct' => 1, 'wt' => 3],
            'main()' => ['ct' => 1, 'wt' => 5],
        ]);
        self::assertSame(2, $profile->calls('*::macro_field', by: 'twig::a/page.twig*'));
        self::assertSame('twig::a/page.twig::block_body (a/page.twig:6)', $profile->callers('*::macro_field')[0]->describeCaller());
    }

    public function testOtherFunctionsKeepTheirNames(): void
    {
        foreach (['work', 'Twig\Template::display', '__TwigTemplate_of_no_class::doDisplay', 'load::a/page.twig'] as $function) {
            self::assertSame($function, Template::name($function));
        }
        self::assertNull(Location::of('twig::unknown.twig'));
    }
}
