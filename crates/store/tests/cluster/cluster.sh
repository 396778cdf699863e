# `./x cluster`: ClickHouse on 127.0.0.1, for tests of the store of a fleet. Sourced by `x`.

cluster=$(realpath -m "${release%/release}")/cluster

source scripts/debian.sh
source crates/store/tests/cluster/packages.sh
source crates/store/tests/cluster/nodes.sh
source crates/store/tests/cluster/demo.sh
source crates/store/tests/cluster/faults.sh
source crates/store/tests/cluster/suite.sh

cluster_help() {
    cat <<'END'
usage: ./x cluster COMMAND

  up            two shards, two replicas each, and ZooKeeper, from Debian's packages
  one           one node without ZooKeeper
  chdb          the SQL of a current ClickHouse: chdb from PyPI behind a small HTTP server
  status        what runs, its address, memory and disk
  kill NODE     ends a node by SIGKILL, such as cluster/s1r2
  start NODE    starts it again with its data
  down          ends all, and removes their data
  test [SET…]   the suite that every store passes: on one, up and chdb, or those named; on up also `faults` (20 min)
  faults        servers and agents while nodes are away, and HTTPS to ClickHouse (5 min)
  demo          two machines with agents, nginx, three servers and ClickHouse; parts are killed under load, and nothing
                is lost (2 min)
END
}

cluster_command() {
    local command=${1:-help}
    shift || true
    case $command in
    up | one | chdb)
        [ $# = 0 ] || die "cluster $command: unknown option $1"
        "cluster_$command"
        ;;
    status | down)
        [ $# = 0 ] || die "cluster $command: unknown option $1"
        "cluster_$command"
        ;;
    kill | start)
        [ $# = 1 ] || die "usage: ./x cluster $command NODE; ./x cluster status lists the nodes"
        cluster_has "$1" || die "there is no node $1: ./x cluster status lists them"
        if [ "$command" = kill ]; then end_node "$1" KILL; else cluster_start_again "$1"; fi
        ;;
    test) cluster_test "$@" ;;
    faults)
        [ $# = 0 ] || die "cluster faults: unknown option $1"
        cluster_faults
        ;;
    demo) cluster_demo "$@" ;;
    help | -h | --help) cluster_help ;;
    *) die "cluster: there is no command $command
$(cluster_help)" ;;
    esac
}

