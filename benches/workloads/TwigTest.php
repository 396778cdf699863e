<?php
// Tests as Twig's own: each parses, compiles and renders a template with Debian's Twig,
// under Debian's PHPUnit. `phpunit TwigTest.php`; `--filter few` runs some of them.

use PHPUnit\Framework\TestCase;
use Twig\Environment;
use Twig\Error\SyntaxError;
use Twig\Loader\ArrayLoader;

require_once '/usr/share/php/Twig/autoload.php';

final class TwigTest extends TestCase
{
    private const TEMPLATES = [
        'a filter' => ['{{ name|upper }} {{ name|length }}', 'ADA 3'],
        'filters in a row' => ['{{ list|map(it => it * 2)|filter(it => it > 2)|join(", ") }}', '4, 6'],
        'a loop' => ['{% for it in list %}{{ loop.index }}:{{ it }}{% if not loop.last %},{% endif %}{% endfor %}', '1:1,2:2,3:3'],
        'an empty loop' => ['{% for it in [] %}{{ it }}{% else %}none{% endfor %}', 'none'],
        'conditions' => ['{% if list|length > 5 %}many{% elseif list is empty %}none{% else %}some{% endif %}', 'some'],
        'a macro' => ['{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{{ _self.twice(name) }}', 'AdaAda'],
        'inheritance' => ['{% extends "base" %}{% block main %}{{ parent() }} {{ name }}{% endblock %}', '<main Ada>'],
        'an include' => ['{{ include("part", {x: name}) }}{% include "part" with {x: 2} only %}', '[Ada][2]'],
        'escaping' => ['{{ html }} {{ html|raw }} {{ html|e("js") }}', '&lt;b&gt; <b> \u003Cb\u003E'],
        'a set' => ['{% set x %}{{ name }}!{% endset %}{% set y = x ~ x %}{{ y|lower }}', 'ada!ada!'],
        'arithmetic' => ['{{ (1 + 2) * 3 - 4 // 3 ** 1 }} {{ 7 % 4 }} {{ 1 <=> 2 }}', '8 3 -1'],
        'attributes' => ['{{ user.name }} {{ user.mail }} {{ attribute(user, "na" ~ "me") }}', 'Ada a@example.org Ada'],
        'tests' => ['{{ 4 is even and 3 is odd and name is defined and other is not defined ? "yes" : "no" }}', 'yes'],
        'slices' => ['{{ name[:1] }} {{ list[1:]|first }} {{ list|last }}', 'A 2 3'],
        'whitespace' => ["{%- if true -%}\n  x  \n{%- endif -%}", 'x'],
        'an embed' => ['{% embed "base" %}{% block main %}e{% endblock %}{% endembed %}', '<e>'],
    ];

    /** @dataProvider templates */
    public function testRenders(string $template, string $expected): void
    {
        $loader = new ArrayLoader(['page' => $template, 'base' => '<{% block main %}main{% endblock %}>', 'part' => '[{{ x }}]']);
        $twig = new Environment($loader, ['strict_variables' => false]);
        $user = new class { public string $name = 'Ada'; public function getMail(): string { return 'a@example.org'; } };
        $said = $twig->render('page', ['name' => 'Ada', 'list' => [1, 2, 3], 'html' => '<b>', 'user' => $user]);
        $this->assertSame($expected, $said);
    }

    /** @dataProvider templates */
    public function testTellsWhatIsWrong(string $template): void
    {
        $twig = new Environment(new ArrayLoader(['page' => "{$template}{% nothing %}"]));
        $this->expectException(SyntaxError::class);
        $twig->render('page');
    }

    public static function templates(): iterable
    {
        for ($round = 0; $round < 40; $round++) {
            foreach (self::TEMPLATES as $name => [$template, $expected]) {
                // A comment makes each a template of its own.
                yield ($round ? "$name, $round" : "$name, few") => ["{$template}{# $round #}", $expected];
            }
        }
    }
}
