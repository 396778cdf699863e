# `./x memcheck`: the PHP tests under valgrind. Sourced by `x`.
#
# With USE_ZEND_ALLOC=0, PHP uses the system's allocator and valgrind watches each
# block. Every invalid access fails. A leak fails if one of our functions allocated
# the memory: after fatal errors PHP itself does not free its memory.

memcheck=${release%/release}/memcheck
extension=$release/libxhprof.so

# Left out:
# - tests that reach the memory limit: without PHP's allocator there is no limit,
#   and they would fill the machine's memory;
# - what compares memory by PHP's count of it, which is 0 then;
# - recursion of 100,000 levels and more: it runs the same code as less recursion,
#   for many minutes;
# - limits of the system on memory and open files: valgrind itself ends for want of
#   them, and its last words look like an invalid access;
# - shares of time.
memcheck_left_out=('memory-limit' 'ring-of-frames' 'fatal-errors' 'unchanged-errors'
    'write-fatal-error' 'no-room-to-ask' 'memory-signed' '0000-(deep|profiles)' 'deep-recursion' 'limits/limits-of-the-system' 'limits/limits-open-files' 'shares/')

memcheck_run() {
    local engine failed=0 tests pattern
    pattern=$(IFS='|' && echo "${memcheck_left_out[*]}")
    # A copy, because other runs of the tests delete their files.
    rm -rf "${memcheck:?}/php-tests" && mkdir -p "$memcheck"
    cp -R php-tests xhprof.stub.php "$memcheck/"
    mapfile -t tests < <(cd "$memcheck" && find "$PWD/php-tests" -name '*.phpt' | sort | grep -E "${1:-.}" | grep -vE "$pattern")
    [ ${#tests[@]} -gt 0 ] || die "no test is called $1"
    say "left out: $(find php-tests -name '*.phpt' | grep -cE "$pattern") tests, $pattern"
    memcheck_wrapper
    for engine in execute observer; do memcheck_engine "$engine" "${tests[@]}" || failed=1; done
    [ "$failed" = 0 ] || die 'see above'
}

# The command that run-tests.php, and tests that start another PHP, use as PHP. One
# line of code (-r) runs without valgrind.
memcheck_wrapper() {
    cat >"$memcheck/php" <<SH
#!/bin/sh
case " \$* " in
*' -r '* | *run-test-info.php*) exec "$PHP" "\$@" ;;
esac
# If a test fills the memory after all, it fails.
ulimit -v 12000000
# Modules stay loaded. Otherwise their functions would have no names at the end.
USE_ZEND_ALLOC=0 ZEND_DONT_UNLOAD_MODULES=1 exec valgrind --quiet --num-callers=30 \\
    --log-file="\$MEMCHECK_LOGS/%p.log" --leak-check=full --show-leak-kinds=definite \\
    "$PHP" -d pcre.jit=0 "\$@"
SH
    chmod +x "$memcheck/php"
}

memcheck_engine() {
    local engine=$1 began=$SECONDS log=$memcheck/$1.log
    shift
    rm -rf "${memcheck:?}/$engine" && mkdir -p "$memcheck/$engine"
    say "$engine: $# tests under $(valgrind --version), with $(php_name)"
    TEST_PHP_EXECUTABLE=$memcheck/php NO_INTERACTION=1 MEMCHECK_LOGS=$memcheck/$engine TEST_TIMEOUT=900 \
        "$PHP" -n "$(run_tests_script)" -n -q -j2 --no-progress --show-diff --set-timeout 900 \
        -d extension="$extension" -d xhprof.engine="$engine" "$@" >"$log" 2>&1 || true
    # A test may fail here because valgrind is slow, or because its processes are not
    # PHP to each other: /proc/PID/exe is valgrind (auto-enable-tells-the-path).
    # ./x test says whether it passes.
    say "$engine, in $(((SECONDS - began) / 60)) min: $(sed -nE 's/^Tests (passed|failed|skipped) *: *([0-9]+).*/\2 \1/p' "$log" | paste -sd, | sed 's/,/, /g')"
    sed -n '/^FAILED TEST SUMMARY/,/^=====/p' "$log" | grep '\.phpt' || true
    "$PHP" -n php-tests/programs/memcheck/memcheck.php "$memcheck/$engine"
}
