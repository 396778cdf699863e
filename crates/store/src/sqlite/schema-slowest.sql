-- The slowest runs of an application are found without reading all of them.
CREATE INDEX run_app_wall ON run (app, wall);
