# What PHP code sees, and what servers do: steps of `./x test`. Sourced by
# `scripts/test.sh`.

modes() { "$PHP" php-tests/programs/modes/check.php "$extension" "$profiler"; }

# Without the machine's php.ini, which may load Xdebug or another xhprof. A test names
# its extensions in --EXTENSIONS--.
php_tests_execute() { php_tests execute; }
php_tests_observer() { php_tests observer; }

# Those that need what the first tier does not install.
php_tests_beside() {
    local engine
    for engine in execute observer; do
        php_tests "$engine" php-tests/coexist php-tests/auto-enable/auto-enable-loaded-extensions.phpt
    done
}

# This build checks the numbers of each profile, and its own assumptions.
php_tests_checked() {
    local extension=${release%/release}/checked/libxhprof.so
    cargo build --locked --profile checked -p xhprof
    php_tests execute
    php_tests observer
}

# php_tests ENGINE [FILE…]
php_tests() {
    local engine=$1 output=$logs/run-tests-$1
    shift
    [ $# -gt 0 ] || set -- php-tests
    # One engine at a time: run-tests.php writes the programs beside the tests. The lock ends
    # with the subshell, and no program of a test inherits it.
    (
        flock 9
        TEST_PHP_EXECUTABLE=$PHP NO_INTERACTION=1 "$PHP" -n "$(run_tests_script)" \
            -n -q "-j$((2 * $(nproc)))" --no-progress --show-diff -d extension="$extension" \
            -d xhprof.engine="$engine" "$@" 9>&- | tee "$output"
    ) 9>"${release%/release}/php-tests.lock"
    tests_passed "$output"
}

# run-tests.php succeeds even if no test ran.
tests_passed() {
    grep -qE '^Tests passed *: *[1-9]' "$1" || {
        echo 'no PHP test passed'
        return 1
    }
}

# A copy, because the script writes into its own folder, which belongs to root.
run_tests_script() {
    local folder
    for folder in "$("$PHP_CONFIG" --extension-dir)" "$("$PHP_CONFIG" --prefix)/lib/php"; do
        if [ -e "$folder/build/run-tests.php" ]; then
            mkdir -p "$logs"
            cp "$folder/build/run-tests.php" "$logs/run-tests.php"
            echo "$logs/run-tests.php"
            return
        fi
    done
    die "run-tests.php is not in the folder of phpize's files"
}

# The same programs each time; `./x differential` and `./x monkey` run more.
random_programs() {
    "$PHP" -n php-tests/programs/differential/run.php "$extension" 1 "$random_programs"
}

# Programs of closures and property hooks, whose caches outlive them.
kept_code() {
    "$PHP" -n php-tests/programs/differential/kept.php "$extension" 1 200
}

random_use() {
    "$PHP" -n php-tests/programs/monkey/run.php "$extension" "$profiler" 1 "$random_uses"
}

# How commands end by signals, and what is written then: docs/signals.md.
ends_by_signal() {
    python3 php-tests/programs/signals/check.py "$PHP" "$extension" "$profiler" "$(find_fpm || echo -)"
}

# xhprof attach, dump and top on real processes.
attach_works() {
    local programs=crates/attach/tests/programs fpm
    "$PHP" -n "$programs/check.php" "$PHP" "$profiler" "$extension"
    "$PHP" -n "$programs/places.php" "$PHP" "$profiler"
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so its pools are not sampled'
        return
    }
    "$PHP" -n "$programs/pools.php" "$PHP" "$profiler" "$fpm"
    "$PHP" -n "$programs/exact.php" "$PHP" "$profiler" "$extension" "$fpm"
}

# The table of layouts has the columns of the PHP that is installed, as its headers give them.
attach_layouts() {
    local folder=crates/attach/layouts made api
    made=$("$folder/make.sh" "$("$PHP_CONFIG" --include-dir)")
    api=$(sed -n 's/^build \([0-9]*\) .*/\1/p' <<<"$made")
    grep -q "^build .*\b$api\b" "$folder/layouts.txt" || {
        echo "PHP's API $api is not in $folder/layouts.txt, so not compared"
        return
    }
    diff -u <(awk -v api="$api" '/^build/ { for (i = 2; i <= NF; i++) if ($i == api) column = i }
        !/^#/ { print $1, $column, $(column + 1) }' "$folder/layouts.txt") <(printf '%s\n' "$made")
}

fpm_requests() {
    local fpm
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so not run'
        return
    }
    "$PHP" -n php-tests/programs/servers/fpm.php "$fpm" "$extension"
}

web_requests() {
    "$PHP" -n php-tests/programs/servers/requests.php "$extension" "$(find_fpm || echo -)" "$profiler"
}

# The recipes of docs/production.md, as root: they make folders for the server's user.
documented_recipes() {
    local fpm
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so not run'
        return
    }
    "$PHP" -n php-tests/programs/servers/recipes.php "$extension" "$fpm" "$profiler"
}

server_works() {
    "$PHP" -n crates/serve/tests/programs/serve.php "$extension" "$profiler" "$(find_nginx)"
    service_unit
}

# The nginx of this machine; Debian's is not on the PATH of all users.
find_nginx() { command -v nginx || ls /usr/sbin/nginx 2>/dev/null || true; }

# The units of packaging/, with our program, as systemd understands them.
service_unit() {
    local name unit
    command -v systemd-analyze >/dev/null || {
        echo 'systemd is not installed: packaging/systemd was not checked'
        return
    }
    mkdir -p "$logs"
    for name in xhprof.service xhprof-agent.service; do
        unit=$logs/$name
        sed "s#/usr/local/bin/#${profiler%/*}/#" "packaging/systemd/$name" >"$unit"
        systemd-analyze verify --man=no "$unit" 2>&1 | grep -F "$name" && die "see above: packaging/systemd/$name"
    done
    return 0
}

worker_loops() {
    "$PHP" -n php-tests/programs/worker-loops/check.php "$extension" "$profiler"
}

framework_examples() {
    "$PHP" -n php/tests/frameworks/check.php "$extension" "$profiler" "$(find_fpm || echo -)"
}
