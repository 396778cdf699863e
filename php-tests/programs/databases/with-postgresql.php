<?php

// PDO with PostgreSQL: `"x"` is a name, backslashes escape in `E'x'` only.

function with_postgresql(string $sockets, bool $emulated): void
{
    $db = new PDO("pgsql:host=$sockets;dbname=postgres", 'postgres', '', [PDO::ATTR_EMULATE_PREPARES => $emulated]);
    [$exec, $query] = statements_of($db);

    $exec('DROP TABLE IF EXISTS "people"', 'DROP TABLE IF EXISTS "people"', 0);
    $exec(
        'CREATE TABLE "people" ("id" bigserial PRIMARY KEY, "name" text UNIQUE, "note" varchar(100) DEFAULT \'' . secret() . "')",
        'CREATE TABLE "people" ("id" bigserial PRIMARY KEY, "name" text UNIQUE, "note" varchar(?) DEFAULT ?)',
        0
    );
    [$a, $b, $c, $d] = [secret(), secret(), secret(), secret()];
    $exec("INSERT INTO \"people\" (\"name\", \"note\") VALUES ('$a', '$b'), ('$c', '$d')", 'INSERT INTO "people" ("name", "note") VALUES (?)', 2);
    $query("INSERT INTO people (name) VALUES ('" . secret() . "') RETURNING \"id\"", 'INSERT INTO people (name) VALUES (?) RETURNING "id"');
    $query(
        "SELECT \"p\".\"name\" AS \"Name\" FROM \"people\" AS \"p\" WHERE \"name\" = '$a' AND \"id\" < " . number() . ' ORDER BY "name" LIMIT 5',
        'SELECT "p"."name" AS "Name" FROM "people" AS "p" WHERE "name" = ? AND "id" < ? ORDER BY "name" LIMIT ?'
    );
    $query("SELECT 'C:\\', \"name\" FROM people WHERE name = '" . secret() . "'", 'SELECT ?, "name" FROM people WHERE name = ?');
    $query(
        "SELECT E'it\\'s " . secret() . "', 'it''s " . secret() . "', U&'" . secret() . "', B'1010', name COLLATE \"C\" FROM people WHERE name IN ('$a', '$c')",
        'SELECT ?, ?, U&?, ?, name COLLATE "C" FROM people WHERE name IN (?)'
    );
    $query('SELECT $$' . secret() . '$$, $tag$it\'s "' . secret() . '" $$$tag$, "name" FROM people WHERE name = $x$' . secret() . '$x$', 'SELECT ?, ?, "name" FROM people WHERE name = ?');
    $query("SELECT 1 -- '" . secret() . "\n, 2 /* " . secret() . " */ FROM people", 'SELECT ? , ? FROM people');
    // Nested comments end elsewhere in other dialects.
    $query('SELECT 1 /* a /* ' . secret() . ' */ ' . secret() . ' */ FROM people', 'SELECT ?');
    $query(
        "SELECT ARRAY['" . secret() . "', '" . secret() . "'], '{" . secret() . "," . secret() . "}'::text[], '{\"a\": \"" . secret() . "\"}'::jsonb -> 'a'",
        'SELECT ARRAY[?, ?], ?::text[], ?::jsonb -> ?'
    );
    $query("SELECT DATE '2020-01-02' + INTERVAL '3 days', CAST('" . secret() . "' AS text), 1.5e" . 3 . ', ' . number(), 'SELECT DATE ? + INTERVAL ?, CAST(? AS text), ?, ?');
    $query("SELECT \"odd " . 'name' . "\" FROM (SELECT '" . secret() . "' AS \"odd name\") AS t", 'SELECT ? FROM (SELECT ? AS ?) AS t');
    $exec("UPDATE \"people\" SET \"note\" = '" . secret() . "' || \"name\" WHERE \"name\" ~ '^" . secret() . "'", 'UPDATE "people" SET "note" = ? || "name" WHERE "name" ~ ?', 0);
    $exec(
        "INSERT INTO people (name) VALUES ('$a') ON CONFLICT (\"name\") DO UPDATE SET note = EXCLUDED.name || '" . secret() . "'",
        'INSERT INTO people (name) VALUES (?) ON CONFLICT ("name") DO UPDATE SET note = EXCLUDED.name || ?',
        1
    );

    $exec("DO \$\$ BEGIN PERFORM '" . secret() . "'; END \$\$", 'DO ?', 0);
    $exec("CREATE OR REPLACE FUNCTION f() RETURNS text AS \$body\$ SELECT '" . secret() . "'::text \$body\$ LANGUAGE sql", 'CREATE OR REPLACE FUNCTION f() RETURNS text AS ? LANGUAGE sql', 0);
    $exec("COPY people TO '$sockets/files/" . secret() . "' WITH (FORMAT csv, DELIMITER ';')", 'COPY people TO ? WITH (FORMAT csv, DELIMITER ?)', 3);
    $exec("COPY people (name) FROM PROGRAM 'echo " . secret() . "'", 'COPY people (name) FROM PROGRAM ?', 1);
    $exec("CREATE ROLE bob LOGIN PASSWORD '" . secret() . "'", 'CREATE ROLE bob LOGIN PASSWORD ?', 0);
    $exec("ALTER ROLE \"bob\" WITH ENCRYPTED PASSWORD '" . secret() . "' VALID UNTIL '2030-01-01'", 'ALTER ROLE "bob" WITH ENCRYPTED PASSWORD ? VALID UNTIL ?', 0);
    $exec('ALTER ROLE bob SET shop.word TO ' . secret(), 'ALTER ROLE bob SET shop.word TO ?', 0);
    $exec('ALTER ROLE bob SET search_path = ' . secret() . ', ' . secret(), 'ALTER ROLE bob SET search_path = ?, ?', 0);
    $exec("COMMENT ON ROLE bob IS '" . secret() . "'", 'COMMENT ON ROLE bob IS ?', 0);
    $exec('DROP ROLE bob', 'DROP ROLE bob', 0);
    $exec('SET shop.word TO ' . secret(), 'SET shop.word TO ?', 0);
    $exec('SET LOCAL search_path TO ' . secret() . ', "' . secret() . '"', 'SET LOCAL search_path TO ?, ?', 0);
    $exec('SET standard_conforming_strings = off', 'SET standard_conforming_strings = ?', 0);
    $query("SELECT 'it\\'s " . secret() . "', name FROM people WHERE name = '" . secret() . "'", 'SELECT ?');
    $exec('SET standard_conforming_strings TO DEFAULT', 'SET standard_conforming_strings TO ?', 0);
    $query("SELECT E'a'\n'it\\'s " . secret() . "', name FROM people WHERE name = '" . secret() . "'", 'SELECT ? ?');
    $exec(
        "CREATE FUNCTION pg_temp.g() RETURNS text LANGUAGE sql SET shop.word TO " . secret() . " AS 'SELECT ''" . secret() . "'''",
        'CREATE FUNCTION pg_temp.g() RETURNS text LANGUAGE sql SET shop.word TO ? ? ?',
        0
    );
    $exec("SET shop.word = '" . secret() . "'", 'SET shop.word = ?', 0);
    $exec("NOTIFY channel, '" . secret() . "'", 'NOTIFY channel, ?', 0);
    $exec('PREPARE q(text) AS SELECT $1', 'PREPARE q(text) AS SELECT $1', 0);
    $query("EXECUTE q('" . secret() . "')", 'EXECUTE q(?)');
    $exec('DEALLOCATE q', 'DEALLOCATE q', 0);
    $exec(
        "INSERT INTO people (name) VALUES ('" . secret() . "'); DELETE FROM people WHERE \"name\" = '" . secret() . "'",
        'INSERT INTO people (name) VALUES (?); DELETE FROM people WHERE "name" = ?',
        0
    );

    $query("SELECT \"nothing\" FROM nowhere WHERE a = '" . secret() . "'", 'SELECT "nothing" FROM nowhere WHERE a = ?');
    tell($db->errorInfo());
    // After a failure the extension does not ask PDO for the dialect, because PDO would
    // lose the error. So `"x"` may be a string.
    $query("SELEC '" . secret() . "' \"x\"", 'SELEC ? ?');
    tell($db->errorCode());
    $query("SELECT 1", 'SELECT ?');
    tell($db->beginTransaction());
    $exec("DELETE FROM people WHERE \"name\" <> '" . secret() . "'", 'DELETE FROM people WHERE "name" <> ?', 5);
    $exec("INSERT INTO nowhere VALUES ('" . secret() . "')", 'INSERT INTO nowhere VALUES (?)', null);
    // In a transaction that failed.
    $query("SELECT \"name\" FROM people WHERE note = '" . secret() . "'", 'SELECT ? FROM people WHERE note = ?');
    tell([$db->errorCode(), $db->rollBack()]);
    $query("SELECT 1", 'SELECT ?');

    with_postgresql_prepared($db, $emulated);
}

