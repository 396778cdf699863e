# `./x databases`: starts MariaDB, PostgreSQL, Redis and Memcached, each with a
# socket in a temporary folder, and runs a program that uses them. Sourced by `x`.

source scripts/debian.sh

databases=${release%/release}/databases

# The servers and modules, and the libraries that this machine lacks.
databases_unpack() {
    local name
    name=$(debian_php)
    unpack_packages "$databases/root" mariadb-server-core mariadb-client-core postgresql redis-server memcached \
        "$name"-{mysql,pgsql,sqlite3,redis,memcached}
}

databases_run() {
    databases_folder=$(mktemp -d)
    trap databases_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    "$PHP" -n php-tests/programs/databases/check.php "$release/libxhprof.so" "$release/xhprof" "$databases/root" "$databases_folder"
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
