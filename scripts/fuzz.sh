# `./x fuzz`: broken files for every reader, on stable Rust. Sourced by `x`.
#
# With a nightly Rust and cargo-fuzz, `cargo +nightly fuzz run READER` does the
# same with an eye on what each input reaches; see fuzz/.

fuzz_run() {
    local seconds=${1:-60} folder=${release%/release}/fuzz-inputs
    shift || true
    cargo build --locked --profile fuzz -p xhprof-formats --example fuzz
    (
        # Address space: a reader that believes a length dies of it.
        ulimit -v $((2 << 20))
        "${release%/release}/fuzz/examples/fuzz" "$seconds" "$folder" \
            crates/formats/tests/golden,crates/profile/tests/native "$@"
    ) || {
        ls -l "$folder"
        die "see the inputs in $folder: *.panic.*, or *.current for one that ended the process"
    }
}
