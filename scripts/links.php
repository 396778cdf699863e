<?php

/**
 * Checks the pages of this repository. Links between them: the file must exist, and
 * must have the heading. No line of prose is longer than 120 letters.
 *
 *     php -n links.php README.md docs/…        (from the top of the repository)
 *
 * Links to other machines are not followed. The anchor of a heading is GitHub's:
 * lower case, without punctuation, spaces as "-", "-1" for a second equal heading.
 */

/** The text of a page without blocks of code. */
function text(string $page): string
{
    return preg_replace('/^( *)(```+|~~~+).*?^ *\2[`~]*$/ms', '', file_get_contents($page));
}

/** The text of a page without code. */
function prose(string $page): string
{
    return preg_replace('/(`+)(?!`).*?(?<!`)\1(?!`)/s', '', text($page));
}

/** @return array<string, true> the anchors of a page */
function anchors(string $page): array
{
    static $known = [];
    if (isset($known[$page])) {
        return $known[$page];
    }
    $text = text($page);
    preg_match_all('/^#{1,6} +(.*?) *#*$/m', $text, $headings);
    $anchors = [];
    $times = [];
    foreach ($headings[1] as $heading) {
        // The text of links, and the words of code and emphasis.
        $heading = preg_replace('/!?\[([^]]*)\]\([^)]*\)/', '$1', $heading);
        $anchor = strtr(preg_replace('/[^\w\- ]/u', '', strtolower($heading)), ' ', '-');
        $count = $times[$anchor] = ($times[$anchor] ?? -1) + 1;
        $anchors[$count ? "$anchor-$count" : $anchor] = true;
    }
    preg_match_all('/<a (?:id|name)="([^"]+)"/', $text, $explicit);
    return $known[$page] = $anchors + array_fill_keys($explicit[1], true);
}

$links = $failed = 0;
foreach (array_slice($argv, 1) as $page) {
    // Rows of tables cannot be broken.
    if (preg_match('/^(?!\|)(?=.* ).{121,}$/mu', text($page), $long)) {
        $failed++;
        echo "$page: longer than 120 letters: $long[0]\n";
    }
    $text = prose($page);
    preg_match_all('/\]\(<?([^)>\s]+)>?(?: "[^"]*")?\)/', $text, $inline);
    preg_match_all('/^\[[^]]+\]: +<?(\S+?)>?(?: .*)?$/m', $text, $references);
    preg_match_all('/\b(?:href|src)="([^"]+)"/', $text, $attributes);
    foreach ([...$inline[1], ...$references[1], ...$attributes[1]] as $link) {
        if (preg_match('{^[a-z][a-z+.-]*:}i', $link)) {
            continue;
        }
        $links++;
        [$path, $anchor] = explode('#', $link, 2) + [1 => null];
        $target = $path === '' ? $page : ltrim(dirname($page) . '/' . rawurldecode($path), '/');
        if (str_starts_with($path, '/') || !file_exists($target)) {
            $failed++;
            echo "$page: ($link): there is no file $target\n";
        } elseif ($anchor !== null && str_ends_with($target, '.md') && !isset(anchors($target)[rawurldecode($anchor)])) {
            $failed++;
            echo "$page: ($link): $target has no such heading\n";
        }
    }
}
echo count($argv) - 1, " pages, $links links between them, $failed faults\n";
exit($failed || !$links ? 1 : 0);
