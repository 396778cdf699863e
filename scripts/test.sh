# `./x test`: everything that must pass before a change is merged. All steps run,
# even after a failed step. Sourced by `x`.

logs=${release%/release}/x-test
# A copy with the files of a clone, and a folder to install into. The place is always
# the same, so that Cargo can reuse its builds.
copy=${release%/release}/clean-copy
install_root=${release%/release}/install-root
extension=$release/libxhprof.so
failed=0
failed_now=0
summary=()

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
    step 'dependencies of the extension' lint_dependencies
    step 'cargo deny: licences, bans, sources' lint_deny
    step 'shellcheck' lint_shell
    step 'the packages that ./x asks for' setup_probes
    step 'Rust tests and doc tests' rust_tests
    step 'our files in other programs' formats_quick
    step 'native files, by a reader made from docs/format.md' native_files
    step 'PHP tests (run-tests.php), engine execute' php_tests_execute
    step 'PHP tests (run-tests.php), engine observer' php_tests_observer
    step 'instructions of a profiled call' call_instructions
    step 'every part of ./x bench, without its numbers' bench_works
    step './x demo, one round of it' demo_works
    step 'every mode, and the files of a killed process' modes
    step 'the recipes of docs/production.md' documented_recipes
    step 'random programs, under both engines and without' random_programs
    step 'programs that use the profiler at random' random_use
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

modes() { "$PHP" scripts/modes.php "$extension" "$release/xhprof"; }

# Without the machine's php.ini, which may load Xdebug or another xhprof. A test names
# its extensions in --EXTENSIONS--.
php_tests_execute() { php_tests execute; }
php_tests_observer() { php_tests observer; }

php_tests() {
    local output=$logs/run-tests-$1
    TEST_PHP_EXECUTABLE=$PHP NO_INTERACTION=1 "$PHP" -n "$(run_tests_script)" \
        -n -q -j2 --no-progress --show-diff -d extension="$extension" \
        -d xhprof.engine="$1" php-tests | tee "$output"
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

# The recipes of docs/production.md, as root: they make folders for the server's user.
documented_recipes() {
    local fpm
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so not run'
        return
    }
    "$PHP" -n scripts/recipes.php "$extension" "$fpm" "$release/xhprof"
}

server_works() {
    "$PHP" -n scripts/serve.php "$extension" "$release/xhprof" "$(find_nginx)"
    service_unit
}

# The nginx of this machine; Debian's is not on the PATH of all users.
find_nginx() { command -v nginx || ls /usr/sbin/nginx 2>/dev/null || true; }

# The units of packaging/, with our program, as systemd understands them.
service_unit() {
    local name unit
    command -v systemd-analyze >/dev/null || { echo 'systemd is not installed: packaging/systemd was not checked'; return; }
    mkdir -p "$logs"
    for name in xhprof.service xhprof-agent.service; do
        unit=$logs/$name
        sed "s#/usr/local/bin/xhprof#$release/xhprof#" "packaging/systemd/$name" >"$unit"
        systemd-analyze verify --man=no "$unit" 2>&1 | grep -F "$name" && die "see above: packaging/systemd/$name"
    done
    return 0
}

worker_loops() {
    "$PHP" -n scripts/workers.php "$extension" "$release/xhprof"
}

framework_examples() {
    "$PHP" -n scripts/frameworks.php "$extension" "$release/xhprof" "$(find_fpm || echo -)"
}

# The package's own tests, under the PHPUnit of this Debian, and its style.
php_package() {
    plain_scan_directory "$logs/php-conf.d"
    export PHP_INI_SCAN_DIR=$logs/php-conf.d
    # Also what this PHPUnit does not load.
    find php -name '*.php' -print0 | xargs -0 -n 1 "$PHP" -n -l >"$logs/php-lint"
    "$PHP" -n -r 'json_decode(file_get_contents("php/composer.json"), false, 16, JSON_THROW_ON_ERROR);'
    if runs_phpunit >"$logs/phpunit" 2>&1; then
        XHPROF_EXTENSION=$extension XHPROF_PROGRAM=$(realpath "$release/xhprof") \
            "$PHP" -d extension="$extension" "$(command -v phpunit)" -c php/phpunit.xml --do-not-cache-result
    else
        echo "PHPUnit does not run here, so not run: $(head -n 1 "$logs/phpunit")"
    fi
    if command -v phpcs >/dev/null; then
        # Without warnings: those are about long lines.
        "$PHP" "$(command -v phpcs)" -n --standard=PSR12 --ignore=php/tests/Bridge/psr15.php \
            php/src php/tests php/autoload.php examples/shop/src examples/shop/tests
    else
        echo 'PHP_CodeSniffer is not installed, so not run: the style of php/'
    fi
}

