#!/usr/bin/env bash
# Starts the units of packaging/systemd in the systemd that runs this, and sends runs
# through them: the server that watches PHP's folder, then an agent and that server.

set -euo pipefail
spool=/var/lib/xhprof
url=http://127.0.0.1:8470

say() { echo "==> $*"; }

die() {
    echo "units: $*"
    tail -n 20 /var/log/unit-* 2>/dev/null
    systemctl --no-pager status xhprof xhprof-agent | cat
    exit 1
}

# As PHP writes them: files of www-data that the group may read.
write() {
    local file made
    made=$(mktemp -d)
    xhprof simulate --runs "$2" --seed "$1" --paths 50..100 --spool "$made" >/dev/null
    for file in "$made"/*.xhp; do
        install -o www-data -g www-data -m 0640 "$file" "$spool/.new"
        mv "$spool/.new" "$spool/${file##*/}"
    done
    rm -r "$made"
}

stored() { curl -sS --max-time 10 "$url/api/v1/stats" | sed -n 's/.*"runs": *\([0-9]*\),.*/\1/p' | head -n 1; }

wait_for() {
    for _ in {1..120}; do
        [ "$(stored 2>/dev/null)" != "$1" ] || [ -n "$(ls "$spool")" ] || return 0
        sleep 0.5
    done
    die "$(stored) of $1 runs are stored, in the folder are: $(ls "$spool")"
}

# running UNIT: it runs, as it did at first, with no capability and as its user.
running() {
    local process
    [ "$(systemctl is-active "$1")" = active ] || die "$1 does not run"
    [ "$(systemctl show -P NRestarts "$1")" = 0 ] || die "$1 was started again"
    process=$(systemctl show -P MainPID "$1")
    [ "$(stat -c %U "/proc/$process")" = xhprof ] || die "$1 does not run as xhprof"
    grep -q '^CapEff:.0*$' "/proc/$process/status" || die "$1 has capabilities"
    grep -q '^Seccomp:.2$' "/proc/$process/status" || die "$1 has no filter of system calls"
}

# stopped UNIT: it ends by itself when it is told to.
stopped() {
    systemctl stop "$1"
    [ "$(systemctl show -P Result "$1")" = success ] || die "$1 did not end as it should: $(systemctl show -P Result "$1")"
}

ip link set lo up
[ "$(cat /proc/1/comm)" = systemd ] || die 'process 1 is not systemd'
for unit in xhprof xhprof-agent; do
    mkdir -p "/etc/systemd/system/$unit.service.d"
    # There is no journal.
    printf '[Service]\nStandardOutput=append:/var/log/unit-%s\nStandardError=append:/var/log/unit-%s\n' $unit $unit \
        >"/etc/systemd/system/$unit.service.d/test.conf"
done
systemctl daemon-reload

systemctl start xhprof || die 'xhprof.service does not start'
write 1 30
wait_for 30
running xhprof
say "xhprof.service: 30 runs from PHP's folder are stored"
stopped xhprof

# The server without PHP's folder, and the agent, which sends to it with a token.
token=$(setpriv --reuid xhprof --regid xhprof --clear-groups xhprof store --store /var/lib/xhprof-store token add agent --may write 2>/dev/null)
reader=$(setpriv --reuid xhprof --regid xhprof --clear-groups xhprof store --store /var/lib/xhprof-store token add reader --may read 2>/dev/null)
stored() {
    curl -sS --max-time 10 --header "Authorization: Bearer $reader" "$url/api/v1/stats" |
        sed -n 's/.*"runs": *\([0-9]*\),.*/\1/p' | head -n 1
}
install -d /etc/xhprof
(umask 077 && echo "$token" >/etc/xhprof/token)
sed -i 's| --watch [^ ]*||' /etc/systemd/system/xhprof.service
sed -i "s|https://profiles.example.com|$url|" /etc/systemd/system/xhprof-agent.service
systemctl daemon-reload
systemctl start xhprof xhprof-agent || die 'xhprof-agent.service does not start'
write 2 30
wait_for 60
running xhprof
running xhprof-agent
say 'xhprof-agent.service: 30 runs more went through the agent, with a token of LoadCredential'

# A killed agent comes back, and what waits is sent.
systemctl kill --signal=KILL xhprof-agent
write 3 30
wait_for 90
[ "$(systemctl show -P NRestarts xhprof-agent)" -ge 1 ] || die 'the agent was not started again'
say 'a killed agent is started again: 90 runs are stored'
stopped xhprof-agent
stopped xhprof
say 'both end when they are told to'
