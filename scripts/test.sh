# `./x test` and `./x test --rest`: the two tiers of tests. All steps run, even after a
# failed step. Sourced by `x`. The steps are in scripts/test-*.sh, those of programs
# and formats in this file.
#
#   first   what tells that it works here: on the development build of the program
#   rest    everything else, on the release build; larger inputs (XHPROF_TEST_WHOLE=1)

logs=${release%/release}/x-test
debug=${release%/release}/debug
# A copy with the files of a clone, and a folder to install into. The place is always
# the same, so that Cargo can reuse its builds.
copy=${release%/release}/clean-copy
install_root=${release%/release}/install-root
extension=$release/libxhprof.so
# The program that is tested, and how many random programs and uses of the profiler.
profiler=$release/xhprof
random_programs=200
random_uses=150

# Other commands use functions of these, too.
source scripts/test-php.sh
source scripts/test-budgets.sh
source scripts/test-install.sh
source scripts/test-documents.sh
source crates/store/tests/cluster/suite.sh
source scripts/lint.sh
source benches/bench.sh
source php-tests/programs/real/real.sh
source scripts/setup-test.sh
source web/web.sh

first_tier_builds() {
    build_step 'the crates, from crates.io' fetch_crates
    step 'rustfmt' lint_rustfmt
    build_step 'the extension, which the demo has built' build_extension
    build_step 'build of the Rust tests' rust_tests_build
}

first_tier_tests() {
    steps_together 'Rust tests' rust_tests \
        'PHP tests (run-tests.php), engine execute' php_tests_execute \
        'PHP tests (run-tests.php), engine observer' php_tests_observer
    step 'random programs, under both engines and without' random_programs
    step 'programs that use the profiler at random' random_use
    step 'every mode, and the files of a killed process' modes
    step 'one php-fpm worker, some requests profiled' fpm_requests
    step 'automatic profiles of a server, php-fpm and built-in' web_requests
    step 'xhprof serve: login, uploads, a watched folder, its end' server_works
    step "docs/workers.md's loops" worker_loops
    step "layouts of crates/attach against PHP's headers" attach_layouts
    step 'xhprof check: requests to a server, scenarios at once' check_scenarios
    step 'a real program: the same output' real_output
    step 'the Composer package, php/' php_package
    step 'composer.json' composer_json
    step 'xhprof.stub.php against reflection' stub_agrees
    step 'build.rs refuses a PHP that is not supported' build_refusals
    step 'dependencies of the extension' lint_dependencies
    step "ARCHITECTURE.md's folders and arrows, circles of imports" code_map
    step "ARCHITECTURE.md's length of the hot path" hot_path_length
    step "web/dist against its sources" web_is_new
    step 'docs/settings.md' documented_settings
    step 'scripts/xhprof.ini' ini_settings
    step "docs/fleet.md's table" fleet_table
    step "docs/platforms.md's table of ./x matrix" platforms_table
    step 'links between the documents' links
    step 'the packages that ./x asks for' setup_probes
    step './x help has every command' help_is_whole
    step 'no step of the tests was lost' no_step_is_lost
}

rest_builds() {
    build_step 'build, the extension alone first' build_everything
    build_step 'build of the Rust tests, as in the first tier' rust_tests_build
}

