<?php

declare(strict_types=1);

namespace Xhprof;

use Xhprof\Exception\InvalidProfile;

/** The program xhprof, which reads and writes files of profiles. */
final class Program
{
    /** @param ?string $path where it is; by default $XHPROF_PROGRAM, else `xhprof` on the PATH */
    public function __construct(private readonly ?string $path = null)
    {
    }

    /**
     * XHProf's array of a file of any format.
     *
     * @return array<mixed>
     * @throws InvalidProfile if the file cannot be read
     */
    public function rows(string $file): array
    {
        // Without JSON, which has no bytes that are not UTF-8.
        $rows = @unserialize($this->run('convert', '--to', 'xhprof', '-o', '-', '--', $file), ['allowed_classes' => false, 'max_depth' => 4]);
        return \is_array($rows) ? $rows : throw new InvalidProfile("cannot read $file: it has samples, not calls");
    }

    /**
     * What `xhprof report --json` prints, such as functions with files and lines, spans and hints.
     *
     * @param string ...$options such as `--spans`
     * @return array<mixed>
     * @throws InvalidProfile if the file cannot be read
     */
    public function report(string $file, string ...$options): array
    {
        $report = json_decode($this->run('report', '--json', '--limit', '0', ...array_values($options), ...['--', $file]), true);
        return \is_array($report) ? $report : throw new InvalidProfile("cannot read $file: the program printed no JSON");
    }

    /** Writes a file in the format that the ending of the new name says. */
    public function convert(string $from, string $to): void
    {
        $this->run('convert', '-o', $to, '--', $from);
    }

    private function run(string ...$arguments): string
    {
        $fromEnvironment = getenv('XHPROF_PROGRAM');
        $program = $this->path ?? (\is_string($fromEnvironment) && $fromEnvironment !== '' ? $fromEnvironment : 'xhprof');
        $errors = TemporaryFile::create('.txt');
        $streams = [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', $errors->path, 'w']];
        $process = @proc_open([$program, ...array_values($arguments)], $streams, $pipes);
        if ($process === false) {
            throw new InvalidProfile("cannot run $program: put the program xhprof on the PATH, or its path into XHPROF_PROGRAM");
        }
        $output = (string) stream_get_contents($pipes[1]);
        fclose($pipes[1]);
        if (proc_close($process) !== 0) {
            $said = trim((string) file_get_contents($errors->path));
            throw new InvalidProfile($said !== '' ? $said : "$program failed without a message");
        }
        return $output;
    }
}
