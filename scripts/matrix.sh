# `./x matrix`: runs the PHP tests on several PHPs, each with both engines. Sourced
# by `x`.
#
#   installed  the PHP that `./x` uses anyway
#   trixie     Debian 13's, in a chroot
#   php8.5     8.5, from Debian's experimental archive
#   newest     the newest of Debian's archives, release candidates included
#   zts        a thread-safe PHP, built from PHP's sources: Debian has none
#
# Everything is kept in target/matrix, so that the next run is short.

matrix=${release%/release}/matrix
matrix_rows=()

matrix_run() {
    local name status failed=0
    [ $# -gt 0 ] || set -- installed trixie php8.5 newest zts
    for name; do
        declare -F "matrix_$name" >/dev/null || die "matrix: unknown PHP $name; known are installed, trixie, php8.5, newest and zts"
        mkdir -p "$matrix/$name"
        rm -f "$matrix/$name/rows"
        set +e
        (
            set -e
            "matrix_$name"
        )
        status=$?
        set -e
        [ "$status" = 0 ] || failed=1
        if [ -e "$matrix/$name/rows" ]; then
            mapfile -t -O "${#matrix_rows[@]}" matrix_rows <"$matrix/$name/rows"
        else
            matrix_rows+=("$(printf '%-10s %s' "$name" 'was not tested, see above')")
        fi
    done
    printf '\n%-10s %-28s %-9s %s\n' 'which' 'PHP' 'engine' 'tests'
    printf '%s\n' "${matrix_rows[@]}"
    [ "$failed" = 0 ] || die 'something failed, see above'
}

matrix_installed() {
    matrix_build installed
    matrix_test installed "$PHP" "$PWD" "$(run_tests_script)"
}

matrix_trixie() {
    local root=$matrix/trixie/root
    chroot_of trixie "$root" php-cli,php-dev,php-sqlite3,php-curl,php-xdebug,php-pcov
    in_chroot_tests trixie "$root" php
}

matrix_newest() { experimental_tests newest; }
matrix_php8.5() { experimental_tests php8.5 php8.5; }

# experimental_tests NAME [PHP]: a PHP of Debian unstable with experimental. Inside it, apt says
# which is the newest.
experimental_tests() {
    local name=$1 root=$matrix/$1/root php=${2:-}
    chroot_of sid "$root" ca-certificates
    if [ ! -e "$root/php-version" ]; then
        printf 'deb %s %s main\n' "$(debian_mirror)" sid "$(debian_mirror)" experimental |
            as_root tee "$root/etc/apt/sources.list" >/dev/null
        # Unstable's list is valid for a week, and a mirror may be older.
        as_root chroot "$root" apt-get -o Acquire::Check-Valid-Until=false update -qq
        [ -n "$php" ] || php=$(as_root chroot "$root" apt-cache search --names-only '^php[0-9.]+-cli$' |
            cut -d- -f1 | sort -V | tail -n 1)
        say "$name: $php"
        # From experimental come only packages that unstable lacks.
        as_root chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends "$php"-{cli,dev,sqlite3,curl} >"$matrix/$name/apt.log" 2>&1 ||
            die "apt-get failed: $(tail -n 10 "$matrix/$name/apt.log")"
        echo "$php" | as_root tee "$root/php-version" >/dev/null
    fi
    in_chroot_tests "$name" "$root" "$(cat "$root/php-version")"
}

matrix_zts() {
    local folder=$matrix/zts options=() status=0
    if [ ! -x "$folder/php/bin/php" ]; then
        php_source "${release%/release}/php-src"
        rm -rf "$folder/src" "$folder/php"
        cp -R "${release%/release}/php-src/src" "$folder/src"
        options=(--disable-all --enable-zts --enable-opcache --enable-cli --disable-cgi --disable-phpdbg
            --enable-pcntl --enable-posix --enable-tokenizer --enable-phar --enable-pdo --with-pdo-sqlite
            --with-mysqli=mysqlnd)
        ! pkg-config --exists libcurl || options+=(--with-curl)
        say "configure ${options[*]}; make: some 20 minutes"
        (
            cd "$folder/src"
            ./configure --quiet --prefix="$folder/php" "${options[@]}"
            make -j2
            make install
        ) >"$folder/build.log" 2>&1 || die "PHP did not build: $(tail -n 20 "$folder/build.log")"
    fi
    export PHP=$folder/php/bin/php PHP_CONFIG=$folder/php/bin/php-config
    matrix_build zts
    matrix_test zts "$PHP" "$PWD" "$(run_tests_script)" || status=$?
    matrix_threads || status=$?
    return "$status"
}

# Tests several threads at once. No PHP test can, because PHP's command has one
# thread.
matrix_threads() {
    local folder=$matrix/zts/threads
    rm -rf "$folder"
    cp -R php-tests/programs/threads "$folder"
    (cd "$folder" && "${PHP%/php}/phpize" && ./configure --with-php-config="$PHP_CONFIG" && make) \
        >"$folder/build.log" 2>&1 || die "threads did not build: $(tail -n 5 "$folder/build.log")"
    build_program
    "$PHP" -n php-tests/programs/threads/run.php "$folder/modules/threads.so" \
        "$matrix/zts/target/release/libxhprof.so" "$release/xhprof"
}

# chroot_of SUITE ROOT PACKAGES
chroot_of() {
    local suite=$1 root=$2 packages=$3
    [ ! -e "$root/complete" ] || return 0
    say "debootstrap $suite: some minutes"
    as_root rm -rf "$root"
    as_root debootstrap --variant=minbase --include="$packages" "$suite" "$root" "$(debian_mirror)" \
        >"$root.log" 2>&1 || die "debootstrap failed: $(tail -n 5 "$root.log")"
    as_root touch "$root/complete"
}

# in_chroot_tests NAME ROOT PHP: builds outside, with this machine's Rust, and tests
# inside.
in_chroot_tests() {
    local name=$1 root=$2 php=$3 folder=$matrix/$1/bin enter
    enter=$(command -v sudo || true)
    [ "$(id -u)" != 0 ] || enter=
    mkdir -p "$folder"
    printf '#!/bin/sh\nexec %s chroot "%s" /usr/bin/%s "$@"\n' "$enter" "$root" "$php" >"$folder/php"
    printf '#!/bin/sh\n%s chroot "%s" /usr/bin/%s "$@" | sed "s#/usr/#%s/usr/#g"\n' \
        "$enter" "$root" "${php/php/php-config}" "$root" >"$folder/php-config"
    chmod +x "$folder/php" "$folder/php-config"
    export PHP=$folder/php PHP_CONFIG=$folder/php-config
    matrix_build "$name"
    as_root rm -rf "$root/xhprof"
    as_root mkdir -p "$root/xhprof"
    as_root cp -R php-tests xhprof.stub.php "$root/xhprof/"
    as_root cp "$matrix/$name/target/release/libxhprof.so" "$root/xhprof/"
    matrix_test "$name" "/usr/bin/$php" /xhprof \
        "$(find "$root/usr/lib/php" -path '*/build/run-tests.php' -printf '/usr/lib/php/%P\n')" "$root"
}

# Each PHP has a build folder of its own. In a shared one, Cargo would rebuild
# everything.
matrix_build() {
    say "$1: $(php_name)"
    CARGO_TARGET_DIR=$matrix/$1/target cargo build --release --locked -p xhprof
}

# matrix_test NAME PHP FOLDER RUN-TESTS [ROOT]: tests both engines and adds a row for
# each.
matrix_test() {
    local name=$1 php=$2 folder=$3 script=$4 root=${5:-} engine module log status failed=0
    module=$matrix/$name/target/release/libxhprof.so
    [ -z "$root" ] || module=/xhprof/libxhprof.so
    for engine in execute observer; do
        log=$matrix/$name/$engine.log
        status=0
        # A mount of its own that ends with the last process: PHP reads /proc.
        env TEST_PHP_EXECUTABLE="$php" NO_INTERACTION=1 \
            ${root:+$([ "$(id -u)" = 0 ] || echo sudo -E) unshare --mount --fork sh -c 'mount -t proc proc "$0/proc" 2>/dev/null; exec chroot "$0" "$@"' "$root"} \
            "$php" -n "$script" -n -q -j2 --no-progress --show-diff \
            -d extension="$module" -d xhprof.engine=$engine "$folder/php-tests" >"$log" 2>&1 || status=$?
        printf '%-10s %-28s %-9s %s\n' "$name" "$("$PHP" -n -r 'echo PHP_VERSION, PHP_ZTS ? " thread-safe" : "";')" \
            "$engine" "$(matrix_counts "$log")" | tee -a "$matrix/$name/rows"
        sed -n '/^FAILED TEST SUMMARY/,/^=====/p' "$log" | grep '\.phpt' || true
        if [ "$status" != 0 ] || ! tests_passed "$log"; then
            echo "see $log"
            failed=1
        fi
    done
    return "$failed"
}

matrix_counts() {
    sed -nE 's/^Tests (passed|failed|skipped|warned|leaked|borked) *: *([0-9]+).*/\2 \1/p' "$1" | paste -sd, | sed 's/,/, /g'
}
