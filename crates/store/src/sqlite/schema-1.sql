CREATE TABLE app (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE route (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL REFERENCES app,
    name TEXT NOT NULL,
    UNIQUE (app, name)
);

CREATE TABLE release (
    id INTEGER PRIMARY KEY,
    app INTEGER NOT NULL REFERENCES app,
    name TEXT NOT NULL,
    UNIQUE (app, name)
);

-- Functions. Cells refer to them by id; they are never removed.
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    name BLOB NOT NULL UNIQUE,
    file BLOB,
    line INTEGER NOT NULL,
    internal INTEGER NOT NULL
);

-- Files are in a table of their own, so that a scan of the runs reads few pages.
CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    app INTEGER NOT NULL REFERENCES app,
    route INTEGER NOT NULL REFERENCES route,
    release INTEGER NOT NULL REFERENCES release,
    started INTEGER NOT NULL,
    title TEXT NOT NULL,
    host TEXT NOT NULL,
    method TEXT NOT NULL,
    status TEXT NOT NULL,
    failed INTEGER NOT NULL,
    -- None if the run is in no cell.
    shape INTEGER,
    rate REAL NOT NULL,
    unit TEXT NOT NULL,
    body TEXT NOT NULL,
    wall INTEGER NOT NULL,
    cpu INTEGER,
    peak INTEGER,
    calls INTEGER NOT NULL,
    spans INTEGER NOT NULL,
    sql INTEGER NOT NULL,
    size INTEGER NOT NULL,
    label TEXT NOT NULL
);
CREATE INDEX run_started ON run (started);
CREATE INDEX run_app_started ON run (app, started);
CREATE INDEX run_route_started ON run (route, started);
CREATE INDEX run_route_wall ON run (route, wall);
CREATE INDEX run_wall ON run (wall);

CREATE TABLE run_file (
    number INTEGER PRIMARY KEY,
    -- The dictionary it was compressed with, if any.
    dictionary INTEGER,
    file BLOB NOT NULL
);

CREATE TABLE run_tag (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;

-- Runs that the policy removed: sending them again must not count them twice.
CREATE TABLE forgotten (
    id BLOB PRIMARY KEY,
    day INTEGER NOT NULL
) WITHOUT ROWID;

-- The sums of the runs of one route in one hour, in parts.
CREATE TABLE cell (
    number INTEGER PRIMARY KEY,
    route INTEGER NOT NULL REFERENCES route,
    hour INTEGER NOT NULL,
    release INTEGER NOT NULL REFERENCES release,
    shape INTEGER NOT NULL,
    rate REAL NOT NULL,
    runs INTEGER NOT NULL,
    totals BLOB NOT NULL,
    UNIQUE (route, hour, release, shape, rate)
);
CREATE INDEX cell_hour ON cell (hour);

CREATE TABLE cell_paths (
    cell INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);

-- Only cells with spans have a row.
CREATE TABLE cell_spans (
    cell INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);

-- How the times of functions differ between the runs of one route on one day.
CREATE TABLE day (
    number INTEGER PRIMARY KEY,
    route INTEGER NOT NULL REFERENCES route,
    day INTEGER NOT NULL,
    release INTEGER NOT NULL REFERENCES release,
    shape INTEGER NOT NULL,
    rate REAL NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (route, day, release, shape, rate)
);
CREATE INDEX day_day ON day (day);

-- Files that the files of later runs of the same route resemble. They are
-- compressed by reference to it: each names most of the same functions.
CREATE TABLE dictionary (
    id INTEGER PRIMARY KEY,
    route INTEGER NOT NULL REFERENCES route,
    release INTEGER NOT NULL REFERENCES release,
    data BLOB NOT NULL,
    UNIQUE (route, release)
);
