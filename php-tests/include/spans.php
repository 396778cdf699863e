<?php
// The spans of a native file, as docs/format.md describes it.

final class Bytes
{
    private int $at = 0;

    public function __construct(private string $bytes)
    {
    }

    public function take(int $length): string
    {
        $taken = substr($this->bytes, $this->at, $length);
        $this->at += $length;
        return $taken;
    }

    public function number(): int
    {
        $value = $shift = 0;
        do {
            $byte = ord($this->take(1));
            $value |= ($byte & 0x7F) << $shift;
            $shift += 7;
        } while ($byte & 0x80);
        return $value;
    }

    public function signed(): int
    {
        $number = $this->number();
        return ($number >> 1) ^ -($number & 1);
    }

    public function isAtEnd(): bool
    {
        return $this->at >= strlen($this->bytes);
    }
}

/** The names, the spans and how many were left out; a file that is cut off has those before. */
function read_native(string $file): array
{
    $bytes = new Bytes(file_get_contents($file));
    $bytes->take(10);
    [$names, $before, $texts, $spans, $left, $start] = [[], '', [], [], 0, 0];
    while (!$bytes->isAtEnd()) {
        ['kind' => $kind, 'length' => $length] = unpack('akind/Vlength', $bytes->take(5));
        $payload = new Bytes($bytes->take($length));
        $bytes->take(4);
        if ($kind === 'S') {
            for ($count = $payload->number(); $count > 0; $count--) {
                $head = $payload->number();
                if ($head >> 1 === 1) $payload->take($payload->number());
                $payload->number();
                $before = substr($before, 0, $payload->number()) . $payload->take($payload->number());
                $names[] = $before;
            }
        } elseif ($kind === 'X') {
            for ($count = $payload->number(); $count > 0; $count--) $texts[] = $payload->take($payload->number());
            for ($count = $payload->number(); $count > 0; $count--) {
                $span = ['kind' => ['', 'sql', 'http', 'stream', 'redis', 'memcached'][$payload->number()]];
                $text = $payload->number();
                $span['text'] = $text ? $texts[$text - 1] : null;
                $span['function'] = $names[$payload->number()];
                $span['caller'] = $names[$payload->number()];
                $start += $payload->signed();
                $span['start'] = $start;
                $span['duration'] = $payload->number();
                $span['rows'] = $payload->number() - 1;
                $spans[] = $span;
            }
            $left += $payload->number();
            $payload->number();
        }
    }
    return ['names' => $names, 'spans' => $spans, 'left' => $left];
}

/** Runs code with an automatic profile; gives back what its files have. */
function spans_of(string $code, string ...$settings): array
{
    $directory = make_directory();
    $ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.collect_additional_info=1', "xhprof.output_dir=$directory", ...$settings);
    echo $ended->output, $ended->errors;
    $files = array_map(read_native(...), glob("$directory/*.xhp*"));
    remove_directory($directory);
    return $files;
}

/** A line a span: all that is the same each time. */
function print_spans(array $file): void
{
    foreach ($file['spans'] as $span) {
        echo "$span[caller] $span[function]: $span[kind] ", $span['text'] ?? '-';
        echo $span['rows'] >= 0 ? ", $span[rows] rows\n" : "\n";
        if ($span['start'] < 0 || $span['duration'] <= 0) echo "  but at no time\n";
    }
}
