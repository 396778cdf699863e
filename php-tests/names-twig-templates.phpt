--TEST--
Functions of Twig's compiled templates are named by the template in files, and as XHProf names them in arrays
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/child.php';

$directory = make_directory();
$hash = str_repeat('0f', 16);
// As Twig 3.27 writes it: a block has its line where its comment begins.
file_put_contents("$directory/compiled.php", "<?php
use Twig\\Source;

/* shop/page.html.twig */
class __TwigTemplate_$hash
{
    protected function doDisplay(array \$context, array \$blocks = [])
    {
        // line 2
        \$this->block_body([]);
    }

    // line 9
    /**
     * @return iterable<string>
     */
    public function block_body(\$context, array \$blocks = [])
    {
        // line 11
        return array_map(fn (\$n) => \$n + 1, [1, 2]);
    }

    public function show() { \$this->doDisplay([]); }

    public function getDebugInfo(): array
    {
        return array (  19 => 11,  13 => 9,  10 => 2,);
    }

    public function getSourceContext(): Source
    {
        return new Source(\"{# the text #}\", \"shop/page.html.twig\", \"/srv/templates/shop/page.html.twig\");
    }
}

/* shop/page.html.twig */
class __TwigTemplate_{$hash}___1511 extends __TwigTemplate_$hash
{
    protected function doDisplay(array \$context, array \$blocks = [])
    {
        // line 5
        \$this->block_body([]);
    }

    public function getDebugInfo(): array
    {
        return array (  47 => 5,  19 => 11,  13 => 9,  10 => 2,);
    }

    public function getSourceContext(): Source
    {
        return new Source('', 'shop/page.html.twig', '');
    }
}
");
file_put_contents("$directory/run.php", "<?php
\$how === 'file' ? require '$directory/compiled.php' : eval(substr(file_get_contents('$directory/compiled.php'), 5));
foreach (['', '___1511'] as \$number) {
    \$class = '__TwigTemplate_$hash' . \$number;
    (new \$class)->show();
}
");
$print = function (array $profile) use ($hash) {
    foreach ($profile as $key => $cost) {
        // Since 8.4 PHP itself names a closure by the function around it.
        $key = preg_replace('/\{closure:__Twig.*:\d+\}/', '{closure}', $key);
        echo str_contains($key, '[') || !preg_match('/twig/i', $key) ? '' : str_replace($hash, 'HASH', "  $key: $cost[ct]\n");
    }
};
foreach (['file', 'eval'] as $how) {
    foreach (['edges', 'events'] as $mode) {
        echo "$how, $mode, in a file:\n";
        file_put_contents("$directory/main.php", "<?php \$how = '$how'; require 'run.php';");
        $ended = run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', 'xhprof.output_format=json',
            '-d', "xhprof.mode=$mode", '-d', 'xhprof.output_name=out', "$directory/main.php");
        echo $ended->output, $ended->errors;
        if ($mode === 'edges') {
            $print(json_decode(file_get_contents("$directory/out.json"), true));
        } else {
            // The names are in the file as they are.
            $text = file_get_contents("$directory/out.xhp");
            echo '  ', str_contains($text, '__TwigTemplate') ? 'with' : 'without', " names of Twig's classes\n";
            foreach (['twig::shop/page.html.twig', '/srv/templates/shop/page.html.twig'] as $name) {
                echo '  ', str_contains($text, $name) ? 'with' : 'without', " $name\n";
            }
        }
    }
}
echo "in an array:\n";
file_put_contents("$directory/main.php", "<?php \$how = 'eval'; xhprof_enable(); require 'run.php'; echo json_encode(xhprof_disable());");
$ended = run_php("$directory/main.php");
echo $ended->errors;
$print(json_decode($ended->output, true));
echo "ignored by either name:\n";
file_put_contents("$directory/main.php", "<?php \$how = 'eval'; require 'run.php';");
foreach (["__TwigTemplate_{$hash}::block_body", 'twig::shop/page.html.twig::block_body'] as $ignored) {
    $ended = run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', 'xhprof.output_format=json', '-d', 'xhprof.mode=edges',
        '-d', 'xhprof.output_name=out', '-d', "xhprof.exclude='$ignored'", "$directory/main.php");
    echo $ended->errors;
    $print(json_decode(file_get_contents("$directory/out.json"), true));
}
remove_directory($directory);
?>
--EXPECT--
file, edges, in a file:
  array_map==>twig::shop/page.html.twig::{closure:shop/page.html.twig:11}: 4
  twig::shop/page.html.twig::block_body==>array_map: 2
  twig::shop/page.html.twig==>twig::shop/page.html.twig::block_body: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig: 1
  main()==>twig::shop/page.html.twig::show: 2
  twig::shop/page.html.twig::embed_5==>twig::shop/page.html.twig::block_body: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig::embed_5: 1
file, events, in a file:
  without names of Twig's classes
  with twig::shop/page.html.twig
  with /srv/templates/shop/page.html.twig
eval, edges, in a file:
  array_map==>twig::shop/page.html.twig::{closure:shop/page.html.twig:11}: 4
  twig::shop/page.html.twig::block_body==>array_map: 2
  twig::shop/page.html.twig==>twig::shop/page.html.twig::block_body: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig: 1
  main()==>twig::shop/page.html.twig::show: 2
  twig::shop/page.html.twig::embed_5==>twig::shop/page.html.twig::block_body: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig::embed_5: 1
eval, events, in a file:
  without names of Twig's classes
  with twig::shop/page.html.twig
  with /srv/templates/shop/page.html.twig
in an array:
  array_map==>__TwigTemplate_HASH::{closure}: 4
  __TwigTemplate_HASH::block_body==>array_map: 2
  __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::block_body: 1
  __TwigTemplate_HASH::show==>__TwigTemplate_HASH::doDisplay: 1
  main()==>__TwigTemplate_HASH::show: 2
  __TwigTemplate_HASH___1511::doDisplay==>__TwigTemplate_HASH::block_body: 1
  __TwigTemplate_HASH::show==>__TwigTemplate_HASH___1511::doDisplay: 1
ignored by either name:
  array_map==>twig::shop/page.html.twig::{closure:shop/page.html.twig:11}: 4
  twig::shop/page.html.twig==>array_map: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig: 1
  main()==>twig::shop/page.html.twig::show: 2
  twig::shop/page.html.twig::embed_5==>array_map: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig::embed_5: 1
  array_map==>twig::shop/page.html.twig::{closure:shop/page.html.twig:11}: 4
  twig::shop/page.html.twig==>array_map: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig: 1
  main()==>twig::shop/page.html.twig::show: 2
  twig::shop/page.html.twig::embed_5==>array_map: 1
  twig::shop/page.html.twig::show==>twig::shop/page.html.twig::embed_5: 1
