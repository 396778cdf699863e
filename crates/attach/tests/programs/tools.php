<?php

/** What the programs here share: `$program` is xhprof, `$folder` a folder that goes with the program. */

$folder = sys_get_temp_dir() . '/xhprof-attach-' . getmypid();
mkdir($folder, 0755, true);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
$failed = 0;

function check(string $what, bool $is, string $found = ''): void
{
    global $failed;
    if (!$is) {
        $failed++;
        echo "$what: wrong", $found === '' ? '' : ": $found", "\n";
    }
}

/** Runs the program; its output, its messages and its status. */
function xhprof(string ...$arguments): array
{
    global $program;
    $process = proc_open([$program, ...$arguments], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    $errors = stream_get_contents($pipes[2]);
    return [$output, $errors, proc_close($process)];
}

/** Starts PHP; its output goes to a file. */
function start(array $command, string $output)
{
    return proc_open($command, [['file', '/dev/null', 'r'], ['file', $output, 'w'], ['file', "$output.err", 'w']], $pipes);
}

/** Waits for the end of a process; its status. */
function ended($process): int
{
    while (($status = proc_get_status($process))['running']) {
        usleep(5_000);
    }
    return $status['exitcode'];
}

/** A copy of a PHP whose symbols do not lead to its globals; none if those of the original do not either. */
function without_symbols(string $binary, string $copy): ?string
{
    $bytes = file_get_contents($binary);
    if (!str_contains($bytes, "\0executor_globals\0")) {
        return null;
    }
    file_put_contents($copy, strtr($bytes, ["\0executor_globals\0" => "\0executor_xxxxxxx\0"]));
    chmod($copy, 0755);
    return $copy;
}

/** Stacks that a program cannot have: each function but `main()` is called by the one whose name is its own without the end. */
function impossible(string $lines, int &$samples): array
{
    $wrong = [];
    foreach (explode("\n", trim($lines)) as $line) {
        if (!preg_match('/^(\S.*) (\d+)$/', $line, $match)) {
            continue;
        }
        $samples += (int) $match[2];
        $stack = explode(';', $match[1]);
        $above = null;
        foreach ($stack as $depth => $name) {
            $is_right = match (true) {
                $depth === 0 => $name === 'main()',
                preg_match('/^t(_\d)*$/', $name) === 1 => $above === null ? $name === 't' : preg_replace('/_\d$/', '', $name) === $above,
                // An internal function calls nothing, and is called by a leaf; before and after the calls the file runs others.
                default => $depth === count($stack) - 1 && ($above === null || preg_match('/^t(_\d){4}$/', $above)),
            };
            if (!$is_right) {
                $wrong[] = $line;
                break;
            }
            $above = preg_match('/^t/', $name) ? $name : $above;
        }
    }
    return $wrong;
}

/** A tree of functions, each of which is called by one other: t, t_0, t_0_2 …, the leaves in a fraction of a microsecond. */
function tree(): string
{
    $code = '';
    $queue = ['t'];
    while ($queue) {
        $name = array_shift($queue);
        if (substr_count($name, '_') === 4) {
            $rounds = crc32($name) % 20;
            $code .= "function $name(\$x) { for (\$i = 0; \$i < $rounds; \$i++) { \$x = (\$x * 31 + \$i) & 0xffff; } return \$x + strlen(md5((string) \$x)); }\n";
            continue;
        }
        $calls = '';
        for ($child = 0; $child < 3; $child++) {
            $queue[] = "{$name}_$child";
            $calls .= "\$x = {$name}_$child(\$x); ";
        }
        $code .= "function $name(\$x) { {$calls}return \$x & 0xffff; }\n";
    }
    return $code;
}

function posix_user(): int
{
    return (int) trim((string) shell_exec('id -u'));
}

/** Says what was found, and ends. */
function finish(string $what): never
{
    global $failed;
    echo $failed ? "$failed wrong\n" : "$what: all right\n";
    exit($failed ? 1 : 0);
}
