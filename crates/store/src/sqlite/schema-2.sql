-- When a run arrived: its age counts from then, so that an import of old runs is
-- not removed at once. NULL in the runs of older versions.
ALTER TABLE run ADD COLUMN stored INTEGER;

-- How long runs are kept. The row without an application is for all that have
-- none of their own. Limits that are NULL do not exist.
CREATE TABLE policy (
    app TEXT PRIMARY KEY,
    days INTEGER,
    runs INTEGER,
    bytes INTEGER,
    notable INTEGER NOT NULL,
    keep_notable_days INTEGER NOT NULL,
    sums_days INTEGER
) WITHOUT ROWID;

-- What the policies removed: runs, and with the reason `sums` hourly sums.
CREATE TABLE removed (
    day INTEGER NOT NULL,
    app TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (day, app, reason)
) WITHOUT ROWID;

-- Findings that a webhook got: none is sent again.
CREATE TABLE notice (
    id TEXT PRIMARY KEY,
    day INTEGER NOT NULL
) WITHOUT ROWID;
