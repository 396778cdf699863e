# `./x units`: the units of packaging/systemd, checked, and started by a systemd of their
# own. Sourced by `x`.

# The most exposure that `systemd-analyze security` may report, times ten.
units_exposure=20

units_run() {
    local folder unit
    [ "$(id -u)" = 0 ] || die 'units: namespaces for another systemd need root'
    want systemd 'starts the units' test -x /lib/systemd/systemd
    want util-linux 'namespaces and users' command -v unshare
    want curl 'asks the server' command -v curl
    install_what_is_missing
    build_program
    build_server
    folder=$(mktemp -d "${TMPDIR:-/tmp}/xhprof-units.XXXXXX")
    # shellcheck disable=SC2064 # now
    trap "rm -rf '$folder'" EXIT
    cp packaging/systemd/*.service "$folder"
    # The units name a program that is installed; the checks want it there.
    sed -i "s|/usr/local/bin/|$release/|" "$folder"/*.service
    for unit in "$folder"/*.service; do
        systemd-analyze verify "$unit" || die "systemd-analyze verify refuses ${unit##*/}"
        systemd-analyze security --offline=true --threshold=$units_exposure --no-pager "$unit" >"$folder/security" ||
            die "${unit##*/} is open: $(grep '✗' "$folder/security")"
        say "${unit##*/}: $(tail -n 1 "$folder/security" | tr -cd ' -~' | sed 's/^ *//')"
    done
    units_start "$folder"
}

# units_start FOLDER: a systemd of its own, which is killed in the end.
units_start() {
    local folder=$1 process groups
    unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child \
        packaging/systemd/tests/systemd.sh "$folder" "$release/xhprof" "$PWD" >"$folder/systemd" 2>&1 &
    process=$!
    for _ in {1..600}; do
        if [ -e "$folder/status" ] || ! kill -0 $process 2>/dev/null; then break; fi
        sleep 0.5
    done
    # It holds back a SIGTERM; its child goes with it.
    kill -s KILL $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    # Its groups of processes, which are empty now. In the first group of a machine they
    # would be those of the machine's own systemd.
    groups=$(sed -n 's/^0:://p' /proc/self/cgroup)
    if [ "$groups" != / ] || [ ! -d /run/systemd/system ]; then
        groups=$(findmnt --noheadings --output TARGET --types cgroup2 | head -n 1)$groups
        find "$groups"/{system.slice,init.scope} -depth -type d -exec rmdir {} \; 2>/dev/null || true
    fi
    cat "$folder/log" 2>/dev/null || true
    [ "$(cat "$folder/status" 2>/dev/null)" = 0 ] || die "the units did not do their work: $(tail -n 20 "$folder/systemd")"
}
