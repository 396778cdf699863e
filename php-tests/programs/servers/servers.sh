# `./x server-test` and `./x server-load`: php-fpm behind nginx, on a free port of
# 127.0.0.1. The tests also use Apache and php-cgi. The servers are unpacked, not
# installed. Sourced by `x`.

server=${release%/release}/server
extension=$release/libxhprof.so

source scripts/debian.sh

server_find() {
    name=$(debian_php)
    unpack_packages --alone "$server/php-fpm" nginx nginx-common "$name-fpm"
    fpm=$server/php-fpm/usr/sbin/php-fpm${name#php}
    nginx=$server/php-fpm/usr/sbin/nginx
}

server_test() {
    server_find
    unpack_packages --alone "$server/apache" apache2-bin libapr1 libaprutil1 "libapache2-mod-$name"
    unpack_packages --alone "$server/php-cgi" "$name-cgi"
    "$PHP" -n php-tests/programs/servers/requests.php "$extension" "$fpm" "$release/xhprof" \
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
    "$PHP" -n benches/server-load.php "$extension" "$fpm" "$nginx" "$server" "$seconds" "$rounds"
}
