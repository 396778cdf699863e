# `./x client-check`: Pyroscope's clients for Python and Node.js, from their registries,
# send profiles to `xhprof serve`. Sourced by `x`.

client_folder=${release%/release}/client-check
client_python=pyroscope-io==1.4.0
client_node=@pyroscope/nodejs@0.6.4

client_check() {
    local folder address token server name
    mkdir -p "$client_folder/node"
    [ -e "$client_folder/complete" ] || {
        python3 -m venv "$client_folder/venv"
        "$client_folder/venv/bin/pip" install --quiet "$client_python"
        (cd "$client_folder/node" && npm install --silent --no-audit --no-fund "$client_node")
        touch "$client_folder/complete"
    }
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-clients.XXXXXX")
    token=$("$release/xhprof" serve --token-file "$folder/tokens" --add-token clients:read,write 2>"$folder/log")
    "$release/xhprof" serve --listen 127.0.0.1:0 --store "$folder/store" --token-file "$folder/tokens" >"$folder/address" 2>>"$folder/log" &
    server=$!
    # shellcheck disable=SC2064
    trap "kill $server 2>/dev/null || true" EXIT
    for _ in $(seq 100); do
        [ ! -s "$folder/address" ] || break
        sleep 0.1
    done
    address=$(head -n 1 "$folder/address")
    address=${address%/}
    "$client_folder/venv/bin/python" scripts/clients/with_python.py "$address" "$token"
    (cd "$client_folder/node" && node "$OLDPWD/scripts/clients/with_node.mjs" "$address" "$token")
    for name in python-client node-client; do
        curl -sS -H "Authorization: Bearer $token" "$address/api/v1/runs?q=app:$name" >"$folder/$name"
        grep -q '"release":"7"' "$folder/$name" || die "no run of $name with its tags: $(cat "$folder/$name" "$folder/log")"
        curl -sS -H "Authorization: Bearer $token" "$address/api/v1/functions?q=app:$name" >"$folder/$name.functions"
        grep -q '"name":"[^"]*busy' "$folder/$name.functions" || die "no function busy of $name: $(cat "$folder/$name.functions")"
        echo "$name: $(grep -o '"id":' "$folder/$name" | wc -l) profiles with their labels and functions"
    done
    kill "$server"
    wait "$server" || die "the server's status is $? at its end: $(tail -n 5 "$folder/log")"
    rm -r "$folder"
}
