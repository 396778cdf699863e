# `./x wordpress`: installs WordPress with MariaDB in a temporary folder, and checks what
# its profiles are called with the file of docs/frameworks.md. Sourced by `x`.
#
# Packages are unpacked, not installed. MariaDB and php-fpm listen on sockets in the
# folder, and end with the check.

wordpress=${release%/release}/wordpress

# WordPress itself without what it depends on: that would be a web server.
wordpress_unpack() {
    unpack_packages --alone "$wordpress/root" wordpress wordpress-theme-twentytwentyone wordpress-theme-twentytwentythree php-getid3
    unpack_packages "$wordpress/root" mariadb-server-core mariadb-client-core "$(debian_php)-mysql"
}

wordpress_run() {
    local fpm
    fpm=$(find_fpm) || die 'php-fpm is missing'
    databases_folder=$(mktemp -d)
    trap databases_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    "$PHP" -n php/tests/wordpress/check.php "$(realpath "$release/libxhprof.so")" "$(realpath "$release/xhprof")" "$fpm" \
        "$(realpath "$wordpress/root")" "$databases_folder"
}
