# Runs the steps of a long command and shows where it is: step k of n, the last line of
# the step's log, and at the end what each step cost. Sourced by `x`.
#
# The output of a step goes to a log file, and to the screen only with --verbose or
# after a failure. A terminal shows one line that changes; a pipe gets plain lines, at
# most one every ten seconds beside one a step.

# How many lines of a failed step's log are shown.
shown_of_failed=20
verbose=
# What `step` does: count (adds to $steps_total), list (prints its name), run.
step_mode=run
steps_total=0
step_number=0
failed=0
failed_now=0
tests_passed=0
tests_failed=0

# begin_steps LOGS LIST…: empties the folder LOGS, and counts the steps of the functions
# that are named.
begin_steps() {
    logs=$1
    shift
    rm -rf "$logs" && mkdir -p "$logs"
    step_number=0 failed=0 failed_now=0 tests_passed=0 tests_failed=0 steps_began=$SECONDS
    step_rows=()
    steps_total=$(step_names "$@" | wc -l)
    step_mode=run
    # Cargo's own counter of crates, for the line that shows what is being compiled.
    export CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100 CARGO_TERM_COLOR=never
    times >"$logs/.times"
    steps_began_cpu=$(cpu_ms "$logs/.times")
}

# step_names LIST…: prints the names of the steps of these functions.
step_names() (
    step_mode=list
    for list; do "$list"; done
)

# step NAME COMMAND: runs the command in a shell of its own.
step() { steps_together "$@"; }