function with_postgresql_prepared(PDO $db, bool $emulated): void
{
    $select = $db->prepare("SELECT \"name\", E'it\\'s " . secret() . "' FROM \"people\" WHERE \"name\" = :name AND \"id\" > :id AND note <> '" . secret() . "'");
    $insert = $db->prepare('INSERT INTO "people" ("name", "note") VALUES (?, ?)');
    for ($i = 0; $i < 2; $i++) {
        waits('PDOStatement::execute', 'SELECT "name", ? FROM "people" WHERE "name" = :name AND "id" > :id AND note <> ?', null);
        tell($select->execute(['name' => secret(), 'id' => number()]));
        tell($select->fetchAll());
        waits('PDOStatement::execute', 'INSERT INTO "people" ("name", "note") VALUES (?)', 1);
        tell($insert->execute([secret(), secret()]));
    }
    // `??` is the operator `?` of jsonb.
    $json = $db->prepare("SELECT '{\"a\": \"" . secret() . "\"}'::jsonb ?? :key");
    waits('PDOStatement::execute', 'SELECT ?::jsonb ?? :key', null);
    attempt(fn () => $json->execute(['key' => secret()]) && $json->fetchAll());
    $select = null;
    $update = $db->prepare('UPDATE "people" SET "note" = $$' . secret() . '$$ WHERE "id" = ?');
    waits('PDOStatement::execute', 'UPDATE "people" SET "note" = ? WHERE "id" = ?', 0);
    tell($update->execute([number()]));
    waits('PDOStatement::execute', 'INSERT INTO "people" ("name", "note") VALUES (?)', null);
    attempt(fn () => $insert->execute([secret(), str_repeat(secret(), 10)]));
    waits('PDOStatement::execute', 'SELECT "a" FROM nowhere WHERE b = ? AND "c" = ?', null);
    attempt(fn () => $db->prepare("SELECT \"a\" FROM nowhere WHERE b = '" . secret() . "' AND \"c\" = ?")->execute([secret()]));
}
