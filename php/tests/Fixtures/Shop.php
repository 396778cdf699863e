<?php

declare(strict_types=1);

namespace Shop;

/** A shop in memory, with one page that is right and one that is not. */
final class Shop
{
    /** @var list<string> */
    public array $kept = [];

    private readonly \PDO $database;

    public function __construct()
    {
        $this->database = new \PDO('sqlite::memory:');
        $this->database->exec('CREATE TABLE article (id INTEGER, name TEXT)');
        $this->database->exec("INSERT INTO article VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')");
    }

    public function once(): int
    {
        return count($this->rows('SELECT id, name FROM article'));
    }

    public function nPlusOne(): int
    {
        $count = 0;
        foreach ($this->rows('SELECT id FROM article') as ['id' => $id]) {
            $count += count($this->article((int) $id));
        }
        return $count;
    }

    public function leak(int $bytes): void
    {
        $this->kept[] = str_repeat('x', $bytes);
    }

    public function spike(int $bytes): int
    {
        return strlen(str_repeat('x', $bytes));
    }

    /** @return array<mixed> */
    public function article(int $id): array
    {
        return $this->rows("SELECT name FROM article WHERE id = $id");
    }

    /** @return array<mixed> */
    private function rows(string $statement): array
    {
        $result = $this->database->query($statement);
        return $result === false ? [] : $result->fetchAll(\PDO::FETCH_ASSOC);
    }
}
