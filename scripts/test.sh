# `./x test`: everything that must be true before a change is merged, as steps
# that all run, whatever fails before them. Sourced by `x`.

logs=${release%/release}/x-test
# A copy of what a clone would have, and a folder to install into. Always in
# the same place, so that Cargo knows it again.
copy=${release%/release}/clean-copy
install_root=${release%/release}/install-root
extension=$release/libxhprof.so
failed=0
failed_now=0
summary=()

test_everything() {
    rm -rf "$logs" && mkdir -p "$logs"
    source scripts/lint.sh
    source scripts/real.sh
    source scripts/bench.sh
    source scripts/setup-test.sh
    step 'rustfmt' lint_format
    build_step 'build, the extension alone first' x_build
    build_step 'build of the Rust tests' rust_tests_build
    step 'clippy, warnings are errors' lint_clippy
    step 'dependencies of the extension' lint_dependencies
    step 'cargo deny: licences, bans, sources' lint_deny
    step 'shellcheck' lint_shell
    step 'what ./x asks a machine for' setup_probes
    step 'Rust tests and doc tests' rust_tests
    step 'our files in other programs' formats_quick
    step 'native files, by a reader made from docs/format.md' native_files
    step 'PHP tests (run-tests.php), engine execute' php_tests_execute
    step 'PHP tests (run-tests.php), engine observer' php_tests_observer
    step 'instructions of a profiled call' call_instructions
    step 'every part of ./x bench, without its numbers' bench_works
    step './x demo, one round of it' demo_works
    step 'every mode, and what is left of a killed process' modes
    step 'the recipes of docs/production.md' documented_recipes
    step 'random programs, under both engines and without' random_programs
    step 'programs that use the profiler at random' random_use
    step 'one php-fpm worker, some requests profiled' fpm_requests
    step 'automatic profiles of a server, php-fpm and built-in' web_requests
    step "docs/workers.md's loops" worker_loops
    step 'a real program: the same output' real_output
    step 'a real program: the calls that Xdebug counts' real_calls
    step 'xhprof.stub.php against reflection' stub_agrees
    step 'composer.json' composer_json
    step 'phpize, configure, make, make test, make install' phpize_build
    step "ARCHITECTURE.md's code map" code_map
    step 'docs/settings.md' documented_settings
    step 'scripts/xhprof.ini' ini_settings
    step "README.md's commands" readme_commands

    test_summary
    [ "$failed" = 0 ] || die 'something failed, see above'
    say 'everything passed'
}

test_summary() {
    say "in $((SECONDS / 60)) min $((SECONDS % 60)) s, with $(php_name):"
    printf '%s\n' "${summary[@]}"
}

