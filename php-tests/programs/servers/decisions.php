<?php

// Tests where a server shows its decisions: the header of the answer, the log, and
// xhprof_status(). Part of requests.php.

/** What the program does with its answer, and the status of the answer. */

const ANSWERS = [
    '' => 200, 'remove' => 200, 'remove all' => 200, '304' => 304, 'redirect' => 302, 'flush' => 200, 'callback' => 200, 'buffer' => 200,
    'exit' => 200, 'exception' => 200, 'headers' => 200, 'templates' => 200,
];

const ANSWERING = <<<'PHP'
    <?php
    $how = $_GET['how'] ?? '';
    if ($how === 'callback') header_register_callback(function () { header_remove(); });
    if ($how === 'buffer') ob_start(fn () => header_remove() ?? 'from the buffer');
    header('X-Other: 1');
    if ($how === 'flush') { echo 'first'; flush(); }
    if ($how === 'remove') header_remove('X-Xhprof-Run');
    if ($how === 'remove all') header_remove();
    if ($how === '304') { http_response_code(304); exit; }
    if ($how === 'redirect') { header('Location: /elsewhere'); exit; }
    if ($how === 'exit') exit;
    if ($how === 'exception') { ini_set('display_errors', 0); ini_set('log_errors', 0); throw new Exception; }
    if ($how === 'templates') {
        eval('namespace Twig; class Template { function render(int $within) { usleep(2000); if ($within) $this->render($within - 1); } }');
        foreach ([1, 0] as $within) (new Twig\Template)->render($within);
    }
    if ($how === 'headers') echo implode(' ', headers_list());
    echo xhprof_status()['decision'];
    PHP;

/** The run ids that an answer's header names. */
function announced(string $answer): array
{
    preg_match_all('/^X-Xhprof-Run: ([0-9a-f]{32})\r?$/mi', explode("\r\n\r\n", $answer, 2)[0], $found);
    return $found[1];
}

/** What an answer says of its times. */
function timings(string $answer): array
{
    preg_match_all('/^Server-Timing: (.*?)\r?$/mi', explode("\r\n\r\n", $answer, 2)[0], $found);
    return $found[1];
}