rest_tests() {
    step 'clippy, warnings are errors' lint_clippy
    step 'documentation of the code, warnings are errors' lint_doc
    step 'the book of docs/: links, search' lint_book
    step "docs/tutorial.md's commands" book_tutorial
    step 'cargo deny: licences, bans, sources' lint_deny
    step 'actionlint' lint_workflows
    step 'shfmt, phpcs, ruff, prettier' lint_formatters
    step 'Rust tests and doc tests' rust_tests_whole
    step 'JSON and budgets against their schemas' schemas
    step 'web/src/api/generated against the API' api_types_are_new
    step 'the store on ClickHouse' store_on_clickhouse
    step 'attacks on a server with 512 MiB' attacked_server
    step 'our files in other programs' formats_quick
    step 'PHP tests beside other extensions and Twig' php_tests_beside
    step 'PHP tests, with a check of every profile' php_tests_checked
    step 'xhprof attach, dump and top on real processes' attach_works
    # Each waits, or uses one processor.
    steps_together 'native files, by a reader made from docs/format.md' native_files \
        'closures and property hooks in every job of a worker' kept_code \
        'ends by signals, with and without the extension' ends_by_signal \
        'shellcheck' lint_shell
    step 'instructions of a profiled call' call_instructions
    step 'every part of ./x bench, without its numbers' bench_works
    step './x demo, one round of it' demo_works
    step 'the recipes of docs/production.md' documented_recipes
    step 'random programs, under both engines and without' random_programs
    step 'programs that use the profiler at random' random_use
    step "docs/frameworks.md's files" framework_examples
    step 'a real program: the same calls as in a trace of Xdebug' real_calls
    step 'the Composer package, php/' php_package
    step 'examples/shop: each fault is caught, by its line' example_shop
    step 'phpize, configure, make, make test, make install' phpize_build
    step 'the viewer in Chromium' web_smoke
    step 'the extension for VS Code, with a stand-in for it' editor_extension
    step "README.md's commands" readme_commands
}

# What Cargo keeps to compile a changed crate faster takes 3 GB more.
test_first() {
    export CARGO_INCREMENTAL=0
    use_development_build
    begin_steps "$logs" first_tier_builds first_tier_tests
    first_tier_builds
    first_tier_tests
    end_of_tests
}

test_rest() {
    export CARGO_INCREMENTAL=0 XHPROF_TEST_WHOLE=1
    begin_steps "${release%/release}/x-rest" rest_builds rest_tests
    rest_builds
    rest_tests
    end_of_tests
}

# Both tiers, the second also after a failure.
test_all() {
    local first rest
    # Not `if (…)`, which would disable `set -e` inside.
    set +e
    (
        set -e
        test_first
    )
    first=$?
    (
        set -e
        test_rest
    )
    rest=$?
    set -e
    [ "$first$rest" = 00 ] || die 'something failed, see above'
}

# test_loaded ROUNDS: the first tier's tests so many times, beside four busy loops.
test_loaded() {
    local round all_passed=1 folder=$logs
    export CARGO_INCREMENTAL=0
    use_development_build
    begin_steps "$folder/builds" first_tier_builds
    first_tier_builds
    trap end_busy_loops EXIT
    trap 'exit 130' INT TERM
    begin_busy_loops
    for ((round = 1; round <= $1; round++)); do
        say "round $round of $1, beside ${#busy_loops[@]} busy loops"
        begin_steps "$folder/round-$round" first_tier_tests
        first_tier_tests
        steps_summary
        [ "$failed" = 0 ] || all_passed=0
    done
    end_busy_loops
    [ "$all_passed" = 1 ] || die "something failed, see above and $folder"
    say "$1 rounds, and nothing failed"
}

busy_loops=()

begin_busy_loops() {
    local count
    for _ in 1 2 3 4; do
        # Also ends if this shell was killed.
        (
            trap - EXIT INT TERM
            while kill -0 $$ 2>/dev/null; do
                for ((count = 0; count < 500000; count++)); do :; done
            done
        ) >/dev/null 2>&1 &
        busy_loops+=("$!")
    done
}

