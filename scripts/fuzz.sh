# `./x fuzz`: broken files for every reader, on stable Rust. Sourced by `x`.
#
# With a nightly Rust and cargo-fuzz, `cargo +nightly fuzz run READER` does the same
# guided by code coverage; see fuzz/.

fuzz_run() {
    local seconds=${1:-60} folder=${release%/release}/fuzz-inputs
    shift || true
    cargo build --locked --profile fuzz -p xhprof-formats --example fuzz
    (
        # Limits the address space: a reader that trusts a length in the file fails.
        ulimit -v $((2 << 20))
        "${release%/release}/fuzz/examples/fuzz" "$seconds" "$folder" \
            crates/formats/tests/golden,crates/profile/tests/native "$@"
    ) || {
        ls -l "$folder"
        die "the inputs are in $folder: *.panic.* panicked, *.current ended the process"
    }
}
