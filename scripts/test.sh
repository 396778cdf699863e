# `./x test`: everything that must be true before a change is merged, as steps
# that all run, whatever fails before them. Sourced by `x`.

logs=${release%/release}/x-test
# A copy of what a clone would have, and a folder to install into. Always in
# the same place, so that Cargo knows it again.
copy=${release%/release}/clean-copy
install_root=${release%/release}/install-root
extension=$release/libxhprof.so
failed=0
summary=()

test_everything() {
    rm -rf "$logs" && mkdir -p "$logs"
    source scripts/lint.sh
    source scripts/real.sh
    source scripts/bench.sh
    step 'rustfmt' lint_format
    step 'clippy, warnings are errors' lint_clippy
    step 'dependencies of the extension' lint_dependencies
    step 'cargo deny: licences, bans, sources' lint_deny
    step 'shellcheck' lint_shell
    step 'build, the extension alone first' x_build
    step 'Rust tests and doc tests' rust_tests
    step 'our files in other programs' formats_quick
    step 'native files, by a reader made from docs/format.md' native_files
    step 'PHP tests (run-tests.php), engine execute' php_tests_execute
    step 'PHP tests (run-tests.php), engine observer' php_tests_observer
    step 'instructions of a profiled call' call_instructions
    step 'every part of ./x bench, without its numbers' bench_works
    step './x demo, one round of it' demo_works
    step 'every mode, and what is left of a killed process' modes
    step 'random programs, under both engines and without' random_programs
    step 'programs that use the profiler at random' random_use
    step 'one php-fpm worker, some requests profiled' fpm_requests
    step 'automatic profiles of a server, php-fpm and built-in' web_requests
    step 'a real program: the same output' real_output
    step 'a real program: the calls that Xdebug counts' real_calls
    step 'xhprof.stub.php against reflection' stub_agrees
    step 'composer.json' composer_json
    step 'phpize, configure, make, make test, make install' phpize_build
    step "ARCHITECTURE.md's code map" code_map
    step "README.md's settings" readme_settings
    step "README.md's commands" readme_commands

    say "in $((SECONDS / 60)) min $((SECONDS % 60)) s, with $(php_name):"
    printf '%s\n' "${summary[@]}"
    [ "$failed" = 0 ] || die 'something failed, see above'
    say 'everything passed'
}

# step NAME COMMAND: runs the command in a shell of its own, and remembers how
# it ended and what it said at its end.
step() {
    local name=$1 command=$2 log=$logs/$2.log began=$SECONDS status word=ok
    say "$name"
    # Not `if $command`, which would make `set -e` mean nothing in there.
    set +e
    (
        set -e
        "$command"
    ) 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    set -e
    if [ "$status" != 0 ]; then
        word=FAILED
        failed=1
    fi
    summary+=("$(printf '  %-6s %4ds  %s' "$word" $((SECONDS - began)) "$name")")
    while IFS= read -r line; do
        summary+=("                 $line")
    done < <(closing_lines "$log")
}

# What the runners themselves say at the end.
closing_lines() {
    grep -hE '^(Tests (passed|failed|skipped|warned|leaked|borked)|.*so not run|  (ok|FAILED) +[0-9]+s  )' "$1" | tail -n 12
    sed -n 's/^test result: [a-zA-Z]*\. \([0-9]*\) passed; \([0-9]*\) failed.*/\1 \2/p' "$1" |
        awk '{ p += $1; f += $2 } END { if (NR) print p " Rust tests passed, " f " failed, in " NR " programs" }'
}

rust_tests() {
    # Not the extension: it cannot be linked without PHP around it.
    cargo test --locked --workspace --exclude xhprof --no-fail-fast
}

call_instructions() {
    source scripts/instructions.sh
    instructions ''
}

formats_quick() {
    source scripts/formats-check.sh
    formats_check --quick
}

native_files() { python3 scripts/native-check.py "$PHP" "$extension" "$release/xhprof"; }

demo_works() {
    XHPROF_DEMO_RUNS=1
    source scripts/demo.sh
    demo_profile
    demo_cost
}

modes() { "$PHP" scripts/modes.php "$extension" "$release/xhprof"; }

# Without the machine's php.ini, which may load Xdebug or another xhprof. What
# a test needs it names in --EXTENSIONS--.
php_tests_execute() { php_tests execute; }
php_tests_observer() { php_tests observer; }

php_tests() {
    local output=$logs/run-tests-$1
    TEST_PHP_EXECUTABLE=$PHP NO_INTERACTION=1 "$PHP" -n "$(run_tests_script)" \
        -n -q -j2 --no-progress --show-diff -d extension="$extension" \
        -d xhprof.engine="$1" php-tests | tee "$output"
    tests_passed "$output"
}

# run-tests.php is content when there is nothing to run.
tests_passed() {
    grep -qE '^Tests passed *: *[1-9]' "$1" || {
        echo 'no PHP test passed'
        return 1
    }
}

run_tests_script() {
    local folder
    for folder in "$("$PHP_CONFIG" --extension-dir)" "$("$PHP_CONFIG" --prefix)/lib/php"; do
        if [ -e "$folder/build/run-tests.php" ]; then
            echo "$folder/build/run-tests.php"
            return
        fi
    done
    die 'run-tests.php is not where phpize keeps its files'
}

# The same ones each time; `./x differential` and `./x monkey` run more.
random_programs() {
    "$PHP" -n scripts/differential/run.php "$extension" 1 200
}

random_use() {
    "$PHP" -n scripts/monkey/run.php "$extension" "$release/xhprof" 1 150
}

