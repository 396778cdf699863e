<?php

// memcheck.php FOLDER: reads valgrind's logs and prints our errors.
//
// These are all invalid accesses, and leaks of memory that our code allocated. Hooks
// that only pass a call on to PHP do not count as our code: a leak counts if the
// nearest function of ours is another one.

// Known errors that stay: words of the trace, with " + " between them, and the reason.
$known = [
    'zend_ini_entry_def' => 'once in a process: the table of settings, which PHP points into until it ends',
    'xhprof::engine::sampling::Session::start_timer' => 'once in a forked child: what it shared with the timer of its parent, whose locks may be held for ever',
    'ArcInner<xhprof::engine::sampling::mailbox::Mailbox>' => 'the same, if the child pauses or ends its sampling first',
    'sys::thread::unix::Thread>::new::thread_start' => "the same, of that thread's own",
    'uninitialised + read_line (stack.rs:' => 'the address of an instruction, as a timer saw it in a frame that may just have begun: any value is compared with the bounds of the function before it is used',
    'xdebug_execute_ex (base.c:851)' => 'Xdebug 3.2, mode debug, reads a frame that a generator has freed; without us too',
];

$logs = glob("$argv[1]/*.log");
$kinds = ['invalid accesses' => 0, 'leaks of ours' => 0, 'leaks of others' => 0];
$seen = [];
foreach ($logs as $log) {
    $text = preg_replace('/^==\d+== ?/m', '', file_get_contents($log));
    foreach (preg_split('/\n\s*\n/', $text) as $block) {
        if (!preg_match('/^ +(at|by) 0x/m', $block)) {
            continue;
        }
        $is_leak = preg_match('/ (is|are) definitely lost/', $block);
        $is_ours = preg_match('/^ +(?:at|by) 0x\w+: (.*) \((?:.*\.rs:\d+|in .*libxhprof.*)\)$/m', $block, $nearest)
            && !preg_match('/^(?:xhprof::.*::)?(?:pass|pass_user|compile_file|compile_string)$/', $nearest[1]);
        $has = fn (string $words) => array_filter(explode(' + ', $words), fn ($it) => !str_contains($block, $it)) === [];
        if (array_filter(array_keys($known), $has)) {
            continue;
        }
        $kind = $is_leak ? ($is_ours ? 'leaks of ours' : 'leaks of others') : 'invalid accesses';
        $kinds[$kind]++;
        if ($kind === 'leaks of others') {
            continue;
        }
        // The same place once.
        $place = preg_replace(['/0x[0-9A-F]+/', '/[\d,]+ bytes|[\d,]+ blocks|loss record .*/'], '', $block);
        if (isset($seen[$place])) {
            continue;
        }
        $seen[$place] = true;
        echo basename($log), ": $kind\n$block\n\n";
    }
}
printf("%d processes", count($logs));
foreach ($kinds as $kind => $count) {
    printf(", %d %s", $count, $kind);
}
echo "\n";
exit(!$logs || $kinds['invalid accesses'] || $kinds['leaks of ours'] ? 1 : 0);
