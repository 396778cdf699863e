# `./x api-check`: schemathesis reads the description of the API that `xhprof serve`
# gives, and sends random requests to all routes in it. An answer of 5xx is a failure.
# Sourced by `x`.

api_check_folder=$(realpath -m "${release%/release}")/api-check
api_check_version=4.32.5

api_check() {
    local examples=${1:-20} address server status=0
    local program=$api_check_folder/venv/bin/schemathesis
    mkdir -p "$api_check_folder"
    [ -x "$program" ] || {
        python3 -m venv "$api_check_folder/venv"
        "$api_check_folder/venv/bin/pip" install --quiet "schemathesis==$api_check_version"
    }
    rm -f "$api_check_folder/address"
    env -u XHPROF_STORE "$release/xhprof" serve --demo --listen 127.0.0.1:0 \
        >"$api_check_folder/address" 2>"$api_check_folder/log" &
    server=$!
    # shellcheck disable=SC2064
    trap "kill $server 2>/dev/null || true" EXIT
    for _ in $(seq 100); do
        [ ! -s "$api_check_folder/address" ] || break
        sleep 0.1
    done
    address=$(head -n 1 "$api_check_folder/address")
    [ "$address" ] || die "the server did not start: $(cat "$api_check_folder/log")"
    # It writes a folder where it is started.
    (cd "$api_check_folder" && "$program" run "${address}api/v1/openapi.json" \
        --checks not_a_server_error --max-examples "$examples" --request-timeout 60) || status=1
    kill "$server"
    wait "$server" || die "the server's status is $? at its end: $(tail -n 5 "$api_check_folder/log")"
    [ "$status" = 0 ] || die "an answer of 5xx, see above; the server's log is $api_check_folder/log"
}