end_busy_loops() {
    [ ${#busy_loops[@]} = 0 ] || kill "${busy_loops[@]}" 2>/dev/null || true
    busy_loops=()
}

end_of_tests() {
    steps_summary
    [ "$failed" = 0 ] || die 'something failed, see above'
    say 'everything passed'
}

use_development_build() {
    profiler=$debug/xhprof random_programs=50 random_uses=50
}

# Each step of the tests before there were two tiers is in one of them.
no_step_is_lost() {
    local name lost=0
    step_names first_tier_builds first_tier_tests rest_builds rest_tests >"$logs/step-names"
    while IFS= read -r name; do
        grep -qxF -- "$name" "$logs/step-names" || {
            echo "no tier has the step: $name"
            lost=1
        }
    done <scripts/steps-of-381e1c6.txt
    [ "$lost" = 0 ] || return 1
    echo "$(wc -l <scripts/steps-of-381e1c6.txt) steps, each in a tier"
}

# One command, so that no crate is compiled twice: it builds the programs, too.
rust_tests_build() { cargo test --locked --workspace --exclude xhprof --no-run; }

# The programs of tests that Cargo has built, as many at the same time as there are
# processors: most of them wait. Not the extension: it cannot be linked without PHP.
rust_tests() {
    local output=$logs/rust-tests
    rm -rf "$output" && mkdir "$output"
    cargo test --locked --workspace --exclude xhprof --no-run --message-format=json |
        sed -nE 's/.*"manifest_path":"([^"]*)\/Cargo\.toml".*"profile":[{][^}]*"test":true.*"executable":"([^"]*)".*/\1 \2/p' |
        XHPROF_BOMBED_PROGRAM=$(realpath "$profiler") xargs -P "$(nproc)" -L 1 "$BASH" -c '
            output=$0/${2##*/}
            cd "$1" && CARGO_MANIFEST_DIR=$1 "$2" >"$output" 2>&1
            status=$?
            # One at a time, so that no line is cut.
            flock "$0" cat "$output"
            [ $status = 0 ] || { echo "$2 ended with status $status" && exit 1; }' "$output"
}

# Peaks of memory are printed.
attacked_server() { python3 crates/serve/tests/attack/attack.py "$profiler"; }

# With the tests whose inputs are smaller in the first tier.
rust_tests_whole() {
    rust_tests
    cargo test --locked --workspace --exclude xhprof --doc
}

schemas() { "$(schema_python jsonschema,yaml)" crates/cli/tests/schemas/check.py "$profiler"; }

call_instructions() {
    source benches/instructions.sh
    instructions ''
}

formats_quick() {
    source crates/formats/tests/tools/check.sh
    formats_check --quick
}

# Against VS Code's published types: VS Code itself is in no registry.
editor_extension() {
    command -v npm >/dev/null || {
        echo 'npm is not installed, so not run: editors/vscode'
        return
    }
    XHPROF_PROGRAM=$(realpath "$profiler")
    export XHPROF_PROGRAM
    cd editors/vscode
    npm ci --silent
    npm test --silent
}

native_files() { python3 crates/profile/tests/reader/check.py "$PHP" "$extension" "$profiler"; }

demo_works() {
    local page
    XHPROF_DEMO_RUNS=1
    source scripts/demo.sh
    rm -f "$demo/profile.html"
    {
        demo_answer
        demo_cost
        demo_next
    } >"$logs/demo-answer"
    cat "$logs/demo-answer"
    # It fits a screen, and has the functions and the cost. One more line tells that the machine was restless.
    [ "$(grep -vc '^The speed of this machine' "$logs/demo-answer")" -le 25 ] || die 'the answer of the demo is longer than 25 lines'
    ! LC_ALL=C.UTF-8 grep -nE '^.{101}' "$logs/demo-answer" | grep -v file:// || die 'the answer of the demo has lines longer than 100 columns'
    [ "$(grep -c '%' "$logs/demo-answer")" -ge 12 ] || die 'the answer of the demo has no 12 functions'
    [ "$(grep -cE '^(without|loaded,|profiling) .* [0-9]+\.[0-9][0-9] ' "$logs/demo-answer")" = 4 ] || die 'the answer of the demo has no cost'
    # Each file and command that the demo names works.
    page=$(sed -n 's#.* file://##p' "$logs/demo-answer")
    [ "$page" -ef "$demo/profile.html" ] || die 'the demo does not name the page'
    grep -q '</html>' "$page"
    echo '<?php echo strlen("a");' >"$workspace/script.php"
    bash -euo pipefail -c "$(sed -n 's/^Profile a program of yours: *//p' "$logs/demo-answer" | sed "s#script.php#$workspace/script.php#")"
}