check_scenarios() {
    "$PHP" -n scripts/check.php "$extension" "$release/xhprof"
}

# The shop without a fault, many times, and with each fault.
example_shop() {
    local library
    for library in Twig Symfony/Component/HttpKernel Symfony/Component/Routing; do
        has_library "$library" >/dev/null 2>&1 || {
            echo "Debian's package of $library is not installed, so not run"
            return
        }
    done
    plain_scan_directory "$logs/php-conf.d"
    export PHP_INI_SCAN_DIR=$logs/php-conf.d
    shop_check '' 0 '7 budgets kept' --repeat 100
    shop_check n+1 3 "Articles::find (src/Articles.php:$(shop_line Articles find))"
    shop_check leak 3 "PageCache::keep (src/PageCache.php:$(shop_line PageCache keep))"
    shop_check template 3 '325× Shop.PriceExtension::price by twig::slow.html.twig (templates/slow.html.twig:1)'
    if runs_phpunit >/dev/null 2>&1; then
        # PHPUnit 10 and later have no --repeat.
        for _ in {1..10}; do shop_tests '' OK; done
        shop_tests n+1 "Articles::find (.*/Articles.php:$(shop_line Articles find))"
        shop_tests leak "PageCache::keep (.*/PageCache.php:$(shop_line PageCache keep))"
        shop_tests template 'twig::slow.html.twig (.*/templates/slow.html.twig:1)'
    else
        echo 'PHPUnit does not run here, so not run: the tests of examples/shop'
    fi
}

# shop_check FAULT CODE SAID OPTION…: `xhprof check` of the shop with a fault.
shop_check() {
    local fault=$1 code=$2 said=$3 status=0 program
    shift 3
    program=$(realpath "$release/xhprof")
    (cd examples/shop && SHOP_FAULT=$fault "$program" check --php "$PHP" --extension "$(realpath "$extension")" "$@") >"$logs/shop-check" 2>&1 || status=$?
    [ "$status" = "$code" ] || die "SHOP_FAULT=$fault, and xhprof check ends with $status: $(cat "$logs/shop-check")"
    grep -q "$said" "$logs/shop-check" || die "SHOP_FAULT=$fault, and xhprof check does not say \"$said\": $(cat "$logs/shop-check")"
    echo "SHOP_FAULT=$fault: $(grep ' kept' "$logs/shop-check")"
}

# shop_line CLASS METHOD: the line on which it is defined.
shop_line() { grep -n "function $2(" "examples/shop/src/$1.php" | cut -d: -f1; }

# shop_tests FAULT SAID: the shop's tests with a fault, which must fail and say that.
shop_tests() {
    local fault=$1 said=$2 status=0
    SHOP_FAULT=$fault "$PHP" -d extension="$extension" "$(command -v phpunit)" \
        -c examples/shop/phpunit.xml --do-not-cache-result >"$logs/shop-tests" 2>&1 || status=$?
    grep -q "$said" "$logs/shop-tests" || die "SHOP_FAULT=$fault, and the tests do not say \"$said\": $(cat "$logs/shop-tests")"
    [ "$((status > 0))" = "$((${#fault} > 0))" ] || die "SHOP_FAULT=$fault, and the tests end with $status: $(cat "$logs/shop-tests")"
    grep -E '^(OK|Tests:)' "$logs/shop-tests" | sed "s/^/SHOP_FAULT=$fault: /"
}

stub_agrees() {
    "$PHP" -n scripts/signatures.php xhprof.stub.php >"$logs/stub.txt"
    "$PHP" -n -d extension="$extension" scripts/signatures.php >"$logs/reflection.txt"
    diff -u "$logs/stub.txt" "$logs/reflection.txt"
    cat "$logs/reflection.txt"
}

composer_json() {
    "$PHP" -n scripts/check-composer.php
    local version
    version=$(composer --version --no-ansi 2>/dev/null | sed -nE 's/^Composer version ([0-9.]+).*/\1/p' || true)
    # Earlier ones do not know "php-ext", by which PIE finds an extension.
    if [ -n "$version" ] && printf '2.8\n%s\n' "$version" | sort -V -C; then
        composer validate --no-interaction --strict
    else
        echo "composer is not installed, or older than 2.8 ($version), so not run: composer validate"
    fi
}

