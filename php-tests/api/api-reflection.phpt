--TEST--
Reflection shows each function's parameters, defaults and return type
--EXTENSIONS--
xhprof
--FILE--
<?php
foreach (['xhprof_enable', 'xhprof_disable', 'xhprof_sample_enable', 'xhprof_sample_disable', 'xhprof_write'] as $name) {
    $function = new ReflectionFunction($name);
    $parameters = [];
    foreach ($function->getParameters() as $parameter) {
        $parameters[] = $parameter->getType() . ' $' . $parameter->getName() . ' = '
            . str_replace(["\n", 'array ()'], ['', '[]'], var_export($parameter->getDefaultValue(), true));
    }
    echo $name, '(', implode(', ', $parameters), '): ', $function->getReturnType(),
        ', ', $function->getNumberOfRequiredParameters(), " required\n";
}
?>
--EXPECT--
xhprof_enable(int $flags = 0, array $options = []): void, 0 required
xhprof_disable(): ?array, 0 required
xhprof_sample_enable(): void, 0 required
xhprof_sample_disable(): ?array, 0 required
xhprof_write(?string $file = NULL): string|false, 0 required
