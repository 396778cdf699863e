# `./x fleet-kills`: runs through an agent and a server while they are killed, and nodes
# of ClickHouse with them. Sourced by `x`.

# fleet_kills [RUNS [SET]]: SET is `up` or `one` of `./x cluster`; without it, the store is
# a folder. What did not run before is ended afterwards.
fleet_kills() {
    local runs=${1:-20000} set=${2:-}
    [[ $runs =~ ^[1-9][0-9]{0,8}$ ]] || die "fleet-kills: $runs is not a number of runs"
    case $set in
    '') ;;
    up | one) fleet_kills_cluster "$set" ;;
    *) die "fleet-kills: there is no $set; use up or one" ;;
    esac
    AGENT_RUNS=$runs cargo test --profile program --locked -p xhprof-server --test it -- --nocapture fleet_kills::
}

# fleet_kills_cluster SET: starts it, and tells the test its address and its nodes.
fleet_kills_cluster() {
    local name=$1 node nodes=()
    source crates/store/tests/cluster/cluster.sh
    [ "$name" != up ] || name=cluster
    # shellcheck disable=SC2064 # now
    [ "$(cluster_nodes "$name")" ] || trap "cluster_end $name" EXIT
    "cluster_$1"
    for node in $(cluster_nodes "$name"); do
        [ "${node##*/}" = zookeeper ] || nodes+=("$node")
    done
    export AGENT_STORE AGENT_NODES="${nodes[*]}"
    AGENT_STORE=$(cluster_address "$name" "kills_$$")
}