# steps_together NAME COMMAND [NAME COMMAND]…: runs the commands at the same time, each in
# a shell of its own, because each alone leaves processors idle.
steps_together() {
    local names=() commands=() numbers=() pids=() watchers=() i
    while [ $# -gt 0 ]; do
        declare -F "$2" >/dev/null || die "step \"$1\": there is no function $2"
        names+=("$1") commands+=("$2")
        shift 2
    done
    if [ "$step_mode" = list ]; then
        printf '%s\n' "${names[@]}"
        return
    fi
    for i in "${!names[@]}"; do
        step_number=$((step_number + 1))
        numbers+=("$step_number")
        if [ ! -t 1 ] || [ -n "$verbose" ]; then say "step $step_number of $steps_total: ${names[i]}"; fi
        step_in_background "${commands[i]}" &
        pids+=("$!")
    done
    for i in "${!names[@]}"; do
        if [ -z "$verbose" ]; then
            watch_log "$logs/${commands[i]}.log" "${numbers[i]}/$steps_total ${names[i]}" &
            watchers+=("$!")
        fi
        # A terminal's line shows one step: the first that still runs.
        [ ! -t 1 ] || wait "${pids[i]}" || true
    done
    failed_now=0
    for i in "${!names[@]}"; do
        wait "${pids[i]}" || true
        [ -n "$verbose" ] || { kill "${watchers[i]}" && wait "${watchers[i]}"; } 2>/dev/null || true
        step_ended "${numbers[i]}" "${names[i]}" "${commands[i]}"
    done
}

# step_in_background COMMAND: writes the log, and $logs/.COMMAND: status, seconds, milliseconds of CPU time.
step_in_background() {
    local command=$1 log=$logs/$1.log began=$SECONDS status
    # Not `if $command`, which would disable `set -e` inside.
    set +e
    if [ -n "$verbose" ]; then
        (
            set -e
            "$command"
        ) 2>&1 | tee "$log"
        status=${PIPESTATUS[0]}
    else
        (
            set -e
            "$command"
        ) >"$log" 2>&1
        status=$?
    fi
    times >"$logs/.$command.times"
    echo "$status $((SECONDS - began)) $(cpu_ms "$logs/.$command.times")" >"$logs/.$command"
}

# step_ended NUMBER NAME COMMAND: what is said of a step, and its row of the summary.
step_ended() {
    local number=$1 name=$2 log=$logs/$3.log word=ok status seconds cpu
    read -r status seconds cpu <"$logs/.$3"
    [ ! -t 1 ] || [ -n "$verbose" ] || printf '\r\033[K'
    clean_log "$log"
    if [ "$status" != 0 ]; then
        word=FAILED failed=1 failed_now=1
        tail -n "$shown_of_failed" "$log" | sed 's/^/    /'
        say "step $number of $steps_total failed: $name (status $status). The whole log: $log"
    elif [ -t 1 ]; then
        say "$number of $steps_total: $name, $seconds s"
    fi
    count_tests "$log" "$status"
    step_rows+=("$(printf '%d|%-6s %4d s  %4d s  %s' "$seconds" "$word" "$seconds" $(((cpu + 500) / 1000)) "$name")|$log")
}

# build_step NAME COMMAND: a step that the others need. If it fails, the command ends:
# the other steps would only repeat the error.
build_step() {
    step "$@"
    [ "$step_mode" = run ] && [ "$failed_now" != 0 ] || return 0
    steps_summary
    die "\"$1\" failed, and nothing after it can run before this is fixed"
}

# Prints what each step cost, the slowest first, with the last lines of the runners of
# tests, and the sum of all tests.
steps_summary() {
    local row cpu
    times >"$logs/.times"
    cpu=$((($(cpu_ms "$logs/.times") - steps_began_cpu) / 1000))
    say "$step_number steps in $(minutes $((SECONDS - steps_began))), $(minutes "$cpu") of CPU time, with $(php_name):"
    echo '           wall   CPU'
    while IFS= read -r row; do
        row=${row#*|}
        echo "  ${row%|*}"
        closing_lines "${row##*|}" | sed 's/^/                         /'
    done < <(printf '%s\n' "${step_rows[@]}" | sort -t'|' -k1,1nr -s)
    echo
    echo "$tests_passed passed, $tests_failed failed"
}

minutes() { echo "$(($1 / 60)) min $(($1 % 60)) s"; }

# cpu_ms FILE: the sum of the four times that `times` wrote, in milliseconds.
cpu_ms() {
    tr ' ' '\n' <"$1" | awk -F'[ms]' '{ sum += $1 * 60000 + $2 * 1000 } END { printf "%d", sum }'
}

# Prints the last lines of the test runners themselves.
closing_lines() {
    [ -e "$1" ] || return 0
    grep -hE '^(Tests (passed|failed|skipped|warned|leaked|borked)|.*so not run|OK \(|Tests: |[0-9]+ (checks|requests|programs)[ ,].*[0-9]+ (of them|with) |  (ok|FAILED) +[0-9]+ ?s  )' "$1" | tail -n 12 || true
    sed -n 's/^test result: [a-zA-Z]*\. \([0-9]*\) passed; \([0-9]*\) failed.*/\1 \2/p' "$1" |
        awk '{ p += $1; f += $2 } END { if (NR) print p " Rust tests passed, " f " failed, in " NR " programs" }'
}

# count_tests LOG STATUS: adds the tests of a step; a step without a runner is one test.
count_tests() {
    local passed failures
    read -r passed failures < <(awk '
        /^test result: / { for (i = 2; i <= NF; i++) { if ($i == "passed;") p += $(i - 1); if ($i == "failed;") f += $(i - 1) } }
        /^Tests passed *: *[0-9]/ { p += $4 }
        /^Tests failed *: *[0-9]/ { f += $4 }
        END { print p + 0, f + 0 }' "$1")
    [ "$passed$failures" != 00 ] || [ "$2" != 0 ] || passed=1
    [ "$failures" != 0 ] || [ "$2" = 0 ] || failures=1
    tests_passed=$((tests_passed + passed))
    tests_failed=$((tests_failed + failures))
}

# clean_log FILE: takes Cargo's moving line out of the log.
clean_log() {
    grep -q $'\r' "$1" || return 0
    plain_lines <"$1" | grep -vE '^ *(Building|Checking|Fetch|Updating) \[' >"$1.clean" || true
    mv "$1.clean" "$1"
}

# Text for terminals, one line for each that was shown.
plain_lines() { tr '\r' '\n' | sed -E $'s/\033\\[[0-9;?]*[A-Za-z]//g' | grep '[^ ]' || true; }

# watch_log FILE NAME: shows the file's last line until it is killed or this command ends.
watch_log() {
    local line said='' second=0 width
    while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        second=$((second + 1))
        if [ ! -t 1 ] && ((second % 10)); then continue; fi
        # "Building [==>  ] 34/240: serde, syn" becomes "crate 34 of 240: serde, syn".
        line=$(tail -c 3000 "$1" 2>/dev/null | plain_lines | tail -n 1 |
            sed -E 's/^ *[A-Z][a-z]+ \[[=> ]*\] ([0-9]+)\/([0-9]+)/crate \1 of \2/; s/^ +//; s/ +$//')
        if [ -t 1 ]; then
            width=$(tput cols 2>/dev/null || echo 80)
            line="$2, $second s  $line"
            printf '\r\033[K%s' "${line:0:width-1}"
        elif [ "$line" != "$said" ]; then
            said=$line
            printf '    %4d s  %s\n' "$second" "${line:0:100}"
        fi
    done
}
