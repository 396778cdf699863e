# `./x api-check`, `./x client-check` and `./x serve-load`: other programs ask and fill
# `xhprof serve`. Sourced by `x`.

# start_serve FOLDER OPTION…: starts a server on a free port, until this command ends. Sets
# $server, its process id, and $address, which ends in a slash. Its log is FOLDER/log.
start_serve() {
    local folder=$1
    shift
    rm -f "$folder/address"
    env -u XHPROF_STORE "$release/xhprof" serve --listen 127.0.0.1:0 "$@" >"$folder/address" 2>>"$folder/log" &
    server=$!
    # shellcheck disable=SC2064 # now
    trap "kill $server 2>/dev/null || true" EXIT
    for _ in {1..100}; do
        [ ! -s "$folder/address" ] || break
        sleep 0.1
    done
    address=$(head -n 1 "$folder/address")
    [ "$address" ] || die "the server did not start: $(cat "$folder/log")"
}

# end_serve FOLDER: the server must end well by SIGTERM.
end_serve() {
    kill "$server"
    wait "$server" || die "the server's status is $? at its end: $(tail -n 5 "$1/log")"
}

api_check_version=4.32.5

# api_check [EXAMPLES]: schemathesis reads the description of the API that the server gives,
# and sends random requests to all routes in it. An answer of 5xx is a failure.
api_check() {
    local folder server address status=0 examples=${1:-20}
    folder=$(realpath -m "${release%/release}")/api-check
    [ -x "$folder/venv/bin/schemathesis" ] || {
        python3 -m venv "$folder/venv"
        "$folder/venv/bin/pip" install --quiet "schemathesis==$api_check_version"
    }
    : >"$folder/log"
    start_serve "$folder" --demo
    # It writes a folder where it is started.
    (cd "$folder" && venv/bin/schemathesis run "${address}api/v1/openapi.json" \
        --checks not_a_server_error --max-examples "$examples" --request-timeout 60) || status=1
    end_serve "$folder"
    [ "$status" = 0 ] || die "an answer of 5xx, see above; the server's log is $folder/log"
}

client_python=pyroscope-io==1.4.0
client_node=@pyroscope/nodejs@0.6.4

# Pyroscope's clients for Python and Node.js, from their registries, send profiles.
client_check() {
    local clients=${release%/release}/client-check programs=$PWD/crates/serve/tests/programs folder server address token name
    [ -e "$clients/complete" ] || {
        mkdir -p "$clients/node"
        python3 -m venv "$clients/venv"
        "$clients/venv/bin/pip" install --quiet "$client_python"
        (cd "$clients/node" && npm install --silent --no-audit --no-fund "$client_node")
        touch "$clients/complete"
    }
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-clients.XXXXXX")
    token=$("$release/xhprof" serve --token-file "$folder/tokens" --add-token clients:read,write 2>"$folder/log")
    start_serve "$folder" --store "$folder/store" --token-file "$folder/tokens"
    "$clients/venv/bin/python" "$programs/with_python.py" "${address%/}" "$token"
    (cd "$clients/node" && node "$programs/with_node.mjs" "${address%/}" "$token")
    for name in python-client node-client; do
        curl -sS -H "Authorization: Bearer $token" "${address}api/v1/runs?q=app:$name" >"$folder/$name"
        grep -q '"release":"7"' "$folder/$name" || die "no run of $name with its tags: $(cat "$folder/$name" "$folder/log")"
        curl -sS -H "Authorization: Bearer $token" "${address}api/v1/functions?q=app:$name" >"$folder/$name.functions"
        grep -q '"name":"[^"]*busy' "$folder/$name.functions" || die "no function busy of $name: $(cat "$folder/$name.functions")"
        echo "$name: $(grep -o '"id":' "$folder/$name" | wc -l) profiles with their labels and functions"
    done
    end_serve "$folder"
    rm -r "$folder"
}

# serve_load [SECONDS]: 50 clients look at the pages of `xhprof serve --demo` while four
# others send runs. Every answer must be a success.
serve_load() {
    local seconds=${1:-300} script=crates/serve/tests/programs/load.lua folder server address id upload
    [[ $seconds =~ ^[0-9]+$ ]] || die 'usage: ./x serve-load [SECONDS]'
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-load.XXXXXX")
    start_serve "$folder" --demo
    for _ in $(seq 3000); do
        ! grep -q 'data are complete' "$folder/log" || break
        sleep 0.2
    done
    grep -q 'data are complete' "$folder/log" || die "the demo's data are not there: $(tail -n 5 "$folder/log")"
    id=$(curl -sS "${address}api/v1/runs?limit=1" | sed -E 's/.*"id":"([0-9a-f]{32})".*/\1/')
    curl -sS -o "$folder/run.xhp" "${address}api/v1/runs/$id/file"
    say "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg); $seconds seconds"
    wrk -t 1 -c 4 -d "$seconds" --timeout 60s -s $script "$address" -- upload "$folder/run.xhp" >"$folder/uploads" &
    upload=$!
    wrk -t 2 -c 50 -d "$seconds" --timeout 60s -s $script "$address" >"$folder/pages"
    wait "$upload"
    echo "50 clients that look:" && sed -n '/^answers/,$p' "$folder/pages" | paste -sd' '
    echo "4 clients that send:" && sed -n '/^answers/,$p' "$folder/uploads" | paste -sd' '
    sed -n 's/^VmHWM:[ \t]*/the most memory of the server: /p' "/proc/$server/status"
    end_serve "$folder"
    ! grep -L '^errors 0$' "$folder/pages" "$folder/uploads" | grep . || die "there were errors; the log is $folder/log"
    rm -r "$folder"
}
