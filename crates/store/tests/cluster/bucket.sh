# `./x bucket`: files of runs in a bucket of an S3-compatible server from npm: requests,
# the suite of the store in ClickHouse with a bucket, and a bucket that is away.
# Sourced by `x`.

source crates/store/tests/cluster/cluster.sh

bucket_made=${release%/release}/bucket

bucket_run() {
    need_rust
    want python3 'starts, kills and counts' python3 -c 'import json, socket, urllib.request'
    command -v npm >/dev/null || die 'npm is missing: apt-get install npm'
    install_what_is_missing
    trap bucket_end EXIT
    bucket_start
    XHPROF_TEST_BUCKET=$(bucket_address requests) cargo test --locked --package xhprof-store --test it bucket::
    if ! cluster_has_server; then
        say 'there is no package clickhouse-server for this system, so not run: the store in ClickHouse with a bucket'
        return
    fi
    [ "$(cluster_nodes one)" ] || bucket_cluster=one
    cluster_one
    say "the store's suite on ClickHouse with a bucket"
    XHPROF_TEST_BUCKET=$(bucket_address suite) XHPROF_TEST_CLICKHOUSE=$(cluster_address one x) \
        cargo test --locked --workspace --exclude xhprof --test it clickhouse::
    bucket_away
}

# A server and an agent while the bucket's server is away. Its process is that of the
# script from here on.
bucket_away() {
    local folder port=${bucket_port}
    say 'a server and an agent while the bucket is away'
    build_program
    build_server
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-bucket.XXXXXX")
    bucket_stop
    python3 -B crates/store/tests/cluster/bucket.py "$release/xhprof" "$folder" "$(cluster_address one "bucket_$$")" "$(bucket_address away)" \
        "$port" -- "${bucket_server[@]}"
    rm -r "$folder"
}

bucket_port=
bucket_pid=
bucket_cluster=
bucket_server=()

# bucket_start: a server on a free port. It checks the name of the key, not the
# signature in an address.
bucket_start() {
    local options=()
    [ -d "$bucket_made/node_modules/s3rver" ] || {
        say "npm install s3rver, into $bucket_made"
        mkdir -p "$bucket_made"
        npm install --silent --no-audit --no-fund --prefix "$bucket_made" s3rver@3.7.1
    }
    bucket_port=$(cluster_ports 1)
    # Its lists of several pages have tokens that are encrypted with DES.
    ! node --openssl-legacy-provider -e 0 2>/dev/null || options=(--openssl-legacy-provider)
    bucket_server=(node "${options[@]}" "$bucket_made/node_modules/s3rver/bin/s3rver.js" --directory "$bucket_made/files" --address 127.0.0.1
        --port "$bucket_port" --no-vhost-buckets --configure-bucket runs)
    rm -rf "$bucket_made/files" && mkdir "$bucket_made/files"
    "${bucket_server[@]}" >"$bucket_made/log" 2>&1 &
    bucket_pid=$!
    for _ in {1..50}; do
        ! (exec 3<>"/dev/tcp/127.0.0.1/$bucket_port") 2>/dev/null || break
        kill -0 "$bucket_pid" 2>/dev/null || die "s3rver ended: $(tail -n 3 "$bucket_made/log")"
        sleep 0.2
    done
    export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER
}

# bucket_address PREFIX
bucket_address() { echo "s3://runs/$1?endpoint=http://127.0.0.1:$bucket_port"; }

bucket_stop() {
    [ ! "$bucket_pid" ] || kill "$bucket_pid" 2>/dev/null || true
    bucket_pid=
}

bucket_end() {
    bucket_stop
    [ ! "$bucket_cluster" ] || cluster_end "$bucket_cluster"
    rm -rf "$bucket_made/files"
}
