# The Debian packages, made by dpkg-deb, without a build system. Sourced by
# scripts/package.sh.

# deb_php FOLDER: the extension, for the chosen PHP.
deb_php() {
    local root name=php$php_version-xhprof-rs
    root=$(package_folder)
    install -D -m 644 "$1/xhprof.so" "$root$("$PHP_CONFIG" --extension-dir)/xhprof.so"
    install -D -m 644 scripts/xhprof.ini "$root/etc/php/$php_version/mods-available/xhprof.ini"
    deb_documents "$root" "$name" xhprof
    deb_script "$root" php postinst prerm postrm
    echo "/etc/php/$php_version/mods-available/xhprof.ini" >"$root/DEBIAN/conffiles"
    deb_build "$root" php "$(find "$root" -name xhprof.so)"
}

# deb_programs FOLDER: which has xhprof, static, and xhprof-server.
deb_programs() {
    local program=$1 root pages page
    pages=$(package_folder)
    # It writes the pages of xhprof-server, too, which is beside it.
    "$program/xhprof" man -o "$pages" >/dev/null

    root=$(package_folder)
    install -D -m 755 "$program/xhprof-server" "$root/usr/bin/xhprof-server"
    deb_page "$root" "$pages/xhprof-server.1"
    for page in "$pages"/*.1; do
        page=${page##*/}
        ! "$program/xhprof-server" "$(basename "${page#xhprof-}" .1)" --help >/dev/null 2>&1 || deb_page "$root" "$pages/$page"
    done
    for page in xhprof xhprof-agent; do
        sed -e '1d' -e 's|/usr/local/bin/|/usr/bin/|' "packaging/systemd/$page.service" >"$pages/unit"
        install -D -m 644 "$pages/unit" "$root/usr/lib/systemd/system/$page.service"
    done
    deb_documents "$root" xhprof-server xhprof-server
    deb_script "$root" xhprof-server postinst prerm postrm
    deb_build "$root" xhprof-server "$root/usr/bin/xhprof-server"

    root=$(package_folder)
    install -D -m 755 "$program/xhprof" "$root/usr/bin/xhprof"
    for page in "$pages"/*.1; do deb_page "$root" "$page"; done
    deb_completion "$root" bash bash-completion/completions/xhprof
    deb_completion "$root" zsh zsh/vendor-completions/_xhprof
    deb_completion "$root" fish fish/vendor_completions.d/xhprof.fish
    deb_documents "$root" xhprof xhprof-cli
    install -d "$root/usr/share/lintian/overrides"
    printf '%s\n' '# One file for any Linux, the same as in the archive of the release.' \
        'xhprof: statically-linked-binary [usr/bin/xhprof]' 'xhprof: shared-library-lacks-prerequisites [usr/bin/xhprof]' \
        '# Not the library: libyaml-rs, a translation of it into Rust.' \
        'xhprof: embedded-library libyaml [usr/bin/xhprof]' >"$root/usr/share/lintian/overrides/xhprof"
    deb_build "$root" xhprof
}

# deb_page ROOT FILE: moves a manual page into the package, so that it is in one only.
deb_page() {
    install -d "$1/usr/share/man/man1"
    gzip -n -9 <"$2" >"$1/usr/share/man/man1/${2##*/}.gz"
    rm "$2"
}

# deb_completion ROOT SHELL FILE
deb_completion() {
    mkdir -p "$(dirname "$1/usr/share/$3")"
    "$program/xhprof" completions "$2" >"$1/usr/share/$3"
}

# deb_documents ROOT NAME CRATE: copyright and changelog, which Debian demands.
deb_documents() {
    local documents=$1/usr/share/doc/$2
    mkdir -p "$documents" "$1/DEBIAN"
    deb_fill <packaging/debian/copyright >"$documents/copyright"
    python3 packaging/crates.py licenses "$version" "$3" | gzip -n -9 >"$documents/crates.txt.gz"
    gzip -n -9 <CHANGELOG.md >"$documents/changelog.gz"
    printf '%s\n\n  * Version %s: see changelog.gz.\n\n -- %s  %s\n' \
        "xhprof-rs ($version-1) unstable; urgency=medium" "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" |
        gzip -n -9 >"$documents/changelog.Debian.gz"
}

# deb_script ROOT TEMPLATE SCRIPT…
deb_script() {
    local root=$1 template=$2 script
    shift 2
    for script; do
        deb_fill <"packaging/debian/$template.$script" >"$root/DEBIAN/$script"
        chmod 755 "$root/DEBIAN/$script"
    done
}

# deb_build ROOT TEMPLATE [BINARY]: BINARY's libraries become dependencies.
deb_build() {
    local root=$1 depends='' size
    size=$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f1)
    [ -z "${3:-}" ] || depends=$(deb_libraries "$3")
    deb_fill <"packaging/debian/$2.control" |
        sed -e "s|@DEPENDS@|$depends|" -e "s|@SIZE@|$size|" >"$root/DEBIAN/control"
    (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod -R u+rwX,go+rX,go-w "$root"
    # dpkg-deb takes its dates from SOURCE_DATE_EPOCH.
    dpkg-deb --root-owner-group -Zxz --build "$root" "$packages" >/dev/null
}

# deb_libraries FILE: the packages of its libraries, with their lowest versions.
deb_libraries() {
    local folder
    folder=$(package_folder)
    mkdir "$folder/debian"
    printf 'Source: xhprof-rs\n\nPackage: xhprof\nArchitecture: any\n' >"$folder/debian/control"
    (cd "$folder" && dpkg-shlibdeps -O -e"$1" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

deb_fill() {
    sed -e "s|@PHP@|$php_version|g" -e "s|@VERSION@|$version-1|g" -e "s|@ARCHITECTURE@|$(dpkg --print-architecture)|g" \
        -e "s|@MAINTAINER@|$maintainer|g" -e "s|@YEAR@|$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y)|g" \
        -e "s|@API@|$("$PHP" -n -i | sed -n 's/^PHP Extension => //p')|g"
}
