# Tests that scripts/setup.sh asks for the needed packages, and for no others. A step
# of `./x test`, sourced by `x`.

setup_probes() {
    local folder real
    folder=$(mktemp -d)
    # shellcheck disable=SC2064 # now
    trap "rm -rf '$folder'" EXIT
    real=$(find_libclang) || die 'there is no libclang to test with'

    # The real libclang under several names: only the name decides.
    for name in libclang-cpp.so.14 libclang-cpp.so libclangBasic.so libclang.a llvm-config; do
        rm -rf "${folder:?}/lib" && mkdir "$folder/lib"
        ln -s "$real" "$folder/lib/$name"
        refuses "$name for libclang" env_libclang "$folder/lib"
    done
    for name in libclang.so libclang-14.so libclang.so.1 libclang-14.so.1; do
        rm -rf "${folder:?}/lib" && mkdir "$folder/lib"
        ln -s "$real" "$folder/lib/$name"
        accepts "$name for libclang" env_libclang "$folder/lib"
        accepts "$name for libclang, as a file" env_libclang "$folder/lib/$name"
    done
    rm -rf "${folder:?}/lib" && mkdir "$folder/lib"
    echo 'INPUT(libclang-14.so)' >"$folder/lib/libclang.so"
    refuses 'a text file for libclang' env_libclang "$folder/lib"
    cp "$(command -v cc)" "$folder/lib/libclang.so"
    refuses 'a program for libclang' env_libclang "$folder/lib"
    refuses 'an empty folder for libclang' env_libclang "$folder"
    # A libclang without headers, as the package libclang1-14 alone.
    refuses 'a libclang that cannot read <stddef.h>' libclang_reads_c "$real" -nostdinc

    # The highest version of several, as clang-sys chooses.
    mkdir "$folder/several"
    for name in libclang.so libclang-9.so.1 libclang-14.so.13 libclang-13.so libclang-cpp.so.99; do
        ln -s "$real" "$folder/several/$name"
    done
    [ "$(LIBCLANG_PATH=$folder/several find_libclang)" = "$folder/several/libclang-14.so.13" ] ||
        die 'found another libclang than clang-sys would load'

    refuses 'a PHP that is not there' fake_php_config "$folder" /nowhere/php /usr has_php
    refuses 'a php-config without headers' fake_php_config "$folder" "$PHP" "$folder" has_php_headers

    # A package that does not help gives an error at once.
    printf '#!/bin/sh\nexit 0\n' >"$folder/apt-get"
    chmod +x "$folder/apt-get"
    (
        PATH=$folder:$PATH
        as_root() { "$@"; }
        want some-package 'a test' false
        install_what_is_missing
    ) >"$folder/out" 2>&1 && die 'a package that does not help gave no error'
    grep -q 'some-package is installed, and what it is for still fails: false' "$folder/out"

    # As often as it is asked, whatever ends first in a pipe.
    printf '#!/bin/sh\necho "some-package:\n  Candidate: 1.0"\nsleep 0.1\necho "  Version table:"\n' >"$folder/apt-cache"
    chmod +x "$folder/apt-cache"
    (PATH=$folder:$PATH && can_install some-package) || die 'a package that Debian has was taken for none'
    printf '#!/bin/sh\necho "some-package:\n  Candidate: (none)"\n' >"$folder/apt-cache"
    (
        PATH=$folder:$PATH
        as_root() { "$@"; }
        want_library some-package 'a test' No/Such/Library
        [ ${#missing[@]} = 0 ]
    ) || die 'a library was wanted that this Debian does not have'

    # Nothing runs after a build that failed.
    (
        logs=$folder
        failing_build() { echo 'error: it does not compile' && return 1; }
        build_step 'a build' failing_build
        echo 'and on it goes'
    ) >"$folder/out" 2>&1 && die 'a failed build did not end the tests'
    ! grep 'on it goes' "$folder/out"
    grep -q 'error: it does not compile' "$folder/out"
    tail -n 1 "$folder/out" | grep '"a build" failed'
}

accepts() {
    local what=$1
    shift
    "$@" >/dev/null 2>&1 || die "refused: $what"
}

refuses() {
    local what=$1
    shift
    ! "$@" >/dev/null 2>&1 || die "accepted: $what"
}

env_libclang() { (LIBCLANG_PATH=$1 && has_libclang); }

# fake_php_config FOLDER BINARY INCLUDES PROBE
fake_php_config() {
    mkdir -p "$1/bin"
    printf '#!/bin/sh\ncase $1 in --php-binary) echo %s ;; --include-dir) echo %s ;; esac\n' "$2" "$3" >"$1/bin/php-config"
    printf '#!/bin/sh\n' >"$1/bin/phpize"
    chmod +x "$1/bin/php-config" "$1/bin/phpize"
    (PATH=$1/bin:$PATH && "$4")
}
