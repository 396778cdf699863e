# `./x web`: builds the viewer that the program embeds. Sourced by `x`.
#
# What comes out is committed in web/dist, so that nothing else needs npm or a
# compiler for WebAssembly. The same inputs give the same bytes with the same
# compiler; another compiler makes other machine code.

# Where everything is made that is not committed.
web_made=${CARGO_TARGET_DIR:-$PWD/target}/web

# The files that web/dist is made from: tests are no part of it.
web_inputs() {
    find web/src web/bindgen/src crates/{view,view-wasm,formats,profile}/src -type f ! -name '*.test.ts*'
    ls web/{package.json,package-lock.json,vite.config.ts,tsconfig.json,bindgen/Cargo.toml,bindgen/Cargo.lock} \
        crates/{view,view-wasm,formats,profile}/Cargo.toml
}

# One hash of them all, of the crates the engine is linked with, and of how it is
# compiled.
web_inputs_hash() {
    {
        web_inputs | LC_ALL=C sort | xargs -d '\n' sha256sum
        cargo tree --locked --package xhprof-view-wasm --edges normal,build --prefix none \
            --target wasm32-unknown-unknown --format '{p} {f}' |
            sed -E 's/ \(\*\)$//; s/ \(\/[^)]*\)//' | LC_ALL=C sort -u
        sed -n '/^\[profile\.web\]/,/^$/p' Cargo.toml
    } | sha256sum | cut -d' ' -f1
}

# A step of `./x test`.
web_is_new() {
    [ "$(web_inputs_hash)" = "$(cat web/dist/inputs.sha256)" ] || {
        echo 'web/dist was made from other sources: run ./x web'
        return 1
    }
}

# types_of EXAMPLE FOLDER: writes what an example of crates/view or crates/serve derives.
# As part of the whole workspace, whose libraries the tests have compiled: alone, they
# would have other features and be compiled again.
types_of() {
    cargo build --locked --quiet --workspace --exclude xhprof --example "$1" \
        --features xhprof-view/typescript,xhprof-serve/typescript || return
    "${web_made%/web}/debug/examples/$1" "$2"
}

# A step of the second tier: the types of the API's answers are those of the code.
api_types_are_new() {
    local types=$web_made/api-types
    rm -rf "$types"
    mkdir -p "$types" || return
    types_of api-types "$types" || return
    web_types "$types" || return
    diff -r "$types" web/src/api/generated || {
        echo 'the types of the API have changed: run ./x web'
        return 1
    }
}

# Each step ends it if it fails, also where the shell does not: in `web_build && …`.
web_build() {
    mkdir -p "$web_made" || return
    web_compiler || return
    say 'the types of questions and answers, for TypeScript'
    rm -rf web/src/generated web/src/api/generated
    types_of typescript web/src/generated || return
    types_of api-types web/src/api/generated || return
    web_types web/src/generated || return
    web_types web/src/api/generated || return
    say 'the engine, as WebAssembly'
    web_engine || return
    say 'npm ci, checks and tests'
    (
        cd web &&
            npm ci --silent &&
            npm run --silent check &&
            npm run --silent test &&
            npm run --silent build -- --logLevel warn
    ) || return
    # Vite's folder is always the same, wherever Cargo builds. Its files end up inside of
    # elements.
    if grep -lE '</(script|style)|<!--' target/web/page.css web/boot.js; then
        die 'that bundle cannot stand inside of an HTML element'
    fi
    cargo build --quiet --locked --manifest-path web/bindgen/Cargo.toml --target-dir "$web_made/bindgen" || return
    mkdir -p web/dist || return
    cp target/web/{page.js,page.css,app.js,app.css} web/dist/ || return
    "$web_made/bindgen/debug/bindgen" "$web_made/engine/wasm32-unknown-unknown/web/view_wasm.wasm" \
        target/web/worker.js web/dist || return
    local hash
    hash=$(web_inputs_hash) || return
    echo "$hash" >web/dist/inputs.sha256
    ls -l web/dist
}

# One file that has all types of a folder, and no space at the end of a line.
web_types() {
    local file
    sed -i 's/[ \t]*$//' "$1"/*.ts
    for file in "$1"/*.ts; do
        file=${file##*/}
        echo "export type * from \"./${file%.ts}\";"
    done >"$web_made/index.ts"
    mv "$web_made/index.ts" "$1/index.ts"
}

