# A real program under the profiler: the same output, and the right counts.
# Sourced by `scripts/test.sh`.

choose_program

# Uses Debian's modules, except those that hook the engine.
use_plain_php() {
    [ -e "$logs/conf.d" ] || plain_scan_directory "$logs/conf.d"
    export PHP_INI_SCAN_DIR=$logs/conf.d
}

# Output and exit code must be the same, to the byte, without the extension and with
# everything recorded, under both engines.
real_output() {
    local folder=$logs/real engine
    rm -rf "$folder" && mkdir -p "$folder/profiles"
    use_plain_php
    with_status "$PHP" "${program_timeless[@]}" >"$folder/plain"
    for engine in execute observer; do
        with_status "$PHP" -d extension="$extension" -d xhprof.engine=$engine \
            -d xhprof.auto_enable=1 -d xhprof.output_format=xhprof -d xhprof.output_dir="$folder/profiles" \
            "${program_timeless[@]}" >"$folder/$engine"
        cmp "$folder/plain" "$folder/$engine"
    done
    echo "$(wc -c <"$folder/plain") bytes of output, the same three times"
}

with_status() {
    local status=0
    "$@" || status=$?
    echo "status $status"
}

# How often each user function was called: by the profile, and by Xdebug's
# trace of a run without us. Arguments shortened: whole syntax trees make 13 GB.
real_calls() {
    local folder=$logs/real profile
    mkdir -p "$folder/trace"
    rm -f "$folder"/trace/*
    use_plain_php
    "$PHP" -d zend_extension=xdebug -d xdebug.mode=trace -d xdebug.start_with_request=yes \
        -d xdebug.trace_format=1 -d xdebug.output_dir="$folder/trace" -d xdebug.use_compression=0 \
        -d xdebug.var_display_max_depth=0 -d xdebug.var_display_max_children=0 -d xdebug.var_display_max_data=0 \
        "${program_timeless[@]}" >/dev/null || [ $? = "$program_status" ]
    [ -e "$folder/profiles" ] || real_output
    for profile in "$folder"/profiles/*.xhprof; do
        "$PHP" -n scripts/compare-calls.php "$profile" "$folder"/trace/*.xt
    done
    rm -r "$folder/trace"
}
