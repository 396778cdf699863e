-- Runs that agents dropped before they came here. The counters are the agents':
-- each replaces a smaller one, so that a report counts once.
CREATE TABLE dropped (
    day INTEGER NOT NULL,
    agent TEXT NOT NULL,
    app TEXT NOT NULL,
    reason TEXT NOT NULL,
    host TEXT NOT NULL,
    runs INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (day, agent, app, reason)
) WITHOUT ROWID;
