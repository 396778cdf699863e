<?php

/**
 * Random programs, each run without the extension and under both engines.
 *
 *     php -n run.php EXTENSION [FIRST [COUNT]]
 *
 * Output and status must be the same three times. The profiles of both engines must
 * be the same, and equal to the profile of the tracer.
 */

require __DIR__ . '/Program.php';
require __DIR__ . '/Comparison.php';

/** The status of a run that takes too long. */
const KILLED = -9;

/** The results of one run of a program. */
final class Run
{
    public function __construct(
        public readonly string $output,
        public readonly int $status,
        public readonly mixed $left,
    ) {
    }
}

/** Runs `program.php` in a folder. */
function run(string $folder, array $options): Run
{
    $left = "$folder/left";
    @unlink($left);
    $command = ['timeout', '--signal=KILL', '10', PHP_BINARY, '-n', '-d', 'display_errors=0', '-d', 'zend.exception_ignore_args=1', '-d', 'memory_limit=256M', ...$options, "$folder/program.php", $left];
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    $status = proc_get_status($process);
    while ($status['running']) {
        usleep(100);
        $status = proc_get_status($process);
    }
    proc_close($process);
    // `timeout` ends with the status of its command, or with a shell's status for a signal.
    $ended = $status['signaled'] ? -$status['termsig'] : $status['exitcode'];
    $ended = $ended > 128 && $ended < 160 ? 128 - $ended : $ended;
    return new Run($output, $ended, is_file($left) ? unserialize(file_get_contents($left)) : null);
}

/** Whether PHP without the extension reads invalid memory, as 8.2 does with some programs. */
function php_is_wrong(string $folder): bool
{
    $valgrind = 'USE_ZEND_ALLOC=0 timeout 300 valgrind -q --error-exitcode=99 ' . escapeshellarg(PHP_BINARY)
        . ' -n -d display_errors=0 -d zend.exception_ignore_args=1 ';
    exec("$valgrind $folder/program.php $folder/left 2>/dev/null", $output, $status);
    return $status === 99;
}

/** Writes a program's files into a folder. */
function write(string $folder, Program $program): void
{
    @mkdir($folder, 0700, true);
    foreach ($program->files() as $name => $code) {
        file_put_contents("$folder/$name", $code);
    }
}

/** The differences of the program of that seed. */
function check(int $seed, string $folder, array $engines, bool $is_strict): array
{
    write("$folder/traced", new Program($seed, 'traced'));
    write("$folder/plain", new Program($seed, 'plain'));
    $traced = run("$folder/traced", []);
    if ($traced->status === KILLED) {
        return [];
    }
    $wrong = [];
    $first = $bare = null;
    foreach ($engines as $engine => $options) {
        $run = run("$folder/plain", $options);
        if ($bare === null && [$run->output, $run->status] !== [$traced->output, $traced->status]) {
            // The tracer itself can change the order: it may release a value later.
            write("$folder/bare", new Program($seed, 'bare'));
            $bare = run("$folder/bare", []);
        }
        if ($bare !== null && ($bare->status < 0 || $run->status < 0 && php_is_wrong("$folder/bare"))) {
            return [];
        }
        $right = $bare ?? $traced;
        if ($run->output !== $right->output) {
            $wrong[] = "$engine: another output: …" . difference($right->output, $run->output);
        }
        if ($run->status !== $right->status) {
            $wrong[] = "$engine: ended with $run->status, and without us with $right->status";
        }
        if ($bare !== null) {
            continue;
        }
        if (is_array($run->left) !== is_array($traced->left)) {
            $wrong[] = "$engine: profiles " . (is_array($run->left) ? 'although' : 'missing, although not so') . ' without us';
        }
        if (!is_array($run->left) || !is_array($traced->left)) {
            continue;
        }
        foreach ($run->left as $n => $profile) {
            foreach ($profile === null ? [] : Comparison::laws($profile) as $it) {
                $wrong[] = "$engine, profile $n: $it";
            }
            $known = $traced->left['profiles'][$n] ?? null;
            if (($known === null) !== ($profile === null)) {
                $wrong[] = "$engine, profile $n: " . ($profile === null ? 'none' : 'one too many');
                continue;
            }
            // A depth can be too large for one engine only.
            if ($profile === null || preg_grep('/\[truncated\]/', array_keys($profile))) {
                continue;
            }
            $vague = $traced->left['vague'];
            $is_unwound = $traced->left['has_exited'] || $traced->left['has_fibers'];
            $has_levels = !$vague && !$traced->left['has_fibers'] && PHP_VERSION_ID < 80400;
            $calls = array_map(fn ($cost) => $cost['ct'], $profile);
            $differences = Comparison::differences(
                Comparison::known($known, $vague, $has_levels, $is_unwound),
                Comparison::known($calls, $vague, $has_levels, $is_unwound),
            );
            foreach ($differences as $it) {
                $wrong[] = "tracer and $engine, profile $n: $it";
            }
            if ($first !== null) {
                [$other, $profiles] = $first;
                $theirs = array_map(fn ($cost) => $cost['ct'], $profiles[$n] ?? []);
                if ($vague && !$is_strict) {
                    [$theirs, $calls] = [Comparison::folded($theirs, $vague), Comparison::folded($calls, $vague)];
                }
                foreach (Comparison::differences($theirs, $calls) as $it) {
                    $wrong[] = "$other and $engine, profile $n: $it";
                }
            }
        }
        $first ??= [$engine, $run->left];
    }
    return $wrong;
}

/** The first difference between two texts. */
function difference(string $left, string $right): string
{
    $same = strspn($left ^ $right, "\0");
    $from = max(0, $same - 20);
    return substr($left, $from, 60) . ' | ' . substr($right, $from, 60);
}

[, $extension] = $argv;
[$begin, $count] = [(int) ($argv[2] ?? 1), (int) ($argv[3] ?? 200)];
$loaded = ['-d', "extension=$extension", '-d', 'extension_dir=' . ini_get('extension_dir')];
$engines = [
    'execute' => [...$loaded, '-d', 'xhprof.engine=execute'],
    'observer' => [...$loaded, '-d', 'xhprof.engine=observer'],
];
foreach (array_filter(explode(';', (string) getenv('DIFFERENTIAL_ALSO'))) as $also) {
    $engines[$also] = [...$loaded, ...explode(' ', $also)];
}
$folder = sys_get_temp_dir() . '/xhprof-differential-' . getmypid();
$failed = 0;
// Strict: destructors and closed generators must also have the same caller.
$is_strict = getenv('DIFFERENTIAL_STRICT') === '1';
for ($seed = $begin; $seed < $begin + $count; $seed++) {
    $wrong = check($seed, $folder, $engines, $is_strict);
    if ($wrong) {
        $failed++;
        echo "seed $seed:\n  ", implode("\n  ", array_slice($wrong, 0, 12)), "\n";
    }
}
array_map(unlink(...), glob("$folder/*/*"));
array_map(rmdir(...), glob("$folder/*"));
@rmdir($folder);
echo "$count programs from seed $begin on: $failed with differences\n";
exit($failed > 0 ? 1 : 0);
