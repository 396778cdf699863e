# The processes of `./x cluster`: their configuration, start and end. Each has a folder
# $cluster/SET/NAME with its port, process id, data and log. Sourced by crates/store/tests/cluster/cluster.sh.

# The memory of one query, of all queries of a node, and of a cache, in bytes: all
# nodes are on one machine. ClickHouse 18.16 counts what it reserves: nodes that had
# 215 MiB counted more than 512.
cluster_query_memory=$((2048 << 20))
cluster_node_memory=$((3072 << 20))
cluster_cache=$((32 << 20))

# Tests ask many small questions: threads of each cost more than they save.
cluster_query_threads=1

# The least room in $cluster_memory for the data of tests, in KiB.
cluster_memory=/dev/shm
cluster_memory_least=$((1 << 20))

# Where `cluster_test` has its data: tests create and remove tens of thousands of small
# files, which may cost a file system on a disk as much time as everything else.
cluster_in_memory=

# Prints the first of COUNT ports that are free, one beside the other. They are below
# those that the kernel gives to clients.
cluster_ports() {
    local base port
    for ((base = 28100; base < 32000; base += 100)); do
        for ((port = base; port < base + $1; port++)); do
            ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
        done
        echo "$base"
        return
    done
    die 'all ports from 28100 to 32000 are in use'
}

# make_clickhouse SET NAME HTTP SHARD [ZOOKEEPER NODES…]: writes a node's configuration.
# Its other ports are HTTP + 10 and HTTP + 20. NODES are SHARD:NAME:HTTP of all.
make_clickhouse() {
    local set=$1 name=$2 http=$3 shard=$4 zookeeper=${5:-} folder=$cluster/$1/$2
    mkdir -p "$folder/tmp" "$folder/files"
    make_data_folder "$folder/data"
    echo "$http" >"$folder/port"
    {
        echo '<?xml version="1.0"?><yandex>'
        echo "<logger><level>warning</level><log>$folder/log</log><errorlog>$folder/errors</errorlog><size>10M</size><count>1</count></logger>"
        echo "<listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>"
        echo "<http_port>$http</http_port><tcp_port>$((http + 10))</tcp_port><interserver_http_port>$((http + 20))</interserver_http_port>"
        echo "<path>$folder/data/</path><tmp_path>$folder/tmp/</tmp_path><user_files_path>$folder/files/</user_files_path>"
        echo '<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>'
        echo '<timezone>UTC</timezone><max_concurrent_queries>100</max_concurrent_queries><keep_alive_timeout>10</keep_alive_timeout>'
        echo "<mark_cache_size>$cluster_cache</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>"
        if [ "$zookeeper" ]; then
            echo "<zookeeper><node index=\"1\"><host>127.0.0.1</host><port>$zookeeper</port></node><session_timeout_ms>10000</session_timeout_ms></zookeeper>"
            echo "<macros><cluster>xhprof</cluster><shard>$shard</shard><replica>$name</replica></macros>"
            echo '<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>'
            cluster_shards "${@:6}"
        fi
        echo '</yandex>'
    } >"$folder/config.xml"
    cat >"$folder/users.xml" <<END
<?xml version="1.0"?>
<yandex>
<profiles><default>
<max_memory_usage>$cluster_query_memory</max_memory_usage>
<max_memory_usage_for_all_queries>$cluster_node_memory</max_memory_usage_for_all_queries>
<max_threads>$cluster_query_threads</max_threads>
<background_pool_size>4</background_pool_size><background_schedule_pool_size>4</background_schedule_pool_size>
</default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas>
</yandex>
END
}

# make_data_folder FOLDER: with `cluster_in_memory`, it is a link to a folder in memory, if
# there is room.
make_data_folder() {
    local room
    room=$(df --output=avail "$cluster_memory" 2>/dev/null | tail -n 1) || true
    if [ "$cluster_in_memory" ] && [ "$(stat --file-system --format=%T "$cluster_memory")" = tmpfs ] &&
        [ "${room:-0}" -ge "$cluster_memory_least" ]; then
        ln -s "$(mktemp -d "$cluster_memory/xhprof-node.XXXXXX")" "$1"
    else
        mkdir -p "$1"
    fi
}

