# `./x cluster test`: the suite that every store passes, on ClickHouse. Sourced by
# crates/store/tests/cluster/cluster.sh.

# cluster_test [SET…]: on one node, on two shards with two replicas, and on chdb; or on
# those that are named. What did not run before is ended afterwards.
cluster_test() {
    local set unlike=()
    need_rust
    [ $# -gt 0 ] || set -- one up chdb
    for set; do
        case $set in one | up | chdb) ;; *) die "cluster test: there is no $set; use one, up or chdb" ;; esac
    done
    # With the features of all crates, as in `./x test`, so that Cargo reuses its builds.
    cargo test --locked --workspace --exclude xhprof --test it --no-run || build_failed 'the test of the store'
    for set; do
        say "the store's suite on ClickHouse: $set"
        cluster_test_on "$set" || unlike+=("$set")
    done
    [ ${#unlike[@]} = 0 ] || die "the suite failed on: ${unlike[*]}"
}

cluster_test_on() {
    local set=$1 name=$1 status=0 was_running='' cluster_in_memory=yes
    [ "$set" != up ] || name=cluster
    [ -z "$(cluster_nodes "$name")" ] || was_running=yes
    "cluster_$set"
    XHPROF_TEST_CLICKHOUSE=$(cluster_address "$name" x) cargo test --locked --workspace --exclude xhprof --test it clickhouse:: || status=1
    [ "$set" != up ] || (cluster_faults) || status=1
    [ "$was_running" ] || cluster_end "$name"
    return $status
}

# A step of `./x test`: one node, where its package is. It is unpacked in a minute.
store_on_clickhouse() {
    source crates/store/tests/cluster/cluster.sh
    if ! cluster_has_server; then
        echo 'there is no package clickhouse-server for this system, so not run: the store on ClickHouse'
        return
    fi
    cluster_test one
}
