<?php

/**
 * Checks the links between the pages of this repository: the file must exist, and
 * must have the heading.
 *
 *     php -n links.php README.md docs/…        (from the top of the repository)
 *
 * Links to other machines are not followed. The anchor of a heading is GitHub's:
 * lower case, without punctuation, spaces as "-", "-1" for a second equal heading.
 */

/** The text of a page without code. */
function prose(string $page): string
{
    $text = preg_replace('/^(```+|~~~+).*?^\1[`~]*$/ms', '', file_get_contents($page));
    return preg_replace('/(`+)(?!`).*?(?<!`)\1(?!`)/s', '', $text);
}

/** @return array<string, true> the anchors of a page */
function anchors(string $page): array
{
    static $known = [];
    if (isset($known[$page])) {
        return $known[$page];
    }
    $text = preg_replace('/^(```+|~~~+).*?^\1[`~]*$/ms', '', file_get_contents($page));
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
echo count($argv) - 1, " pages, $links links between them, $failed of them broken\n";
exit($failed || !$links ? 1 : 0);
