# `./x fleet-bench`: the figures of docs/fleet.md. Sourced by `x`.

source crates/store/tests/cluster/cluster.sh

# fleet_bench [--clickhouse] [RUNS…] [-- OPTION…]: options are those of
# crates/store/tests/fleet/bench.py. The store is SQLite, or two shards with two replicas.
fleet_bench() {
    local folder node runs=() options=() ends=
    [ "${1:-}" != --clickhouse ] || {
        ends=cluster
        shift
    }
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        [[ $1 =~ ^[0-9]+$ ]] || die 'usage: ./x fleet-bench [--clickhouse] [RUNS…] [-- --paths LEAST..MOST --days DAYS]'
        runs+=("$1")
        shift
    done
    [ $# = 0 ] || shift
    [ ${#runs[@]} -gt 0 ] || runs=(10000 100000)
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-fleet.XXXXXX")
    # shellcheck disable=SC2064 # now
    trap "rm -rf '$folder'" EXIT
    if [ "$ends" ]; then
        [ -z "$(cluster_nodes cluster)" ] || die 'a cluster runs, and its data would be measured, too: ./x cluster down'
        # shellcheck disable=SC2064 # now
        trap "rm -rf '$folder'; cluster_end cluster" EXIT
        cluster_up
        options=(--store "$(cluster_address cluster 'bench_{}')")
        for node in $(cluster_nodes cluster); do
            options+=(--also "$(cat "$cluster/$node/pid")")
        done
    fi
    say "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
    python3 crates/store/tests/fleet/bench.py "$release/xhprof" "$folder" "${runs[@]}" "${options[@]}" "$@"
    [ -z "$ends" ] || cluster_status
    say "load at the end: $(cut -d' ' -f1 /proc/loadavg)"
}
