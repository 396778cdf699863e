<?php

// Usage: php fill-readme.php README.md NAME=FILE…
//
// Replaces the text between <!-- NAME --> and <!-- /NAME --> by the contents of
// FILE, as a block of text, without the messages of `x` (==>).

[, $readme] = $argv;
$text = file_get_contents($readme);
foreach (array_slice($argv, 2) as $argument) {
    [$name, $file] = explode('=', $argument, 2);
    $lines = file($file, FILE_IGNORE_NEW_LINES);
    $lines = preg_grep('/^==> /', $lines, PREG_GREP_INVERT);
    $block = "```text\n" . trim(implode("\n", array_map('rtrim', $lines)), "\n") . "\n```\n";
    $marks = '{(<!-- ' . $name . ' -->\n).*?(<!-- /' . $name . ' -->)}s';
    $text = preg_replace_callback($marks, fn ($match) => $match[1] . $block . $match[2], $text, -1, $count);
    if ($count !== 1) {
        fwrite(STDERR, "$readme has no place for $name\n");
        exit(1);
    }
}
file_put_contents($readme, $text);
