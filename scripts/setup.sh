# What a fresh machine lacks, and which PHP is meant. Sourced by `x`.
#
# On Debian and Ubuntu what is missing is installed; elsewhere it is named.
# When nothing is missing, nothing is asked of apt.

release=${CARGO_TARGET_DIR:-$PWD/target}/release
# Said by the user, so Debian's packages for its own PHP are of no use to it.
chosen_php=${PHP:-}${PHP_CONFIG:-}

say() { printf '==> %s\n' "$*"; }

die() {
    printf 'x: %s\n' "$*" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root, and there is no sudo: $*"
    fi
}

missing=()
reasons=()

# want PACKAGE REASON PROBE…: notes the package unless the probe succeeds.
want() {
    local package=$1 reason=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        missing+=("$package")
        reasons+=("$(printf '%-18s %s' "$package" "$reason")")
    fi
}

install_what_is_missing() {
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        die "these are missing (by their names in Debian), please install them:
$(printf '  %s\n' "${reasons[@]}")"
    fi
    say 'apt-get install, because these are missing:'
    printf '      %s\n' "${reasons[@]}"
    local log
    log=$(mktemp)
    {
        as_root apt-get update -qq &&
            as_root env DEBIAN_FRONTEND=noninteractive \
                apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}"
    } >"$log" 2>&1 || die "apt-get failed: $(tail -n 30 "$log")"
    rm -f "$log"
    missing=()
    reasons=()
    hash -r
}

has_package() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

has_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] || has_package libclang-dev ||
        compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' ||
        compgen -G '/usr/lib*/libclang.so*' ||
        command -v llvm-config || [ "$(uname)" = Darwin ]
}

has_c_headers() { echo '#include <stdio.h>' | cc -E -; }

# has_module NAME: whether this PHP has it built in or on disk.
has_module() {
    [ -e "$(php-config --extension-dir)/$1.so" ] || php -n -m | grep -qix "$1"
}

want_build_tools() {
    need_rust
    if [ -z "$chosen_php" ]; then
        want php-cli 'PHP itself' command -v php
        want php-dev 'its headers, phpize and run-tests.php' command -v php-config
    fi
    want gcc 'links Rust code, compiles a little C' command -v cc
    want libc6-dev 'the C headers that goes with' has_c_headers
    want libclang-dev "reads PHP's headers for the Rust side" has_libclang
    install_what_is_missing
}

want_demo_programs() {
    want_build_tools
    # Debian's, whatever PHP runs them: they are plain PHP.
    want php-codesniffer 'the program that the demo profiles' test -e /usr/bin/phpcs
    want phpunit 'the code that it checks' test -e /usr/share/php/PHPUnit/Framework/Constraint
    install_what_is_missing
}

want_everything_tested() {
    want_demo_programs
    want make 'builds by phpize, configure and make' command -v make
    want valgrind 'counts the instructions of a profiled call' command -v valgrind
    want python3 'drives the measurements' command -v python3
    if [ -z "$chosen_php" ]; then
        want php-sqlite3 'tests: statements as part of names' has_module pdo_sqlite
        want php-mysql 'tests: statements of mysqli' has_module mysqli
        want php-fpm 'tests: many requests in one worker' has_package php-fpm
        want php-curl 'tests: addresses as part of names' has_module curl
        want_switched_off php-xdebug xdebug
        want_switched_off php-pcov pcov
    fi
    install_what_is_missing
    switch_off_what_was_off
}

# want_readers QUICK: programs that other people's formats are for. Small ones
# for `./x test`, and all of them.
want_readers() {
    want gcc 'links Rust code' command -v cc
    want libxml2-utils 'xmllint, reads SVG and XML' command -v xmllint
    want graphviz 'draws call graphs' command -v dot
    want python3 'compares' command -v python3
    want libdevel-nytprof-perl "NYTProf's own programs, and a flamegraph.pl" command -v nytprofhtml
    want unzip 'looks into zip files' command -v unzip
    if [ -z "$1" ]; then
        want valgrind 'callgrind_annotate' command -v callgrind_annotate
        want python3-venv 'readers from PyPI' python3 -c 'import ensurepip'
        want npm 'readers from npm' command -v npm
        want php-cli 'reads our arrays; runs the real program' command -v php
        want php-codesniffer 'the real program' test -e /usr/bin/phpcs
        want_switched_off php-xdebug xdebug
    fi
    install_what_is_missing
    switch_off_what_was_off
}

switched_off=()

# Others that hook the engine, to be tested side by side. Debian switches a
# module on when it is installed, and these would slow every PHP down: so what
# was not there before is there for the tests only.
want_switched_off() {
    has_module "$2" && return
    want "$1" 'tests: side by side with it; left switched off' false
    switched_off+=("$2")
}

switch_off_what_was_off() {
    local module
    for module in "${switched_off[@]}"; do
        as_root phpdismod "$module"
    done
    switched_off=()
}

# The lowest Rust we promise, from the one place that says it.
need_rust() {
    local need have
    need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    command -v cargo >/dev/null ||
        die "cargo is missing: Rust $need or later is needed, see https://rustup.rs"
    have=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
        die "this is Rust $have, and $need or later is needed: see https://rustup.rs"
    fi
}

# Exports PHP and PHP_CONFIG as absolute paths, which is how ext-php-rs wants
# them; each is found from the other. Always the same way, because Cargo builds
# the bindings anew when they change.
find_php() {
    if [ -z "${PHP_CONFIG:-}" ] && [ -n "${PHP:-}" ]; then
        PHP=$(command -v "$PHP") || die "PHP= names a program that is not there"
        # /opt/php8.4 → /opt/php-config8.4
        PHP_CONFIG=${PHP%/*}/php-config${PHP##*/php}
        [ -x "$PHP_CONFIG" ] || die "which php-config belongs to PHP=$PHP? say it in PHP_CONFIG="
    fi
    PHP_CONFIG=$(command -v "${PHP_CONFIG:-php-config}") || die 'php-config is missing'
    PHP=$(command -v "${PHP:-$("$PHP_CONFIG" --php-binary)}") || die 'php is missing'
    PHP_CONFIG=$(realpath -s "$PHP_CONFIG")
    PHP=$(realpath -s "$PHP")
    export PHP PHP_CONFIG
    [ "$("$PHP" -n -r 'echo PHP_EXTENSION_DIR;')" = "$("$PHP_CONFIG" --extension-dir)" ] ||
        die "$PHP and $PHP_CONFIG belong to different PHPs"
}

php_name() {
    "$PHP" -n -r 'echo "PHP ", PHP_VERSION, PHP_ZTS ? " (thread-safe)" : "", " at ", PHP_BINARY;'
}

# A folder with this PHP's ini files, but for the modules that slow it down and
# but for an installed xhprof; its name goes into PHP_INI_SCAN_DIR.
plain_scan_directory() {
    local directory=$1 file
    mkdir -p "$directory"
    "$PHP" -r 'echo php_ini_scanned_files();' | tr -d ',' | while read -r file; do
        case ${file##*/} in
        *xdebug* | *pcov* | *xhprof* | *tideways*) ;;
        ?*) ln -sf "$file" "$directory/" ;;
        esac
    done
}
