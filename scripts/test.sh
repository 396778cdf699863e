# `./x test`: everything that must pass before a change is merged. All steps run,
# even after a failed step. Sourced by `x`. The steps are in scripts/test-*.sh, those
# of programs and formats in this file.

logs=${release%/release}/x-test
# A copy with the files of a clone, and a folder to install into. The place is always
# the same, so that Cargo can reuse its builds.
copy=${release%/release}/clean-copy
install_root=${release%/release}/install-root
extension=$release/libxhprof.so
failed=0
failed_now=0
summary=()

# Other commands use functions of these, too.
source scripts/test-php.sh
source scripts/test-budgets.sh
source scripts/test-install.sh
source scripts/test-documents.sh
source scripts/cluster-test.sh

test_everything() {
    need_disk 8
    rm -rf "$logs" && mkdir -p "$logs"
    # What Cargo keeps to compile a changed crate faster takes 3 GB more.
    export CARGO_INCREMENTAL=0
    source scripts/lint.sh
    source scripts/real.sh
    source scripts/bench.sh
    source scripts/setup-test.sh
    source scripts/web.sh
    step 'rustfmt' lint_format
    build_step 'build, the extension alone first' x_build
    build_step 'build of the Rust tests' rust_tests_build
    step 'clippy, warnings are errors' lint_clippy
    step 'documentation of the code, warnings are errors' lint_doc
    step 'dependencies of the extension' lint_dependencies
    step 'cargo deny: licences, bans, sources' lint_deny
    step 'shellcheck' lint_shell
    step 'the packages that ./x asks for' setup_probes
    step 'Rust tests and doc tests' rust_tests
    step 'the store on ClickHouse' store_on_clickhouse
    step 'our files in other programs' formats_quick
    step 'native files, by a reader made from docs/format.md' native_files
    step 'PHP tests (run-tests.php), engine execute' php_tests_execute
    step 'PHP tests (run-tests.php), engine observer' php_tests_observer
    step 'PHP tests, with a check of every profile' php_tests_checked
    step 'instructions of a profiled call' call_instructions
    step 'every part of ./x bench, without its numbers' bench_works
    step './x demo, one round of it' demo_works
    step 'every mode, and the files of a killed process' modes
    step 'the recipes of docs/production.md' documented_recipes
    step 'random programs, under both engines and without' random_programs
    step 'closures and property hooks in every job of a worker' kept_code
    step 'programs that use the profiler at random' random_use
    step 'ends by signals, with and without the extension' ends_by_signal
    step 'one php-fpm worker, some requests profiled' fpm_requests
    step 'automatic profiles of a server, php-fpm and built-in' web_requests
    step 'xhprof serve: login, uploads, a watched folder, its end' server_works
    step "docs/workers.md's loops" worker_loops
    step "docs/frameworks.md's files" framework_examples
    step 'a real program: the same output' real_output
    step 'a real program: the same calls as in a trace of Xdebug' real_calls
    step 'the Composer package, php/' php_package
    step 'xhprof check: requests to a server, scenarios at once' check_scenarios
    step 'examples/shop: each fault is caught, by its line' example_shop
    step 'xhprof.stub.php against reflection' stub_agrees
    step 'composer.json' composer_json
    step 'build.rs refuses a PHP that is not supported' build_refusals
    step 'phpize, configure, make, make test, make install' phpize_build
    step "ARCHITECTURE.md's folders and arrows, circles of imports" code_map
    step "ARCHITECTURE.md's length of the hot path" hot_path_length
    step "web/dist against its sources" web_is_new
    step 'the viewer in Chromium' web_smoke
    step 'docs/settings.md' documented_settings
    step 'scripts/xhprof.ini' ini_settings
    step "docs/fleet.md's table" fleet_table
    step 'links between the documents' links
    step "README.md's commands" readme_commands

    test_summary
    [ "$failed" = 0 ] || die 'something failed, see above'
    say 'everything passed'
}

test_summary() {
    say "in $((SECONDS / 60)) min $((SECONDS % 60)) s, with $(php_name):"
    printf '%s\n' "${summary[@]}"
}

# build_step NAME COMMAND: a step that the others need. If it fails, the tests end:
# the other steps would only repeat the error.
build_step() {
    step "$@"
    [ "$failed_now" = 0 ] || {
        test_summary
        say "the last lines of $logs/$2.log:"
        tail -n 20 "$logs/$2.log"
        die "\"$1\" failed, and no other test can run before this is fixed"
    }
}

# step NAME COMMAND: runs the command in a shell of its own, and stores its status
# and its last lines for the summary.
step() {
    local name=$1 command=$2 log=$logs/$2.log began=$SECONDS status word=ok
    declare -F "$command" >/dev/null || die "step \"$name\": there is no function $command"
    say "$name"
    # Not `if $command`, which would disable `set -e` inside.
    set +e
    (
        set -e
        "$command"
    ) 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    set -e
    failed_now=0
    if [ "$status" != 0 ]; then
        word=FAILED
        failed=1
        failed_now=1
    fi
    summary+=("$(printf '  %-6s %4ds  %s' "$word" $((SECONDS - began)) "$name")")
    while IFS= read -r line; do
        summary+=("                 $line")
    done < <(closing_lines "$log")
}

# Prints the last lines of the test runners themselves.
closing_lines() {
    grep -hE '^(Tests (passed|failed|skipped|warned|leaked|borked)|.*so not run|  (ok|FAILED) +[0-9]+s  )' "$1" | tail -n 12
    sed -n 's/^test result: [a-zA-Z]*\. \([0-9]*\) passed; \([0-9]*\) failed.*/\1 \2/p' "$1" |
        awk '{ p += $1; f += $2 } END { if (NR) print p " Rust tests passed, " f " failed, in " NR " programs" }'
}

rust_tests_build() { cargo test --locked --workspace --exclude xhprof --no-run; }

rust_tests() {
    # Not the extension: it cannot be linked without PHP.
    XHPROF_BOMBED_PROGRAM=$(realpath "$release/xhprof") cargo test --locked --workspace --exclude xhprof --no-fail-fast
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
    rm -f "$demo/profile.html"
    demo_next | tee "$logs/demo-next"
    # Each command that the demo names works.
    [ "$(sed -n 's#.* file://##p' "$logs/demo-next")" -ef "$demo/profile.html" ] || die 'the demo does not name the page'
    grep -q '</html>' "$demo/profile.html"
    bash -euo pipefail -c "$(sed -n 's/.*look into the profile *//p' "$logs/demo-next")" | grep "${program[0]##*/}" >/dev/null
    "$PHP" -n -d "$(sed -nE 's/.*\((not installed: )(extension=.*)\)/\2/p' "$logs/demo-next")" \
        -r 'exit((int) !extension_loaded("xhprof"));'
}
