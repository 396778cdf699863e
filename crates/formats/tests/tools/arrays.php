<?php

// arrays.php FOLDER: reads our arrays with PHP itself. FOLDER has files named by
// their format: `xhprof`, `xhprof-json`, `xhgui`, `csv`.
//
// The array identifies functions by name and counts in microseconds. Compared are
// calls, self and inclusive time by name, computed as XHProf's own library does.

[, $folder] = $argv;

/** The names that a name can have in an array. @return list<string> */
function name_and_level(string $symbol): array
{
    return preg_match('/^(.*)@(\d+)$/s', $symbol, $m) ? [$m[1], $m[2]] : [$symbol, '0'];
}

// Names that differ only in invalid bytes are one name in JSON. And the array does not
// say which `@1` is a level and which is part of a name.
$clean = fn (string $name) => name_and_level(strtr($name, "\r\n\0", '   '))[0];
$in_text = function (string $name) use ($clean) {
    $shown = '';
    while ($name !== '') {
        if (preg_match('/^(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+/', $name, $m)) {
            $shown .= $m[0];
            $name = substr($name, strlen($m[0]));
        } else {
            $shown .= "\u{FFFD}";
            $name = substr($name, 1);
        }
    }
    return $clean($shown);
};

$expected = [];
$rows = fopen("$folder/csv", 'r');
fgetcsv($rows, escape: '');
while ($row = fgetcsv($rows, escape: '')) {
    // The CSV writer puts an apostrophe before a name that a spreadsheet would compute.
    $name = $in_text(preg_replace('/^\'(?= *[=+\-@\t\r])/', '', $row[0]));
    $expected[$name]['calls'] = ($expected[$name]['calls'] ?? 0) + (int) $row[1];
    $expected[$name]['own'] = ($expected[$name]['own'] ?? 0) + $row[2] / 1000;
}

$failed = 0;
foreach (['xhprof', 'xhprof-json', 'xhgui'] as $format) {
    $file = file_get_contents("$folder/$format");
    $array = match ($format) {
        'xhprof' => unserialize($file, ['allowed_classes' => false]),
        'xhprof-json' => json_decode($file, true, flags: JSON_THROW_ON_ERROR),
        'xhgui' => json_decode($file, true, flags: JSON_THROW_ON_ERROR)['profile'],
    };
    $found = [];
    foreach ($array as $edge => $cost) {
        $place = strrpos($edge, '==>');
        $names = $place === false ? [null, $edge] : [substr($edge, 0, $place), substr($edge, $place + 3)];
        [$caller, $callee] = $names;
        $callee = $in_text($callee);
        $found[$callee]['calls'] = ($found[$callee]['calls'] ?? 0) + $cost['ct'];
        $found[$callee]['own'] = ($found[$callee]['own'] ?? 0) + $cost['wt'];
        $found[$callee]['rows'] = ($found[$callee]['rows'] ?? 0) + 1;
        if ($caller !== null) {
            $caller = $in_text($caller);
            $found[$caller]['own'] = ($found[$caller]['own'] ?? 0) - $cost['wt'];
            $found[$caller]['rows'] = ($found[$caller]['rows'] ?? 0) + 1;
        }
    }
    $agreed = 0;
    $wrong = [];
    foreach ($expected as $name => $row) {
        foreach (['calls', 'own'] as $key) {
            // Each row is rounded to the nearest microsecond. One row may be off by one more,
            // where the self time would be negative.
            $slack = $key === 'own' ? 1 + ($found[$name]['rows'] ?? 0) / 2 : 0;
            $theirs = $found[$name][$key] ?? 0;
            if (abs($theirs - $row[$key]) <= $slack) {
                $agreed++;
            } else {
                $wrong[] = substr($name, 0, 60) . ": $key $theirs, and not $row[$key]";
            }
        }
    }
    foreach (array_slice($wrong, 0, 10) as $line) {
        echo "  $line\n";
    }
    foreach (array_diff_key($found, $expected) as $name => $_) {
        $wrong[] = $name;
        echo '  no function of the program: ', substr($name, 0, 60), "\n";
    }
    printf("PHP %s, %s: %d numbers agree, %d do not\n", PHP_VERSION, $format, $agreed, count($wrong));
    $failed |= $wrong ? 1 : 0;
}
exit($failed);
