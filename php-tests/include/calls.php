<?php
// What tests compare: calls and their order, never times.

/** One line for each row, in the array's order: `caller==>callee: calls`. */
function calls_of(?array $profile): string
{
    if ($profile === null) {
        return "no profile\n";
    }
    $lines = '';
    foreach ($profile as $edge => $cost) {
        $lines .= "$edge: {$cost['ct']}\n";
    }
    return $lines;
}

function print_calls(?array $profile): void
{
    echo calls_of($profile);
}

/** The rows whose name matches, for profiles with more than a test is about. */
function matching(?array $profile, string $pattern): ?array
{
    return $profile === null
        ? null
        : array_filter($profile, fn ($edge) => preg_match($pattern, $edge) === 1, ARRAY_FILTER_USE_KEY);
}

/** What must hold for every profile, whatever was profiled; prints what does not. */
function check_shape(array $profile, array $metrics = ['ct', 'wt']): void
{
    if (array_key_last($profile) !== 'main()' || $profile['main()']['ct'] !== 1) {
        echo "main() is not the last row, or not called once\n";
    }
    $callees = ['main()' => true];
    foreach ($profile as $edge => $cost) {
        $names = explode('==>', $edge);
        if (count($names) > 2) {
            echo "more than one separator: $edge\n";
        }
        if (count($names) === 2 && $names[0] === $names[1]) {
            echo "calls itself: $edge\n";
        }
        if (array_keys($cost) !== $metrics) {
            echo "$edge has other metrics: ", implode(' ', array_keys($cost)), "\n";
        }
        foreach ($cost as $metric => $value) {
            if (!is_int($value) || ($value < 0 && !in_array($metric, ['mu', 'pmu'], true))) {
                echo "$edge: $metric is ", var_export($value, true), "\n";
            }
        }
        $callees[end($names)] = true;
    }
    foreach ($profile as $edge => $cost) {
        if (!isset($callees[explode('==>', $edge)[0]])) {
            echo "the caller of $edge has no caller\n";
        }
    }
}
