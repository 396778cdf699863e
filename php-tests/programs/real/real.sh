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

# The limits of Xdebug's trace: megabytes and seconds.
trace_size=2048
trace_time=100

# Compares the calls of each user function in the profile and in Xdebug's trace of a
# run without the extension. Xdebug shortens arguments, but versions differ: a syntax
# tree as an argument may make gigabytes.
real_calls() {
    local folder=$logs/real profile
    [ -e "$folder/profiles" ] || real_output
    mkdir -p "$folder/trace"
    rm -f "$folder"/trace/*
    use_plain_php
    trace_calls "$folder/trace" || return 1
    for profile in "$folder"/profiles/*.xhprof; do
        "$PHP" -n php-tests/programs/real/compare-calls.php "$profile" "$folder"/trace/*.xt
    done
    rm -r "$folder/trace"
}

# trace_calls FOLDER: writes Xdebug's trace of the program, or prints why it cannot.
trace_calls() {
    local status=0
    (
        ulimit -f $((trace_size * 1024))
        exec timeout "$trace_time" "$PHP" -d zend_extension=xdebug -d xdebug.mode=trace -d xdebug.start_with_request=yes \
            -d xdebug.trace_format=1 -d xdebug.output_dir="$1" -d xdebug.use_compression=0 \
            -d xdebug.var_display_max_depth=0 -d xdebug.var_display_max_children=0 -d xdebug.var_display_max_data=0 \
            "${program_timeless[@]}" >/dev/null
    ) || status=$?
    echo "$(du -sm "$1" | cut -f1) MB of trace"
    case $status in
    "$program_status") return 0 ;;
    124) echo "Xdebug's trace took more than $trace_time s: is the program too large for it?" ;;
    153) echo "Xdebug's trace is larger than $trace_size MB: is the program too large for it?" ;;
    *) echo "the traced program ended with $status instead of $program_status" ;;
    esac
    rm -r "$1"
    return 1
}
