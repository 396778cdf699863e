# `./x instructions`: counts the instructions of a profiled call. Other load on the
# machine does not change them. Sourced by `x`.
#
# valgrind counts a run of few calls and a run of many calls, with and without a
# profile. The difference of the differences is what the profiler adds to a call.
# valgrind has no restartable sequences, so CPU time is read by system call there.
#
# Loops flatter: the caller is always the same. So a real program is counted too,
# with little work and with much.

instructions_file=benches/instructions.txt

# A larger increase, in percent, fails until `./x instructions --bless` accepts it.
instructions_tolerance=3

# counted PROGRAM…: prints the instructions of a run.
counted() {
    local counted
    counted=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p')
    [ -n "$counted" ] || die "valgrind counted nothing for $*"
    echo "$counted"
}

# instructions_of WORKLOAD FLAGS CALLS ENGINE: prints the instructions of a run.
instructions_of() {
    PHP_INI_SCAN_DIR='' counted "$PHP" -n -d extension="$release/libxhprof.so" -d xhprof.engine="$4" \
        benches/workloads/calls.php "$1" "$3" "$2" exactly
}

# per_call WORKLOAD FLAGS ENGINE: prints tenths of an instruction.
per_call() {
    local few many
    few=$(instructions_of "$1" "$2" 10000 "$3")
    many=$(instructions_of "$1" "$2" 60000 "$3")
    # To warm up, the workload makes a fiftieth of its calls once more.
    echo $(((many - few) * 10 / 51000))
}

# Both engines at once: the numbers do not depend on time.
measure_instructions() {
    local observer
    observer=$(mktemp)
    measure_engine observer >"$observer" &
    measure_engine execute
    wait $!
    cat "$observer"
    rm "$observer"
}

measure_engine() {
    local workload flags off
    for workload in user method internal; do
        off=$(per_call "$workload" off "$1")
        for flags in wall memory cpu; do
            echo "$1 $workload $flags $(($(per_call "$workload" "$flags" "$1") - off))"
        done
    done
}

# instructions_of_program FILE ENGINE [OPTION…]: prints the instructions of PHP-Parser
# over a file of PHPUnit.
instructions_of_program() {
    local file=$1 engine=$2
    shift 2
    PHP_INI_SCAN_DIR=$counted_program/conf.d BENCH_FLAGS=wall BENCH_PROFILE=$counted_program/profile \
        counted "$PHP" -d "extension=$release/libxhprof.so" -d "xhprof.engine=$engine" -d "xhprof.output_dir=$counted_program" "$@" \
        "$php_parse" --resolve-names --pretty-print "$phpunit/$file"
}

# added_to_program FILE ENGINE: sets $added_wall, $added_tree, $added_calls: what profiling
# adds to the program, and its calls.
added_to_program() {
    local off
    off=$(instructions_of_program "$1" "$2")
    added_wall=$(($(instructions_of_program "$1" "$2" -d "auto_prepend_file=$PWD/benches/workloads/prepend.php") - off))
    added_tree=$(($(instructions_of_program "$1" "$2" -d xhprof.auto_enable=1 -d xhprof.mode=tree -d xhprof.flags=memory) - off))
    added_calls=$("$PHP" -n -r 'echo array_sum(array_column(unserialize(file_get_contents($argv[1])), "ct"));' "$counted_program/profile")
}

# What profiling adds to a call of the real program, in tenths of an instruction. What
# a profile costs once, which depends on the machine, is in both runs.
measure_real_program() {
    local engine added_wall added_tree added_calls wall tree calls counted_program
    [ -e "$php_parse" ] || {
        echo "no $php_parse, so not run: the instructions of a real program" >&2
        return 0
    }
    counted_program=$(mktemp -d)
    plain_scan_directory "$counted_program/conf.d"
    for engine in execute observer; do
        added_to_program TestBuilder.php "$engine"
        wall=$added_wall tree=$added_tree calls=$added_calls
        added_to_program TestCase.php "$engine"
        echo "$engine php-parse wall $(((added_wall - wall) * 10 / (added_calls - calls)))"
        echo "$engine php-parse tree $(((added_tree - tree) * 10 / (added_calls - calls)))"
    done
    rm -r "$counted_program"
}

# Compares with the file line by line, and prints what grew. Another minor version
# of PHP runs other instructions of its own in a profiled call, so its numbers are
# printed and do not fail.
check_instructions() {
    local now=$1 known php
    known=$(sed -nE 's/^#.* PHP ([0-9]+\.[0-9]+)\..*/\1/p' "$instructions_file")
    php=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    compare_instructions "$now" && return
    [ "$php" = "$known" ] || {
        echo "$instructions_file is of PHP $known and this is PHP $php, so not run: the limit of $instructions_tolerance %"
        return
    }
    echo "A call costs more than $instructions_tolerance % more instructions than before. If this is intended, run ./x instructions --bless"
    return 1
}

compare_instructions() {
    local now=$1
    awk -v tolerance="$instructions_tolerance" '
        FNR == NR { if ($0 !~ /^#/ && NF == 4) known[$1 " " $2 " " $3] = $4; next }
        {
            key = $1 " " $2 " " $3
            if (!(key in known)) { printf "%s: %.1f, not in the file\n", key, $4 / 10; failed = 1; next }
            change = ($4 - known[key]) * 100 / known[key]
            # A program does not do exactly the same everywhere.
            grown = change > tolerance * ($2 == "php-parse" ? 2 : 1)
            printf "%-24s %7.1f %7.1f %+6.1f %%%s\n", key, known[key] / 10, $4 / 10, change, grown ? "  GREW" : ""
            if (grown) failed = 1
        }
        END { exit failed }' "$instructions_file" "$now"
}

instructions() {
    local now
    now=$(mktemp)
    {
        measure_instructions
        measure_real_program
    } >"$now"
    if [ "${1:-}" = --bless ]; then
        {
            echo '# What a profiled call adds, in tenths of an instruction: engine, workload, what'
            echo '# is recorded. Made by ./x instructions --bless; read the difference before you'
            echo "# commit it. PHP $("$PHP" -n -r 'echo PHP_VERSION;'), $(rustc --version | cut -d' ' -f1-2)."
            cat "$now"
        } >"$instructions_file"
        say "$instructions_file is up to date"
    else
        check_instructions "$now"
    fi
    rm -f "$now"
}