fpm_requests() {
    local fpm
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so not run'
        return
    }
    "$PHP" -n scripts/fpm.php "$fpm" "$extension"
}

web_requests() {
    "$PHP" -n scripts/web.php "$extension" "$(find_fpm || echo -)" "$release/xhprof"
}

# The php-fpm of the chosen PHP.
find_fpm() {
    local version
    version=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    command -v "php-fpm$version" || command -v "/usr/sbin/php-fpm$version" ||
        { [ -x "${PHP%/bin/*}/sbin/php-fpm" ] && echo "${PHP%/bin/*}/sbin/php-fpm"; }
}

stub_agrees() {
    "$PHP" -n scripts/signatures.php xhprof.stub.php >"$logs/stub.txt"
    "$PHP" -n -d extension="$extension" scripts/signatures.php >"$logs/reflection.txt"
    diff -u "$logs/stub.txt" "$logs/reflection.txt"
    cat "$logs/reflection.txt"
}

composer_json() {
    "$PHP" -n scripts/check-composer.php
    if command -v composer >/dev/null; then
        composer validate --no-interaction --strict
    else
        echo 'composer is not installed, so not run: composer validate'
    fi
}

# What a clone would have once everything here is committed. A file that is as
# it was in the last copy keeps that one's date, and any other is new: so Cargo
# builds what has changed, and that only.
clean_copy() {
    local file
    rm -rf "$copy.new" "$install_root"
    mkdir -p "$copy.new"
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            [ ! -e "$file" ] || printf '%s\0' "$file"
        done | tar --create --null --files-from=- |
        tar --extract --touch --directory="$copy.new"
    (cd "$copy.new" && find . -type f -print0) |
        while IFS= read -r -d '' file; do
            if cmp --silent "$copy/$file" "$copy.new/$file"; then
                touch --reference="$copy/$file" "$copy.new/$file"
            fi
        done
    # A folder of its own for what Cargo builds there: Cargo takes the copy's
    # crates for ours, and would then not see what we change.
    mkdir -p "${release%/release}/clean-copy-target"
    ln -s "${release%/release}/clean-copy-target" "$copy.new/target"
    rm -rf "$copy"
    mv "$copy.new" "$copy"
}

phpize_build() {
    local option module tests phpize=${PHP_CONFIG%/*}/phpize${PHP_CONFIG##*/php-config}
    clean_copy
    cd "$copy"
    "$phpize"
    ./configure --help >"$logs/configure-help"
    for option in $("$PHP" -n scripts/check-composer.php --options); do
        grep -q -- "--$option" "$logs/configure-help" || die "configure does not know --$option of composer.json"
    done
    ./configure --quiet --with-php-config="$PHP_CONFIG"
    make
    # All of them have run already; here it is enough that they can, so one of
    # each area: php-tests/AREA-….phpt.
    tests=$(find php-tests -name '*.phpt' | sort | awk -F'[/-]' '!seen[$3]++' | tr '\n' ' ')
    NO_INTERACTION=1 make test TESTS="${tests:-php-tests}" | tee "$logs/make-test"
    tests_passed "$logs/make-test"
    # Nothing is left to build, so Cargo is not asked: root may have none.
    make install INSTALL_ROOT="$install_root" XHPROF_CARGO=false
    module=$install_root$("$PHP_CONFIG" --extension-dir)/xhprof.so
    "$PHP" -n -d extension="$module" --ri xhprof | grep '^Version'
}

# The code map has every source file, and no other.
code_map() {
    diff -u <(sed -nE 's/^- `([a-z0-9_/]+\.rs)`: .*/\1/p' ARCHITECTURE.md | LC_ALL=C sort) \
        <(find src crates/*/src -name '*.rs' | LC_ALL=C sort)
}

# The table has every setting with its default, and no other.
readme_settings() {
    diff -u <(sed -nE 's/^\| `(xhprof\.[a-z_]+)` \| (`([^`]*)`)? *\|.*/\1=\3/p' README.md | sort) \
        <("$PHP" -n -d extension="$extension" -r '
            foreach (ini_get_all("xhprof") as $name => $it) echo "$name=$it[global_value]\n";' | sort)
}

# Runs every ```sh block of README.md, one after the other, in the copy; a
# ```php block that begins with "<?php // name.php" becomes that file first.
# Blocks of other kinds (```console, ```text, ```ini) are for reading.
readme_commands() {
    [ -e "$copy/x" ] || clean_copy
    awk '
        /^```php$/ { php = 1; file = ""; next }
        /^```sh$/  { sh = 1; next }
        /^```/     { php = sh = 0; next }
        php && file == "" { file = $3; if (file !~ /^[a-z-]+\.php$/) file = "/dev/null" }
        php { if (file == "/dev/null") print > file; else print > (copy "/" file) }
        sh
    ' copy="$copy" README.md >"$logs/readme-commands.sh"
    grep -q . "$logs/readme-commands.sh" || die 'README.md has no command to run'
    cd "$copy"
    # Where a newcomer's build would be, and README.md says it is.
    unset CARGO_TARGET_DIR
    # "php" is the chosen one, without Xdebug and without an installed xhprof.
    # A function, because another PATH would make Cargo build everything anew.
    php() { "$PHP" "$@"; }
    export -f php
    plain_scan_directory "$logs/conf.d"
    PHP_INI_SCAN_DIR=$logs/conf.d XHPROF_DEMO_RUNS=1 bash -euxo pipefail "$logs/readme-commands.sh"
}
