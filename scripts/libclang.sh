# Finds out whether the build will find a usable libclang. Sourced by setup.sh.
#
# Names, places and the choice among several are those of clang-sys, which loads
# libclang for bindgen. `llvm-config` and libclang-cpp prove nothing: Debian has
# both without libclang. libclang alone is not enough: without its own headers,
# which are another package, it cannot read <stddef.h>.

has_libclang() {
    local file
    [ "$(uname)" != Darwin ] || return 0
    # A small program tests it. Without a compiler, packages must be installed
    # anyway.
    command -v cc || return 1
    file=$(find_libclang) && libclang_reads_c "$file" && return
    # If the newest version lacks its headers, another version may have them.
    [ -z "${LIBCLANG_PATH:-}" ] || return 1
    while read -r file; do
        if libclang_reads_c "$file"; then
            export LIBCLANG_PATH=$file
            return 0
        fi
    done < <(libclang_files)
    return 1
}

# Prints the file that clang-sys will load: the highest version; of equal versions
# the first.
find_libclang() {
    local file name version
    libclang_files | while read -r file; do
        name=${file##*/}
        case $name in
        libclang.so.*) version=${name#libclang.so.} ;;
        libclang-*) version=${name#libclang-} version=${version%???} ;;
        *) version= ;;
        esac
        printf '%s\t%s\n' "$(echo "$version" | sed -E 's/[^0-9.]+[^.]*/0/g')" "$file"
    done | sort -s -t . -k 1,1nr -k 2,2nr -k 3,3nr | head -n 1 | cut -f 2 | grep .
}

# Prints every file that clang-sys accepts as libclang, in its order.
libclang_files() {
    local folders=() folder file prefix
    if [ -n "${LIBCLANG_PATH:-}" ]; then
        if [ -f "$LIBCLANG_PATH" ]; then
            echo "$LIBCLANG_PATH"
            return
        fi
        folders=("$LIBCLANG_PATH")
    else
        if prefix=$("${LLVM_CONFIG_PATH:-llvm-config}" --prefix 2>/dev/null); then
            folders=("$prefix"/{bin,lib,lib64})
        fi
        IFS=: read -ra path <<<"${LD_LIBRARY_PATH:-}:${LIBRARY_PATH:-}"
        folders+=("${path[@]}" /usr/local/llvm*/lib* /usr/local/lib*/*/* /usr/local/lib*/* /usr/local/lib*
            /usr/lib*/*/* /usr/lib*/* /usr/lib*)
    fi
    for folder in "${folders[@]}"; do
        for file in "$folder"/libclang.so "$folder"/libclang-*.so "$folder"/libclang.so.* "$folder"/libclang-*.so.*; do
            case ${file##*/} in *-cpp.*) continue ;; esac
            # 64 bits, like the Rust program that loads it.
            [ ! -f "$file" ] || [ "$(od -An -tx1 -N5 "$file")" != ' 7f 45 4c 46 02' ] || echo "$file"
        done
    done
}

# libclang_reads_c FILE [ARGUMENT OF CLANG…]: on failure prints the reason on
# standard error.
libclang_reads_c() {
    local file=$1 folder clang headers=() status=0
    shift
    # bindgen searches headers in the folders of the clang program that it finds.
    if clang=$(find_clang) && headers=("$("$clang" -print-resource-dir)/include"); then
        headers=(-isystem "${headers[0]}")
    fi
    folder=$(mktemp -d)
    cc -o "$folder/libclang" scripts/libclang.c -ldl && "$folder/libclang" "$file" "${headers[@]}" "$@" || status=$?
    rm -r "$folder"
    return "$status"
}

find_clang() {
    local folders=() folder file
    if [ -x "${CLANG_PATH:-}" ]; then
        echo "$CLANG_PATH"
        return
    fi
    IFS=: read -ra folders <<<"$("${LLVM_CONFIG_PATH:-llvm-config}" --bindir 2>/dev/null):$PATH"
    for folder in "${folders[@]}"; do
        for file in "$folder"/clang "$folder"/clang-[0-9]*; do
            if [ -x "$file" ]; then
                echo "$file"
                return
            fi
        done
    done
    return 1
}
