# `./x demo`: profiles a real program and measures the cost. Sourced by `x`.
#
# program.sh chooses the program.

choose_program
rounds=${XHPROF_DEMO_RUNS:-5}
# The profile stays after the command.
demo=${release%/release}/demo
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
plain_scan_directory "$workspace/conf.d"

# Builds in steps: scripts/steps.sh shows where it is.
demo_build() {
    begin_steps "${release%/release}/x-demo" demo_steps
    demo_steps
}

demo_steps() {
    build_step 'the crates, from crates.io' fetch_crates
    build_step 'the extension for PHP' build_extension
    build_step 'the program xhprof' build_program
}

# Profiles the program, and prints its costliest functions as on a terminal of 100
# columns: a pipe would get all columns and whole names.
demo_answer() {
    local report
    mkdir -p "$demo"
    cut_line "\$ xhprof run -- ${program[*]}"
    PHP_INI_SCAN_DIR=$workspace/conf.d "$release/xhprof" run -o "$demo/profile.xhp" -- "${program[@]}" >"$workspace/run.out" 2>&1 ||
        [ $? = "$program_status" ] || die "the profiled program failed: $(tail -n 20 "$workspace/run.out")"
    report=$(printf '%q ' "$release/xhprof" report --limit "$shown_functions" "$demo/profile.xhp")
    NO_COLOR=1 TERM=vt100 COLUMNS=100 script --quiet --return --command "$report" /dev/null </dev/null 2>&1 |
        tr -d '\r' >"$workspace/report" ||
        die "xhprof report failed: $(tail -n 20 "$workspace/report")"
    # The totals and the table, with a line between them if the totals have not taken two.
    awk '/ wall · / { shown = 1; first = NR } / function$/ { shown = 1 } /^…/ { exit } shown
        / functions$/ { shown = 0; if (NR == first) print "" }' "$workspace/report"
}

# The answer of the demo is 25 lines.
shown_functions=12

cut_line() { if [ ${#1} -gt 100 ]; then echo "${1:0:99}…"; else echo "$1"; fi; }

# Writes the page, and prints the next steps with paths relative to this folder.
demo_next() {
    "$release/xhprof" html "$demo/profile.xhp" -o "$demo/profile.html" 2>"$workspace/html.log" ||
        die "xhprof html failed: $(cat "$workspace/html.log")"
    echo "Open it all in a browser:   file://$demo/profile.html"
    echo "Profile a program of yours: ${release#"$PWD"/}/xhprof run -- script.php"
    echo 'Then: ./x test, ./x install, and "Your first profile" in README.md'
}

# Serves a store with the profile until Ctrl-C.
demo_serve() {
    "$release/xhprof" import "$demo/profile.xhp" --store "$demo/store" --app demo
    rm -rf "$workspace"
    exec "$release/xhprof" serve --store "$demo/store"
}

# The four ways to run the program that are compared.
run_plain() { "$PHP" "${program[@]}"; }
run_idle() { "$PHP" -d extension="$release/libxhprof.so" "${program[@]}"; }
run_wall() { profiled '' "${program[@]}"; }
run_full() { profiled 'cpu memory' "${program[@]}"; }

profiled() {
    local flags=$1
    shift
    "$PHP" -d extension="$release/libxhprof.so" -d xhprof.auto_enable=1 \
        -d xhprof.flags="$flags" -d xhprof.output_dir="$workspace/profiles" "$@"
}

# measure WAY: appends user and system time of one run to the times of WAY.
measure() {
    local LC_ALL=C TIMEFORMAT='%3U %3S' user system status
    {
        time {
            status=0
            "run_$1" >"$workspace/$1.out" 2>&1 || status=$?
        }
    } 2>"$workspace/time"
    [ "$status" = "$program_status" ] || die "the program ended with $status instead of $program_status: $(cat "$workspace/$1.out")"
    read -r user system <"$workspace/time"
    echo $((10#${user/./} + 10#${system/./})) >>"$workspace/$1.ms"
}

# lowest WAY, highest WAY: of the times of WAY, in milliseconds.
lowest() { sort -n "$workspace/$1.ms" | head -n 1; }
highest() { sort -n "$workspace/$1.ms" | tail -n 1; }

# The last lines of the output show the program's time, which may differ.
same_output() {
    cmp <(grep -v '^Time: ' "$workspace/plain.out") <(grep -v '^Time: ' "$workspace/$1.out") ||
        die "the program's output is not the same when it is profiled"
}

demo_cost() {
    local ways=(plain idle wall full) round way calls
    export PHP_INI_SCAN_DIR=$workspace/conf.d
    mkdir -p "$workspace/profiles"
    say "the cost: the same program $rounds times each way, in turn"
    round=0
    until [ "$round" -ge "$rounds" ] && { costs_agree || [ "$round" -ge $((4 * rounds)) ]; }; do
        for way in "${ways[@]}"; do
            rm -f "$workspace/profiles"/*
            measure "$way"
        done
        # The order is reversed after each round: if the machine slows down during
        # the measurement, it slows down all ways.
        mapfile -t ways < <(printf '%s\n' "${ways[@]}" | tac)
        round=$((round + 1))
    done
    for way in idle wall full; do same_output "$way"; done
    rm -f "$workspace/profiles"/*
    run_full >/dev/null 2>&1 || true
    calls=$(calls_in "$workspace/profiles"/*)
    printf '%-34s %14s %8s %10s %10s\n' "$calls calls" 'CPU time, ms' 'ratio' 'ns a call' 'highest'
    cost_row plain 'without the extension' "$calls"
    cost_row idle 'loaded, not profiling' "$calls"
    cost_row wall 'profiling wall time' "$calls"
    cost_row full 'profiling wall time, CPU, memory' "$calls"
    costs_agree || echo "The speed of this machine changed: these costs mean little, even after $round rounds."
    unset PHP_INI_SCAN_DIR
}

# Whether no way took clearly less than the one before it, which does less. Where it seems so, the
# machine has changed its speed, and more rounds may find its full speed each way.
costs_agree() {
    local way before time
    before=$(lowest plain)
    for way in idle wall full; do
        time=$(lowest "$way")
        [ $((time * 100)) -ge $((before * 97)) ] || return 1
        before=$time
    done
}

# The lowest times are compared: whatever else runs on the machine only adds to them.
cost_row() {
    local way=$1 name=$2 calls=$3 base time
    base=$(lowest plain)
    time=$(lowest "$way")
    printf '%-34s %14d %8s %10s %10d\n' "$name" "$time" \
        "$(awk "BEGIN { printf \"%.2f\", $time / $base }")" \
        "$([ "$time" -le "$base" ] || echo $(((time - base) * 1000000 / calls)))" "$(highest "$way")"
}

calls_in() {
    "$release/xhprof" convert "$1" --to xhprof-json -o - |
        "$PHP" -n -r 'echo array_sum(array_column(json_decode(stream_get_contents(STDIN), true), "ct"));'
}

cpu_model() {
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . || uname -m
}

# Puts the output of both between the marks in README.md.
refresh_readme() {
    demo_answer >"$workspace/profile.out"
    demo_cost >"$workspace/cost.out" 2>&1
    cat >>"$workspace/cost.out" <<END

CPU time is user + system; the lowest of $rounds runs each, taken in turn, writing the profile
included. $(date +%Y-%m-%d), PHP $("$PHP" -n -r 'echo PHP_VERSION;'), $(cpu_model).
END
    "$PHP" -n scripts/fill-readme.php README.md \
        demo-output="$workspace/profile.out" cost="$workspace/cost.out"
    say 'README.md has the output of this run'
}
