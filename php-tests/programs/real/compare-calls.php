<?php

/**
 * Compares the calls of each user function in a profile and in a trace that
 * Xdebug wrote of another run of the same program.
 *
 * usage: php compare-calls.php PROFILE.xhprof TRACE.xt
 *
 * The trace (format 1) has a line per entry, tab by tab: level, number, 0,
 * time, memory, name, 1 for user functions, included file, file, line.
 */

/** Converts a name of Xdebug (Class->method, {closure:/file.php:3-7}), or of our files, to XHProf's. */
function classic_name(string $name): string
{
    return preg_replace('/\{closure:[^}]*\}/', '{closure}', str_replace('->', '::', $name));
}

/** Only one of the two has the namespace in the name of a closure. */
function comparable(string $name): string
{
    return preg_match('/\{closure\}$/', $name) ? '{closure}' : $name;
}

[, $profile_file, $trace_file] = $argv;
$is_user = $traced = $profiled = [];
foreach (new SplFileObject($trace_file) as $line) {
    $fields = explode("\t", $line);
    if (($fields[2] ?? '') !== '0') {
        continue;
    }
    $name = $fields[5];
    $is_code = preg_match('/^(\{main\}$|(include|require)(_once)?$|eval$)/', $name);
    if ($fields[6] !== '1' || $is_code) {
        continue;
    }
    $name = comparable(classic_name($name));
    $is_user[$name] = true;
    $traced[$name] = ($traced[$name] ?? 0) + 1;
}
$profile = unserialize(file_get_contents($profile_file), ['allowed_classes' => false]);
foreach ($profile as $edge => $cost) {
    $name = explode('==>', $edge)[1] ?? '';
    $name = comparable(classic_name(preg_replace('/@\d+$/', '', $name)));
    if (isset($is_user[$name])) {
        $profiled[$name] = ($profiled[$name] ?? 0) + $cost['ct'];
    }
}
$wrong = 0;
foreach ($traced as $name => $calls) {
    $ours = $profiled[$name] ?? 0;
    if ($ours !== $calls) {
        echo "$name: $calls calls in the trace, $ours in the profile\n";
        $wrong++;
    }
}
printf(
    "%d user functions, %d calls of them in the trace, %d in the profile\n",
    count($traced),
    array_sum($traced),
    array_sum($profiled)
);
exit($wrong || !$traced ? 1 : 0);
