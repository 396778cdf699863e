# Builds the extension and the programs. Sourced by `x`.
#
# The extension first and alone: in a build with the other crates, Cargo would give its
# dependencies the features that those crates need. Its profile, `release`, is its own.
# The programs have the profile `program` (Cargo.toml says why), and are put beside the
# extension, in $release.

build_extension() { cargo build --release --locked -p xhprof || build_failed 'the extension'; }

# The everyday program: no database, no TLS, no async runtime.
build_program() { build_and_link xhprof-cli xhprof; }

# The server's half, for serve, agent, push, import, store, simulate: minutes more.
build_server() { build_and_link xhprof-server xhprof-server; }

build_everything() {
    build_extension
    build_program
    build_server
}

# build_and_link PACKAGE PROGRAM
build_and_link() {
    cargo build --profile program --locked -p "$1" || build_failed "the program $2"
    mkdir -p "$release"
    # A copy where the file system has no hard links.
    ln -f "${release%/release}/program/$2" "$release/$2" 2>/dev/null ||
        install "${release%/release}/program/$2" "$release/$2"
}
