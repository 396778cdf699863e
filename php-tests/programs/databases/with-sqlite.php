<?php

// PDO with SQLite: `"x"` is a string where no such name exists; there are no escapes.

function with_sqlite(): void
{
    $db = new PDO('sqlite::memory:');
    [$exec, $query] = statements_of($db);
    $exec('CREATE TABLE "people" (id INTEGER PRIMARY KEY, name TEXT, [note] TEXT)', 'CREATE TABLE "people" (id INTEGER PRIMARY KEY, name TEXT, [note] TEXT)', 0);
    [$a, $b] = [secret(), secret()];
    $exec("INSERT INTO \"people\" (\"name\", \"note\") VALUES ('$a', '$b'), (x'" . bin2hex(secret()) . "', \"" . secret() . '")', 'INSERT INTO "people" ("name", "note") VALUES (?)', 2);
    $query(
        "SELECT \"" . secret() . "\", \"people\".\"name\", [note], `name` FROM \"people\" WHERE name = \"" . secret() . "\" OR note = '$b'",
        'SELECT ?, "people"."name", [note], `name` FROM "people" WHERE name = ? OR note = ?'
    );
    $query("SELECT 'C:\\', name FROM people WHERE name = '" . secret() . "'", 'SELECT ?, name FROM people WHERE name = ?');
    $query('SELECT name -- ' . secret() . "\nFROM people /* " . secret() . ' */ LIMIT ' . number(), 'SELECT name FROM people LIMIT ?');
    $exec('PRAGMA user_version = ' . number(), 'PRAGMA user_version = ?', 2);
    $exec('PRAGMA application_id = [' . secret() . ']', 'PRAGMA application_id = ?', 2);
    $exec("ATTACH ':memory:' AS other", 'ATTACH ? AS other', 2);
    $exec("INSERT INTO people (name) VALUES ('" . secret() . "'); UPDATE people SET note = '" . secret() . "'", 'INSERT INTO people (name) VALUES (?); UPDATE people SET note = ?', 3);
    $query("SELECT nothing FROM nowhere WHERE a = '" . secret() . "'", 'SELECT nothing FROM nowhere WHERE a = ?');
    tell($db->errorInfo());
    $query('SELECT 1', 'SELECT ?');
    $statement = $db->prepare("SELECT 'C:\\', name FROM people WHERE name = :name AND note <> '" . secret() . "'");
    waits('PDOStatement::execute', 'SELECT ?, name FROM people WHERE name = :name AND note <> ?', null);
    tell([$statement->execute(['name' => secret()]), $statement->fetchAll()]);
    $statement = $db->prepare('UPDATE people SET note = ? WHERE note = "' . secret() . '" OR name = ?');
    waits('PDOStatement::execute', 'UPDATE people SET note = ? WHERE note = ? OR name = ?', 1);
    tell($statement->execute([secret(), $a]));
    tell($db->beginTransaction());
    $exec("DELETE FROM people WHERE name <> '" . secret() . "'", 'DELETE FROM people WHERE name <> ?', 3);
    tell($db->rollBack());
}