# remove_nodes SET: what its ended nodes have on the disk and in memory.
remove_nodes() {
    local link
    for link in "${cluster:?}/$1"/*/data; do
        [ ! -L "$link" ] || rm -rf "$(readlink "$link")"
    done
    rm -rf "${cluster:?}/$1"
}

# cluster_shards SHARD:NAME:HTTP…: the section that names all nodes of both shards.
cluster_shards() {
    local shard node
    echo '<remote_servers><xhprof>'
    for shard in 1 2; do
        echo '<shard><internal_replication>true</internal_replication>'
        for node; do
            [ "${node%%:*}" != $shard ] ||
                echo "<replica><host>127.0.0.1</host><port>$((${node##*:} + 10))</port></replica>"
        done
        echo '</shard>'
    done
    echo '</xhprof></remote_servers>'
}

make_zookeeper() {
    local folder=$cluster/cluster/zookeeper
    mkdir -p "$folder/data"
    echo "$1" >"$folder/port"
    cat >"$folder/zoo.cfg" <<END
tickTime=1000
dataDir=$folder/data
clientPort=$1
clientPortAddress=127.0.0.1
admin.enableServer=false
autopurge.purgeInterval=1
END
}

# start_node SET/NAME: starts the process with its own session, so that Ctrl-C of
# another command does not reach it, and notes its id.
start_node() {
    local folder=$cluster/$1 program
    [ -e "$folder/port" ] || die "there is no node $1: ./x cluster status lists them"
    ! node_runs "$1" || return 0
    case $1 in
    */zookeeper) program=(java -Xmx128m "-Dxhprof.folder=$folder" -cp "$(zookeeper_classes)"
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$folder/zoo.cfg") ;;
    chdb/*) program=("$cluster/chdb-venv/bin/python" crates/store/tests/cluster/chdb-server.py "$folder" "$(cat "$folder/port")") ;;
    *) program=(env LD_LIBRARY_PATH="$(cluster_libraries)" "$(clickhouse_server)" "--config-file=$folder/config.xml") ;;
    esac
    setsid "${program[@]}" >"$folder/output" 2>&1 </dev/null &
    echo $! >"$folder/pid"
    # The shell says nothing when the node is killed.
    disown
}

# The folders of unpacked libraries: Debian 12 has some in /lib, some in /usr/lib.
cluster_libraries() {
    local folder folders=
    for folder in "$cluster"/clickhouse/{usr/,}lib/*-linux-*; do
        [ ! -d "$folder" ] || folders+=:$folder
    done
    printf '%s' "${folders#:}"
}

# Whether the process of the node runs. Its id may be that of another process by now.
node_runs() {
    local pid
    pid=$(cat "$cluster/$1/pid" 2>/dev/null) && [ "$pid" ] &&
        { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -F "$cluster/$1" >/dev/null
}

# node_ready SET/NAME: waits until the node answers, at most a minute.
node_ready() {
    local port try folder=$cluster/$1
    port=$(cat "$folder/port")
    for try in {1..300}; do
        case $1 in
        */zookeeper) ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0 ;;
        *) [ "$(curl -sS --max-time 5 "http://127.0.0.1:$port/ping" 2>/dev/null)" != Ok. ] || return 0 ;;
        esac
        [ "$try" -lt 5 ] || node_runs "$1" || break
        sleep 0.2
    done
    die "node $1 does not answer; its last words: $(tail -q -n 5 "$folder/output" "$folder/errors" 2>/dev/null)"
}

# end_node SET/NAME [KILL]: ends the process, with SIGKILL at once or after 20 seconds.
end_node() {
    local pid try
    node_runs "$1" || return 0
    pid=$(cat "$cluster/$1/pid")
    kill -s "${2:-TERM}" "$pid"
    for try in {1..100}; do
        node_runs "$1" || break
        [ "$try" != 95 ] || kill -s KILL "$pid" 2>/dev/null || true
        sleep 0.2
    done
    ! node_runs "$1" || die "process $pid of node $1 does not end"
    rm -f "$cluster/$1/pid"
}