function what_was_decided(): void
{
    global $folder, $kind, $program;
    $application = file_get_contents("$folder/application.php");
    file_put_contents("$folder/application.php", ANSWERING);
    $secret = ['xhprof.trigger' => 'X-Profile', 'xhprof.trigger_secret' => '"' . SECRET . '"', 'xhprof.output_name' => '%i'];
    $asked = ['X-Profile' => SECRET];
    foreach (['tree', 'events', 'sample'] as $mode) {
        serve(['xhprof.auto_enable' => 'trigger', 'xhprof.mode' => $mode] + $secret);
        foreach ($mode === 'tree' ? ANSWERS : ['' => 200] as $how => $status) {
            $how = (string) $how;
            $answer = ask('/application.php?how=' . rawurlencode($how), $asked);
            $ids = announced($answer);
            check("how many headers, $mode, $how", count($ids), 1);
            check("how many timings, $mode, $how", count(timings($answer)), 1);
            $rendered = preg_match('/, templates;dur=(\S+);desc="2 rendered",/', timings($answer)[0] ?? '', $found) ? (float) $found[1] : null;
            check("the templates, $mode, $how: " . json_encode($rendered), $how === 'templates' ? $rendered >= 6 : $rendered === null, true);
            $entry = '(sql|http|cache|templates|compile);dur=\d+\.\d{3};desc="\d+ [a-z]+"';
            check("the timing, $mode, $how", preg_match("/^total;dur=\\d+\\.\\d{3};desc=\"until the headers\"(, $entry)*, memory;desc=\"\\d+\\.\\d MB at most\"$/", timings($answer)[0] ?? ''), 1);
            $written = profiles();
            check("the file of the header, $mode, $how", array_keys($written), ["$ids[0].xhp"]);
            if ($program !== '-' && $mode === 'tree' && $how === '') {
                // Also the first request of a process, which calibrates its clock.
                file_put_contents("$folder/timed.xhp", implode($written));
                $report = json_decode((string) shell_exec(escapeshellarg($program) . ' report --json ' . escapeshellarg("$folder/timed.xhp")), true);
                unlink("$folder/timed.xhp");
                $until_headers = 1e6 * (float) substr(timings($answer)[0] ?? '', strlen('total;dur='));
                $wall = $report['total']['wall_ns'] ?? 0;
                check("the total until the headers, $until_headers ns of $wall", $until_headers > 0 && $until_headers <= $wall, true);
            }
            check("the header for the program, $how", stripos(body($answer), 'X-Xhprof-Run'), false);
            check("the status, $how", preg_match("/^(HTTP\S+|Status:) $status/", $answer . ($status === 200 ? "\r\n" : '')) === 1 || $status === 200 && !preg_match('/^(HTTP\S+|Status:) [^2]/', $answer) || $how === 'exception', true);
        }
    }
    // A request without the trigger gets no header, profiled or not, and not the header of the request before.
    serve(['xhprof.auto_enable' => '1'] + $secret);
    foreach (['nothing' => [], 'a wrong secret' => ['X-Profile' => 'attempt-1'], 'nothing again' => []] as $what => $headers) {
        ask('/application.php', $asked);
        profiles();
        $answer = ask('/application.php?how=304', $headers);
        check("headers with $what", announced($answer), []);
        check("timings with $what", timings($answer), []);
        check("profiles with $what", count(profiles()), 1);
    }

    // One line a request with xhprof.debug, and the text that the program gets.
    $debug = ['xhprof.debug' => '1', 'xhprof.max_per_minute' => '1000'] + $secret;
    foreach (
        [
        ['not profiled: xhprof.auto_enable = 0', '', ['xhprof.auto_enable' => '0'], $asked],
        ['profiled: xhprof.trigger', '; written to ', ['xhprof.auto_enable' => 'trigger'], $asked],
        ['profiled: xhprof.trigger', '; written to ', ['xhprof.auto_enable' => 'trigger', 'xhprof.min_duration' => '3600000'], $asked],
        ['not profiled: xhprof.auto_enable = trigger, and the request has no X-Profile', '', ['xhprof.auto_enable' => 'trigger'], []],
        ['not profiled: xhprof.trigger, with a wrong secret', '', ['xhprof.auto_enable' => 'trigger'], ['X-Profile' => 'attempt-2']],
        ['not profiled: xhprof.auto_enable = trigger, but xhprof.trigger_secret is empty', '', ['xhprof.auto_enable' => 'trigger', 'xhprof.trigger_secret' => ''], $asked],
        ['profiled: xhprof.auto_enable = 1', '; written to ', ['xhprof.auto_enable' => '1'], []],
        ['profiled: xhprof.auto_enable = 1', '; not written: xhprof.min_duration', ['xhprof.auto_enable' => '1', 'xhprof.min_duration' => '3600000'], []],
        ['not profiled: xhprof.rate', '', ['xhprof.auto_enable' => '1', 'xhprof.rate' => '0'], []],
        ['not profiled: xhprof.match', '', ['xhprof.auto_enable' => '1', 'xhprof.match' => '*/other'], []],
        ['not profiled: xhprof.match, by !*/appl*', '', ['xhprof.auto_enable' => '1', 'xhprof.match' => '"!*/x !*/appl*"'], []],
        ['profiled: xhprof.auto_enable = 1', '; not written: cannot write the profile /nowhere/', ['xhprof.auto_enable' => '1', 'xhprof.output_dir' => '/nowhere', 'xhprof.max_per_minute' => '0'], []],
        ['not profiled: cannot open /nowhere/', '', ['xhprof.auto_enable' => '1', 'xhprof.output_dir' => '/nowhere'], []],
        ['not profiled: a limit in php.ini is not valid', '', ['xhprof.auto_enable' => '1', 'xhprof.rate' => '1%'], []],
        ] as [$decision, $outcome, $settings, $headers]
    ) {
        serve($settings + $debug);
        // PHP warns about an invalid limit when it starts.
        logged();
        $said = body(ask('/application.php?secret=query', $headers));
        check("what the program is told, $decision", str_starts_with($said, $decision), true);
        $lines = preg_grep('/xhprof: GET /', logged());
        check("lines of $decision", count($lines), 1);
        check("the line of $decision: " . implode($lines), str_contains(implode($lines), "xhprof: GET /application.php: $decision") && str_contains(implode($lines), $outcome), true);
        check("a query in the log", str_contains(implode($lines), 'query'), false);
    }

    // Wrong secrets are logged once a minute, without the value that was sent.
    serve(['xhprof.auto_enable' => 'trigger'] + $secret, 4);
    global $web;
    $sent = [];
    for ($i = 0; $i < 12; $i++) {
        $sent[] = $web->send("/application.php?X-Profile=attempt-$i", []);
    }
    foreach ($sent as $it) {
        $web->read($it);
    }
    $lines = logged();
    check('lines about a wrong secret: ' . implode($lines), count(preg_grep('/the trigger X-Profile \(query\) with a wrong secret/', $lines)), once($kind, 12));
    check('the secret in the log', str_contains(implode($lines), SECRET) || str_contains(implode($lines), 'attempt'), false);
    file_put_contents("$folder/application.php", $application);
}
