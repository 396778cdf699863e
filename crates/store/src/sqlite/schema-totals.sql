-- How many runs each application has, their size, and how many hourly sums there are,
-- so that they are not counted for each answer. Triggers keep them.
CREATE TABLE run_total (
    app INTEGER PRIMARY KEY,
    runs INTEGER NOT NULL,
    bytes INTEGER NOT NULL
);
INSERT INTO run_total SELECT app, count(*), sum(size) FROM run GROUP BY app;

CREATE TRIGGER run_added AFTER INSERT ON run BEGIN
    INSERT INTO run_total VALUES (NEW.app, 1, NEW.size)
    ON CONFLICT (app) DO UPDATE SET runs = runs + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER run_removed AFTER DELETE ON run BEGIN
    UPDATE run_total SET runs = runs - 1, bytes = bytes - OLD.size WHERE app = OLD.app;
END;

CREATE TRIGGER run_resized AFTER UPDATE OF size ON run BEGIN
    UPDATE run_total SET bytes = bytes - OLD.size + NEW.size WHERE app = NEW.app;
END;

CREATE TABLE cell_total (
    cells INTEGER NOT NULL
);
INSERT INTO cell_total SELECT count(*) FROM cell;

CREATE TRIGGER cell_added AFTER INSERT ON cell BEGIN
    UPDATE cell_total SET cells = cells + 1;
END;

CREATE TRIGGER cell_removed AFTER DELETE ON cell BEGIN
    UPDATE cell_total SET cells = cells - 1;
END;
