<?php

// Usage: php signatures.php [STUB]
//
// Prints the functions and constants of the loaded extension, or of a stub: one a
// line, sorted. The stub is right if both outputs are the same.

function signature(ReflectionFunction $function): string
{
    $parameters = array_map(function (ReflectionParameter $parameter): string {
        $text = $parameter->hasType() ? $parameter->getType() . ' ' : '';
        $text .= $parameter->isPassedByReference() ? '&' : '';
        $text .= ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->getName();
        if ($parameter->isDefaultValueAvailable()) {
            $text .= ' = ' . json_encode($parameter->getDefaultValue());
        } elseif ($parameter->isOptional() && !$parameter->isVariadic()) {
            $text .= ' = ?';
        }
        return $text;
    }, $function->getParameters());
    $type = $function->hasReturnType() ? ': ' . $function->getReturnType() : '';
    $deprecated = $function->isDeprecated() ? 'deprecated ' : '';
    return "{$deprecated}function {$function->getName()}(" . implode(', ', $parameters) . ")$type";
}

$stub = $argv[1] ?? null;
if ($stub === null) {
    $extension = new ReflectionExtension('xhprof');
    $functions = $extension->getFunctions();
    $constants = $extension->getConstants();
    $classes = $extension->getClassNames();
} else {
    $before = [get_defined_functions()['user'], get_declared_classes()];
    require $stub;
    $names = array_diff(get_defined_functions()['user'], $before[0]);
    $functions = array_map(fn ($name) => new ReflectionFunction($name), $names);
    $constants = get_defined_constants(true)['user'] ?? [];
    $classes = array_diff(get_declared_classes(), $before[1]);
    foreach ($functions as $function) {
        if ($function->getDocComment() === false) {
            fwrite(STDERR, "$stub: {$function->getName()}() is not documented\n");
            exit(1);
        }
    }
}

$lines = array_map(signature(...), array_values($functions));
foreach ($constants as $name => $value) {
    $lines[] = 'const ' . get_debug_type($value) . " $name = " . json_encode($value);
}
foreach ($classes as $name) {
    $lines[] = "class $name";
}
sort($lines);
echo implode("\n", $lines), "\n";
