-- Tokens, and the sessions of browsers that tokens opened.
CREATE TABLE token (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    app TEXT,
    hash BLOB NOT NULL,
    created INTEGER NOT NULL,
    until INTEGER,
    session_of TEXT
) WITHOUT ROWID;
CREATE INDEX token_session_of ON token (session_of);

-- The quota of an application.
ALTER TABLE policy ADD COLUMN runs_a_day INTEGER;
ALTER TABLE policy ADD COLUMN bytes_a_day INTEGER;

-- How much of each application was stored on a day, whatever was removed since.
CREATE TABLE taken (
    day INTEGER NOT NULL,
    app TEXT NOT NULL,
    runs INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (day, app)
) WITHOUT ROWID;
