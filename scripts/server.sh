# `./x server-test` and `./x server-load`: php-fpm behind nginx, on a free port of
# 127.0.0.1. The tests also use Apache and php-cgi. The servers are unpacked, not
# installed. Sourced by `x`.

server=${release%/release}/server
extension=$release/libxhprof.so

# server_unpack FOLDER PACKAGE…: unpacks the packages into a folder, once.
server_unpack() {
    local package root=$server/$1
    shift
    [ ! -e "$root/complete" ] || return 0
    say "apt-get download: $*; unpacked in $root, not installed"
    rm -rf "$server/download" "$root" && mkdir -p "$server/download" "$root"
    (cd "$server/download" && apt-get download -qq "$@") >"$server/log" 2>&1 ||
        { as_root apt-get update -qq && cd "$server/download" && apt-get download -qq "$@"; } >"$server/log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$server/log")"
    for package in "$server"/download/*.deb; do dpkg-deb --extract "$package" "$root"; done
    rm -r "$server/download"
    touch "$root/complete"
}

server_find() {
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    server_unpack php-fpm nginx nginx-common "$name-fpm"
    fpm=$server/php-fpm/usr/sbin/php-fpm${name#php}
    nginx=$server/php-fpm/usr/sbin/nginx
}

server_test() {
    server_find
    server_unpack apache apache2-bin libapr1 libaprutil1 "libapache2-mod-$name"
    server_unpack php-cgi "$name-cgi"
    "$PHP" -n scripts/web.php "$extension" "$fpm" "$release/xhprof" \
        "nginx=$nginx" "apache=$server/apache" "php-cgi=$server/php-cgi/usr/bin/php-cgi${name#php}"
}

# server_load SECONDS ROUNDS: measures the variants in turn, several times, so that
# other load on the machine affects all of them.
server_load() {
    local seconds=${1:-2} rounds=${2:-11}
    [[ $seconds =~ ^[0-9]+$ && $rounds =~ ^[0-9]+$ ]] || die 'usage: ./x server-load [SECONDS [ROUNDS]]'
    local name includes
    server_find
    # Hooks that read nothing, and hooks that read the clock: what any profiler costs.
    read -ra includes <<<"$("$PHP_CONFIG" --includes)"
    for name in hooks floor; do
        cc -O2 -fPIC -shared "${includes[@]}" "benches/floor/$name.c" -o "$server/$name.so"
    done
    "$PHP" -n scripts/server-load.php "$extension" "$fpm" "$nginx" "$server" "$seconds" "$rounds"
}