# Runs build.rs with the answers of PHP 8.1, of a 32-bit PHP, and of a PHP whose
# version contradicts its header.
build_refusals() {
    local answer expected script=$logs/build-script php=$logs/answering-php two_parameters
    rustc --edition 2024 --crate-name build_script build.rs -o "$script"
    two_parameters=$logs/include
    mkdir -p "$two_parameters/Zend"
    printf '%s\n' 'bool zend_observer_remove_begin_handler(zend_function *f, begin b);' \
        'bool zend_observer_remove_end_handler(zend_function *f, end e);' >"$two_parameters/Zend/zend_observer.h"
    printf '#!/bin/sh\necho "%s"\n' "$two_parameters" >"$logs/answering-php-config"
    chmod +x "$logs/answering-php-config"
    while IFS='|' read -r answer expected; do
        printf '#!/bin/sh\necho "%s"\n' "$answer" >"$php"
        chmod +x "$php"
        ! PHP=$php PHP_CONFIG=$logs/answering-php-config "$script" >"$logs/build-refusal" 2>&1 || expected="$expected (accepted)"
        grep -F -- "$expected" "$logs/build-refusal" || die "PHP says $answer: build.rs does not say: $expected"
    done <<'EOF'
0 80133 8|the oldest supported one is 8.2
0 80236 4|xhprof needs a 64-bit one
0 80401 8|has 2 parameters
EOF
    printf '#!/bin/sh\necho 0 80236 8\n' >"$php"
    PHP=$php PHP_CONFIG=$logs/answering-php-config "$script" >"$logs/build-refusal"
}

# Makes a copy of the files that a clone would have after a commit of everything.
# Unchanged files keep the date of the last copy, so Cargo builds only the changed
# ones.
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
    # The copy has a build folder of its own. In a shared one, Cargo would confuse the
    # copy's crates with ours and not see our changes.
    seed_copy_target
    ln -s "${release%/release}/clean-copy-target" "$copy.new/target"
    # Cargo merges the flags of all folders above. Below this one it would use them
    # twice, and could not reuse any build.
    case $copy in "$PWD"/*) rm "$copy.new/.cargo/config.toml" ;; esac
    rm -rf "$copy"
    mv "$copy.new" "$copy"
}

# The first time, third-party crates are copied from our own build: compiling them
# again proves nothing. Our crates are compiled again.
seed_copy_target() {
    local folder target=${release%/release}/clean-copy-target
    [ ! -e "$target" ] || return 0
    rm -rf "$target.new"
    mkdir -p "$target.new/release"
    for folder in .fingerprint build deps; do
        [ ! -e "$release/$folder" ] || cp -R --preserve=mode,timestamps "$release/$folder" "$target.new/release/"
    done
    find "$target.new/release" -mindepth 2 -maxdepth 2 -name '*xhprof*' -exec rm -r {} +
    mv "$target.new" "$target"
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
    # All tests have run before. Here one of each area is enough: php-tests/AREA-….phpt.
    tests=$(find php-tests -name '*.phpt' | sort | awk -F'[/-]' '!seen[$3]++' | tr '\n' ' ')
    NO_INTERACTION=1 make test TESTS="${tests:-php-tests}" | tee "$logs/make-test"
    tests_passed "$logs/make-test"
    # Everything is built, so Cargo is not called: root may not have it.
    make install INSTALL_ROOT="$install_root" PREFIX=/opt/xhprof XHPROF_CARGO=false | tee "$logs/make-install"
    installed_files
    make uninstall INSTALL_ROOT="$install_root" PREFIX=/opt/xhprof XHPROF_CARGO=false
    find "$install_root" ! -type d | tee "$logs/left-by-uninstall"
    [ ! -s "$logs/left-by-uninstall" ] || die 'make uninstall left the files above'
}

# Checks the files of `make install`. `./x install` installs the same: both run
# scripts/install.sh.
installed_files() {
    local module command man=$install_root/opt/xhprof/share/man/man1 share=$install_root/opt/xhprof/share
    module=$install_root$("$PHP_CONFIG" --extension-dir)/xhprof.so
    "$PHP" -n -d extension="$module" --ri xhprof | grep '^Version'
    for file in "$module" "$install_root/opt/xhprof/bin/xhprof"; do
        ! readelf --sections --wide "$file" | grep -E ' \.(symtab|debug_line) ' || die "$file is not stripped"
    done
    "$install_root/opt/xhprof/bin/xhprof" --version
    for command in $("$install_root/opt/xhprof/bin/xhprof" help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'); do
        [ "$command" = help ] || grep -q '^\.TH' "$man/xhprof-$command.1" || die "no manual page of xhprof $command"
    done
    grep -q '^\.TH' "$man/xhprof.1"
    bash -c 'source "$0" && complete -p xhprof' "$share/bash-completion/completions/xhprof"
    grep -q '^#compdef xhprof' "$share/zsh/site-functions/_xhprof"
    grep -q '^complete -c xhprof' "$share/fish/vendor_completions.d/xhprof.fish"
    cmp scripts/xhprof.ini "$(find "$install_root" -name '*xhprof.ini')"
    tail -n 1 "$logs/make-install" | grep '/opt/xhprof/bin/xhprof'
}

# Checks that the names and defaults in scripts/xhprof.ini are the extension's. A test
# of crates/policy compares its text with the settings.
ini_settings() {
    local file=$logs/xhprof.ini names=$logs/ini-names
    sed -nE 's/^;(xhprof\.)/\1/p' scripts/xhprof.ini >"$file"
    sed -nE 's/^(xhprof\.[a-z_]+) =.*/\1/p' "$file" | sort >"$names"
    [ "$(wc -l <"$file")" = "$(wc -l <"$names")" ] || die 'a setting of scripts/xhprof.ini has no "name = value"'
    # With all lines active, every setting has its default.
    local print='foreach (ini_get_all("xhprof") as $name => $setting) echo "$name=$setting[global_value]\n";'
    "$PHP" -n -d extension="$extension" -r "$print" | sort >"$logs/ini-defaults"
    PHP_INI_SCAN_DIR='' "$PHP" -c "$file" -d extension="$extension" -r "$print" | sort >"$logs/ini-values"
    diff -u "$logs/ini-defaults" "$logs/ini-values"
    comm -23 "$names" <(cut -d= -f1 "$logs/ini-defaults") | sed 's/$/ is no setting of the extension/' | tee "$logs/ini-unknown"
    [ ! -s "$logs/ini-unknown" ]
}

