--TEST--
Templates that Twig itself evaluates without a cache have their names
--EXTENSIONS--
xhprof
ctype
mbstring
--SKIPIF--
<?php
if (!is_file('/usr/share/php/Twig/autoload.php')) die('skip Twig is not installed');
?>
--INI--
xhprof.output_format=xhprof
--FILE--
<?php
require __DIR__ . '/include/calls.php';

/** Ends the profile; its names are those of a file. */
function written(): array
{
    $file = xhprof_write();
    $profile = unserialize(file_get_contents($file));
    unlink($file);
    return $profile;
}
error_reporting(E_ALL & ~E_DEPRECATED);
require '/usr/share/php/Twig/autoload.php';

$twig = new Twig\Environment(new Twig\Loader\ArrayLoader([
    'base.html.twig' => "<h1>{% block title %}{% endblock %}</h1>\n{% block body %}{% endblock %}",
    'shop/page.html.twig' => "{% extends 'base.html.twig' %}
{% import _self as forms %}
{% block body %}
{{ [1, 2]|map(n => n + 1)|join }}
{% for n in 1..3 %}{{ forms.field(n) }}{% endfor %}
{% embed 'base.html.twig' %}
{% block title %}
embedded
{% endblock %}
{% endembed %}
{% endblock %}
{% macro field(n) %}
<input name=\"{{ n }}\">
{% endmacro %}
",
]));
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['mode' => 'tree']);
$twig->render('shop/page.html.twig');
$calls = [];
foreach (written() as $key => $cost) {
    $callee = explode('==>', $key)[1] ?? '';
    if (preg_match('/^twig::(?!.*(getSourceContext|__construct|getTemplateName|isTraitable|doGetParent))/i', $callee) || str_contains($callee, '__TwigTemplate')) {
        $calls[$callee] = ($calls[$callee] ?? 0) + $cost['ct'];
    }
}
ksort($calls);
foreach ($calls as $name => $count) {
    echo "$name: $count\n";
}
?>
--EXPECT--
twig::base.html.twig: 1
twig::base.html.twig::block_body: 1
twig::base.html.twig::block_title: 1
twig::base.html.twig@1: 1
twig::shop/page.html.twig: 1
twig::shop/page.html.twig::block_body: 1
twig::shop/page.html.twig::embed_6: 1
twig::shop/page.html.twig::embed_6::block_title: 1
twig::shop/page.html.twig::macro_field: 3
twig::shop/page.html.twig::{closure:shop/page.html.twig:12}: 3
twig::shop/page.html.twig::{closure:shop/page.html.twig:4}: 2
