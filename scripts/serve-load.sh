# `./x serve-load`: 50 clients look at the pages of `xhprof serve --demo` while four
# others send runs. Every answer must be a success. Sourced by `x`.

serve_load() {
    local seconds=${1:-300} folder address server id upload
    [[ $seconds =~ ^[0-9]+$ ]] || die 'usage: ./x serve-load [SECONDS]'
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-load.XXXXXX")
    "$release/xhprof" serve --demo --listen 127.0.0.1:0 >"$folder/address" 2>"$folder/log" &
    server=$!
    # shellcheck disable=SC2064
    trap "kill $server 2>/dev/null || true" EXIT
    for _ in $(seq 3000); do
        ! grep -q 'data are complete' "$folder/log" || break
        sleep 0.2
    done
    grep -q 'data are complete' "$folder/log" || die "the demo's data are not there: $(tail -n 5 "$folder/log")"
    address=$(head -n 1 "$folder/address")
    id=$(curl -sS "${address}api/v1/runs?limit=1" | sed -E 's/.*"id":"([0-9a-f]{32})".*/\1/')
    curl -sS -o "$folder/run.xhp" "${address}api/v1/runs/$id/file"
    say "$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg); $seconds seconds"
    wrk -t 1 -c 4 -d "$seconds" --timeout 60s -s scripts/serve-load.lua "$address" -- upload "$folder/run.xhp" >"$folder/uploads" &
    upload=$!
    wrk -t 2 -c 50 -d "$seconds" --timeout 60s -s scripts/serve-load.lua "$address" >"$folder/pages"
    wait "$upload"
    echo "50 clients that look:" && sed -n '/^answers/,$p' "$folder/pages" | paste -sd' '
    echo "4 clients that send:" && sed -n '/^answers/,$p' "$folder/uploads" | paste -sd' '
    sed -n 's/^VmHWM:[ \t]*/the most memory of the server: /p' "/proc/$server/status"
    kill "$server"
    wait "$server" || die "the server's status is $? at its end: $(tail -n 5 "$folder/log")"
    ! grep -L '^errors 0$' "$folder/pages" "$folder/uploads" | grep . || die "there were errors; the log is $folder/log"
    rm -r "$folder"
}