# Two shards, s1 and s2, with the replicas r1 and r2.
cluster_up() {
    local base node name nodes=()
    cluster_fresh cluster || return 0
    want_cluster cluster
    unpack_clickhouse
    unpack_zookeeper
    base=$(cluster_ports 31)
    nodes=("1:s1r1:$((base + 1))" "1:s1r2:$((base + 2))" "2:s2r1:$((base + 3))" "2:s2r2:$((base + 4))")
    make_zookeeper $((base + 30))
    for node in "${nodes[@]}"; do
        name=${node#*:}
        make_clickhouse cluster "${name%:*}" "${node##*:}" "${node%%:*}" $((base + 30)) "${nodes[@]}"
    done
    cluster_start cluster/zookeeper cluster/s{1,2}r{1,2}
    # One answer a shard.
    [ "$(cluster_ask cluster/s1r1 "SELECT count() FROM cluster('xhprof', system.one)")" = 2 ] ||
        die 'the nodes do not see each other'
    cluster_told cluster/s1r1
}

cluster_one() {
    cluster_fresh one || return 0
    want_cluster one
    unpack_clickhouse
    make_clickhouse one node $(($(cluster_ports 31) + 1)) 1
    cluster_start one/node
    cluster_told one/node
}

cluster_chdb() {
    cluster_fresh chdb || return 0
    want_cluster chdb
    install_chdb
    mkdir -p "$cluster/chdb/node"
    cluster_ports 1 >"$cluster/chdb/node/port"
    cluster_start chdb/node
    cluster_told chdb/node
}

# cluster_fresh SET: false if it runs; else nothing of it is left.
cluster_fresh() {
    local node running=() dead=()
    for node in $(cluster_nodes "$1"); do
        if node_runs "$node"; then running+=("$node"); else dead+=("$node"); fi
    done
    if [ ${#running[@]} -gt 0 ]; then
        [ ${#dead[@]} = 0 ] || die "${running[*]} run, and ${dead[*]} do not: ./x cluster start NODE, or ./x cluster down"
        cluster_told "${running[0]}"
        return 1
    fi
    remove_nodes "$1"
}

cluster_start() {
    local node
    for node; do
        start_node "$node"
        # The others need it.
        [ "${node##*/}" != zookeeper ] || node_ready "$node"
    done
    for node; do
        node_ready "$node"
        cluster_settled "$node"
    done
}

# cluster_start_again NODE: a node that was killed. ClickHouse does not start if most rows of a
# table are in parts that ZooKeeper does not know, such as those of a store's first insert.
# No client was told that these are stored. With its flag it sets them aside.
cluster_start_again() {
    local folder=$cluster/$1
    start_node "$1"
    if ! (node_ready "$1") 2>/dev/null; then
        if tail -n 60 "$folder/errors" | grep -F "doesn't look like the set of parts in ZooKeeper" >/dev/null; then
            say "node $1 refuses to start with parts that ZooKeeper does not know; starting it with force_restore_data"
            mkdir -p "$folder/data/flags"
            touch "$folder/data/flags/force_restore_data"
        fi
        start_node "$1"
        node_ready "$1"
    fi
    cluster_settled "$1"
}

# cluster_settled NODE: ClickHouse 18.16 may crash in its client of ZooKeeper (a null
# pointer) while it starts, after it has begun to answer. A node that
# did is started again.
cluster_settled() {
    local try question="SELECT count() FROM system.zookeeper WHERE path = '/'"
    case $1 in cluster/s*) ;; *) return 0 ;; esac
    for try in {1..3}; do
        sleep 0.5
        if node_runs "$1" && curl -sS --fail --max-time 10 --data-binary "$question" "$(cluster_url "$1")/" >/dev/null 2>&1; then
            return 0
        fi
        say "node $1 ended or does not reach ZooKeeper; starting it again"
        end_node "$1"
        start_node "$1"
        node_ready "$1"
    done
    die "node $1 does not stay; its last words: $(tail -q -n 5 "$cluster/$1/errors")"
}

# cluster_end SET: ends its nodes, and removes their data.
cluster_end() {
    local node
    # ZooKeeper after its clients: its name is the last.
    for node in $(cluster_nodes "$1"); do
        end_node "$node"
    done
    remove_nodes "$1"
}

# cluster_ask NODE QUERY: prints the answer.
cluster_ask() {
    curl -sS --fail-with-body --max-time 300 --data-binary "$2" "$(cluster_url "$1")/" ||
        die "node $1 refuses: $2"
}

cluster_url() { echo "http://127.0.0.1:$(cat "$cluster/$1/port")"; }

cluster_told() {
    local version
    version=$(cluster_ask "$1" 'SELECT version()')
    say "ClickHouse $version: XHPROF_TEST_CLICKHOUSE='$(cluster_address "${1%/*}" x)'"
}

# cluster_address SET DATABASE: what `xhprof serve --store` takes.
cluster_address() {
    local node hosts=
    for node in $(cluster_nodes "$1"); do
        [ "${node##*/}" = zookeeper ] || hosts+=,127.0.0.1:$(cat "$cluster/$node/port")
    done
    echo "clickhouse://${hosts#,}/$2$([ "$1" != cluster ] || echo '?cluster=xhprof')"
}

# cluster_nodes [SET]: the nodes that were made, as SET/NAME, those with ZooKeeper last.
cluster_nodes() {
    local port
    # shellcheck disable=SC2231 # a pattern
    for port in "$cluster"/${1:-*}/*/port; do
        [ -e "$port" ] || continue
        port=${port%/port}
        echo "${port#"$cluster/"}"
    done
}

cluster_has() { cluster_nodes | grep -Fx "$1" >/dev/null; }

cluster_status() {
    local node pid memory
    [ "$(cluster_nodes)" ] || {
        say 'nothing runs: ./x cluster up, one or chdb'
        return 0
    }
    printf '%-20s %-8s %-24s %8s %8s\n' node process address memory disk
    for node in $(cluster_nodes); do
        pid=-
        memory=-
        if node_runs "$node"; then
            pid=$(cat "$cluster/$node/pid")
            memory=$(awk '/^VmRSS/ { printf "%d MiB", $2 / 1024 }' "/proc/$pid/status")
        fi
        printf '%-20s %-8s %-24s %8s %8s\n' "$node" "$pid" "127.0.0.1:$(cat "$cluster/$node/port")" "$memory" \
            "$(du -shL "$cluster/$node" | cut -f 1)"
    done
}

cluster_down() {
    local set
    for set in cluster one https chdb; do
        cluster_end "$set"
    done
    say 'nothing of the cluster runs; its programs stay in '"$cluster"
}
