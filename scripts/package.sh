# `./x package`: what a release has, in target/packages. Sourced by `x`.
#
#   pie       the extension, as the archive that PIE looks for
#   static    the program xhprof, one file for any Linux
#   deb       the Debian package phpX.Y-xhprof-rs
#   programs  the Debian packages xhprof and xhprof-server
#   rpm       the RPM packages xhprof and php-xhprof-rs
#
# The extension is built for the chosen PHP, one file for glibc 2.17 and later and for musl:
# packaging/portable says how. Builds have a folder of their own, target/package, because their flags differ: no path of this
# machine is left in the files. All dates are that of the commit, so the same commit in
# the same folder gives the same bytes; `--twice` builds everything again and compares.

packages=${release%/release}/packages
package_builds=${release%/release}/package
package_kinds=(pie static deb programs rpm)

# package_run [--index | [--twice] KIND…]: --index only makes the checksums and the
# repository, of what several machines have built and one has in the folder.
package_run() {
    local kind twice='' kinds=()
    if [ "${1:-}" = --index ]; then
        package_facts
        package_index
        return
    fi
    for kind; do
        case " ${package_kinds[*]} --twice " in
        *" $kind "*) [ "$kind" != --twice ] && kinds+=("$kind") || twice=yes ;;
        *) die "package: unknown argument $kind; known are --twice and ${package_kinds[*]}" ;;
        esac
    done
    [ ${#kinds[@]} -gt 0 ] || kinds=("${package_kinds[@]}")
    package_facts
    package_all "${kinds[@]}"
    [ -z "$twice" ] || package_again "${kinds[@]}"
    (cd "$packages" && du -bh -- * | sort -k2)
}

# Sets what all kinds need. The version has no "v": PIE's names have that of the tag.
package_facts() {
    version=$(package_version)
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    maintainer=$(git log -1 --format='%an <%ae>')
    php_version=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    architecture=$(uname -m)
}

package_version() { sed -nE '/^\[workspace.package\]/,/^$/s/^version = "(.*)"/\1/p' Cargo.toml; }

# package_all KIND…: makes the kinds anew, with checksums of everything.
package_all() {
    local kind
    rm -rf "$packages"
    mkdir -p "$packages"
    for kind; do
        say "package: $kind"
        "package_$kind"
    done
    python3 packaging/crates.py cyclonedx "$version" xhprof xhprof-cli xhprof-server >"$packages/xhprof-$version.cdx.json"
    install -m 755 packaging/install.sh "$packages/install.sh"
    package_index
}

# The folder of the packages is a repository for apt, behind any web server. It is as trusted
# as its signature. This one has none: `gpg --clearsign --output InRelease Release` makes it.
package_index() (
    cd "$packages" || return
    rm -f Packages Release SHA256SUMS
    if compgen -G '*.deb' >/dev/null; then
        apt-ftparchive packages . >Packages
        apt-ftparchive -o APT::FTPArchive::Release::Origin=xhprof-rs -o APT::FTPArchive::Release::Suite=./ \
            -o APT::FTPArchive::Release::Patterns=Packages \
            -o APT::FTPArchive::Release::Date="$(date -u -R -d "@$SOURCE_DATE_EPOCH")" release . >../Release
        mv ../Release .
    fi
    sha256sum -- * >../SHA256SUMS
    mv ../SHA256SUMS .
)

# package_cargo ARGUMENT…: Cargo, for files that tell nothing of this machine. A folder in
# $package_libraries has libraries to link with before those of the machine.
package_cargo() {
    local sources=${CARGO_HOME:-$HOME/.cargo}/registry/src flags
    # These flags replace those of .cargo/config.toml.
    flags=$(sed -nE 's/^rustflags = \["-C", "(.*)"\]$/-C\x1f\1/p' .cargo/config.toml)
    flags+=$'\x1f'--remap-path-prefix=$PWD=/xhprof$'\x1f'--remap-path-prefix=$sources=/crates
    flags+=${package_libraries:+$'\x1f'-Lnative=$package_libraries}
    env -u SOURCE_DATE_EPOCH CARGO_TARGET_DIR="$package_builds" CARGO_ENCODED_RUSTFLAGS="$flags" \
        CFLAGS="-ffile-prefix-map=$PWD=/xhprof -ffile-prefix-map=$sources=/crates" \
        cargo "$@" || build_failed 'a package'
}

# Builds the extension, and puts it, stripped, into the folder. With a target, Cargo builds
# macros and build scripts without these flags: they run here.
package_extension() {
    local target=$architecture-unknown-linux-gnu package_libraries=$package_builds/libraries
    python3 packaging/portable/libraries.py "$package_libraries"
    package_cargo build --release --locked --target "$target" -p xhprof
    strip -o "$1/xhprof.so" "$package_builds/$target/release/libxhprof.so"
    chmod 644 "$1/xhprof.so"
    python3 packaging/portable/libraries.py --check "$1/xhprof.so"
    ! grep -aF -e "$PWD" -e "$HOME/" "$1/xhprof.so" >/dev/null || die 'the extension has a path of this machine'
}

# The same file under two names, for glibc and musl, each as .zip and as .tgz: PIE takes
# either, and tar is on every machine.
package_pie() {
    local folder name libc
    folder=$(package_folder)
    package_extension "$folder"
    cp LICENSE "$folder/LICENSE"
    cp scripts/xhprof.ini "$folder/xhprof.ini"
    python3 packaging/crates.py licenses "$version" xhprof >"$folder/crates.txt"
    for libc in glibc musl; do
        name=$("$PHP" -n packaging/pie/name.php "$version" $libc)
        package_archive "$folder" "$packages/$name.tgz"
        package_zip "$folder" "$packages/$name.zip"
        "$PHP" -n packaging/pie/test.php "$packages/$name".{zip,tgz}
    done
}

# package_zip FOLDER FILE
package_zip() {
    (cd "$1" && python3 - "$2" -- *) <<'EOF'
import os, sys, time, zipfile
date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for name in sorted(sys.argv[3:]):
        member = zipfile.ZipInfo(name, date)
        member.external_attr = 0o100644 << 16
        archive.writestr(member, open(name, "rb").read(), zipfile.ZIP_DEFLATED)
EOF
}

# Builds the everyday program as one file without any library.
package_program() {
    local target=$architecture-unknown-linux-musl
    [ -e "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target" ||
        die "package: Rust has no standard library for $target here, and rustup does not install it"
    package_cargo build --profile packaged --locked --target "$target" -p xhprof-cli
    install -m 755 "$package_builds/$target/packaged/xhprof" "$1/xhprof"
    # file(1) may be missing.
    ! readelf --dynamic --program-headers "$1/xhprof" | grep -E 'NEEDED|INTERP' || die 'the program is not static'
    ! grep -aF -e "$PWD" -e "$HOME/" "$1/xhprof" >/dev/null || die 'the program has a path of this machine'
}

package_static() {
    local folder
    folder=$(package_folder)
    package_program "$folder"
    cp LICENSE "$folder/LICENSE"
    python3 packaging/crates.py licenses "$version" xhprof-cli >"$folder/crates.txt"
    package_archive "$folder" "$packages/xhprof-$version-${architecture/aarch64/arm64}-linux.tgz"
}

# package_archive FOLDER FILE
package_archive() {
    (cd "$1" && tar --create --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        --mode=u+rwX,go+rX,go-w -- *) | gzip -n -9 >"$2"
}

# An empty folder, inside the build folder.
package_folder() {
    mkdir -p "$package_builds/tmp"
    mktemp -d "$package_builds/tmp/XXXXXX"
}

# Again from clean, in the same folder: a difference is an error.
package_again() {
    local first=$packages.first
    rm -rf "$first" "$package_builds"
    mv "$packages" "$first"
    say 'package: all of it again, from clean'
    package_all "$@"
    diff -r "$first" "$packages" || die 'the second build has other bytes'
    rm -r "$first"
    say 'package: the second build has the same bytes'
}

package_deb() {
    local folder
    folder=$(package_folder)
    package_extension "$folder"
    source packaging/debian/build.sh
    deb_php "$folder"
}

package_programs() {
    local folder
    folder=$(package_folder)
    package_program "$folder"
    package_cargo build --profile program --locked -p xhprof-server
    strip -o "$folder/xhprof-server" "$package_builds/program/xhprof-server"
    source packaging/debian/build.sh
    deb_programs "$folder"
}

package_rpm() {
    local folder
    folder=$(package_folder)
    package_extension "$folder"
    package_program "$folder"
    source packaging/rpm/build.sh
    rpm_build "$folder"
}
