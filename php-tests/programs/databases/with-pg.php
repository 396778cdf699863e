<?php

// PHP's own functions for PostgreSQL.

function with_pg(string $sockets): void
{
    $db = pg_connect("host=$sockets user=postgres dbname=postgres");
    waits('pg_query', 'CREATE TEMPORARY TABLE "things" (id int, "name" text)', 0);
    tell(pg_query($db, 'CREATE TEMPORARY TABLE "things" (id int, "name" text)'));
    waits('pg_query', 'INSERT INTO "things" VALUES (?)', 3);
    tell(pg_query($db, "INSERT INTO \"things\" VALUES (1, '" . secret() . "'), (2, \$\$" . secret() . "\$\$), (3, E'it\\'s " . secret() . "')"));
    waits('pg_query', 'SELECT "name" FROM things WHERE "name" <> ? AND id < ?', 3);
    tell(pg_fetch_all(pg_query($db, "SELECT \"name\" FROM things WHERE \"name\" <> '" . secret() . "' AND id < " . number())));
    // Without a connection argument, the last connection is used.
    waits('pg_query', 'SELECT ?, "id" FROM things', 3);
    tell(pg_fetch_all(@pg_query("SELECT 'C:\\', \"id\" FROM things")));
    waits('pg_query_params', 'SELECT "id", ? FROM things WHERE "name" = $1 OR id = $2', 0);
    tell(pg_fetch_all(pg_query_params($db, "SELECT \"id\", '" . secret() . "' FROM things WHERE \"name\" = \$1 OR id = \$2", [secret(), number()])));
    waits('pg_query', 'UPDATE things SET name = ?; DELETE FROM "things" WHERE "name" = ?', 0);
    tell(pg_query($db, "UPDATE things SET name = '" . secret() . "'; DELETE FROM \"things\" WHERE \"name\" = '" . secret() . "'"));
    waits('pg_query', 'SELECT "nothing" FROM nowhere WHERE a = ?', null);
    tell(@pg_query($db, "SELECT \"nothing\" FROM nowhere WHERE a = '" . secret() . "'"));
    tell(pg_last_error($db));

    // One name, two statements: each connection has its own.
    $other = pg_connect("host=$sockets user=postgres dbname=template1");
    tell(pg_prepare($db, 'find', "SELECT \"id\" FROM things WHERE \"name\" <> '" . secret() . "' AND id = \$1"));
    tell(pg_prepare($other, 'find', "SELECT \$1::text AS \"a\", '" . secret() . "' AS b"));
    waits('pg_execute', 'SELECT "id" FROM things WHERE "name" <> ? AND id = $1', 1);
    tell(pg_fetch_all(pg_execute($db, 'find', [2])));
    waits('pg_execute', 'SELECT $1::text AS "a", ? AS b', 1);
    tell(pg_fetch_all(pg_execute($other, 'find', [secret()])));
    waits('pg_execute', 'SELECT "id" FROM things WHERE "name" <> ? AND id = $1', 0);
    tell(pg_fetch_all(pg_execute($db, 'find', [number()])));
    waits('pg_execute', null, null);
    tell(@pg_execute($db, secret(), [secret()]));

    waits('pg_send_query', 'SELECT "id" FROM things WHERE "name" <> ?; SELECT ?', null);
    tell(pg_send_query($db, "SELECT \"id\" FROM things WHERE \"name\" <> '" . secret() . "'; SELECT '" . secret() . "'"));
    with_pg_results($db, [3, 1]);
    waits('pg_send_query_params', 'SELECT "id" FROM things WHERE "name" = $1 OR name = ?', null);
    tell(pg_send_query_params($db, "SELECT \"id\" FROM things WHERE \"name\" = \$1 OR name = '" . secret() . "'", [secret()]));
    with_pg_results($db, [0]);
    tell(pg_send_prepare($db, 'later', "UPDATE \"things\" SET \"name\" = '" . secret() . "' WHERE id = \$1"));
    with_pg_results($db, [0]);
    waits('pg_send_execute', 'UPDATE "things" SET "name" = ? WHERE id = $1', null);
    tell(pg_send_execute($db, 'later', [1]));
    with_pg_results($db, [1]);
    tell([pg_close($other), pg_close($db)]);
}

/** Fetches the result; this call waits for the server. */
function with_pg_results($db, array $rows): void
{
    foreach ($rows as $count) {
        waits('pg_get_result', null, $count);
        tell(pg_fetch_all(pg_get_result($db)));
    }
    waits('pg_get_result', null, null);
    tell(pg_get_result($db));
}
