<?php

declare(strict_types=1);

namespace Shop;

/** The table of articles. */
final class Articles
{
    public function __construct(private readonly \PDO $database)
    {
    }

    public function create(int $count): void
    {
        $this->database->exec('CREATE TABLE article (id INTEGER PRIMARY KEY, name TEXT, cents INTEGER)');
        $insert = $this->database->prepare('INSERT INTO article (name, cents) VALUES (?, ?)');
        $this->database->beginTransaction();
        for ($number = 1; $number <= $count; $number++) {
            $insert->execute(["Article $number", $number * 95]);
        }
        $this->database->commit();
    }

    /** @return list<array<string, mixed>> */
    public function all(): array
    {
        return $this->database->query('SELECT id, name, cents FROM article ORDER BY id')->fetchAll(\PDO::FETCH_ASSOC);
    }

    /** @return list<int> */
    public function ids(): array
    {
        return $this->database->query('SELECT id FROM article ORDER BY id')->fetchAll(\PDO::FETCH_COLUMN);
    }

    /** @return array<string, mixed> */
    public function find(int $id): array
    {
        $statement = $this->database->prepare('SELECT id, name, cents FROM article WHERE id = ?');
        $statement->execute([$id]);
        return $statement->fetch(\PDO::FETCH_ASSOC);
    }
}