# ARCHITECTURE.md's folders, their allowed imports, its arrows, and circles of imports.
code_map() { python3 scripts/architecture.py; }

# Checks the number of lines in ARCHITECTURE.md: it is an upper bound, and at most
# 100 lines above the real number.
hot_path_length() {
    local file lines=0 stated
    for file in recorder callees call_table; do
        lines=$((lines + $(awk '/^#\[cfg\(test\)\]/ { exit } { count++ } END { print count }' "crates/recorder/src/$file.rs")))
    done
    stated=$(sed -nE 's/.*`call_table\.rs`, together under ([0-9]+) lines without tests.*/\1/p' ARCHITECTURE.md)
    echo "the hot path has $lines lines, ARCHITECTURE.md says under ${stated:-nothing}"
    [ -n "$stated" ] || die 'ARCHITECTURE.md does not say: `call_table.rs`, together under N lines without tests'
    [ "$lines" -lt "$stated" ] || die "ARCHITECTURE.md says under $stated"
    [ "$lines" -ge $((stated - 100)) ] || die "ARCHITECTURE.md's bound is more than 100 lines too high"
}

# Checks that docs/settings.md has every setting with its default, and no other.
documented_settings() {
    diff -u <(sed -nE 's/^\| `(xhprof\.[a-z_]+)` \| (`([^`]*)`)? *\|.*/\1=\3/p' docs/settings.md | sort) \
        <("$PHP" -n -d extension="$extension" -r '
            foreach (ini_get_all("xhprof") as $name => $setting) echo "$name=$setting[global_value]\n";' | sort)
}

# Checks the links of all pages.
links() {
    git ls-files -z --cached --others --exclude-standard '*.md' | xargs -0 "$PHP" -n scripts/links.php
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
    # The build folder that README.md names.
    unset CARGO_TARGET_DIR
    # "php" is the chosen PHP, without Xdebug and without an installed xhprof. It is a
    # function, because with another PATH Cargo would rebuild everything.
    php() { "$PHP" "$@"; }
    export -f php
    plain_scan_directory "$logs/conf.d"
    PHP_INI_SCAN_DIR=$logs/conf.d XHPROF_DEMO_RUNS=1 bash -euxo pipefail "$logs/readme-commands.sh"
}
