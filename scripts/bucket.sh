# `./x bucket`: files of runs in a bucket of an S3-compatible server from npm.
# Sourced by `x`.

bucket_made=${release%/release}/bucket

# The server checks the name of the key, not the signature in an address.
bucket_run() {
    local server port=${BUCKET_PORT:-4569}
    command -v npm >/dev/null || die 'npm is missing: apt-get install npm'
    [ -d "$bucket_made/node_modules/s3rver" ] || {
        say "npm install s3rver, into $bucket_made"
        mkdir -p "$bucket_made"
        npm install --silent --no-audit --no-fund --prefix "$bucket_made" s3rver@3.7.1
    }
    rm -rf "$bucket_made/files" && mkdir "$bucket_made/files"
    node "$bucket_made/node_modules/s3rver/bin/s3rver.js" --directory "$bucket_made/files" --address 127.0.0.1 \
        --port "$port" --no-vhost-buckets --configure-bucket runs >"$bucket_made/log" 2>&1 &
    server=$!
    # shellcheck disable=SC2064
    trap "kill $server 2>/dev/null" EXIT
    for _ in {1..50}; do
        ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
        kill -0 "$server" 2>/dev/null || die "s3rver ended: $(tail -n 3 "$bucket_made/log")"
        sleep 0.2
    done
    AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER \
        XHPROF_TEST_BUCKET="s3://runs/team?endpoint=http://127.0.0.1:$port" \
        cargo test --locked --package xhprof-store --test bucket
}
