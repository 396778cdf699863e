# `./x fuzz`: broken files for every reader, on stable Rust. Sourced by `x`.
#
# With a nightly Rust and cargo-fuzz, `cargo +nightly fuzz run READER` does the same
# guided by code coverage; see fuzz/.

fuzz_run() {
    local seconds=${1:-60} reader readers=() with_uploads=false
    shift || true
    for reader; do
        case $reader in
        uploads) with_uploads=true ;;
        *) readers+=("$reader") ;;
        esac
    done
    if [ $# -eq 0 ] || [ ${#readers[@]} -gt 0 ]; then
        fuzz_readers "$seconds" "${readers[@]}"
    fi
    if [ $# -eq 0 ] || $with_uploads; then
        fuzz_uploads "$seconds"
    fi
}

fuzz_readers() {
    local seconds=$1 folder=${release%/release}/fuzz-inputs
    shift
    cargo build --locked --profile fuzz -p xhprof-formats --example fuzz
    (
        # Limits the address space: a reader that trusts a length in the file fails.
        ulimit -v $((2 << 20))
        "${release%/release}/fuzz/examples/fuzz" "$seconds" "$folder" \
            crates/formats/tests/golden,crates/profile/tests/native "$@"
    ) || {
        ls -l "$folder" 2>/dev/null
        die "it ended: see above; its inputs are in $folder (*.panic.* panicked, *.current ended the process)"
    }
}

# fuzz_uploads SECONDS: broken uploads to the server, its answers and its store.
fuzz_uploads() {
    UPLOAD_SECONDS=$1 cargo test --release --locked -p xhprof-serve --test it broken_uploads:: -- --nocapture
}
