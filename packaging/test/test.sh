# `./x package --test`: the packages in a new Debian that has PHP, and no Rust, and images with that Debian as their base.
# Sourced by `x`.

# package_test: lintian, the images, then packaging/test/inside.sh in the root. Its log is beside the root.
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
    package_images "$folder"
    fresh_network "$root"
    mkdir -p "$folder/no-rust"
    as_root cp -R "$packages" "$root/release"
    as_root cp packaging/test/inside.sh packaging/environments/development.ini "$root/"
    package_next "$folder"
    say "package: install, use, upgrade and remove in $root"
    as_root env XHPROF_RUST="$folder/no-rust" XHPROF_ARCHIVES="$fresh/archives" scripts/fresh-enter.sh \
        "$root" root "bash /inside.sh $php_version" </dev/null >"$folder/inside.log" 2>&1 ||
        die "a package failed: $(tail -n 30 "$folder/inside.log")
the whole log: $folder/inside.log"
    grep '^==> ' "$folder/inside.log"
    as_root rm -rf --one-file-system "$root"
}

# package_images FOLDER: the image of the server and its agent, and that of a PHP for developers, built and used. Their
# bases are on a registry of images, so the root stands for them.
package_images() {
    local folder=$1 image entry name context=$1/xhprof programs
    as_root rm -rf --one-file-system "$folder/images" "$context"
    images() { as_root buildah --storage-driver vfs --root "$folder/images" --runroot "$folder/images/run" "$@"; }
    # inside IMAGE COMMAND…, a new container each time
    inside() { images run --isolation chroot "$(images from --pull-never "localhost/$1")" -- "${@:2}"; }
    say 'package: images of the server and of PHP'
    image=$(images from scratch)
    images copy --quiet "$image" "$folder/root" / >/dev/null
    for name in debian:bookworm-slim php:8.2-cli; do
        images commit --quiet "$image" "docker.io/library/$name" >/dev/null
    done
    # Of the packages: `./x build` may not have run.
    programs=$(package_folder)
    for name in "$packages"/xhprof*.deb; do dpkg-deb --extract "$name" "$programs"; done
    images build --quiet --isolation chroot --pull-never --tag server --file packaging/container/Containerfile "$programs/usr/bin" >/dev/null
    entry=$(images inspect --type image --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}' server)
    inside server sh -euc "$entry --token-file /store/tokens --add-token team:read; stat -c 'is of %U, %a' /store/tokens" |
        grep -x 'is of xhprof, 600' || die 'package: the image of the server does not start, or cannot write its store'
    cp -R "$packages" "$context"
    cp -R packaging/environments/. "$context"
    images build --quiet --isolation chroot --pull-never --tag php --file "$context/Dockerfile" "$context" >/dev/null
    inside php sh -euc 'XHPROF=development php -r "array_sum([1]);"; xhprof report /var/lib/xhprof/*' |
        grep array_sum || die 'package: PHP in its image writes no profile'
    as_root rm -rf --one-file-system "$folder/images" "$context"
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
