-- The sums of whole days: most questions read one row instead of 24 hours.
-- `hour` is the first hour of the day.
CREATE TABLE daily (
    number INTEGER PRIMARY KEY,
    route INTEGER NOT NULL REFERENCES route,
    hour INTEGER NOT NULL,
    release INTEGER NOT NULL REFERENCES release,
    shape INTEGER NOT NULL,
    rate REAL NOT NULL,
    runs INTEGER NOT NULL,
    -- The first and the last hour with runs.
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    totals BLOB NOT NULL,
    UNIQUE (route, hour, release, shape, rate)
);
CREATE INDEX daily_hour ON daily (hour);

CREATE TABLE daily_paths (
    cell INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);

CREATE TABLE daily_spans (
    cell INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);

CREATE TRIGGER daily_deleted AFTER DELETE ON daily BEGIN
    DELETE FROM daily_paths WHERE cell = OLD.number;
    DELETE FROM daily_spans WHERE cell = OLD.number;
END;

-- The days whose sums are in `daily`, by their first hour: complete, or being
-- written. A change of one of its hours takes a day out.
CREATE TABLE summed (
    hour INTEGER PRIMARY KEY,
    is_complete INTEGER NOT NULL
);

CREATE TRIGGER cell_inserted AFTER INSERT ON cell BEGIN
    DELETE FROM summed WHERE hour = NEW.hour / 24 * 24;
END;

CREATE TRIGGER cell_updated AFTER UPDATE ON cell BEGIN
    DELETE FROM summed WHERE hour = NEW.hour / 24 * 24;
END;

CREATE TRIGGER cell_deleted AFTER DELETE ON cell BEGIN
    DELETE FROM summed WHERE hour = OLD.hour / 24 * 24;
    -- A day of which no hour is left is not summed again.
    DELETE FROM daily WHERE route = OLD.route AND hour = OLD.hour / 24 * 24;
END;
