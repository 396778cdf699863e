#!/bin/sh
# Runs a command in a root that `./x fresh` made; needs root itself.
#
# usage: scripts/fresh-enter.sh ROOT USER COMMAND
#
# Runs in a namespace of its own, so that no mount and no process is left at its
# end. XHPROF_RUST is the toolchain that becomes /opt/rust. XHPROF_ARCHIVES is a
# folder for packages that apt has downloaded.

set -eu

fail() {
    echo "fresh: $*" >&2
    exit 125
}

if [ "$1" != --inside ]; then
    for namespaces in '--mount --pid --fork --kill-child' --mount; do
        # shellcheck disable=SC2086 # several words
        if unshare $namespaces true 2>/dev/null; then
            # shellcheck disable=SC2086
            exec setpriv --pdeathsig KILL unshare $namespaces "$0" --inside "$@"
        fi
    done
    fail 'this machine permits no namespace for mounts, and a root needs /proc: try as root, on a machine of its own'
fi

root=$2 user=$3 command=$4
rust=${XHPROF_RUST:-$(rustc --print sysroot)}

# A new /proc shows the processes of the namespace. Some containers only permit
# the old one.
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc" 2>/dev/null ||
    fail "/proc cannot be mounted here, and neither Rust nor PHP does without"
if ! mount --rbind /dev "$root/dev" 2>/dev/null; then
    for device in null zero full random urandom tty; do
        [ -e "$root/dev/$device" ] || : >"$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device" 2>/dev/null || cp -a "/dev/$device" "$root/dev/" ||
            fail "there is no way to have /dev/$device in $root"
    done
    mkdir -p "$root/dev/shm" && chmod 1777 "$root/dev/shm"
    ln -sfn /proc/self/fd "$root/dev/fd"
fi
mkdir -p "$root/opt/rust"
if ! mount --bind "$rust" "$root/opt/rust" 2>/dev/null; then
    [ -e "$root/opt/rust/bin/cargo" ] || cp -R "$rust/bin" "$rust/lib" "$rust/libexec" "$root/opt/rust/" ||
        fail "the toolchain cannot be put into $root"
fi
mount -o remount,bind,ro "$root/opt/rust" 2>/dev/null || true
if [ -n "${XHPROF_ARCHIVES:-}" ]; then
    # One folder for each suite: packages of several suites may have the same name.
    archives=$XHPROF_ARCHIVES/$(sed -n 's/^VERSION_CODENAME=//p' "$root/etc/os-release")
    mkdir -p "$archives/partial"
    mount --bind "$archives" "$root/var/cache/apt/archives" 2>/dev/null || true
fi

home=/root
[ "$user" = root ] || home=/home/$user
# The environment of a login and the machine's proxy settings, and nothing else.
# On Debian, a user's PATH has no sbin.
path=/opt/rust/bin:/usr/local/bin:/usr/bin:/bin
[ "$user" != root ] || path=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
set -- HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash TERM="${TERM:-dumb}" PATH="$path"
for name in $(env | sed -nE 's/^((https?|ftp|all|no)_proxy|(HTTPS?|FTP|ALL|NO)_PROXY|CARGO_(HTTP|NET)_[A-Z_]+)=.*/\1/p'); do
    eval "set -- \"\$@\" \"$name=\$$name\""
done
groups=$(chroot "$root" id -G "$user" | tr ' ' ,)
# Not exec: this is the first process of its namespace and must stay until the end.
status=0
chroot --userspec="$user:" --groups="$groups" "$root" /usr/bin/env -i "$@" \
    /bin/bash -c 'cd && eval "$1"' bash "$command" || status=$?
exit "$status"
