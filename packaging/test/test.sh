# `./x package --test`: the packages in a new Debian that has PHP, and no Rust. Sourced by `x`.

# package_test: lintian, then packaging/test/inside.sh in the root. Its log is beside the root.
package_test() {
    local folder root suite=bookworm
    source scripts/debian.sh
    source scripts/fresh.sh
    folder=$fresh/package root=$fresh/package/root
    case $php_version in
    8.2) ;;
    8.4) suite=trixie ;;
    *) die "package: no Debian has PHP $php_version" ;;
    esac
    say 'package: lintian'
    lintian --fail-on error "$packages"/*.deb || die 'package: lintian found errors'
    fresh_unpack "$folder" "$suite" "php$php_version-cli,ca-certificates"
    fresh_network "$root"
    mkdir -p "$folder/no-rust"
    as_root cp -R "$packages" "$root/release"
    as_root cp packaging/test/inside.sh "$root/inside.sh"
    as_root cp -R packaging/environments "$root/environments"
    package_next "$folder"
    say "package: install, use, upgrade and remove in $root"
    as_root env XHPROF_RUST="$folder/no-rust" XHPROF_ARCHIVES="$fresh/archives" scripts/fresh-enter.sh \
        "$root" root "bash /inside.sh $php_version" </dev/null >"$folder/inside.log" 2>&1 ||
        die "a package failed: $(tail -n 30 "$folder/inside.log")
the whole log: $folder/inside.log"
    grep '^==> ' "$folder/inside.log"
    as_root rm -rf --one-file-system "$root"
}

# package_next FOLDER: the same packages with a later version, and two in the place of
# PECL's: the module, and the package that depends on that of each PHP.
package_next() {
    local package content
    as_root mkdir -p "$1/root/next" "$1/root/pecl"
    for package in "$packages"/*.deb; do
        content=$(package_folder)
        dpkg-deb --raw-extract "$package" "$content/deb"
        sed -i "s/$version-1/$version-2/" "$content/deb/DEBIAN/control"
        as_root dpkg-deb --root-owner-group -Znone --build "$content/deb" "$1/root/next" >/dev/null
    done
    content=$(package_folder)
    mkdir -p "$content/pecl/DEBIAN" "$content/all/DEBIAN" "$content/pecl/$("$PHP_CONFIG" --extension-dir)"
    : >"$content/pecl/$("$PHP_CONFIG" --extension-dir)/xhprof.so"
    printf 'Package: php%s-xhprof\nVersion: 2.3.10-1\nArchitecture: all\nMaintainer: a <a@b.c>\nDescription: PECL\n' "$php_version" >"$content/pecl/DEBIAN/control"
    printf 'Package: php-xhprof\nVersion: 2.3.10-1\nArchitecture: all\nMaintainer: a <a@b.c>\nDepends: php%s-xhprof\nDescription: PECL\n' "$php_version" >"$content/all/DEBIAN/control"
    chmod -R go+rX "$content"
    for package in pecl all; do
        as_root dpkg-deb --root-owner-group --build "$content/$package" "$1/root/pecl" >/dev/null
    done
}
