<?php

// PDO with MySQL: `"x"` is a string, and a backslash escapes.

function with_mysql(string $sockets, bool $emulated): void
{
    $db = new PDO("mysql:unix_socket=$sockets/mariadb.socket", 'root', '', [
        PDO::ATTR_EMULATE_PREPARES => $emulated, PDO::MYSQL_ATTR_LOCAL_INFILE => true,
    ]);
    [$exec, $query] = statements_of($db);

    $exec('CREATE DATABASE shop', 'CREATE DATABASE shop', 1);
    $exec('USE shop', 'USE shop', 0);
    $exec(
        'CREATE TABLE people (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(100), note TEXT) COMMENT "' . secret() . '"',
        'CREATE TABLE people (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(?), note TEXT) COMMENT ?',
        0,
    );
    [$a, $b, $c, $d] = [secret(), secret(), secret(), secret()];
    $exec("INSERT INTO people (name, note) VALUES ('$a', \"$b\"), ('$c', '$d')", 'INSERT INTO people (name, note) VALUES (?)', 2);
    $query("SELECT id, `name` FROM `people` WHERE name = \"$a\" OR note LIKE '%$d%' LIMIT 7", 'SELECT id, `name` FROM `people` WHERE name = ? OR note LIKE ? LIMIT ?');
    $query("SELECT name FROM people WHERE name IN ('$a','$b', \"$c\") AND id NOT IN (" . number() . ', ' . number() . ')', 'SELECT name FROM people WHERE name IN (?) AND id NOT IN (?)');
    $query(
        'SELECT ' . number() . ', -' . number() . ', ' . number() . '.5e3, 0x' . bin2hex(secret()) . ", x'" . bin2hex(secret()) . "', _utf8mb4'" . secret() . "', N'" . secret() . "'",
        'SELECT ?, ?, ?, ?, ?, _utf8mb4?, ?'
    );
    $query("SELECT 'it\\'s " . secret() . "', id FROM people WHERE name = '$a'", 'SELECT ?, id FROM people WHERE name = ?');
    $query("SELECT 'it''s " . secret() . "', \"a \"\"" . secret() . "\"\"\", 'C:\\\\', '" . secret() . "'", 'SELECT ?, ?, ?, ?');
    $query('SELECT /* ' . secret() . " */ name -- '" . secret() . "'\nFROM people # \"" . secret() . "\"\nWHERE name = '$a'", 'SELECT name FROM people WHERE name = ?');
    $query("SELECT name FROM people /*! WHERE name = '" . secret() . "' */ ORDER BY note", 'SELECT name FROM people');
    $query("SELECT CONCAT('" . secret() . "', \"" . secret() . "\") AS `a name`, 1 AS '" . secret() . "'", 'SELECT CONCAT(?, ?) AS `a name`, ? AS ?');
    $query("SELECT '" . secret() . "' '" . secret() . "'\n\"" . secret() . '"', 'SELECT ? ? ?');
    $query("SELECT JSON_EXTRACT('{\"a\": \"" . secret() . "\"}', '\$.a'), DATE '2020-01-02' + INTERVAL 3 DAY", 'SELECT JSON_EXTRACT(?, ?), DATE ? + INTERVAL ? DAY');
    $query("SELECT name FROM people WHERE name = 'ü" . secret() . "' UNION SELECT '" . secret() . "'", 'SELECT name FROM people WHERE name = ? UNION SELECT ?');
    // After `SET … =`, any word may be a value.
    $exec("SET @word = '" . secret() . "', @other = \"" . secret() . '"', 'SET @word = ?, @? = ?', 0);
    $query('SELECT @word IS NULL, @third := "' . secret() . '"', 'SELECT @word IS NULL, @third := ?');
    $exec(
        "INSERT INTO people (id, name) VALUES (1, '" . secret() . "') ON DUPLICATE KEY UPDATE name = VALUES(name), note = '" . secret() . "'",
        'INSERT INTO people (id, name) VALUES (?) ON DUPLICATE KEY UPDATE name = VALUES(name), note = ?',
        2
    );
    $exec("UPDATE people SET note = '" . secret() . "', name = UPPER(\"" . secret() . '") WHERE id < ' . number(), 'UPDATE people SET note = ?, name = UPPER(?) WHERE id < ?', 2);

    $query("SELECT /* a /* ' */ '" . secret() . "', `it's` FROM (SELECT \"" . secret() . "\" AS `it's`) AS t", 'SELECT');
    $query("SELECT name--1 FROM people WHERE name = '" . secret() . "' AND id = 5-- '" . secret(), 'SELECT name');
    $query("SELECT `it's`, '" . secret() . "' FROM (SELECT '" . secret() . "' AS `it's`) AS t", 'SELECT ?');
    $query("SELECT name FROM people /*M!100100 WHERE name = '" . secret() . "' */", 'SELECT name FROM people');
    $exec('INSERT INTO people (name) VALUES ' . implode(', ', array_map(fn () => "('" . secret() . "')", range(1, 30))), 'INSERT INTO people (name) VALUES (?)', 30);
    $exec("DELETE FROM people WHERE name <> '$a' AND name <> '$c' AND id <> 1", 'DELETE FROM people WHERE name <> ? AND name <> ? AND id <> ?', 31);
    $exec("ALTER TABLE people COMMENT = '" . secret() . "', MODIFY note TEXT DEFAULT \"" . secret() . '"', 'ALTER TABLE people COMMENT = ?, MODIFY note TEXT DEFAULT ?', 0);

    // Statements that contain statements and passwords.
    $exec("PREPARE p FROM 'SELECT \"" . secret() . "\"'", 'PREPARE p FROM ?', 0);
    $query('EXECUTE p', 'EXECUTE p');
    $exec("CREATE PROCEDURE shop.p() SELECT '" . secret() . "' AS a", 'CREATE PROCEDURE shop.p() SELECT ? AS a', 0);
    $exec("CREATE USER bob@localhost IDENTIFIED BY '" . secret() . "'", 'CREATE USER bob@localhost IDENTIFIED', 0);
    $exec("ALTER USER bob@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('" . secret() . "')", 'ALTER USER bob@localhost IDENTIFIED', 0);
    $exec('SET PASSWORD FOR bob@localhost = PASSWORD("' . secret() . '")', 'SET PASSWORD FOR bob@localhost = ?(?)', 0);
    $exec("GRANT ALL ON shop.* TO bob@localhost IDENTIFIED BY '" . secret() . "' WITH GRANT OPTION", 'GRANT ALL ON shop.* TO bob@localhost IDENTIFIED', 0);
    $exec(
        "CHANGE MASTER TO MASTER_HOST = '" . secret() . "', MASTER_USER = \"" . secret() . "\", MASTER_PASSWORD = '" . secret() . "'",
        'CHANGE MASTER TO MASTER_HOST = ?, MASTER_USER = ?, MASTER_PASSWORD = ?',
        0
    );
    $exec(
        "CREATE OR REPLACE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', DATABASE 'shop', USER '" . secret() . "', PASSWORD '" . secret() . "')",
        'CREATE OR REPLACE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST ?, DATABASE ?, USER ?, PASSWORD ?)',
        0
    );
    $exec('DROP USER bob@localhost', 'DROP USER bob@localhost', 0);
    $file = "$sockets/files/" . secret();
    file_put_contents($file, secret() . ',' . secret() . "\n" . secret() . ',' . secret() . "\n");
    $exec(
        "LOAD DATA LOCAL INFILE '$file' INTO TABLE people FIELDS TERMINATED BY ',' ENCLOSED BY '\"' (name, note) SET name = '" . secret() . "'",
        'LOAD DATA LOCAL INFILE ? INTO TABLE people FIELDS TERMINATED BY ? ENCLOSED BY ? (name, note) SET name = ?',
        2
    );
    unlink($file);

    // Failures and transactions, and PDO's error codes.
    $query("SELECT nothing FROM nowhere WHERE a = '" . secret() . "'", 'SELECT nothing FROM nowhere WHERE a = ?');
    tell($db->errorInfo());
    $exec("SELEC '" . secret() . "'", 'SELEC ?', null);
    $exec("INSERT INTO people (id, name) VALUES (1, '" . secret() . "')", 'INSERT INTO people (id, name) VALUES (?)', null);
    tell($db->errorCode());
    tell($db->beginTransaction());
    $exec("DELETE FROM people WHERE name <> '" . secret() . "'", 'DELETE FROM people WHERE name <> ?', 3);
    tell([$db->inTransaction(), $db->rollBack()]);
    tell($db->beginTransaction());
    $exec("INSERT people SET name = '" . secret() . "'", 'INSERT people SET name = ?', 1);
    tell([$db->lastInsertId() > 2, $db->commit()]);

    with_mysql_prepared($db);

    // Several statements at once; the rows are those of the first.
    waits('PDO::exec', 'UPDATE people SET note = ?; DELETE FROM people WHERE name = ?', 5);
    attempt(fn () => $db->exec("UPDATE people SET note = '" . secret() . "'; DELETE FROM people WHERE name = '" . secret() . "'"));
    $db = null;
    $db = new PDO("mysql:unix_socket=$sockets/mariadb.socket;dbname=shop", 'root', '', [PDO::ATTR_EMULATE_PREPARES => $emulated]);
    waits('PDO::query', 'SELECT ?; SELECT ?, name FROM people WHERE name = ?', null);
    attempt(function () use ($db) {
        $statement = $db->query("SELECT '" . secret() . "'; SELECT \"" . secret() . "\", name FROM people WHERE name = '" . secret() . "'");
        do {
            tell($statement->fetchAll(PDO::FETCH_NUM));
        } while ($statement->nextRowset());
    });

    // In GBK a backslash may be half a character.
    $chinese = new PDO("mysql:unix_socket=$sockets/mariadb.socket;charset=gbk", 'root', '', [PDO::ATTR_EMULATE_PREPARES => $emulated]);
    waits('PDO::query', 'SELECT ?', null);
    tell(array_map(bin2hex(...), $chinese->query("SELECT '\xbf\\', '" . secret() . "'")->fetch(PDO::FETCH_NUM)));

    // The server's mode can change the syntax, and PHP does not know that.
    waits('PDO::exec', "SET SESSION sql_mode = ?", 0);
    $db->exec("SET SESSION sql_mode = 'ANSI_QUOTES'");
    waits('PDO::query', 'SELECT ? FROM ? WHERE ? = ?', null);
    tell($db->query("SELECT \"name\" FROM \"people\" WHERE \"name\" = '" . secret() . "'")->fetchAll());
    waits('PDO::exec', "SET SESSION sql_mode = ?", 0);
    $db->exec("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
    waits('PDO::query', 'SELECT ?', null);
    tell($db->query("SELECT 'C:\\', '" . secret() . "'")->fetchAll());
    waits('PDO::exec', 'DROP DATABASE shop', 1);
    tell($db->exec('DROP DATABASE shop'));
}

function with_mysql_prepared(PDO $db): void
{
    $statement = $db->prepare("SELECT id, 'it\\'s " . secret() . "' FROM people WHERE name = :name AND id > :id AND note <> \"" . secret() . '"');
    for ($i = 0; $i < 2; $i++) {
        waits('PDOStatement::execute', 'SELECT id, ? FROM people WHERE name = :name AND id > :id AND note <> ?', null);
        tell($statement->execute(['name' => secret(), 'id' => number()]));
        tell($statement->fetchAll());
    }
    $insert = $db->prepare('INSERT INTO people (name, note) VALUES (?, ?)');
    [$name, $note] = [secret(), secret()];
    $insert->bindValue(1, $name);
    $insert->bindParam(2, $note);
    waits('PDOStatement::execute', 'INSERT INTO people (name, note) VALUES (?)', 1);
    tell($insert->execute());
    waits('PDOStatement::execute', 'SELECT id, ? FROM people WHERE name = :name AND id > :id AND note <> ?', null);
    tell($statement->execute([':name' => $name, ':id' => 0]) && $statement->fetchAll() !== []);
    waits('PDOStatement::execute', 'INSERT INTO people (name, note) VALUES (?)', null);
    attempt(fn () => $insert->execute([secret()]));
    // PHP reuses the number of a destroyed object.
    $statement = null;
    $statement = $db->prepare("UPDATE people SET note = \"" . secret() . '" WHERE name = ?');
    waits('PDOStatement::execute', 'UPDATE people SET note = ? WHERE name = ?', 1);
    tell([$statement->execute([$name]), $statement->rowCount()]);
    $bad = fn () => $db->prepare("SELECT a FROM nowhere WHERE b = '" . secret() . "' AND c = ?");
    if ($db->getAttribute(PDO::ATTR_EMULATE_PREPARES)) {
        waits('PDOStatement::execute', 'SELECT a FROM nowhere WHERE b = ? AND c = ?', null);
    }
    attempt(fn () => $bad()->execute([secret()]));
}