# A Rust compiler for WebAssembly: by rustup, else the one that Debian has for
# its browsers. That one conflicts with Debian's other Rust packages, so it is
# unpacked, not installed.
web_compiler() {
    web_debian=
    if command -v rustup >/dev/null && timeout 300 rustup target add wasm32-unknown-unknown >/dev/null 2>&1; then
        return
    fi
    web_debian=$web_made/debian
    [ ! -e "$web_debian/complete" ] || return 0
    command -v apt-get >/dev/null ||
        die 'the viewer needs the Rust target wasm32-unknown-unknown: by rustup, or on Debian or Ubuntu'
    source scripts/debian.sh
    fetch_package_lists
    local llvm std
    std=$(apt-cache depends libstd-rust-web-dev | sed -nE 's/.*Depends: (libstd-rust-web-[0-9.]+)$/\1/p')
    llvm=$(apt-cache depends "${std:-none}" | sed -nE 's/.*Depends: (libllvm[0-9]+)$/\1/p')
    [ -n "$llvm" ] || die 'this Debian has no rustc-web: please install rustup'
    unpack_packages --alone "$web_debian/root" rustc-web libstd-rust-web-dev "$std" rust-web-src "$llvm" \
        "lld-${llvm#libllvm}" "liblld-${llvm#libllvm}"
    local tool root=$web_debian/root
    for tool in bin/rustc "lib/llvm-${llvm#libllvm}/bin/wasm-ld"; do
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%q:%q exec %q "$@"\n' "$root/usr/lib/$(uname -m)-linux-gnu" \
            "$root/usr/lib/llvm-${llvm#libllvm}/lib" "$root/usr/$tool" >"$web_debian/${tool##*/}"
        chmod +x "$web_debian/${tool##*/}"
    done
    touch "$web_debian/complete"
}

web_engine() {
    local build=(cargo build --locked --profile web --target wasm32-unknown-unknown -p xhprof-view-wasm
        --target-dir "$web_made/engine")
    # No path of this machine in what is committed.
    local flags="--remap-path-prefix=$PWD=xhprof --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates"
    if [ -z "$web_debian" ]; then
        RUSTFLAGS=$flags "${build[@]}"
        return
    fi
    RUSTFLAGS=$flags RUSTC=$web_debian/rustc RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$web_debian/wasm-ld \
        "${build[@]}" -Zbuild-std=std,panic_abort
}

# Opens pages in Chromium, and looks at what they show. `--all` takes some minutes more, `--pictures` makes those of
# docs/viewer.md anew, and a word chooses the tests whose names have it.
# shellcheck disable=SC2120 # `x` has arguments for it
web_test() {
    [ -e web/node_modules/playwright-core ] || (cd web && npm ci --silent)
    CHROMIUM=$(command -v chromium) node web/tests/smoke.mjs "$release/xhprof" "$web_made/test" "$@"
}

# A step of `./x test`, where there is what it needs.
web_smoke() {
    local tool
    for tool in chromium node npm; do
        command -v "$tool" >/dev/null || {
            echo "$tool is not installed, so not run: ./x web-test installs it"
            return
        }
    done
    is_new_node || {
        echo 'Node.js is older than 20.19, so not run'
        return
    }
    # No argument: the tests that take less than two minutes.
    # shellcheck disable=SC2119
    web_test
}

# The version of speedscope that the viewer is compared with.
web_speedscope=1.25.0

# Opens large profiles in the viewer and in speedscope's released page.
# Words choose parts, and `--viewer` leaves speedscope out.
web_bench() {
    [ -e web/node_modules/playwright-core ] || (cd web && npm ci --silent) || return
    local made=$web_made/bench
    mkdir -p "$made"
    [ -e "$made/speedscope/package.json" ] || {
        (cd "$made" && npm pack --silent "speedscope@$web_speedscope" >/dev/null) || return
        tar -xzf "$made/speedscope-$web_speedscope.tgz" -C "$made" || return
        rm -rf "$made/speedscope"
        mv "$made/package" "$made/speedscope" || return
    }
    say 'large profiles, always the same'
    cargo run --quiet --profile program --locked -p xhprof-view --example large -- "$made/profiles" || return
    say "the viewer beside speedscope $web_speedscope"
    CHROMIUM=$(command -v chromium) taskset -c 0,1 \
        node web/tests/bench.mjs "$release/xhprof" "$made/profiles" "$made/speedscope" "$@"
}
