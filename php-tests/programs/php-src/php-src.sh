# `./x php-src-tests`: runs PHP's own tests with the profiler on from the first
# opcode to the last, and without it. Sourced by `x`.
#
# A test may pass, fail or be skipped; with the profiler its result must be the
# same. php-tests/programs/php-src/expected.txt lists the exceptions with their reasons.

suites=(Zend/tests tests/lang tests/classes ext/standard/tests/general_functions
    ext/spl/tests ext/opcache/tests)
work=${release%/release}/php-src
extension=$release/libxhprof.so

php_src_tests() {
    local mode changed=0 modes=()
    for mode in "${@:-all}"; do
        case $mode in
        all) modes=(none execute observer) ;;
        none | execute | observer) modes+=("$mode") ;;
        *) die "php-src-tests: unknown mode $mode; known are none, execute and observer" ;;
        esac
    done
    php_source "$work"
    [ -e "$work/none.results" ] || [ "${modes[0]}" = none ] || modes=(none "${modes[@]}")
    for mode in "${modes[@]}"; do
        src_run "$mode"
        [ "$mode" = none ] || src_compare "$mode" || changed=1
    done
    [ "$changed" = 0 ] || die 'tests of PHP change when they are profiled, see above'
    say "PHP's own tests have the same results with and without the profiler, except those in the list"
}

# Prints the options for one mode. By default everything is recorded.
src_options() {
    [ "$1" = none ] || printf '%s\n' -d extension="$extension" -d xhprof.engine="$1" \
        -d xhprof.auto_enable=1 -d xhprof.output_dir="$work/$1.profiles"
}

# src_run MODE: writes each test's result into MODE.results, as test<TAB>result.
src_run() {
    local mode=$1 began=$SECONDS
    say "PHP $(cat "$work/version"): ${suites[*]}; $mode, with $(php_name)"
    src_folder "$mode"
    src_tests "$mode" 2 "${suites[@]}" >"$work/$mode.log" 2>&1 || true
    [ -s "$work/$mode.list" ] || die "run-tests.php did not run: $(tail -n 5 "$work/$mode.log")"
    src_results "$mode" >"$work/$mode.results"
    say "$mode, in $(((SECONDS - began) / 60)) min $(((SECONDS - began) % 60)) s: $(src_counts "$mode")"
    [ "$mode" = none ] || src_profiles "$mode"
}

# test<TAB>result, with paths as in PHP's sources.
src_results() { sed -E "s#^([A-Z]+)\t$work/$1/(.*)#\2\t\1#" "$work/$1.list" | LC_ALL=C sort -t $'\t' -k1,1 -u; }

src_counts() { cut -f2 "$work/$1.results" | sort | uniq -c | awk '{ printf "%s%s %s", c, $1, tolower($2); c = ", " }'; }

# The tests write files into their own folders, so each mode has its own copy.
src_folder() {
    local mode=$1 suite
    rm -rf "${work:?}/$mode" "$work/$mode.profiles" "$work/$mode.list"
    mkdir -p "$work/$mode"
    for suite in "${suites[@]}"; do
        mkdir -p "$work/$mode/${suite%/*}"
        cp -R "$work/src/$suite" "$work/$mode/${suite%/*}/"
    done
    # With the execute engine the profiler refuses to record beside a JIT, and warns.
    # With a JIT, `auto` uses the observer. So these tests are not run.
    if [ "$mode" = execute ]; then
        grep -rlE '^ *opcache\.jit_buffer_size *= *[1-9]' --include='*.phpt' \
            "$work/$mode" | tr '\n' '\0' | xargs -0 rm -f
    fi
}

# src_tests MODE JOBS TEST…
src_tests() (
    local mode=$1 jobs=$2 options
    shift 2
    mapfile -t options < <(src_options "$mode")
    mkdir -p "$work/$mode.profiles"
    cd "$work/$mode" || exit
    TEST_PHP_EXECUTABLE=$PHP NO_INTERACTION=1 PHP_INI_SCAN_DIR='' \
        "$PHP" -n "$(run_tests_script)" -n -q -j"$jobs" --no-progress --offline --show-diff \
        -W "$work/$mode.list" "${options[@]}" "$@"
)

# Checks that every file that the tests wrote is a readable profile.
src_profiles() {
    local mode=$1 file total=0 bad=0
    while IFS= read -r file; do
        total=$((total + 1))
        "$release/xhprof" report --limit 1 "$file" >"$work/$mode.report" 2>&1 || {
            bad=$((bad + 1))
            echo "cannot be read: $file: $(head -n 1 "$work/$mode.report")"
        }
    done < <(find "$work/$mode.profiles" -name '*.xhp')
    [ "$bad" = 0 ] || die "$bad of $total profiles cannot be read"
    [ "$total" -gt 0 ] || die 'no profile was written'
    say "$mode: $total profiles were written, and all are readable"
    rm -r "$work/$mode.profiles"
}

# src_compare MODE: finds tests with another result than without the extension. Each
# is run again alone, both ways, because some depend on the machine's load.
src_compare() {
    local mode=$1 way both test was is tests unexpected
    both=$(LC_ALL=C join -t $'\t' "$work/none.results" "$work/$mode.results" | wc -l)
    [ "$both" = "$(wc -l <"$work/$mode.results")" ] || die "the two runs did not have the same tests"
    src_differences "$work/none.results" "$work/$mode.results" >"$work/$mode.first"
    if [ -s "$work/$mode.first" ]; then
        mapfile -t tests < <(cut -f1 "$work/$mode.first")
        for way in none "$mode"; do
            src_tests "$way" 1 "${tests[@]}" >"$work/$way.again.log" 2>&1 || true
            src_results "$way" >"$work/$way.again"
        done
        src_differences "$work/none.again" "$work/$mode.again" >"$work/$mode.differences"
        while IFS=$'\t' read -r test was is; do
            echo "differed in the first run only: $test ($was, $is)"
        done < <(grep -vFf <(cut -f1 "$work/$mode.differences" | grep . || echo /) "$work/$mode.first" || true)
    else
        : >"$work/$mode.differences"
    fi
    echo "$mode: $(wc -l <"$work/$mode.differences") of $both tests differ from the run without the extension"
    while IFS=$'\t' read -r test was is; do
        echo "  $test: $was without, $is with; $(src_reason "$mode" "$test")"
    done <"$work/$mode.differences"
    unexpected=$(cut -f1 "$work/$mode.differences" | while read -r test; do
        [ -n "$(src_expected "$mode" "$test")" ] || echo "$test"
    done)
    if [ -n "$unexpected" ]; then
        echo "not in php-tests/programs/php-src/expected.txt; see $work/$mode.again.log:"
        echo "$unexpected"
        return 1
    fi
}

# test<TAB>without<TAB>with, of the tests of both runs.
src_differences() { LC_ALL=C join -t $'\t' "$1" "$2" | awk -F'\t' '$2 != $3'; }

# Prints the reason in the list ("engine test reason…"), or nothing.
src_expected() {
    awk -v mode="$1" -v test="$2" '($1 == mode || $1 == "both") && $2 == test { $1 = $2 = ""; print substr($0, 3) }' \
        php-tests/programs/php-src/expected.txt
}

src_reason() { src_expected "$@" | grep . || echo 'NOT EXPECTED'; }
