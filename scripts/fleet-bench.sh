# `./x fleet-bench`: the figures of docs/fleet.md. Sourced by `x`.

# fleet_bench [RUNS…] [-- OPTION…]: options are those of scripts/fleet/bench.py.
fleet_bench() {
    local folder runs=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        [[ $1 =~ ^[0-9]+$ ]] || die 'usage: ./x fleet-bench [RUNS…] [-- --paths LEAST..MOST --days DAYS --store STORE]'
        runs+=("$1")
        shift
    done
    [ $# = 0 ] || shift
    [ ${#runs[@]} -gt 0 ] || runs=(10000 100000)
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-fleet.XXXXXX")
    # shellcheck disable=SC2064 # now
    trap "rm -rf '$folder'" EXIT
    say "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
    python3 scripts/fleet/bench.py "$release/xhprof" "$folder" "${runs[@]}" "$@"
    say "load at the end: $(cut -d' ' -f1 /proc/loadavg)"
}
