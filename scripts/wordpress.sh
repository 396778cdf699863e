# `./x wordpress`: installs WordPress with MariaDB in a temporary folder, and checks what
# its profiles are called with the file of docs/frameworks.md. Sourced by `x`.
#
# Packages are unpacked, not installed. MariaDB and php-fpm listen on sockets in the
# folder, and end with the check.

wordpress=${release%/release}/wordpress

wordpress_unpack() {
    local name package packages
    [ ! -e "$wordpress/complete" ] || return 0
    command -v apt-get >/dev/null || die 'apt-get is missing: WordPress comes from Debian'
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    packages=(wordpress wordpress-theme-twentytwentyone wordpress-theme-twentytwentythree php-getid3)
    rm -rf "$wordpress" && mkdir -p "$wordpress/archives/partial" "$wordpress/root"
    say "apt-get download: ${packages[*]}, MariaDB; unpacked in $wordpress/root, not installed"
    wordpress_download "$name" >"$wordpress/log" 2>&1 ||
        { as_root apt-get update -qq && wordpress_download "$name"; } >>"$wordpress/log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$wordpress/log")"
    for package in "$wordpress"/archives/*.deb; do
        [ ! -e "$package" ] || dpkg-deb --extract "$package" "$wordpress/root"
    done
    rm -r "$wordpress/archives"
    touch "$wordpress/complete"
}

# WordPress itself without what it depends on: that would be a web server.
wordpress_download() {
    (cd "$wordpress/archives" && apt-get download -qq "${packages[@]}") &&
        download_packages "$wordpress/archives" mariadb-server-core mariadb-client-core "$1-mysql"
}

wordpress_run() {
    local fpm
    fpm=$(find_fpm) || die 'php-fpm is missing'
    databases_folder=$(mktemp -d)
    trap databases_remove EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    "$PHP" -n scripts/wordpress/check.php "$(realpath "$release/libxhprof.so")" "$(realpath "$release/xhprof")" "$fpm" \
        "$(realpath "$wordpress/root")" "$databases_folder"
}
