<?php

// same-answers.php FOLDER FOLDER [FOLDER]: compares the files of the third folder
// with those of the first, except where the first and the second differ.
//
// Answers are compared word by word. Where two answers to the same request have
// different words (times, tokens, ids), any word is accepted. The same holds for
// words that are seconds with milliseconds, which may be equal by chance.

[, $first, $second] = $argv;
$third = $argv[3] ?? $second;
// Several spaces count as one, because they align numbers. Two times of day may have
// the same seconds, and two answers may take the same milliseconds.
$times = '/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\b20\d{12}\b|(?<="wgBackendResponseTime":)\d+/';
$plain = fn (string $text) => preg_replace(['/ +/', $times], [' ', 'TIME'], $text);
$words = fn (string $file) => preg_split('/([^\w.]+)/', $plain(file_get_contents($file)), -1, PREG_SPLIT_DELIM_CAPTURE);
$compared = $masked = $wrong = 0;
foreach (scandir($first) as $name) {
    if ($name[0] === '.') {
        continue;
    }
    [$a, $b, $c] = array_map($words, ["$first/$name", "$second/$name", "$third/$name"]);
    if (count($a) !== count($b) || count($a) !== count($c)) {
        printf("answer %s has %d, %d and %d words\n", $name, count($a), count($b), count($c));
        $wrong++;
        continue;
    }
    foreach ($a as $i => $word) {
        $compared++;
        if ($word !== $b[$i] || preg_match('/^\d+\.\d{3,}$/', $word)) {
            $masked++;
        } elseif ($word !== $c[$i]) {
            printf("answer %s, word %d: %s became %s\n", $name, $i, $word, $c[$i]);
            $wrong++;
        }
    }
}
// Masked words prove nothing, so there must be few of them.
printf("%d words compared, %d of them are times or differ between any two requests\n", $compared, $masked);
exit($wrong || $compared < 1000 || $masked > $compared / 50 ? 1 : 0);
