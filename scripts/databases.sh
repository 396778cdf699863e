# `./x databases`: starts MariaDB, PostgreSQL, Redis and Memcached, each with a
# socket in a temporary folder, and runs a program that uses them. Sourced by `x`.
#
# Missing packages are unpacked, not installed: installed packages would start
# servers, and enable modules for every PHP.

databases=${release%/release}/databases

# Unpacks the servers and modules, and the libraries that this machine lacks.
databases_unpack() {
    local name archives=$databases/archives package
    [ ! -e "$databases/complete" ] || return 0
    command -v apt-get >/dev/null || die 'apt-get is missing: servers and modules come from Debian'
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    rm -rf "$databases" && mkdir -p "$archives/partial" "$databases/root"
    set -- mariadb-server-core mariadb-client-core postgresql redis-server memcached \
        "$name"-{mysql,pgsql,sqlite3,redis,memcached}
    say "apt-get download: $*, and what they need; unpacked in $databases/root, not installed"
    databases_download "$archives" "$@" >"$databases/log" 2>&1 ||
        { as_root apt-get update -qq && databases_download "$archives" "$@"; } >>"$databases/log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$databases/log")"
    for package in "$archives"/*.deb; do
        [ ! -e "$package" ] || dpkg-deb --extract "$package" "$databases/root"
    done
    rm -r "$archives"
    touch "$databases/complete"
}

# databases_download FOLDER PACKAGE…: downloads only; installs nothing.
databases_download() {
    local folder=$1
    shift
    apt-get install -y -qq --no-install-recommends --download-only \
        -o Dir::Cache::archives="$folder" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@"
}

databases_run() {
    databases_folder=$(mktemp -d)
    trap databases_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    "$PHP" -n scripts/databases/check.php "$release/libxhprof.so" "$release/xhprof" "$databases/root" "$databases_folder"
}

# The servers end with PHP. PostgreSQL's processes end a moment later.
databases_remove() {
    local try
    for try in {1..25}; do
        rm -rf "$databases_folder" 2>/dev/null && return
        sleep 0.2
    done
    say "could not be removed: $databases_folder"
}
