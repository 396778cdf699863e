# `./x cluster demo`: a small fleet whose parts are killed under load. Sourced by
# crates/store/tests/cluster/cluster.sh.

# cluster_demo [--sqlite] [OPTION…]: options are those of crates/store/tests/cluster/demo.py.
cluster_demo() {
    local folder nginx with=clickhouse store=()
    [ "${1:-}" != --sqlite ] || {
        with=sqlite
        shift
    }
    need_rust
    want python3 'starts, kills and counts' python3 -c 'import json, socket, urllib.request'
    install_what_is_missing
    build_program
    build_server
    nginx=$(command -v nginx || command -v /usr/sbin/nginx) || {
        [ -x "$cluster/nginx/usr/sbin/nginx" ] || unpack_packages "$cluster/nginx" nginx
        nginx=$cluster/nginx/usr/sbin/nginx
    }
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-demo.XXXXXX")
    # shellcheck disable=SC2064 # now
    trap "rm -rf '$folder'" EXIT
    if [ $with = sqlite ]; then
        :
    elif cluster_has_server; then
        # shellcheck disable=SC2064 # now
        [ "$(cluster_nodes cluster)" ] || trap "rm -rf '$folder'; cluster_end cluster" EXIT
        cluster_up
        store=(--store "$(cluster_address cluster "demo_$$")" --replica cluster/s1r2)
    else
        say 'there is no package clickhouse-server for this system: one server with a store in SQLite'
    fi
    python3 -B crates/store/tests/cluster/demo.py "$release/xhprof" "$nginx" "$folder" "${store[@]}" "$@"
}