# build_step NAME COMMAND: what the steps after it need. Without it they would say
# thousands of lines, and nothing new.
build_step() {
    step "$@"
    [ "$failed_now" = 0 ] || {
        test_summary
        say "the last lines of $logs/$2.log:"
        tail -n 20 "$logs/$2.log"
        die "\"$1\" failed, and nothing else can be tested before that is mended"
    }
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

# What the runners themselves say at the end.
closing_lines() {
    grep -hE '^(Tests (passed|failed|skipped|warned|leaked|borked)|.*so not run|  (ok|FAILED) +[0-9]+s  )' "$1" | tail -n 12
    sed -n 's/^test result: [a-zA-Z]*\. \([0-9]*\) passed; \([0-9]*\) failed.*/\1 \2/p' "$1" |
        awk '{ p += $1; f += $2 } END { if (NR) print p " Rust tests passed, " f " failed, in " NR " programs" }'
}

rust_tests_build() { cargo test --locked --workspace --exclude xhprof --no-run; }

rust_tests() {
    # Not the extension: it cannot be linked without PHP around it.
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
    # Each command that it names works.
    [ "$(sed -n 's#.* file://##p' "$logs/demo-next")" -ef "$demo/profile.html" ] || die 'the demo names no page'
    grep -q '</html>' "$demo/profile.html"
    bash -euo pipefail -c "$(sed -n 's/.*look into the profile *//p' "$logs/demo-next")" | grep "${program[0]##*/}" >/dev/null
    "$PHP" -n -d "$(sed -nE 's/.*\((not installed: )(extension=.*)\)/\2/p' "$logs/demo-next")" \
        -r 'exit((int) !extension_loaded("xhprof"));'
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

# What docs/production.md tells people to do, as root: the recipes make folders
# for the server's user.
documented_recipes() {
    local fpm
    fpm=$(find_fpm) || {
        echo 'php-fpm is not installed, so not run'
        return
    }
    "$PHP" -n scripts/recipes.php "$extension" "$fpm" "$release/xhprof"
}

worker_loops() {
    "$PHP" -n scripts/workers.php "$extension" "$release/xhprof"
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
    seed_copy_target
    ln -s "${release%/release}/clean-copy-target" "$copy.new/target"
    # Cargo adds up the flags of the folders above: below this one they would be
    # there twice, and nothing that is built already would fit.
    case $copy in "$PWD"/*) rm "$copy.new/.cargo/config.toml" ;; esac
    rm -rf "$copy"
    mv "$copy.new" "$copy"
}

# The first time, other people's crates come from our own build, as Cargo left
# them: to compile them again proves nothing. Ours are compiled anew.
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
    # All of them have run already; here it is enough that they can, so one of
    # each area: php-tests/AREA-….phpt.
    tests=$(find php-tests -name '*.phpt' | sort | awk -F'[/-]' '!seen[$3]++' | tr '\n' ' ')
    NO_INTERACTION=1 make test TESTS="${tests:-php-tests}" | tee "$logs/make-test"
    tests_passed "$logs/make-test"
    # Nothing is left to build, so Cargo is not asked: root may have none.
    make install INSTALL_ROOT="$install_root" PREFIX=/opt/xhprof XHPROF_CARGO=false | tee "$logs/make-install"
    installed_files
    make uninstall INSTALL_ROOT="$install_root" PREFIX=/opt/xhprof XHPROF_CARGO=false
    find "$install_root" ! -type d | tee "$logs/left-by-uninstall"
    [ ! -s "$logs/left-by-uninstall" ] || die 'make uninstall left the files above'
}

# What `make install` leaves, which is what `./x install` leaves too: both run
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

# scripts/xhprof.ini has every setting of docs/settings.md, group by group, and no
# name or default that the extension does not have.
ini_settings() {
    local file=$logs/xhprof.ini names=$logs/ini-names
    sed -nE 's/^;(xhprof\.)/\1/p' scripts/xhprof.ini >"$file"
    sed -nE 's/^(xhprof\.[a-z_]+) =.*/\1/p' "$file" | sort >"$names"
    [ "$(wc -l <"$file")" = "$(wc -l <"$names")" ] || die 'a setting of scripts/xhprof.ini has no "name = value"'
    awk '/^## /{ group = $2 } /^\| `xhprof\./{ print group, $2 }' docs/settings.md | tr -d '`' | sort >"$logs/documented"
    for group in Everyday Limits Expert; do
        grep -q "^$group " "$logs/documented" || die "docs/settings.md has no table of the group $group"
    done
    awk '/^; --- /{ group = $3 } /^;xhprof\./{ print group, substr($1, 2) }' scripts/xhprof.ini | sort >"$logs/ini-groups"
    diff -u "$logs/documented" "$logs/ini-groups" || die 'scripts/xhprof.ini and docs/settings.md have not the same settings in the same groups'
    # With all of them switched on, everything is as it is without.
    local print='foreach (ini_get_all("xhprof") as $name => $setting) echo "$name=$setting[global_value]\n";'
    "$PHP" -n -d extension="$extension" -r "$print" | sort >"$logs/ini-defaults"
    PHP_INI_SCAN_DIR='' "$PHP" -c "$file" -d extension="$extension" -r "$print" | sort >"$logs/ini-values"
    diff -u "$logs/ini-defaults" "$logs/ini-values"
    comm -23 "$names" <(cut -d= -f1 "$logs/ini-defaults") | sed 's/$/ is no setting of the extension/' | tee "$logs/ini-unknown"
    [ ! -s "$logs/ini-unknown" ]
}

# The code map has every source file, and no other.
code_map() {
    diff -u <(sed -nE 's/^- `([a-z0-9_/]+\.rs)`: .*/\1/p' ARCHITECTURE.md | LC_ALL=C sort) \
        <(find src crates/*/src -name '*.rs' | LC_ALL=C sort)
}

# The table has every setting with its default, and no other.
documented_settings() {
    diff -u <(sed -nE 's/^\| `(xhprof\.[a-z_]+)` \| (`([^`]*)`)? *\|.*/\1=\3/p' docs/settings.md | sort) \
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
