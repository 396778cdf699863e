<?php

// mysqli, by methods and by functions.

function with_mysqli(string $sockets): void
{
    $db = new mysqli(null, 'root', '', '', 0, "$sockets/mariadb.socket");
    waits('mysqli_query', 'CREATE DATABASE shop', 1);
    tell([mysqli_query($db, 'CREATE DATABASE shop'), $db->select_db('shop')]);
    waits('mysqli::query', 'CREATE TABLE things (id INT, name VARCHAR(?))', 0);
    tell($db->query('CREATE TABLE things (id INT, name VARCHAR(100))'));
    waits('mysqli::query', 'INSERT INTO things VALUES (?)', 3);
    tell($db->query("INSERT INTO things VALUES (1, '" . secret() . "'), (2, \"" . secret() . "\"), (3, 'it\\'s " . secret() . "')"));
    tell($db->affected_rows);
    waits('mysqli_query', 'SELECT * FROM things WHERE name <> ?', 3);
    tell(mysqli_query($db, "SELECT * FROM things WHERE name <> '" . secret() . "'")->fetch_all());
    // Rows that were not fetched cannot be counted.
    waits('mysqli::query', 'SELECT `id` FROM things WHERE name <> ?', null);
    $result = $db->query('SELECT `id` FROM things WHERE name <> "' . secret() . '"', MYSQLI_USE_RESULT);
    tell($result->fetch_all());
    $result->free();
    waits('mysqli::query', 'SELECT ? FROM nowhere', null);
    attempt(fn () => $db->query('SELECT "' . secret() . '" FROM nowhere'));
    tell([$db->errno, $db->error]);
    waits('mysqli::real_query', 'SELECT id FROM things WHERE name = ?', null);
    tell($db->real_query("SELECT id FROM things WHERE name = '" . secret() . "'"));
    tell($db->store_result()->fetch_all());
    waits('mysqli_real_query', 'UPDATE things SET name = ? WHERE id = ?', 1);
    tell(mysqli_real_query($db, "UPDATE things SET name = '" . secret() . "' WHERE id = 3"));
    foreach (['mysqli::multi_query', 'mysqli_multi_query'] as $function) {
        waits($function, 'UPDATE things SET name = ?; SELECT id, ? FROM things WHERE name = ?; SELECT ?', 3);
        $sql = "UPDATE things SET name = '" . secret() . "'; SELECT id, \"" . secret() . "\" FROM things WHERE name = '" . secret() . "'; SELECT " . number();
        tell($function === 'mysqli_multi_query' ? mysqli_multi_query($db, $sql) : $db->multi_query($sql));
        do {
            $result = $db->store_result();
            tell($result instanceof mysqli_result ? $result->fetch_all() : $result);
        } while ($db->next_result());
    }
    tell($db->begin_transaction());
    waits('mysqli::query', 'DELETE FROM things WHERE name LIKE ?', 0);
    tell($db->query("DELETE FROM things WHERE name LIKE '" . secret() . "%'"));
    tell($db->rollback());
    $async = secret();
    waits('mysqli::query', 'SELECT ?', null);
    tell($db->query("SELECT '$async'", MYSQLI_ASYNC));
    do {
        [$read, $error, $reject] = [[$db], [$db], [$db]];
    } while (!mysqli_poll($read, $error, $reject, 1));
    tell($db->reap_async_query()->fetch_all());
    with_mysqli_prepared($db);
    waits('mysqli::query', 'DROP DATABASE shop', 1);
    tell([$db->query('DROP DATABASE shop'), $db->close()]);
}

function with_mysqli_prepared(mysqli $db): void
{
    $word = secret();
    $select = $db->prepare('SELECT id FROM things WHERE name = ? AND name <> "' . secret() . '"');
    $insert = mysqli_prepare($db, "INSERT INTO things VALUES (?, ?), (7, '" . secret() . "')");
    $id = number() % 1000;
    $insert->bind_param('is', $id, $word);
    waits('mysqli_stmt::execute', 'INSERT INTO things VALUES (?)', 2);
    tell([$insert->execute(), $insert->affected_rows]);
    waits('mysqli_stmt_execute', 'INSERT INTO things VALUES (?)', 2);
    tell(mysqli_stmt_execute($insert));
    $select->bind_param('s', $word);
    waits('mysqli_execute', 'SELECT id FROM things WHERE name = ? AND name <> ?', null);
    tell([mysqli_execute($select), count($select->get_result()->fetch_all())]);
    if (PHP_VERSION_ID >= 80100) {
        waits('mysqli_stmt::execute', 'SELECT id FROM things WHERE name = ? AND name <> ?', null);
        tell([$select->execute([secret()]), $select->get_result()->fetch_all()]);
    }
    $select->close();
    $other = $db->stmt_init();
    tell($other->prepare("UPDATE things SET name = '" . secret() . "' WHERE name = ?"));
    $other->bind_param('s', $word);
    waits('mysqli_stmt::execute', 'UPDATE things SET name = ? WHERE name = ?', 2);
    tell([$other->execute(), $other->affected_rows]);
    tell(mysqli_stmt_prepare($other, 'SELECT "' . secret() . '", id FROM things'));
    waits('mysqli_stmt::execute', 'SELECT ?, id FROM things', null);
    tell($other->execute());
    $other->close();
    $third = new mysqli_stmt($db, "DELETE FROM things WHERE name = \"" . secret() . '"');
    waits('mysqli_stmt::execute', 'DELETE FROM things WHERE name = ?', 0);
    tell($third->execute());
    attempt(fn () => $db->prepare('SELECT "' . secret() . '" FROM nowhere'));
    if (PHP_VERSION_ID >= 80200) {
        waits('mysqli::execute_query', 'SELECT COUNT(*) FROM things WHERE name = ? OR name = ?', 1);
        tell($db->execute_query("SELECT COUNT(*) FROM things WHERE name = ? OR name = '" . secret() . "'", [secret()])->fetch_all());
        waits('mysqli_execute_query', 'INSERT INTO things VALUES (?)', 1);
        tell(mysqli_execute_query($db, 'INSERT INTO things VALUES (?, ?)', [number() % 1000, secret()]));
        waits('mysqli::execute_query', 'INSERT INTO nowhere VALUES (?)', null);
        attempt(fn () => $db->execute_query('INSERT INTO nowhere VALUES (?, "' . secret() . '")', [secret()]));
    }
}
