# `./x bench`: the cost of profiling. Sourced by `x`.
#
# The driver is Python, in benches/driver. This file passes it the paths.

bench_results=${release%/release}/bench
# A wiki and a page for MediaWiki's parser, made by bench_wiki.
bench_wiki=$bench_results/wiki

want_bench_programs() {
    want_demo_programs
    want python3 'drives the measurements' command -v python3
    want_real_programs
    if [ -z "$chosen_php" ]; then
        want_php fpm 'an empty request in it' find_fpm
    fi
    install_what_is_missing
}

# Makes a wiki of Debian's MediaWiki, once, as `./x soak` does: unpacked, not installed.
# A Debian without the package has one program less in the table.
bench_make_wiki() (
    if [ -e "$bench_wiki/page.txt" ] || ! can_install mediawiki; then return; fi
    source php-tests/programs/soak/soak.sh
    soak=$bench_wiki
    mkdir -p "$soak"
    unpack_packages --alone "$soak/unpacked" mediawiki mediawiki-classes
    soak_wiki
    rm -r "$soak/unpacked"
    for _ in 1 2 3; do soak_page Long && soak_page Cited; done >"$soak/page.txt"
)

# bench_run [OPTION…] [PART | WORKLOAD | PEER_SO=NAME:PATH…]
bench_run() {
    local workspace status=0
    workspace=$(mktemp -d)
    plain_scan_directory "$workspace/conf.d"
    python3 -B benches/driver --php "$PHP" --php-config "$PHP_CONFIG" \
        --extension "$(realpath "$release/libxhprof.so")" --scan-dir "$workspace/conf.d" \
        --fpm "$(find_fpm || true)" --wiki "$bench_wiki" --results "$bench_results" "$@" || status=$?
    rm -rf "$workspace"
    return "$status"
}

# Checks that the driver works, with counts too small for results: every part has
# a line for each variant that can be measured on this machine.
bench_works() {
    local line bench_results=$logs/bench
    bench_run --smoke user internal program programs sampling once requests growth accuracy >/dev/null
    for line in Targets none floor 'hooks only' 'floor, off' 'loaded, off' 'loaded, off (observer)' wall 'wall, CPU' 'wall, memory' all \
        'wall (observer)' 'all (observer)' 'tree, all' 'events, all' 'JIT: none' 'JIT: an idle observer' \
        'JIT: loaded, off' 'JIT: loaded for sampling, off' 'JIT: wall' \
        '10 kHz' 'attach, 99 Hz' 'attach, 1 kHz' 'all, few functions' 'calls, execute' 'depth of recursion, observer' 'paths of the call tree, tree' \
        'the truth' 'wall: wall' 'all: CPU'; do
        grep -qF -e "| $line |" -e "### $line" "$bench_results/newest.md" ||
            die "./x bench has no line for: $line"
    done
    if command -v xmllint >/dev/null; then xmllint --noout "$bench_results/growth.svg"; fi
}
