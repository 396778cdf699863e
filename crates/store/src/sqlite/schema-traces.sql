-- Other programs link to the run of a trace: found without reading the tags of all runs.
CREATE INDEX run_tag_trace ON run_tag (value) WHERE name = 'trace_id';
