# `./x databases`: starts MariaDB, PostgreSQL, Redis and Memcached, each with a
# socket in a temporary folder, and runs a program that uses them. Sourced by `x`.
#
# Missing packages are unpacked, not installed: installed packages would start
# servers, and enable modules for every PHP.

databases=${release%/release}/databases

# Unpacks the servers and modules, and the libraries that this machine lacks.
databases_unpack() {
    local name
    [ ! -e "$databases/complete" ] || return 0
    command -v apt-get >/dev/null || die 'apt-get is missing: servers and modules come from Debian'
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    rm -rf "$databases" && mkdir -p "$databases"
    set -- mariadb-server-core mariadb-client-core postgresql redis-server memcached \
        "$name"-{mysql,pgsql,sqlite3,redis,memcached}
    unpack_packages "$databases" "$databases/root" "$@"
    touch "$databases/complete"
}

# unpack_packages FOLDER ROOT PACKAGE…: unpacks packages, and the libraries that this
# machine lacks, into ROOT, and keeps apt's log in FOLDER.
unpack_packages() {
    local folder=$1 root=$2 archives=$1/archives package
    shift 2
    rm -rf "$archives" && mkdir -p "$archives/partial" "$root"
    say "apt-get download: $*, and what they need; unpacked in $root, not installed"
    download_packages "$archives" "$@" >"$folder/log" 2>&1 ||
        { as_root apt-get update -qq && download_packages "$archives" "$@"; } >>"$folder/log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$folder/log")"
    for package in "$archives"/*.deb; do
        [ ! -e "$package" ] || dpkg-deb --extract "$package" "$root"
    done
    rm -r "$archives"
}

# download_packages FOLDER PACKAGE…: downloads only; installs nothing.
download_packages() {
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
