# What `./x cluster` starts: Debian's ClickHouse and ZooKeeper, unpacked below
# target/cluster, and chdb from PyPI. Nothing is installed. Sourced by crates/store/tests/cluster/cluster.sh.

chdb_version=4.4.0

# Whether this system has a package of the server. Debian 12 has 18.16.
cluster_has_packages() { command -v apt-get >/dev/null && can_install clickhouse-server; }

want_cluster() {
    want curl 'asks whether a node answers' command -v curl
    [ "$1" != cluster ] || want default-jre-headless 'runs ZooKeeper' command -v java
    [ "$1" != chdb ] || want python3-venv 'chdb from PyPI' python3 -c 'import ensurepip'
    install_what_is_missing
}

# The server: one that is installed, else the unpacked one.
clickhouse_server() { command -v clickhouse-server || command -v /usr/sbin/clickhouse-server || echo "$cluster/clickhouse/usr/sbin/clickhouse-server"; }

# Whether there is one, or can be.
cluster_has_server() { [ -x "$(clickhouse_server)" ] || cluster_has_packages; }

unpack_clickhouse() {
    [ ! -x "$(clickhouse_server)" ] || return 0
    cluster_has_packages || die 'there is no package clickhouse-server here: Debian 12 has one; ./x cluster chdb needs none'
    unpack_packages "$cluster/clickhouse" clickhouse-server
}

# Its library and those that it uses.
zookeeper_classes() { echo "$cluster/zookeeper/usr/share/java/*:/usr/share/java/*"; }

unpack_zookeeper() {
    [ ! -e /usr/share/java/zookeeper.jar ] && [ ! -e "$cluster/zookeeper/usr/share/java/zookeeper.jar" ] || return 0
    unpack_packages "$cluster/zookeeper" libzookeeper-java
}

install_chdb() {
    [ ! -e "$cluster/chdb-venv/complete" ] || return 0
    say "pip install chdb==$chdb_version into $cluster/chdb-venv (900 MB)"
    rm -rf "$cluster/chdb-venv" && python3 -m venv "$cluster/chdb-venv"
    "$cluster/chdb-venv/bin/pip" install --quiet --disable-pip-version-check "chdb==$chdb_version" ||
        die 'pip could not install chdb'
    touch "$cluster/chdb-venv/complete"
}
