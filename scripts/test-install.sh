# Building and installing as users do, in a copy with the files of a clone: steps of
# `./x test`. Sourced by `scripts/test.sh`.

composer_json() {
    "$PHP" -n scripts/check-composer.php
    "$PHP" -n packaging/pie/test.php
    if [ -e /usr/share/php/Symfony/Component/Yaml/autoload.php ]; then
        "$PHP" packaging/environments/test.php
    else
        echo "Debian's package of Symfony's YAML is not installed, so not run: packaging/environments"
    fi
    local version
    version=$(composer --version --no-ansi 2>/dev/null | sed -nE 's/^Composer version ([0-9.]+).*/\1/p' || true)
    # Earlier ones refuse a list of download-url-method. PIE needs this one, too.
    if [ -n "$version" ] && printf '2.9.2\n%s\n' "$version" | sort -V -C; then
        composer validate --no-interaction --strict
    else
        echo "composer is not installed, or older than 2.9.2 ($version), so not run: composer validate"
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

# Makes a copy of the files that a clone would have after a commit of everything, with
# their dates.
clean_copy() {
    local file
    rm -rf "$copy" "$install_root"
    mkdir -p "$copy"
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            [ ! -e "$file" ] || printf '%s\0' "$file"
        done | tar --create --null --files-from=- | tar --extract --directory="$copy"
    # The copy has a build folder of its own. In a shared one, Cargo would confuse the
    # copy's crates with ours and not see our changes.
    copy_builds
    # Cargo merges the flags of all folders above. Below this one it would use them
    # twice, and could not reuse any build.
    case $copy in "$PWD"/*) rm "$copy/.cargo/config.toml" ;; esac
}

# Begins the copy's build folder with our builds: to compile the same files with the same
# options again proves nothing. Cargo compiles what make asks for otherwise, and what
# needs a file that the copy lacks.
copy_builds() {
    local built=${release%/release} profile folder
    for profile in release program; do
        mkdir -p "$copy/target/$profile"
        for folder in .fingerprint build deps; do
            [ ! -e "$built/$profile/$folder" ] || cp -R --preserve=mode,timestamps "$built/$profile/$folder" "$copy/target/$profile/"
        done
    done
}

phpize_build() {
    local option module tests phpize=${PHP_CONFIG%/*}/phpize${PHP_CONFIG##*/php-config}
    clean_copy
    cd "$copy" || return
    "$phpize"
    ./configure --help >"$logs/configure-help"
    for option in $("$PHP" -n scripts/check-composer.php --options); do
        grep -q -- "--$option" "$logs/configure-help" || die "configure does not know --$option of composer.json"
    done
    ./configure --quiet --with-php-config="$PHP_CONFIG"
    make
    # All tests have run before. Here one of each area is enough.
    tests=$(find php-tests -name '*.phpt' | sort | awk -F/ '!seen[$2]++' | tr '\n' ' ')
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
    for file in "$module" "$install_root"/opt/xhprof/bin/xhprof{,-server}; do
        ! readelf --sections --wide "$file" | grep -E ' \.(symtab|debug_line) ' || die "$file is not stripped"
    done
    "$install_root/opt/xhprof/bin/xhprof" --version
    # Which are those of both programs.
    for command in $("$install_root/opt/xhprof/bin/xhprof" help | sed -nE '/^Commands/,/^$/s/^  ([a-z]+) .*/\1/p'); do
        [ "$command" = help ] || grep -q '^\.TH' "$man/xhprof-$command.1" || die "no manual page of xhprof $command"
    done
    grep -q '^\.TH' "$man/xhprof.1" && grep -q '^\.TH' "$man/xhprof-server.1"
    grep -q -- --queue-size "$man/xhprof-agent.1" "$share/bash-completion/completions/xhprof"
    bash -c 'source "$0" && complete -p xhprof' "$share/bash-completion/completions/xhprof"
    grep -q '^#compdef xhprof' "$share/zsh/site-functions/_xhprof"
    grep -q '^complete -c xhprof' "$share/fish/vendor_completions.d/xhprof.fish"
    cmp scripts/xhprof.ini "$(find "$install_root" -name '*xhprof.ini')"
    tail -n 1 "$logs/make-install" | grep '/opt/xhprof/bin/xhprof'
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
    cd "$copy" || return
    # The build folder that README.md names.
    unset CARGO_TARGET_DIR
    # "php" is the chosen PHP, without Xdebug and without an installed xhprof. It is a
    # function, because with another PATH Cargo would rebuild everything.
    php() { "$PHP" "$@"; }
    export -f php
    plain_scan_directory "$logs/conf.d"
    PHP_INI_SCAN_DIR=$logs/conf.d XHPROF_DEMO_RUNS=1 bash -euxo pipefail "$logs/readme-commands.sh"
}
