-- The sizes of an application's runs are summed without reading their rows.
CREATE INDEX run_app_size ON run (app, size);
