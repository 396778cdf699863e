# `./x demo`: profiles a real program and measures the cost. Sourced by `x`.
#
# program.sh chooses the program.

choose_program
rounds=${XHPROF_DEMO_RUNS:-7}
# The profile stays after the command.
demo=${release%/release}/demo
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
plain_scan_directory "$workspace/conf.d"

demo_profile() {
    say "xhprof run -- ${program[*]}"
    mkdir -p "$demo"
    PHP_INI_SCAN_DIR=$workspace/conf.d "$release/xhprof" run \
        --limit 20 -o "$demo/profile.xhp" -- "${program[@]}" ||
        [ $? = "$program_status" ] || die 'the profiled program failed'
}

# Prints the next steps, with paths relative to this folder.
demo_next() {
    local xhprof=${release#"$PWD"/}/xhprof page=${demo#"$PWD"/}/profile.html profile=${demo#"$PWD"/}/profile.xhp
    "$release/xhprof" html "$demo/profile.xhp" -o "$demo/profile.html" 2>"$workspace/html.log" ||
        die "xhprof html failed: $(cat "$workspace/html.log")"
    cat <<END

What next:
  open the whole report       file://$demo/profile.html
  or look into the profile    $xhprof report $profile --tree
  profile a program of yours  $xhprof run -- script.php
  keep it beside others       ./x demo --serve, then http://127.0.0.1:8470/
  see a month of a shop       $xhprof serve --demo, then http://127.0.0.1:8470/
  install both                ./x install
  profile every request       in php.ini:
      extension=xhprof
      xhprof.auto_enable = 1
      xhprof.output_dir = /tmp
      xhprof.max_dir_size = 1G
      (not installed: extension=$release/libxhprof.so)
END
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

# median WAY, range WAY: of the times of WAY, in milliseconds.
median() { sort -n "$workspace/$1.ms" | sed -n "$((rounds / 2 + 1))p"; }
range() { sort -n "$workspace/$1.ms" | sed -n '1p;$p' | paste -sd- | sed 's/-/ to /'; }

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
    for ((round = 0; round < rounds; round++)); do
        for way in "${ways[@]}"; do
            rm -f "$workspace/profiles"/*
            measure "$way"
        done
        # The order is reversed after each round: if the machine slows down during
        # the measurement, it slows down all ways.
        mapfile -t ways < <(printf '%s\n' "${ways[@]}" | tac)
    done
    for way in idle wall full; do same_output "$way"; done
    rm -f "$workspace/profiles"/*
    run_full >/dev/null 2>&1 || true
    calls=$(calls_in "$workspace/profiles"/*)
    echo
    printf '%-34s %14s %8s %16s %10s\n' "$calls calls" 'CPU time, ms' 'ratio' 'lowest, highest' 'ns a call'
    cost_row plain 'without the extension' "$calls"
    cost_row idle 'loaded, not profiling' "$calls"
    cost_row wall 'profiling wall time' "$calls"
    cost_row full 'profiling wall time, CPU, memory' "$calls"
    echo
    echo "CPU time is user + system; medians of $rounds runs each, taken in turn, writing the profile"
    echo "included. $(date +%Y-%m-%d), PHP $("$PHP" -n -r 'echo PHP_VERSION;'), $(cpu_model)."
    unset PHP_INI_SCAN_DIR
}

cost_row() {
    local way=$1 name=$2 calls=$3 base time
    base=$(median plain)
    time=$(median "$way")
    printf '%-34s %14d %8s %16s %10s\n' "$name" "$time" \
        "$(awk "BEGIN { printf \"%.2f\", $time / $base }")" "$(range "$way")" \
        "$([ "$way" = plain ] || echo $(((time - base) * 1000000 / calls)))"
}

calls_in() {
    "$release/xhprof" convert "$1" --to xhprof-json -o - |
        "$PHP" -n -r 'echo array_sum(array_column(json_decode(stream_get_contents(STDIN), true), "ct"));'
}

cpu_model() {
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . || uname -m
}

# Prints the command and its report as on a terminal of 100 columns. In a pipe no name
# is shortened, and lines are longer than a page.
demo_screen() {
    local command
    command=$(printf '%q ' "$release/xhprof" run --limit 20 -o "$demo/profile.xhp" -- "${program[@]}")
    mkdir -p "$demo"
    echo "$ xhprof run --limit 20 -- ${program[*]}"
    NO_COLOR=1 PHP_INI_SCAN_DIR=$workspace/conf.d script --quiet --return \
        --command "stty cols 100; $command >$workspace/program.out" /dev/null >"$workspace/screen" ||
        [ $? = "$program_status" ] || die 'the profiled program failed'
    tr -d '\r' <"$workspace/screen" | grep -v '^xhprof: '
}

# Puts the output of both between the marks in README.md.
refresh_readme() {
    demo_screen >"$workspace/profile.out"
    demo_cost >"$workspace/cost.out" 2>&1
    "$PHP" -n scripts/fill-readme.php README.md \
        demo-output="$workspace/profile.out" cost="$workspace/cost.out"
    say 'README.md has the output of this run'
}
