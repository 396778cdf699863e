<?php

declare(strict_types=1);

namespace Xhprof;

use Xhprof\Exception\InvalidProfile;

/** What was recorded: read-only. */
final class Profile
{
    private const SEPARATOR = '==>';

    /** The functions whose statements are SQL. */
    private const SQL = '/^(PDO|PDOStatement|mysqli|mysqli_stmt|SQLite3|SQLite3Stmt|Pdo\\\\\w+)::|^(mysqli|pg|sqlite|oci|odbc)_/i';

    /** @var list<Call> */
    private readonly array $calls;

    /** @param array<string, array<string, int>> $rows */
    private function __construct(
        private readonly array $rows,
        private readonly ?TemporaryFile $native,
    ) {
        $calls = [];
        foreach ($rows as $key => $row) {
            $names = explode(self::SEPARATOR, (string) $key, 2);
            if (\count($names) === 2) {
                $callee = Label::of($names[1]);
                $caller = Template::name(Label::of($names[0])->name);
                $calls[] = new Call($caller, Template::name($callee->name), $callee->statement, Cost::fromRow($row));
            }
        }
        $this->calls = $calls;
    }

    /**
     * Takes XHProf's array, as xhprof_disable() returns it.
     *
     * @param array<mixed> $rows
     * @throws InvalidProfile if it is none
     */
    public static function fromRows(array $rows, ?TemporaryFile $native = null): self
    {
        if (!isset($rows['main()'])) {
            throw new InvalidProfile('these rows are no profile: "main()" is missing');
        }
        $checked = [];
        foreach ($rows as $key => $row) {
            if (!\is_array($row)) {
                throw new InvalidProfile('these rows are no profile: "' . substr((string) $key, 0, 80) . '" has no costs');
            }
            foreach ($row as $name => $cost) {
                if (!\is_string($name) || !\is_int($cost)) {
                    throw new InvalidProfile('these rows are no profile: a cost of "' . substr((string) $key, 0, 80) . '" is no number');
                }
                $checked[(string) $key][$name] = $cost;
            }
        }
        return new self($checked, $native);
    }

    /**
     * Reads a file of any format that the program xhprof knows.
     *
     * @throws InvalidProfile if it cannot be read
     */
    public static function fromFile(string $path, ?Program $program = null): self
    {
        return self::fromRows(($program ?? new Program())->rows($path));
    }

    /** How often matching functions were called; only by `$by`, if that is given. `main()` is no call. */
    public function calls(string $pattern = '*', ?string $by = null): int
    {
        return $this->cost($pattern, $by)->calls;
    }

    /**
     * The sum over matching calls.
     *
     * Times of a function and of what it calls, if both match, are in the sum twice.
     */
    public function cost(string $pattern, ?string $by = null): Cost
    {
        $sum = new Cost();
        foreach ($this->callers($pattern) as $call) {
            if ($by === null || (new Pattern($by))->matches($call->caller)) {
                $sum = $sum->plus($call->cost);
            }
        }
        return $sum;
    }

    /** The cost of the whole. */
    public function total(): Cost
    {
        return Cost::fromRow($this->rows['main()']);
    }

    /**
     * Who called matching functions, those that called most first.
     *
     * @return list<Call>
     */
    public function callers(string $pattern): array
    {
        $compiled = new Pattern($pattern);
        return self::sorted(array_filter($this->calls, static fn(Call $call): bool => $compiled->matches($call->callee)));
    }

    /**
     * What matching functions called, that which was called most first.
     *
     * @return list<Call>
     */
    public function callees(string $pattern): array
    {
        $compiled = new Pattern($pattern);
        return self::sorted(array_filter($this->calls, static fn(Call $call): bool => $compiled->matches($call->caller)));
    }

    /**
     * All functions but `main()`, those called most first.
     *
     * @return array<string, Cost> by name
     */
    public function functions(): array
    {
        $functions = [];
        foreach ($this->calls as $call) {
            $functions[$call->callee] = ($functions[$call->callee] ?? new Cost())->plus($call->cost);
        }
        uasort($functions, static fn(Cost $one, Cost $two): int => $two->calls <=> $one->calls);
        return $functions;
    }

