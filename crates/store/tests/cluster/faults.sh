# `./x cluster faults`: what servers and agents do while nodes of ClickHouse are away,
# and HTTPS to ClickHouse. Sourced by crates/store/tests/cluster/cluster.sh.

cluster_faults() {
    need_rust
    want python3 'starts, kills and counts' python3 -c 'import json, socket, urllib.request'
    want openssl 'makes certificates' command -v openssl
    install_what_is_missing
    build_program
    build_server
    faults_folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-faults.XXXXXX")
    trap cluster_faults_end EXIT
    [ "$(cluster_nodes cluster)" ] || faults_cluster=cluster
    cluster_up
    cluster_https "$faults_folder"
    python3 -B crates/store/tests/cluster/faults.py "$release/xhprof" "$faults_folder" "$(cluster_address cluster "faults_$$")"
}

# What this command started: a node, and the cluster unless it ran before.
faults_folder=
faults_cluster=
cluster_faults_end() {
    cluster_end https
    [ ! "$faults_cluster" ] || cluster_end "$faults_cluster"
    rm -rf "$faults_folder"
}

# cluster_https FOLDER: a node with HTTPS. The authority of its certificate is trusted,
# and no other.
cluster_https() {
    local folder=$1 base store
    cluster_certificates "$folder"
    cluster_end https
    base=$(cluster_ports 31)
    make_clickhouse https node $((base + 1)) 1
    sed -i "s|</yandex>|<https_port>$((base + 2))</https_port>$(https_server "$folder")</yandex>|" "$cluster/https/node/config.xml"
    cluster_start https/node
    store="clickhouse://127.0.0.1:$((base + 2))/x?secure=1"
    https_works "$store&ca_file=$folder/right.pem"
    https_refused 'another authority' certificate "$store&ca_file=$folder/wrong.pem"
    https_refused 'public authorities only' certificate "$store"
    https_refused 'another name than the certificate has' certificate "${store/127.0.0.1/localhost}&ca_file=$folder/right.pem"
    https_refused 'the port of HTTP' 'no node of ClickHouse answers' "${store/:$((base + 2))/:$((base + 1))}&ca_file=$folder/right.pem"
    https_refused 'HTTP to its port' 'no node of ClickHouse answers' "${store/\?secure=1/}"
    cluster_end https
}

https_server() {
    echo "<openSSL><server><certificateFile>$1/node.pem</certificateFile><privateKeyFile>$1/node.key</privateKeyFile>" \
        "<verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>"
}

https_works() {
    local told
    told=$("$release/xhprof" store stats --store "$1" 2>&1) || die "cluster faults: HTTPS to ClickHouse: $told"
    say 'HTTPS to ClickHouse with its authority: works'
}

# https_refused WHAT TEXT ADDRESS: the program ends with an error that has the text.
https_refused() {
    local told
    ! told=$("$release/xhprof" store stats --store "$3" 2>&1) || die "cluster faults: HTTPS with $1 is not refused"
    [[ $told == *"$2"* ]] || die "cluster faults: HTTPS with $1: the error does not say what is wrong: $told"
    say "HTTPS with $1: ${told:0:200}"
}

# cluster_certificates FOLDER: an authority, a certificate of it for 127.0.0.1, and
# another authority.
cluster_certificates() {
    local name
    for name in right wrong; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$name" \
            -keyout "$1/$name.key" -out "$1/$name.pem" 2>/dev/null
    done
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=node \
        -keyout "$1/node.key" -out "$1/node.request" 2>/dev/null
    printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >"$1/node.extensions"
    openssl x509 -req -in "$1/node.request" -CA "$1/right.pem" -CAkey "$1/right.key" -CAcreateserial -days 2 \
        -extfile "$1/node.extensions" -out "$1/node.pem" 2>/dev/null
}
