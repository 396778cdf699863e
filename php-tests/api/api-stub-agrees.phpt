--TEST--
xhprof.stub.php documents exactly what the extension has
--EXTENSIONS--
xhprof
tokenizer
--SKIPIF--
<?php
if (!is_file(__DIR__ . '/../../xhprof.stub.php')) die('skip xhprof.stub.php is not here');
?>
--FILE--
<?php
// The stub cannot be included: PHP has these functions already.
$stub = file_get_contents(__DIR__ . '/../../xhprof.stub.php');
$functions = [];
foreach (PhpToken::tokenize($stub) as $token) {
    $tokens[] = $token;
}
$source = '';
foreach ($tokens as $token) {
    $source .= $token->is([T_COMMENT, T_DOC_COMMENT]) ? '' : $token->text;
}
preg_match_all('/function\s+(\w+)\s*\(([^)]*)\)\s*:\s*(\??\w+(?:\|\w+)*)/', $source, $found, PREG_SET_ORDER);
foreach ($found as [, $name, $parameters, $type]) {
    $functions[$name] = [trim(preg_replace('/\s+/', ' ', $parameters), ' ,'), $type];
}
ksort($functions);
$names = get_extension_funcs('xhprof');
sort($names);
var_dump(array_keys($functions) === $names);
foreach ($functions as $name => [$parameters, $type]) {
    $function = new ReflectionFunction($name);
    $shown = [];
    foreach ($function->getParameters() as $parameter) {
        $shown[] = $parameter->getType() . ' $' . $parameter->getName() . ($parameter->isOptional()
            ? ' = ' . str_replace(["\n", 'array ()', 'NULL'], ['', '[]', 'null'], var_export($parameter->getDefaultValue(), true)) : '');
    }
    $agrees = implode(', ', $shown) === $parameters && (string) $function->getReturnType() === $type;
    echo $name, $agrees ? " agrees\n" : ": ($parameters): $type in the stub\n";
}
foreach (get_defined_constants(true)['xhprof'] as $name => $value) {
    $is_there = preg_match("/(?:const\\s+$name\\s*=|define\\(\\s*'$name'\\s*,)\\s*(\\S+?)\\s*[);]/", $source, $match)
        && (int) $match[1] === $value;
    echo $name, $is_there ? " agrees\n" : " is not in the stub, or another value\n";
}
?>
--EXPECT--
bool(true)
xhprof_disable agrees
xhprof_dump agrees
xhprof_enable agrees
xhprof_pause agrees
xhprof_resume agrees
xhprof_sample_disable agrees
xhprof_sample_enable agrees
xhprof_status agrees
xhprof_tag agrees
xhprof_write agrees
XHPROF_FLAGS_NO_BUILTINS agrees
XHPROF_FLAGS_CPU agrees
XHPROF_FLAGS_MEMORY agrees
