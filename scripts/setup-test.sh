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

    one_message_lists_everything "$folder"

    # Nothing runs after a build that failed, and its last lines are shown.
    (
        failing_build() { seq 100 && echo 'error: it does not compile' && return 1; }
        failing_list() {
            build_step 'a build' failing_build
            step 'another' true_step
        }
        true_step() { echo 'and on it goes'; }
        begin_steps "$folder/steps" failing_list
        failing_list
    ) >"$folder/out" 2>&1 && die 'a failed build did not end the tests'
    ! grep 'on it goes' "$folder/out"
    grep -q 'step 1 of 2: a build' "$folder/out"
    grep -q 'error: it does not compile' "$folder/out"
    ! grep -x '    80' "$folder/out"
    grep -q "The whole log: $folder/steps/failing_build.log" "$folder/out"
    grep -qx '0 passed, 1 failed' "$folder/out"
    tail -n 1 "$folder/out" | grep '"a build" failed'

    # A failed step does not end the others; costs come slowest first, tests are added up.
    (
        slow() { echo 'test result: ok. 12 passed; 0 failed; 1 ignored' && sleep 2; }
        failing() { echo 'Tests passed    :  5 ( 98.9%)' && echo 'Tests failed    :  2' && false && echo 'and on it goes'; }
        quick() { echo 'unseen'; }
        some_list() {
            step 'a quick one' quick
            step 'a failing one' failing
            step 'a slow one' slow
        }
        begin_steps "$folder/steps" some_list
        some_list
        steps_summary
    ) >"$folder/out" 2>&1
    ! grep -E 'unseen|on it goes' "$folder/out"
    grep -qx '18 passed, 2 failed' "$folder/out" || die "the sum of the tests is wrong: $(tail -n 1 "$folder/out")"
    sed -n '/^==> 3 steps/,$p' "$folder/out" | grep -E '^  (ok|FAILED) ' | head -n 1 | grep -q 'a slow one'
    sed -n '/^==> 3 steps/,$p' "$folder/out" | grep -q '12 Rust tests passed, 0 failed, in 1 programs'
}

# Without root and sudo, without apt, and with an apt that has no network, one message
# lists all that the tests need.
one_message_lists_everything() {
    local folder=$1/nothing tool reason said
    mkdir -p "$folder"
    for tool in bash sh env cut sed sort head tail grep mktemp rm cat dirname realpath uname ls tr awk mkdir; do
        ln -sf "$(command -v $tool)" "$folder/$tool"
    done
    for reason in 'please install them' 'only root or sudo' 'apt-get failed'; do
        case $reason in
        'only root or sudo')
            printf '#!/bin/sh\necho 1000\n' >"$folder/id"
            printf '#!/bin/sh\necho "E: no network" >&2; exit 100\n' >"$folder/apt-get"
            printf '#!/bin/sh\nexit 1\n' >"$folder/apt-cache"
            printf '#!/bin/sh\necho rustc 1.999.0\n' >"$folder/rustc"
            cp "$folder/rustc" "$folder/cargo"
            chmod +x "$folder/id" "$folder/apt-get" "$folder/apt-cache" "$folder/rustc" "$folder/cargo"
            ;;
        'apt-get failed') printf '#!/bin/sh\necho 0\n' >"$folder/id" ;;
        esac
        said=$(
            unset PHP PHP_CONFIG LIBCLANG_PATH
            missing=() reasons=() probes=() by_hand=() has_build_tools='' chosen_php='' has_package_lists=''
            codesniffer=/nowhere phpunit=/nowhere
            PATH=$folder
            hash -r
            want_first_tier 2>&1
        ) && die "with nothing installed, nothing was missing: $said"
        echo "$said"
        for tool in "$reason" "PHP's headers" 'the program that the demo profiles' php-cli php-dev gcc phpunit php-fpm php-mysql python3; do
            grep -qF -- "$tool" <<<"$said" || die "the message has no $tool: $said"
        done
        [ "$reason" != 'please install them' ] || grep -q 'Rust 1.* or later' <<<"$said" || die "the message has no Rust: $said"
    done
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
