<?php
// Another PHP, with the same extensions and settings as the one that runs the test.

final class Ended
{
    public function __construct(
        public readonly string $output,
        public readonly string $errors,
        public readonly int $status,
    ) {
    }
}

/** Runs `php` with those arguments until it ends. */
function run_php(string ...$arguments): Ended
{
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    $command = 'exec ' . escapeshellarg($php) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' '
        . implode(' ', array_map(escapeshellarg(...), $arguments));
    $errors = tmpfile();
    // Where this one is: a thread-safe PHP changes directories for itself alone.
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors], $pipes, getcwd());
    $output = stream_get_contents($pipes[1]);
    fclose($pipes[1]);
    $status = proc_close($process);
    rewind($errors);
    return new Ended($output, stream_get_contents($errors), $status);
}

/** Runs code given as text, from a file that is gone afterwards. */
function run_code(string $code, string ...$settings): Ended
{
    $file = tempnam(sys_get_temp_dir(), 'xhprof-test-');
    file_put_contents($file, $code);
    $arguments = [];
    foreach ($settings as $setting) {
        array_push($arguments, '-d', $setting);
    }
    try {
        return run_php(...[...$arguments, $file]);
    } finally {
        unlink($file);
    }
}

/** A new, empty directory. */
function make_directory(): string
{
    $directory = sys_get_temp_dir() . '/xhprof-test-' . bin2hex(random_bytes(8));
    mkdir($directory, 0700);
    return $directory;
}

/** Removes a directory of files. */
function remove_directory(string $directory): void
{
    foreach (array_diff(scandir($directory), ['.', '..']) as $name) {
        unlink("$directory/$name");
    }
    rmdir($directory);
}
