#!/usr/bin/env bash
# systemd.sh FOLDER PROGRAM REPOSITORY: in new namespaces, starts systemd as process 1 with
# this system's files below a layer of memory, and the units of packaging/systemd in it.
# packaging/systemd/tests/check.sh is what it runs; its output is in FOLDER/log, and at last its
# status in FOLDER/status.

set -euo pipefail
folder=$1
program=$2
repository=$3

mount --make-rprivate /
mkdir "$folder/layer" "$folder/root"
mount -t tmpfs tmpfs "$folder/layer"
mkdir "$folder/layer/upper" "$folder/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/layer/upper,workdir=$folder/layer/work" "$folder/root"
cd "$folder/root"
mount -t proc proc proc
mount -t sysfs sysfs sys -o ro
# Without controllers: limits of memory and CPU are not tested.
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp

# As docs/serve.md and docs/agent.md say.
install -m 0755 "$program" "$program-server" usr/local/bin
cp "$repository"/packaging/systemd/*.service etc/systemd/system/
grep -q ^www-data: etc/passwd || {
    echo 'www-data:x:33:33::/var/www:/usr/sbin/nologin' >>etc/passwd
    echo 'www-data:x:33:' >>etc/group
}
echo 'xhprof:x:8470:8470::/nonexistent:/usr/sbin/nologin' >>etc/passwd
echo 'xhprof:x:8470:' >>etc/group
chroot . install -d -o www-data -g www-data -m 2770 /var/lib/xhprof

# Nothing else of this system is started.
rm -rf lib/systemd/system/*.wants etc/systemd/system/*.wants etc/systemd/system/default.target
for target in sysinit basic network; do
    printf '[Unit]\nDescription=%s\n' $target >"etc/systemd/system/$target.target"
done
install -m 0755 "$repository/packaging/systemd/tests/check.sh" usr/local/bin/check-units
cat >etc/systemd/system/check.service <<'END'
[Unit]
Description=check
[Service]
Type=oneshot
ExecStart=/bin/bash -c '/usr/local/bin/check-units >/var/log/check 2>&1; echo $? >/var/log/status'
END
printf '[Unit]\nDescription=test\nWants=check.service\n' >etc/systemd/system/units.target
(
    # systemd ends what it has not started.
    trap '' TERM HUP
    while [ ! -e var/log/status ]; do sleep 0.5; done
    cp var/log/check "$folder/log"
    mv var/log/status "$folder/status"
) &
export container=unshare
# Credentials are mounted by a process in a namespace of its own.
mount --make-rshared .
exec chroot . /lib/systemd/systemd --system --unit=units.target --log-target=console --log-level=warning