    /**
     * SQL statements with their callers, those made most often first. Literals are not in them.
     *
     * They are there if {@see Options::$statements} was set and the mode is {@see Mode::Edges}.
     *
     * @return list<Query>
     */
    public function queries(): array
    {
        return $this->grouped(static fn(Call $call): bool => preg_match(self::SQL, $call->callee) === 1);
    }

    /**
     * The same with URLs and commands of caches.
     *
     * @return list<Query>
     */
    public function spans(): array
    {
        return $this->grouped(static fn(): bool => true);
    }

    /** How many SQL statements were made. */
    public function queryCount(): int
    {
        return array_sum(array_map(static fn(Query $query): int => $query->count(), $this->queries()));
    }

    /** How many edges of caller and callee there are. */
    public function edges(): int
    {
        return \count($this->calls);
    }

    /**
     * XHProf's array.
     *
     * @return array<string, array<string, int>>
     */
    public function rows(): array
    {
        return $this->rows;
    }

    /**
     * Writes a file that only its owner can read.
     *
     * Its ending decides: `.xhprof` is XHProf's array as PHP serializes it, `.json` the same as JSON,
     * `.xhp` native, with whole paths if the mode is {@see Mode::Tree}. The last one and all other
     * endings of `xhprof convert --list` need the program xhprof, except for that mode.
     *
     * @throws InvalidProfile if it cannot be written
     */
    public function save(string $path, ?Program $program = null): void
    {
        if (is_link($path)) {
            throw new InvalidProfile("cannot write $path: it is a symbolic link");
        }
        $ending = strtolower(pathinfo($path, PATHINFO_EXTENSION));
        if ($ending === 'xhp' && $this->native !== null) {
            self::write($path, (string) file_get_contents($this->native->path));
        } elseif ($ending === 'xhprof') {
            self::write($path, serialize($this->rows));
        } elseif ($ending === 'json') {
            self::write($path, json_encode($this->rows, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
        } else {
            $rows = TemporaryFile::create('.xhprof');
            file_put_contents($rows->path, serialize($this->rows));
            ($program ?? new Program())->convert($this->native->path ?? $rows->path, $path);
        }
    }

    private static function write(string $path, string $bytes): void
    {
        $new = "$path." . bin2hex(random_bytes(6)) . '.tmp';
        $mask = umask(0o077);
        $file = @fopen($new, 'x');
        umask($mask);
        if ($file === false) {
            throw new InvalidProfile("cannot write $path: " . (is_dir(\dirname($path)) ? 'its directory refuses new files' : 'its directory does not exist'));
        }
        $isWritten = fwrite($file, $bytes) === \strlen($bytes) && fclose($file);
        if (!$isWritten || !rename($new, $path)) {
            unlink($new);
            throw new InvalidProfile("cannot write $path: is the disk full?");
        }
    }

    /**
     * @param callable(Call): bool $isWanted
     * @return list<Query>
     */
    private function grouped(callable $isWanted): array
    {
        $calls = [];
        foreach (self::sorted($this->calls) as $call) {
            if ($call->statement !== '' && $isWanted($call)) {
                $calls[$call->statement][] = $call;
            }
        }
        $queries = [];
        foreach ($calls as $statement => $ofOne) {
            $queries[] = new Query((string) $statement, $ofOne);
        }
        usort($queries, static fn(Query $one, Query $two): int => $two->count() <=> $one->count());
        return $queries;
    }

    /**
     * Levels of recursion added up, most calls first.
     *
     * @param array<Call> $calls
     * @return list<Call>
     */
    private static function sorted(array $calls): array
    {
        $sums = [];
        foreach ($calls as $call) {
            $key = "$call->caller\0$call->callee\0$call->statement";
            $cost = isset($sums[$key]) ? $sums[$key]->cost->plus($call->cost) : $call->cost;
            $sums[$key] = new Call($call->caller, $call->callee, $call->statement, $cost);
        }
        $sums = array_values($sums);
        usort($sums, static fn(Call $one, Call $two): int => $two->cost->calls <=> $one->cost->calls);
        return $sums;
    }
}
