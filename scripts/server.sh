# `./x server-test` and `./x server-load`: php-fpm behind nginx, on a free port
# of 127.0.0.1. Sourced by `x`. nginx and php-fpm are unpacked, not installed.

server=${release%/release}/server
extension=$release/libxhprof.so

server_unpack() {
    local name root=$server/root
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    fpm=$root/usr/sbin/php-fpm${name#php}
    nginx=$root/usr/sbin/nginx
    [ ! -e "$root/complete" ] || return 0
    say "apt-get download: nginx, $name-fpm; unpacked in $server, not installed"
    rm -rf "$server/download" "$root" && mkdir -p "$server/download" "$root"
    (cd "$server/download" && apt-get download -qq nginx nginx-common "$name-fpm") >"$server/log" 2>&1 ||
        { as_root apt-get update -qq && cd "$server/download" &&
            apt-get download -qq nginx nginx-common "$name-fpm"; } >"$server/log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$server/log")"
    for name in "$server"/download/*.deb; do dpkg-deb --extract "$name" "$root"; done
    rm -r "$server/download"
    touch "$root/complete"
}

server_test() {
    server_unpack
    "$PHP" -n scripts/web.php "$extension" "$fpm" "$release/xhprof" "$nginx"
}

# server_load SECONDS ROUNDS: each way in turn, several times, so that a busy
# machine is busy for all of them.
server_load() {
    local seconds=${1:-10} rounds=${2:-3}
    [[ $seconds =~ ^[0-9]+$ && $rounds =~ ^[0-9]+$ ]] || die 'usage: ./x server-load [SECONDS [ROUNDS]]'
    server_unpack
    "$PHP" -n scripts/server-load.php "$extension" "$fpm" "$nginx" "$seconds" "$rounds"
}
